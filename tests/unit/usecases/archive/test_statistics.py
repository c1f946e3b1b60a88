"""Statistics: each pass stores the sums of its file, and a reader is told how far they are complete."""

from collections import Counter
from typing import Any

import pytest

from shared.domain.archive.stat_window import StatWindow, Step
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.bucket import ShardCounts
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.stages import AttemptStages, Stages, code_of
from shared.domain.executions.states import EndReason, State
from shared.ports.history import PassedMark
from shared.ports.listings import TenantIndex
from shared.usecases.archive import count_ended, read_statistics
from shared.usecases.archive.read_statistics import StatReport
from tests.support.builders import DUE_AT, TENANT
from tests.support.fakes.table import Damage
from tests.support.usecases.archive import DAY_MS, END, FIRST_PASS, HOUR, HOUR_MS, SEAL, UNIT, ArchiveWorld

MINUTE_MS = 60_000
START = UNIT.start_ms


def outcome(started_at: int, status: int | None = 200, attempt: int = 1, **changes: Any) -> AttemptOutcome:
    reason = Reason.OK if status == 200 else Reason.HTTP_STATUS
    return AttemptOutcome(
        **{
            "attempt": attempt,
            "started_at": started_at,
            "duration_ms": 80,
            "status": status,
            "reason": reason,
        }
        | changes
    )


def window(from_at: int = START, until_at: int = END, step: Step = Step.HOUR) -> StatWindow:
    return StatWindow(from_at=from_at, until_at=until_at, step=step)


def read(world: ArchiveWorld, of: StatWindow | None = None, *, every: bool = False) -> StatReport:
    tenant = None if every else world.tenant
    return world.cases.archive.read_statistics.execute(tenant, of or window())


def mixed(world: ArchiveWorld) -> None:
    """Executions with every kind of end."""
    stages = AttemptStages(bytes([code_of(20), code_of(300), 0, 0, 0, 0]))
    world.ended(
        1,
        attempt=1,
        outcomes=(outcome(DUE_AT + 40),),
        stages=Stages(number=1, first=stages, latest=stages),
    )
    world.ended(
        2,
        State.FAILED,
        attempt=3,
        end_reason=EndReason.ATTEMPTS_USED_UP,
        outcomes=(outcome(DUE_AT + 90, 503), outcome(DUE_AT + 9_000, None, 3)),
    )
    world.ended(
        3, State.FAILED, attempt=2, end_reason=EndReason.NOT_RETRYABLE, outcomes=(outcome(DUE_AT, 410, 2),)
    )
    world.ended(4, State.SKIPPED, end_reason=EndReason.LATE)
    world.ended(5, tenant_id="globex")


def test_pass_stores_the_sums_of_each_tenant_and_of_all() -> None:
    world = ArchiveWorld()
    mixed(world)
    world.open_row(6)
    world.tick()
    (stored,) = world.history.hours(TENANT, HOUR, HOUR + 1)
    sums = stored.sums
    assert sums.states == Counter(succeeded=1, failed=2, skipped=1)
    assert sums.end_reasons == Counter(attempts_used_up=1, not_retryable=1, late=1)
    assert sums.statuses == Counter({"2xx": 1, "none": 1, "4xx": 1})
    assert (sums.attempts, sums.unended) == (6, 1)
    # The first attempt of the third execution has no outcome.
    assert sums.lag.counts == Counter((code_of(40), code_of(90)))
    assert sums.queue.counts == Counter((code_of(20),))
    assert sums.wait.counts == Counter((code_of(300),))
    assert sums.duration.total == 3
    (minute,) = sums.minutes.values()
    assert (minute.ended, minute.failed) == (4, 2)
    (whole,) = world.history.hours(None, HOUR, HOUR + 1)
    assert (whole.sums.ended, whole.sums.unended) == (5, 1)


def test_execution_that_was_moved_counts_at_its_new_time_alone() -> None:
    world = ArchiveWorld()
    world.ended(1)
    world.ended(2, State.MOVED)
    world.tick()
    (bucket,) = read(world).buckets
    assert (bucket.sums.ended, bucket.sums.rows) == (1, 2)
    assert [(each.ended, each.failed) for each in bucket.sums.minutes.values()] == [(1, 0)]
    (by_minute,) = [each for each in read(world, window(step=Step.MINUTE)).buckets if each.sums.minutes]
    assert [each.ended for each in by_minute.sums.minutes.values()] == [1]


def test_stored_item_names_the_row_groups_of_its_file_and_expires_with_the_archive() -> None:
    world = ArchiveWorld()
    world.ended(1)
    world.tick()
    stored = world.history.stored[TENANT, UNIT]
    assert stored.sums.row_groups == (0, 0)
    assert stored.etag == world.archive_objects.objects[UNIT.file_key("eu-west-1")][0]
    assert stored.expires_at_s == (END + 400 * DAY_MS) // 1000


def test_repeated_pass_counts_nothing_twice_and_keeps_what_has_expired() -> None:
    world = ArchiveWorld()
    expired, late = world.ended(1), world.open_row(2)
    world.tick()
    del world.table.executions[expired.id]
    world.end(late)
    world.tick(FIRST_PASS + DAY_MS)
    report = read(world)
    assert report.buckets[0].sums.states == Counter(succeeded=2)
    assert report.complete_until == END


def test_pass_that_stood_still_does_not_replace_the_sums_of_a_later_one() -> None:
    world = ArchiveWorld()
    world.ended(1)

    def other_passes() -> None:
        world.ended(2)
        world.clock.time_ms += 960_000
        world.archive_units.units[UNIT].leased_until = -1
        lease = world.archive_units.take(world.archive_units.listed()[0], world.clock.now_ms())
        assert lease is not None
        world.cases.archive.pass_unit.execute(lease)

    world.steps.before("history.put", other_passes)
    world.tick()
    assert read(world).buckets[0].sums.states == Counter(succeeded=2)


def test_unit_is_not_recorded_as_passed_without_its_sums() -> None:
    world = ArchiveWorld()
    world.ended(1)
    world.steps.fail("history.put")
    assert world.tick().unavailable == 1
    assert read(world).complete_until is None
    world.tick(FIRST_PASS + HOUR_MS)
    assert read(world).complete_until == END


def test_file_that_reads_back_otherwise_has_its_sums_all_the_same() -> None:
    world = ArchiveWorld(SEAL)
    world.ended(1)

    def damage() -> None:
        key = UNIT.file_key("eu-west-1")
        etag, content = world.archive_objects.objects[key]
        world.archive_objects.objects[key] = (etag, content + content)

    world.steps.after("archive_objects.put", damage)
    world.tick()
    assert read(world).buckets[0].sums.states == Counter(succeeded=1)


def test_hour_is_complete_once_each_of_its_units_was_passed() -> None:
    world = ArchiveWorld(counts=ShardCounts(normal=8, quarter=8, midnight=8))
    world.ended(1)
    world.ended(2, shard=5)
    second = ArchiveUnit(hour=HOUR, group=1)
    world.archive_units.units[second].leased_until = FIRST_PASS + 1
    world.tick()
    report = read(world)
    assert (report.complete_until, report.buckets[0].is_complete) == (None, False)
    world.tick(FIRST_PASS + 1)
    report = read(world)
    assert report.complete_until == END
    assert report.buckets[0].sums.states == Counter(succeeded=2)


def test_hour_with_an_open_execution_is_not_complete() -> None:
    world = ArchiveWorld()
    world.open_row(1)
    world.tick()
    (bucket,) = read(world).buckets
    assert (bucket.is_complete, bucket.sums.unended, bucket.uncounted.due) == (False, 1, 0)


def test_complete_until_is_the_end_of_the_first_complete_steps() -> None:
    world = ArchiveWorld()
    world.open_row(1)
    world.tick()
    report = read(world, window(START, END + HOUR_MS))
    assert [bucket.is_complete for bucket in report.buckets] == [False, True]
    assert report.complete_until is None
    world.history.stored.clear()
    assert read(world, window(START, END + HOUR_MS)).complete_until == END + HOUR_MS


def test_hours_before_the_first_one_and_expired_hours_are_not_complete() -> None:
    world = ArchiveWorld()
    world.tick()
    assert not read(world, window(START - HOUR_MS, START)).buckets[0].is_complete
    world.clock.time_ms = START + 400 * DAY_MS
    assert not read(world).buckets[0].is_complete


@pytest.mark.parametrize(
    ("step", "most_read", "ended", "uncounted"),
    [
        ("history.passed", 500, 1, 0),
        ("history.passed", 0, 1, 0),
        ("queries.index_pages", 500, 1, 0),
        ("queries.index_pages", 0, 0, 1),
        ("store.get_many", 500, 1, 0),
    ],
)
def test_execution_whose_hour_is_passed_during_a_read_counts_once(
    monkeypatch: pytest.MonkeyPatch, step: str, most_read: int, ended: int, uncounted: int
) -> None:
    monkeypatch.setattr(read_statistics, "MOST_READ", most_read)
    world = ArchiveWorld()
    world.ended(1)
    world.history.note_passed(PassedMark(since=HOUR - 1, before=HOUR), END)
    world.tick()
    # The mark follows its units after minutes.
    world.history.mark = PassedMark(since=HOUR, before=HOUR)
    world.steps.before(step, lambda: world.tick(FIRST_PASS + 1))
    (bucket,) = read(world).buckets
    assert (bucket.sums.ended, bucket.uncounted.due) == (ended, uncounted)
    assert bucket.is_complete is (step == "history.passed")


def test_minutes_have_the_counts_of_their_executions() -> None:
    world = ArchiveWorld()
    mixed(world)
    world.ended(7, State.FAILED, due_at=DUE_AT + MINUTE_MS, end_reason=EndReason.TOO_OLD)
    world.tick()
    first = DUE_AT - DUE_AT % MINUTE_MS
    report = read(world, window(first - MINUTE_MS, first + 2 * MINUTE_MS, Step.MINUTE))
    sums = [minute for bucket in report.buckets for minute in bucket.sums.minutes.values()]
    assert [(minute.ended, minute.failed) for minute in sums] == [(4, 2), (1, 1)]
    assert report.complete_until == first + 2 * MINUTE_MS


def test_day_is_the_sum_of_its_hours() -> None:
    world = ArchiveWorld()
    mixed(world)
    world.tick()
    world.tick(START + 2 * DAY_MS)
    day = START - START % DAY_MS
    world.history.note_passed(PassedMark(since=HOUR, before=HOUR + 48), START + 3 * DAY_MS)
    (bucket,) = read(world, window(day, day + DAY_MS, Step.DAY)).buckets
    assert bucket.sums.ended == 4
    # The hours of the day before the first one that was archived are not known.
    assert not bucket.is_complete


def later(monkeypatch: pytest.MonkeyPatch, most_read: int = 500) -> ArchiveWorld:
    """An hour that is not counted yet, with three executions that are due, of which one has not ended."""
    monkeypatch.setattr(read_statistics, "MOST_READ", most_read)
    world = ArchiveWorld(DUE_AT + 5 * MINUTE_MS)
    world.ended(1)
    failed = world.ended(2, State.FAILED, end_reason=EndReason.TOO_OLD)
    world.table.executions[failed.id].entry = TenantIndex.FAILED
    world.open_row(3)
    world.ended(4, due_at=DUE_AT + 6 * MINUTE_MS)
    world.ended(5, tenant_id="globex")
    return world


MINUTES = window(DUE_AT - DUE_AT % MINUTE_MS, DUE_AT - DUE_AT % MINUTE_MS + 2 * MINUTE_MS, Step.MINUTE)


def test_executions_of_a_later_hour_are_read_where_they_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    world = later(monkeypatch, most_read=3)
    (bucket,) = read(world).buckets
    assert (bucket.sums.states, bucket.sums.unended) == (Counter(succeeded=1, failed=1), 0)
    assert (bucket.uncounted.due, bucket.uncounted.failed, bucket.is_complete) == (1, 0, False)
    first, second = read(world, MINUTES).buckets
    assert [(each.ended, each.failed) for each in first.sums.minutes.values()] == [(2, 1)]
    assert (first.uncounted.due, second.uncounted.due, second.sums.ended) == (1, 0, 0)


def test_later_hours_with_more_executions_are_counted_in_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    world = later(monkeypatch, most_read=2)
    (bucket,) = read(world).buckets
    assert (bucket.uncounted.due, bucket.uncounted.failed, bucket.sums.rows) == (3, 1, 0)
    assert not bucket.is_complete
    assert [bucket.uncounted.due for bucket in read(world, MINUTES).buckets] == [3, 0]
    assert not [step for step in world.steps.taken if step.endswith("get_many")]


def test_page_that_polls_reads_only_what_has_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    world, asked = later(monkeypatch), []
    get_many = world.store.get_many

    def note(ids: Any) -> Any:
        asked.append(len(ids))
        return get_many(ids)

    monkeypatch.setattr(world.cases.archive.read_statistics.count_ended.store, "get_many", note)
    for _ in range(3):
        assert read(world).buckets[0].sums.ended == 2
    assert asked == [3, 1, 1]
    assert read(world, MINUTES).buckets[0].uncounted.due == 1
    open_one = next(each.execution for each in world.table.executions.values() if not each.expires_at_s)
    world.end(open_one)
    for _ in range(2):
        assert (read(world).buckets[0].sums.ended, read(world).buckets[0].uncounted.due) == (3, 0)
    assert asked == [3, 1, 1, 1, 1]


def test_process_keeps_a_bounded_number_of_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_ended, "KEPT_SAMPLES", 2)
    world = ArchiveWorld(END)
    for number in range(1, 8):
        world.ended(number)
        assert read(world).buckets[0].sums.ended == number
    assert len(world.cases.archive.read_statistics.count_ended._kept) <= 2


@pytest.mark.parametrize("damage", [Damage.BROKEN, Damage.NEWER])
def test_later_execution_that_cannot_be_read_stays_uncounted(
    monkeypatch: pytest.MonkeyPatch, damage: Damage
) -> None:
    world = later(monkeypatch)
    next(iter(world.table.executions.values())).damage = damage
    (bucket,) = read(world).buckets
    assert (bucket.sums.ended, bucket.uncounted.due) == (1, 2)


def test_later_execution_that_was_moved_is_in_no_count() -> None:
    world = ArchiveWorld(END)
    world.ended(1)
    world.ended(2, State.MOVED)
    (bucket,) = read(world).buckets
    assert (bucket.sums.ended, bucket.uncounted.due) == (1, 0)


def test_hours_that_were_passed_are_not_counted_in_the_index() -> None:
    world = ArchiveWorld()
    world.ended(1)
    world.tick()
    world.history.note_passed(PassedMark(since=HOUR, before=HOUR + 1), FIRST_PASS + 1)
    world.ended(2, due_at=END + 1)
    found = read(world, window(START, END + HOUR_MS)).buckets
    assert [(bucket.sums.ended, bucket.uncounted.due) for bucket in found] == [(1, 0), (1, 0)]
    assert [bucket.is_complete for bucket in found] == [True, False]


def test_too_many_index_entries_are_not_called_a_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_statistics, "MOST_UNCOUNTED", 4)
    world = ArchiveWorld(END)
    for number in range(1, 10):
        world.ended(number, due_at=START + number * MINUTE_MS)
    report = read(world, window(START, START + 12 * MINUTE_MS, Step.MINUTE))
    counts = [bucket.uncounted.due for bucket in report.buckets]
    assert counts[:3] == [0, 1, 1]
    assert counts[-1] is None
    assert sum(count or 0 for count in counts) >= 3


def test_all_tenants_have_no_counts_in_the_index() -> None:
    world = ArchiveWorld(END)
    world.ended(1)
    (bucket,) = read(world, every=True).buckets
    assert (bucket.uncounted.due, bucket.uncounted.failed, bucket.is_complete) == (None, None, False)


def test_file_of_the_archive_has_what_the_sums_count() -> None:
    world = ArchiveWorld()
    mixed(world)
    world.tick()
    counted = Counter(row["state"] for row in world.rows() if row["tenant"] == TENANT)
    assert read(world).buckets[0].sums.states == counted
