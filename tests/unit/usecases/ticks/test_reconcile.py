"""RECONCILE: an acknowledged execution that is not stored is reported, and a broken chain is repaired."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.callback import Reason
from shared.domain.errors import UnavailableError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import Rate
from shared.domain.schedules.skipped_range import SkippedRange
from shared.ports.dispatch import Accepted
from shared.usecases.ticks.reconcile import LONGEST_MINUTES, SETTLE_MINUTES, ReconcileReport
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, occurrence, one_off, with_changes
from tests.support.fakes.accepted_log import FakeAcceptedLog
from tests.support.usecases.reconciling import LATER, reconcile
from tests.support.usecases.world import World

PAST = [DUE_AT + minute * MINUTE_MS for minute in range(4)]


@pytest.fixture
def world() -> World:
    return World(LATER)


class DeletedMeanwhile:
    """Lists a job as active, and finds it deleted when it comes to filing."""

    def __init__(self, world: World, of: Job) -> None:
        self._world, self._of = world, of

    def __getattr__(self, name: str) -> Any:
        if name == "file_if_active":
            deleting = replace(self._of, state=JobState.DELETING)
            self._world.table.jobs[self._of.tenant_id, self._of.id] = deleting
        return getattr(self._world.jobs, name)


class Unreachable:
    """A store that does not answer one of its questions, as long as it is `down`."""

    def __init__(self, inner: Any, question: str) -> None:
        self._inner, self._question = inner, question
        self.down = True

    def __getattr__(self, name: str) -> Any:
        if self.down and name == self._question:
            raise UnavailableError("throttled")
        return getattr(self._inner, name)


def stored(world: World, of: Job, instants: list[int], state: State = State.SUCCEEDED) -> None:
    """The job's definition, and executions that ended at these instants."""
    world.table.jobs[of.tenant_id, of.id] = of
    for instant in instants:
        world.table.insert(with_changes(occurrence(of, instant), state=state, attempt=1), EXPIRES_AT_S)


@pytest.fixture
def daily() -> Job:
    """Due four times a minute apart, and then not again today."""
    return job(schedule=Rate(interval_ms=MINUTE_MS, anchor=DUE_AT))


def test_an_acknowledged_one_off_without_a_row_is_unaccounted(world: World) -> None:
    accepted = FakeAcceptedLog()
    lost, kept = one_off(1), one_off(2)
    world.table.insert(kept, None)
    for execution in (lost, kept):
        accepted.note(DUE_AT, TENANT, execution.job_id)
    report = reconcile(world, accepted)
    assert report.missing_executions == [lost.job_id]
    assert report.accepted == 2


def test_an_acknowledged_recurring_job_without_a_definition_is_unaccounted(world: World) -> None:
    accepted = FakeAcceptedLog()
    accepted.note(DUE_AT, TENANT, job().id)
    assert reconcile(world, accepted).missing_executions == [job().id]


def test_acknowledgements_are_read_once_their_logs_have_settled_and_only_once(world: World) -> None:
    accepted = FakeAcceptedLog()
    accepted.note(LATER - (SETTLE_MINUTES - 2) * MINUTE_MS, TENANT, one_off().job_id)
    assert reconcile(world, accepted).missing_executions == []
    world.clock.time_ms += 10 * MINUTE_MS
    assert reconcile(world, accepted).missing_executions == [one_off().job_id]
    world.clock.time_ms += 10 * MINUTE_MS
    assert reconcile(world, accepted).missing_executions == []


def test_a_run_that_dies_while_it_tells_what_it_found_leaves_the_finding_to_the_next(world: World) -> None:
    accepted = FakeAcceptedLog()
    accepted.note(DUE_AT, TENANT, one_off().job_id)

    def die(_: ReconcileReport) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        reconcile(world, accepted, on_report=die)
    told: list[ReconcileReport] = []
    reconcile(world, accepted, on_report=told.append)
    assert [report.missing_executions for report in told] == [[one_off().job_id]]


def test_a_run_with_nothing_to_look_at_tells_so(world: World) -> None:
    reconcile(world)
    told: list[ReconcileReport] = []
    assert told == [reconcile(world, on_report=told.append)]


def test_execution_that_the_store_did_not_answer_for_is_checked_again(world: World) -> None:
    accepted = FakeAcceptedLog()
    accepted.note(DUE_AT, TENANT, one_off().job_id)
    world.store = Unreachable(world.store, "get")
    report = reconcile(world, accepted)
    assert (report.missing_executions, report.unavailable, report.unreadable) == ([], 1, 0)
    world.store.down = False
    assert reconcile(world, accepted).missing_executions == [one_off().job_id]


def test_instants_that_a_store_did_not_answer_for_are_looked_at_again(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + (SETTLE_MINUTES + 1) * MINUTE_MS
    stored(world, daily, [PAST[0], PAST[1], PAST[3]])
    world.store = Unreachable(world.store, "get_many")
    assert reconcile(world).unavailable == 1
    world.store.down = False
    assert reconcile(world).missing_executions == [str(daily.id_at(PAST[2]))]


def test_a_long_pause_is_caught_up_with_in_bounded_runs(world: World) -> None:
    reconcile(world)
    accepted = FakeAcceptedLog()
    accepted.note(LATER + 90 * MINUTE_MS, TENANT, one_off().job_id)
    world.clock.time_ms += 3 * LONGEST_MINUTES * MINUTE_MS
    assert reconcile(world, accepted).missing_executions == []
    assert reconcile(world, accepted).missing_executions == [one_off().job_id]


def test_an_instant_without_a_record_before_the_head_is_unaccounted(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + (SETTLE_MINUTES + 1) * MINUTE_MS
    stored(world, daily, [PAST[0], PAST[1], PAST[3]])
    assert reconcile(world).missing_executions == [str(daily.id_at(PAST[2]))]


def test_instants_in_a_recorded_gap_are_accounted_for(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + (SETTLE_MINUTES + 1) * MINUTE_MS
    stored(world, daily, [PAST[0], PAST[3]])
    missed = SkippedRange(count=2, first_at=PAST[1], last_at=PAST[2], resumed_at=PAST[3])
    skipped = with_changes(occurrence(daily, PAST[1]), state=State.SKIPPED, missed=missed)
    world.table.insert(skipped, EXPIRES_AT_S)
    assert reconcile(world).missing_executions == []


def test_an_active_job_without_an_open_execution_gets_its_next_one(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + 30_000
    stored(world, daily, PAST)
    report = reconcile(world)
    assert report.chains_repaired == [daily.id]
    filed = world.table.executions[daily.id_at(PAST[3] + MINUTE_MS)].execution
    assert filed.state is State.QUEUED
    assert [message.wakeup.keys for message in world.queue.messages] == [(filed.id,)]
    assert reconcile(world).chains_repaired == []


def test_a_chain_that_is_far_behind_resumes_at_the_latest_missed_instant(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + 20 * MINUTE_MS
    stored(world, daily, PAST)
    assert reconcile(world).chains_repaired == [daily.id]
    assert daily.id_at(PAST[3] + 20 * MINUTE_MS) in world.table.executions
    assert world.table.executions[daily.id_at(PAST[3] + MINUTE_MS)].execution.state is State.SKIPPED


def test_a_job_that_lost_even_its_first_execution_gets_it_back(world: World, daily: Job) -> None:
    stored(world, daily, [])
    assert reconcile(world).chains_repaired == [daily.id]
    assert daily.id_at(daily.chain_from) in world.table.executions


@pytest.mark.parametrize("state", [JobState.DELETED, JobState.PAUSED, JobState.COMPLETED])
def test_a_job_that_does_not_run_gets_nothing(world: World, daily: Job, state: JobState) -> None:
    stored(world, replace(daily, state=state), PAST)
    assert reconcile(world).chains_repaired == []
    assert len(world.table.executions) == len(PAST)


def test_a_deletion_between_the_look_and_the_filing_wins(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + 30_000
    stored(world, daily, PAST)

    assert reconcile(world, jobs=DeletedMeanwhile(world, daily)).chains_repaired == []
    assert daily.id_at(PAST[3] + MINUTE_MS) not in world.table.executions


def test_a_tombstone_at_the_head_is_no_lost_job(world: World, daily: Job) -> None:
    stored(world, daily, PAST[:1])
    head = world.table.executions[daily.id_at(PAST[0])]
    head.execution = with_changes(head.execution, state=State.CANCELLED, ends_chain=True)
    assert reconcile(world).chains_repaired == []


def outcome(attempt: int, reason: Reason) -> AttemptOutcome:
    return AttemptOutcome(attempt=attempt, started_at=DUE_AT, duration_ms=1, status=200, reason=reason)


@pytest.mark.parametrize(
    ("outcomes", "is_doubled"),
    [
        ([outcome(1, Reason.OK)], False),
        ([outcome(1, Reason.TIMEOUT), outcome(2, Reason.OK)], False),
        ([outcome(1, Reason.OK), outcome(2, Reason.OK)], True),
        ([outcome(1, Reason.OK), outcome(2, Reason.TIMEOUT)], True),
        ([outcome(1, Reason.TIMEOUT), outcome(1, Reason.TIMEOUT)], True),
    ],
)
def test_a_completion_after_a_success_is_seen(
    world: World, outcomes: list[AttemptOutcome], is_doubled: bool
) -> None:
    ended = with_changes(one_off(), state=State.SUCCEEDED, attempt=2, outcomes=tuple(outcomes))
    world.table.insert(ended, EXPIRES_AT_S)
    assert reconcile(world).double_completed == ([str(ended.id)] if is_doubled else [])


def test_a_calm_deployment_has_nothing_to_report(world: World) -> None:
    world.clock.time_ms = DUE_AT
    created = world.accept_one_off()
    world.clock.time_ms += 30 * MINUTE_MS
    accepted = FakeAcceptedLog()
    accepted.note(DUE_AT + MINUTE_MS, TENANT, created.job_id)
    report = reconcile(world, accepted)
    assert (report.missing_executions, report.chains_repaired, report.double_completed) == ([], [], [])


def test_accepted_job_is_read_back_from_the_accepted_log() -> None:
    accepted = FakeAcceptedLog()
    accepted.note(5, TENANT, "job_x")
    assert list(accepted.between(5, 6)) == [Accepted(tenant_id=TENANT, job_id="job_x")]
    assert list(accepted.between(6, 9)) == []
