"""RECONCILE the minutes: an acknowledged execution that is not stored is reported, and one completed twice."""

from collections.abc import Iterator

import pytest

from shared.domain.bucket import MINUTE_MS, ShardCounts
from shared.domain.delivery.callback import Reason
from shared.domain.dispatch.sampling import hash_level
from shared.domain.errors import UnavailableError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.states import State
from shared.ports.dispatch import Accepted, MinuteProgress
from shared.usecases.ticks.reconcile_minutes import QUICK_MS, SLOW_MS
from shared.usecases.ticks.reconcile_report import SETTLE_MINUTES, ReconcileReport
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, one_off, with_changes
from tests.support.fakes.accepted_log import FakeAcceptedLog
from tests.support.usecases.reconciling import LATER, Unreachable, reconcile_minutes
from tests.support.usecases.world import World


@pytest.fixture
def world() -> World:
    return World(LATER)


class SlowLog(FakeAcceptedLog):
    """A log whose pages take a while, or fail."""

    def __init__(self, world: World, took_ms: int = 0) -> None:
        super().__init__()
        self._world, self.took_ms = world, took_ms
        self.is_down = False
        self.levels: list[int] = []

    def between(self, from_at: int, until_at: int, sample_level: int = 0) -> Iterator[Accepted]:
        self._world.clock.time_ms += self.took_ms
        self.levels.append(sample_level)
        yield from super().between(from_at, until_at, sample_level)
        if self.is_down:
            raise UnavailableError("throttled")


def through(world: World) -> int:
    """The last minute that is compared."""
    assert world.reconcile_progress.noted is not None
    return world.reconcile_progress.noted.through


def test_an_acknowledged_one_off_without_a_row_is_unaccounted(world: World) -> None:
    accepted = FakeAcceptedLog()
    lost, kept = one_off(1), one_off(2)
    world.table.insert(kept, None)
    for execution in (lost, kept):
        accepted.note(DUE_AT, TENANT, execution.job_id)
    report = reconcile_minutes(world, accepted)
    assert report.missing_executions == [lost.job_id]
    assert report.accepted == 2


def test_an_acknowledged_recurring_job_without_a_definition_is_unaccounted(world: World) -> None:
    accepted = FakeAcceptedLog()
    accepted.note(DUE_AT, TENANT, job().id)
    assert reconcile_minutes(world, accepted).missing_executions == [job().id]


def test_acknowledgements_are_read_once_their_logs_have_settled_and_only_once(world: World) -> None:
    accepted = FakeAcceptedLog()
    accepted.note(LATER - (SETTLE_MINUTES - 2) * MINUTE_MS, TENANT, one_off().job_id)
    assert reconcile_minutes(world, accepted).missing_executions == []
    world.clock.time_ms += 10 * MINUTE_MS
    assert reconcile_minutes(world, accepted).missing_executions == [one_off().job_id]
    world.clock.time_ms += 10 * MINUTE_MS
    assert reconcile_minutes(world, accepted).missing_executions == []


def test_a_run_that_dies_while_it_tells_what_it_found_leaves_the_finding_to_the_next(world: World) -> None:
    accepted = FakeAcceptedLog()
    accepted.note(DUE_AT, TENANT, one_off().job_id)

    def die(_: ReconcileReport) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        reconcile_minutes(world, accepted, on_report=die)
    told: list[ReconcileReport] = []
    reconcile_minutes(world, accepted, on_report=told.append)
    assert [report.missing_executions for report in told if report.accepted] == [[one_off().job_id]]


def test_execution_that_the_store_did_not_answer_for_is_checked_again(world: World) -> None:
    accepted = FakeAcceptedLog()
    accepted.note(DUE_AT, TENANT, one_off().job_id)
    world.store = Unreachable(world.store, "get_many")
    report = reconcile_minutes(world, accepted)
    assert (report.missing_executions, report.unavailable, report.unreadable) == ([], 1, [])
    world.store.down = False
    assert reconcile_minutes(world, accepted).missing_executions == [one_off().job_id]


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
    assert reconcile_minutes(world).double_completed == ([str(ended.id)] if is_doubled else [])


def test_a_calm_deployment_has_nothing_to_report(world: World) -> None:
    world.clock.time_ms = DUE_AT
    created = world.accept_one_off()
    world.clock.time_ms += 30 * MINUTE_MS
    accepted = FakeAcceptedLog()
    accepted.note(DUE_AT + MINUTE_MS, TENANT, created.job_id)
    report = reconcile_minutes(world, accepted)
    assert (report.missing_executions, report.chains_repaired, report.double_completed) == ([], [], [])


def test_accepted_job_is_read_back_from_the_accepted_log() -> None:
    accepted = FakeAcceptedLog()
    accepted.note(5, TENANT, "job_x")
    assert list(accepted.between(5, 6)) == [Accepted(tenant_id=TENANT, job_id="job_x")]
    assert list(accepted.between(6, 9)) == []


def test_minute_whose_log_failed_is_compared_again_and_later_minutes_are_not_left_out(world: World) -> None:
    """A failed page of the log used to end the run, and the comparison of rows with it."""
    accepted = SlowLog(world)
    reconcile_minutes(world, accepted)
    world.clock.time_ms += 3 * MINUTE_MS
    first = LATER - (SETTLE_MINUTES - 1) * MINUTE_MS
    for minute in range(3):
        accepted.note(first + minute * MINUTE_MS, TENANT, one_off(minute).job_id)
    lost_twice = with_changes(
        one_off(7), state=State.SUCCEEDED, outcomes=(outcome(1, Reason.OK), outcome(2, Reason.OK))
    )
    world.table.insert(lost_twice, EXPIRES_AT_S)
    accepted.is_down = True
    before = through(world)
    report = reconcile_minutes(world, accepted)
    assert (report.unavailable, report.accepted, through(world)) == (3, 3, before)
    accepted.is_down = False
    assert len(reconcile_minutes(world, accepted).missing_executions) == 3
    assert through(world) == before + 3


def test_run_ends_after_a_few_minutes_with_failures(world: World) -> None:
    accepted = SlowLog(world)
    accepted.is_down = True
    assert reconcile_minutes(world, accepted).unavailable == 3


def test_acknowledgements_are_looked_up_in_batches(world: World) -> None:
    accepted = FakeAcceptedLog()
    for number in range(250):
        world.table.insert(one_off(number), None)
        accepted.note(DUE_AT, TENANT, one_off(number).job_id)
    world.steps.taken.clear()
    assert reconcile_minutes(world, accepted).accepted == 250
    assert [world.steps.count("store.get_many"), world.steps.count("store.get")] == [3, 0]


def test_cut_run_keeps_the_minutes_that_are_compared(world: World) -> None:
    world.reconcile_progress.note_minutes(MinuteProgress(through=LATER // MINUTE_MS - 20))
    left = iter([True] * 6)
    reconcile_minutes(world, has_time=lambda: next(left, False))
    assert through(world) == LATER // MINUTE_MS - 20 + 3, "one look for the minute, one for its shard"
    reconcile_minutes(world)
    assert through(world) == LATER // MINUTE_MS - SETTLE_MINUTES


def test_minute_that_does_not_fit_into_a_run_is_compared_by_a_smaller_sample() -> None:
    """Each run used to begin the same minute anew, and none ever completed it."""
    world = World(LATER, counts=ShardCounts(normal=16, quarter=16, midnight=16))
    minute = LATER // MINUTE_MS - SETTLE_MINUTES
    world.reconcile_progress.note_minutes(MinuteProgress(through=minute - 1))
    last_level = max(hash_level(f"{minute}#{shard}") for shard in range(16))
    for level in range(last_level + 1):
        left = iter([True])
        reconcile_minutes(world, SlowLog(world), has_time=lambda left=left: next(left, False))
        expected = MinuteProgress(through=minute - 1, sample_level=level + 1)
        assert world.reconcile_progress.noted == expected
    left = iter([True])
    reconcile_minutes(world, SlowLog(world), has_time=lambda: next(left, False))
    assert through(world) == minute, "no shard of the minute is in the last sample"


def test_slow_minutes_halve_the_sample_and_quick_ones_double_it(world: World) -> None:
    accepted = SlowLog(world, SLOW_MS + 1)
    minute = LATER // MINUTE_MS - SETTLE_MINUTES
    world.reconcile_progress.note_minutes(MinuteProgress(through=minute - 4))
    reconcile_minutes(world, accepted)
    assert accepted.levels[:4] == [0, 1, 2, 3]
    accepted.took_ms = QUICK_MS - 1
    world.clock.time_ms += 4 * MINUTE_MS
    accepted.levels.clear()
    reconcile_minutes(world, accepted)
    assert accepted.levels[1:5] == [accepted.levels[0] - back for back in range(1, 5)]
    accepted.took_ms = (SLOW_MS + QUICK_MS) // 2
    world.clock.time_ms += 2 * MINUTE_MS
    accepted.levels.clear()
    reconcile_minutes(world, accepted)
    assert len(set(accepted.levels)) == 1


def test_sample_leaves_out_ids_and_whole_shards(world: World) -> None:
    world = World(LATER, counts=ShardCounts(normal=64, quarter=64, midnight=64))
    accepted = FakeAcceptedLog()
    minute = LATER // MINUTE_MS - SETTLE_MINUTES
    for number in range(400):
        accepted.note(minute * MINUTE_MS, TENANT, one_off(number).job_id)
    world.reconcile_progress.note_minutes(MinuteProgress(through=minute - 1, sample_level=3))
    world.steps.taken.clear()
    report = reconcile_minutes(world, accepted)
    sample = [one_off(number).job_id for number in range(400) if hash_level(one_off(number).job_id) >= 3]
    assert sorted(report.missing_executions) == sorted(sample)
    assert 25 < len(sample) < 80
    assert 1 <= world.steps.count("store.read_shard") <= 20
