"""How many messages the runs of a chain have: a second message of one run is the last of its kind."""

import copy
from collections import Counter
from dataclasses import replace

import pytest

from shared.domain.bucket import EVERY_SHARD
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Rate
from tests.support.builders import DUE_AT
from tests.support.fakes.sender import AnswerTo, in_turn, succeeds
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.slow_chain import SlowChain
from tests.support.usecases.world import World

DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
MINUTE_MS = 60_000
RUNS = 20


class SingleMessages(Lanes):
    """Each batch has one message, so that no batch merges two messages of a run."""

    def work(self, limit: int = 1) -> list[int]:
        return super().work(limit)


def begun(interval_ms: int, answer_to: AnswerTo = succeeds) -> tuple[World, Job]:
    world = World(DUE_AT - 1_000, answer_to=answer_to)
    job = world.recurring(schedule=Rate(interval_ms=interval_ms, anchor=DUE_AT), chain_from=DUE_AT)
    world.cases.core.file.ensure_sent(world.occurrences(job)[DUE_AT])
    return world, job


def run_until(world: World, lanes: Lanes, end_ms: int) -> None:
    while world.clock.time_ms < end_ms:
        lanes.until(min(end_ms, world.clock.time_ms + MINUTE_MS // 2))
        world.watch.execute(EVERY_SHARD)
        world.sweep.execute()


def messages_of_runs(world: World, job: Job) -> list[int]:
    """The number of messages of each run, in the order of the runs."""
    sent = Counter(world.sent())
    return [sent[run.id] for run in world.occurrences(job).values()]


@pytest.mark.parametrize("interval_ms", [5_000, MINUTE_MS])
def test_message_that_is_delivered_twice_makes_no_second_message_of_later_runs(interval_ms: int) -> None:
    world, job = begun(interval_ms)
    lanes = SingleMessages(world)
    run_until(world, lanes, DUE_AT + 3 * interval_ms + 1_000)
    world.queue.messages.append(copy.copy(world.queue.messages[-1]))
    run_until(world, lanes, DUE_AT + RUNS * interval_ms)
    counts = messages_of_runs(world, job)
    assert counts.count(2) == 1
    assert set(counts[6:]) == {1}


def test_retry_makes_no_second_message_of_later_runs() -> None:
    answers = [OK, OK, DOWN, *[OK] * 2 * RUNS]
    world, job = begun(MINUTE_MS, in_turn(*answers))
    run_until(world, SingleMessages(world), DUE_AT + RUNS * MINUTE_MS)
    counts = messages_of_runs(world, job)
    assert Counter(counts) == {1: len(counts) - 1, 2: 1}


def test_retry_of_a_call_that_was_quicker_than_the_filing_makes_no_second_message_either() -> None:
    world, job = begun(MINUTE_MS, in_turn(DOWN, DOWN, *[OK] * 2 * RUNS))
    world.run_attempts.make_attempt = replace(world.run_attempts.make_attempt, offload=SlowChain())
    run_until(world, SingleMessages(world), DUE_AT + RUNS * MINUTE_MS)
    counts = messages_of_runs(world, job)
    assert Counter(counts) == {1: len(counts) - 1, 3: 1}


def test_run_whose_successor_could_not_be_sent_sends_it_with_its_next_message() -> None:
    world, job = begun(MINUTE_MS, in_turn(DOWN, OK))
    lanes = SingleMessages(world)
    world.steps.fail("queue.send", times=3)
    lanes.until(DUE_AT + 1_000)
    assert not world.occurrences(job)[DUE_AT].progress.successor_sent
    lanes.until(DUE_AT + MINUTE_MS + 1_000)
    following = world.occurrences(job)[DUE_AT + MINUTE_MS]
    assert following.attempt == 1


def test_run_that_waits_for_a_retry_notes_that_its_successor_was_sent() -> None:
    world, job = begun(MINUTE_MS, in_turn(DOWN, OK))
    SingleMessages(world).until(DUE_AT + 1_000)
    assert world.occurrences(job)[DUE_AT].progress.successor_sent
