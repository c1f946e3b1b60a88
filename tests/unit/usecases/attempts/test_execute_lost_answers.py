"""EXECUTE: answers that got lost on the way are recognised; what stays unknown is left to the message."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.ports.executions import Claim, Claimer, ClaimRejected, WriteUnknown
from shared.usecases.attempts.batch_report import Verdict
from shared.usecases.attempts.claim_keys import CLAIM_TRIES, RESOLVE_TRIES
from shared.usecases.attempts.run_attempts import NEWER_WAIT_SECONDS, UNSURE_WAIT_SECONDS
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.builders import DUE_AT
from tests.support.fakes.sender import in_turn
from tests.support.fakes.table import Damage
from tests.support.usecases.messages import delivery, wakeup_of
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)


def use_claimer(world: World, claimer: Claimer) -> None:
    """Claims of the world's executor go to this claimer."""
    run = world.run_attempts
    run.claim_keys = replace(run.claim_keys, claimer=claimer)


class Mute:
    """A claimer whose answers get lost, before or after the claim was made."""

    def __init__(self, world: World, *, times: int, granted: bool, throttled: bool = False) -> None:
        self._real, self._times, self._granted = world.claimer, times, granted
        self._result = WriteUnknown("throttled", is_throttled=throttled)
        use_claimer(world, self)

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[Execution | ClaimRejected | WriteUnknown]:
        """See the port."""
        if self._times == 0:
            return list(self._real.claim(claims, now_ms))
        self._times -= 1
        if self._granted:
            self._real.claim(claims, now_ms)
        return [self._result for _ in claims]


@pytest.mark.parametrize("granted", [True, False])
@pytest.mark.parametrize("times", [1, 2])
def test_a_claim_whose_answer_was_lost_is_asked_for_again_and_counts_once(times: int, granted: bool) -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    Mute(world, times=times, granted=granted)
    report = world.attempt(execution)
    done = world.standing(execution.id)
    assert (done.state, done.attempt, len(world.sender.calls)) == (State.SUCCEEDED, 1, 1)
    assert report.returned() == []


def test_a_granted_claim_without_any_response_is_found_by_a_read_and_called() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off(retry=RetryPolicy(max_attempts=1)))
    Mute(world, times=CLAIM_TRIES, granted=True)
    world.steps.fail("store.get_many", times=RESOLVE_TRIES - 1)
    world.attempt(execution)
    done = world.standing(execution.id)
    assert (done.state, done.attempt, len(world.sender.calls)) == (State.SUCCEEDED, 1, 1)


def test_a_throttled_claim_delays_no_granted_one() -> None:
    world = World(DUE_AT)
    throttled, granted = (world.put(world.one_off(number)) for number in (1, 2))
    real, calls_before = world.claimer, list[int]()

    class OneThrottled:
        def claim(
            self, claims: Sequence[Claim], now_ms: int
        ) -> list[Execution | ClaimRejected | WriteUnknown]:
            calls_before.append(len(world.sender.calls))
            return [
                WriteUnknown("throttled")
                if claim.execution_id == throttled.id
                else real.claim([claim], now_ms)[0]
                for claim in claims
            ]

    use_claimer(world, OneThrottled())
    world.run(delivery(throttled, granted))
    assert calls_before == [0, 1, 1]


def test_a_bug_in_a_later_claim_cuts_off_no_call_that_is_under_way() -> None:
    world = World(DUE_AT)
    undecided, granted = (world.put(world.one_off(number)) for number in (1, 2))
    real = world.claimer

    class Broken:
        def claim(
            self, claims: Sequence[Claim], now_ms: int
        ) -> list[Execution | ClaimRejected | WriteUnknown]:
            if len(claims) == 1:
                raise RuntimeError("a bug")
            return [WriteUnknown("throttled"), *real.claim([claims[1]], now_ms)]

    class Slow:
        async def send(self, callback: Callback, *, timeout_seconds: float) -> CallbackResponse:
            for _ in range(10):
                await asyncio.sleep(0)
            return await world.sender.send(callback, timeout_seconds=timeout_seconds)

    use_claimer(world, Broken())
    made = world.run_attempts.make_attempt
    slow = replace(made.call_receiver, sender=Slow())
    world.run_attempts.make_attempt = replace(made, call_receiver=slow)
    with pytest.raises(RuntimeError):
        world.run(delivery(undecided, granted))
    assert world.standing(granted.id).state is State.SUCCEEDED


@pytest.mark.parametrize("granted", [True, False])
def test_a_claim_that_stays_undecided_is_no_refusal(granted: bool) -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    Mute(world, times=CLAIM_TRIES, granted=granted)
    world.steps.fail("store.get_many", times=RESOLVE_TRIES)
    report = world.attempt(execution)
    assert [undecided.reason for undecided in report.undecided.values()] == ["throttled"]
    assert world.sender.calls == []


@pytest.mark.parametrize("granted", [True, False])
def test_undecided_claim_uses_up_no_receive(granted: bool) -> None:
    """A throttled table must not bring a message into the dead-letter queue."""
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    Mute(world, times=CLAIM_TRIES, granted=granted)
    world.steps.fail("store.get_many", times=RESOLVE_TRIES)
    (settled,) = world.attempt(execution, receives=4).settled
    (fresh,) = world.queue.messages
    assert settled.verdict is Verdict.DONE
    assert fresh.wakeup.keys == (execution.id,)
    assert fresh.visible_at >= world.clock.now_ms() + UNSURE_WAIT_SECONDS * 1000


@pytest.mark.parametrize(
    ("late_seconds", "shortest", "longest"), [(0, 1, 2), (2, 1, 2), (6, 3, 6), (60, 8, UNSURE_WAIT_SECONDS)]
)
def test_throttled_claim_waits_about_as_long_as_it_is_late(
    late_seconds: int, shortest: int, longest: int
) -> None:
    world = World(DUE_AT + late_seconds * 1000)
    waits = set()
    for number in range(60):
        execution = world.put(world.one_off(number))
        Mute(world, times=CLAIM_TRIES, granted=False, throttled=True)
        world.clock.time_ms = DUE_AT + late_seconds * 1000
        world.attempt(execution)
        waits.add((world.queue.messages[-1].visible_at - world.clock.now_ms()) // 1000)
    assert min(waits) >= shortest
    assert max(waits) <= longest
    assert len(waits) > (longest - shortest) // 2, "jitter keeps throttled claims apart"


def test_undecided_claim_keeps_its_message_where_no_fresh_one_can_be_sent() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.queue.fail_once(execution.id)
    Mute(world, times=CLAIM_TRIES, granted=False)
    (settled,) = world.attempt(execution).settled
    assert (settled.verdict, settled.visible_after_seconds) == (Verdict.RETURN, UNSURE_WAIT_SECONDS)


@pytest.mark.parametrize(("ends_in_ms", "copies"), [(60_000, 1), (UNSURE_WAIT_SECONDS * 1000, 0)])
def test_undecided_copy_of_the_sweeper_is_replaced_until_the_next_one_is_due(
    ends_in_ms: int, copies: int
) -> None:
    """In a long outage, the copies of each re-send would add up."""
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    Mute(world, times=CLAIM_TRIES, granted=False)
    message = wakeup_of([execution], DUE_AT)
    resent = replace(message, ends_at=DUE_AT + ends_in_ms)
    (settled,) = world.run(delivery(execution, wakeup=resent)).settled
    assert settled.verdict is Verdict.DONE
    assert world.sent() == [execution.id] * copies


def test_tries_of_a_claim_are_apart_by_jittered_pauses() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    Mute(world, times=CLAIM_TRIES, granted=False)
    at: list[int] = []
    claimer = world.run_attempts.claim_keys.claimer

    class Noting:
        def claim(
            self, claims: Sequence[Claim], now_ms: int
        ) -> list[Execution | ClaimRejected | WriteUnknown]:
            at.append(now_ms)
            return claimer.claim(claims, now_ms)

    use_claimer(world, Noting())
    world.attempt(execution)
    pauses = [later - earlier for earlier, later in pairwise(at)]
    assert len(pauses) == CLAIM_TRIES - 1
    assert 20 <= min(pauses) < max(pauses) <= 200


def test_bug_in_one_key_uses_receives_so_that_the_message_becomes_a_dead_one() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.run_attempts.make_attempt = None  # type: ignore[assignment]
    report = world.attempt(execution)
    assert [settled.verdict for settled in report.settled] == [Verdict.RETURN]
    assert world.queue.messages == []


def test_claim_that_the_store_rejects_is_not_repeated_and_uses_receives() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    tries: list[int] = []

    class Rejecting:
        def claim(
            self, claims: Sequence[Claim], now_ms: int
        ) -> list[Execution | ClaimRejected | WriteUnknown]:
            tries.append(now_ms)
            return [WriteUnknown("ValidationError", is_permanent=True) for _ in claims]

    use_claimer(world, Rejecting())
    report = world.attempt(execution)
    assert len(tries) == 1
    assert [settled.verdict for settled in report.settled] == [Verdict.RETURN]


def test_every_try_of_every_claim_has_an_owner_token_of_its_own() -> None:
    world = World(DUE_AT)
    executions = [world.put(world.one_off(number)) for number in range(3)]
    owners: set[str | None] = set()
    for execution in executions:
        world.steps.after("claimer.claim", lambda: owners.update(row_owners(world)))
        world.attempt(execution)
    assert len(owners - {None}) == 3


def row_owners(world: World) -> set[str | None]:
    return {row.execution.progress.owner for row in world.table.executions.values()}


@pytest.mark.parametrize("answer", [OK, DOWN])
@pytest.mark.parametrize("times", [1, 2])
def test_an_outcome_whose_answer_was_lost_is_recognised_as_ones_own(
    times: int, answer: CallbackResponse
) -> None:
    world = World(DUE_AT, answer_to=in_turn(answer))
    execution = world.put(world.one_off())
    world.steps.lose_answer("store.finish", times=times)
    report = world.attempt(execution)
    assert [attempt.end for attempt in report.attempts] == [
        AttemptEnd.SUCCEEDED if answer is OK else AttemptEnd.RETRIED
    ]
    assert len(world.standing(execution.id).progress.outcomes) == 1
    assert len(world.sent()) == (0 if answer is OK else 1), "a retry has its message all the same"
    assert report.returned() == []


@pytest.mark.parametrize("times", [1, 2])
def test_an_outcome_that_was_not_written_is_written_again(times: int) -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.steps.fail("store.finish", times=times)
    assert world.attempt(execution).returned() == []
    assert world.standing(execution.id).state is State.SUCCEEDED


@pytest.mark.parametrize("fault", ["fail", "reject"])
def test_an_outcome_that_stays_unrecorded_leaves_the_message_where_it_is(fault: str) -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    getattr(world.steps, fault)("store.finish", times=1_000)
    report = world.attempt(execution)
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.UNRECORDED]
    assert DUE_AT + 30_000 < world.clock.now_ms() <= DUE_AT + 35_000, "tries go on while the lease lasts"
    assert [settled.verdict for settled in report.settled] == [Verdict.RETURN]


def test_a_stop_whose_answer_was_lost_is_recognised_too() -> None:
    world = World(DUE_AT, answer_to=in_turn(DOWN))
    execution = world.put(world.one_off())
    world.steps.before("store.finish", lambda: world.store.stop_retries(execution.id))
    world.steps.after("store.finish", lambda: None)
    world.steps.lose_answer("store.finish")
    report = world.attempt(execution)
    assert world.standing(execution.id).state is State.FAILED
    assert report.returned() == []


@pytest.mark.parametrize("step", ["claimer.claim", "tenants.get", "store.finish"])
def test_after_a_crash_the_message_alone_brings_the_execution_to_its_end(step: str) -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.steps.crash_after(step)
    with pytest.raises(Crash):
        world.attempt(execution)
    for receives in range(2, 5):
        world.clock.time_ms += 40_000
        world.attempt(execution, receives=receives)
    assert world.standing(execution.id).state is State.SUCCEEDED
    assert len(world.sender.calls) == 1


def test_progress_that_cannot_be_reported_keeps_no_call_from_being_made() -> None:
    world = World(DUE_AT + 60_000)
    execution = world.put(world.one_off())
    world.steps.fail("progress.report")
    assert world.attempt(execution).returned() == []
    assert len(world.sender.calls) == 1


def test_an_item_of_a_newer_release_waits_for_that_release_without_receives_and_attempts() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.table.executions[execution.id].damage = Damage.NEWER
    report = world.attempt(execution, receives=4)
    assert report.returned() == []
    assert [message.wakeup.keys for message in world.queue.messages] == [(execution.id,)]
    assert world.queue.messages[0].visible_at >= DUE_AT + NEWER_WAIT_SECONDS * 1000
    world.table.executions[execution.id].damage = None
    assert world.standing(execution.id).progress.claims == 0
    assert world.steps.count("claimer.claim") == 1
