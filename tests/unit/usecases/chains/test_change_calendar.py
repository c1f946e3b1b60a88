"""A tenant changes its own calendar: the reconciler moves the runs of the jobs that name it, as for newer tables."""

from dataclasses import replace

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.executions.states import EndReason
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.blackouts import Blackout
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.own_calendar import OwnCalendar
from shared.domain.schedules.schedule import Cron, first_after
from shared.ports.jobs import LiveItem
from shared.usecases.chains.recompute_job import OutdatedJob, Recomputation
from shared.usecases.reading.read_calendar import REMEMBER_MS
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.accounts import assert_accounted
from tests.support.usecases.chains import Chain
from tests.support.usecases.reconciling import LATER, reconcile_definitions
from tests.support.usecases.steps import Crash
from tests.support.usecases.tzdata_upgrade import present, recompute
from tests.support.usecases.world import World

DAY = 86_400_000
TODAY = DUE_AT // DAY
PLANT = OwnCalendar(name="plant", version=1, changed_at=DUE_AT)
LINE = Cron(line="0 9 * * *", timezone="UTC", calendar=CalendarRule(name="plant"))
"""DUE_AT is in the evening of Wednesday 19 February 2025."""


def begun() -> Chain:
    """A job with the calendar, which excludes Saturday and Sunday."""
    world = World(DUE_AT)
    assert world.calendars.put(TENANT, PLANT, None)
    job = world.accept(world.cases.core.read_calendar.resolved(TENANT, LINE))
    assert isinstance(job, Job)
    return Chain(world, job)


def change(chain: Chain, **parts: object) -> None:
    standing = chain.world.calendars.get(TENANT, "plant")
    assert standing is not None
    changed = replace(standing, version=standing.version + 1, **parts)  # type: ignore[arg-type]
    assert chain.world.calendars.put(TENANT, changed, standing)


def version_of(chain: Chain) -> str | None:
    schedule = chain.standing.schedule
    assert isinstance(schedule, Cron)
    assert schedule.calendar is not None
    return schedule.calendar.release


def test_job_carries_the_days_and_the_version_of_its_calendar() -> None:
    chain = begun()
    assert version_of(chain) == "v1"
    assert chain.head.nominal_at == TODAY * DAY + DAY + 9 * 3_600_000
    assert not recompute(chain)


def test_next_run_moves_to_where_the_changed_calendar_has_it() -> None:
    chain = begun()
    old = chain.head
    change(chain, dates_out=(TODAY + 1,))
    told: list[Recomputation] = []
    assert recompute(chain, told)
    assert chain.world.standing(old.id).progress.end_reason is EndReason.ZONE_RULES_CHANGED
    assert present(chain).nominal_at == old.nominal_at + DAY
    assert version_of(chain) == "v2"
    assert_accounted(chain)
    (recomputed,) = told
    assert (recomputed.old_calendar_release, recomputed.new_calendar_release) == ("v1", "v2")
    assert recomputed.move is not None
    assert (recomputed.move.from_at, recomputed.move.to_at) == (old.nominal_at, old.nominal_at + DAY)
    assert not recompute(chain)


def test_change_of_far_or_past_days_moves_nothing() -> None:
    chain = begun()
    change(chain, dates_out=(TODAY - 30, TODAY + 500))
    assert not recompute(chain)


def test_job_goes_on_with_its_days_where_the_calendar_is_gone() -> None:
    chain = begun()
    assert chain.world.calendars.delete(TENANT, PLANT)
    assert not recompute(chain)
    chain.pause()
    chain.resume()
    assert version_of(chain) == "v1"
    assert first_after(chain.standing.schedule, DUE_AT) is not None


def test_calendar_that_cannot_be_read_leaves_the_job_as_it_is() -> None:
    chain = begun()
    change(chain, dates_out=(TODAY + 1,))

    def fail() -> None:
        raise UnavailableError("no answer")

    chain.world.steps.before("calendars.get", fail)
    with pytest.raises(UnavailableError):
        chain.world.cases.core.read_calendar.present(TENANT, chain.standing.schedule)
    assert version_of(chain) == "v1"


def test_workers_read_no_calendar() -> None:
    """A run is filed, ended and followed by the days that it carries."""
    chain = begun()

    def refuse() -> None:
        raise AssertionError("a calendar was read")

    chain.world.steps.before("calendars.get", refuse)
    chain.world.clock.time_ms = chain.head.nominal_at
    chain.claim_due()
    chain.world.file_successor.execute(chain.executions()[-1])
    assert [each.nominal_at // DAY - TODAY for each in chain.executions()] == [1, 2]


def test_calendar_is_read_once_a_minute() -> None:
    world = World(DUE_AT)
    world.calendars.put(TENANT, PLANT, None)
    read = world.cases.core.read_calendar
    assert read.present(TENANT, LINE) == PLANT
    world.calendars.put(TENANT, replace(PLANT, version=2, dates_out=(TODAY,)), PLANT)
    world.clock.time_ms += REMEMBER_MS - 1
    assert read.present(TENANT, LINE) == PLANT
    world.clock.time_ms += 1
    known = read.present(TENANT, LINE)
    assert known is not None
    assert known.version == 2


def test_schedule_of_a_country_or_without_a_calendar_reads_nothing() -> None:
    world = World(DUE_AT)

    def refuse() -> None:
        raise AssertionError("a calendar was read")

    world.steps.before("calendars.get", refuse)
    read = world.cases.core.read_calendar
    german = replace(LINE, calendar=CalendarRule(name="DE"))
    for schedule in (german, replace(LINE, calendar=None)):
        assert read.resolved(TENANT, schedule) is schedule
        assert read.present(TENANT, schedule) is None


def test_job_that_is_newer_than_the_cached_calendar_is_not_set_back() -> None:
    chain = begun()
    world = chain.world
    read = world.cases.core.read_calendar
    assert read.present(TENANT, chain.standing.schedule) == PLANT
    change(chain, dates_out=(TODAY + 1,))
    younger = read.resolved(TENANT, LINE)
    known = read.present(TENANT, younger)
    assert known is not None
    assert known.version == 2


def test_job_whose_calendar_cannot_be_read_is_left_to_a_later_run_of_the_reconciler() -> None:
    chain = begun()
    change(chain, dates_out=(TODAY + 1,))

    def fail() -> None:
        raise UnavailableError("no answer")

    chain.world.steps.before("calendars.get", fail)
    item = LiveItem(cursor="", content=chain.standing)
    assert chain.world.cases.ticks.reconcile_definitions._outdated(item) is None


def test_report_of_a_changed_calendar_names_the_job_and_precedes_every_write() -> None:
    """A run that dies after a write would else leave a job that moved, and nothing that tells of it."""
    chain = begun()
    change(chain, dates_out=(TODAY + 1,))
    before = chain.standing
    seen: list[tuple[str, Job]] = []
    run = chain.world.cases.ticks.reconcile_definitions.recompute
    outdated = OutdatedJob(outdated_from=0, tenant_id=before.tenant_id, job_id=before.id)
    assert run.execute(outdated, lambda told: seen.append((told.job_id, chain.standing)))
    assert seen == [(before.id, before)]
    assert chain.standing.revision > before.revision


def test_recomputation_leaves_a_job_alone_that_its_client_has_changed_meanwhile() -> None:
    """The client pauses the job while the recomputation has read it, and has written nothing."""
    chain = begun()
    change(chain, dates_out=(TODAY + 1,))
    run = chain.world.cases.ticks.reconcile_definitions.recompute
    outdated = OutdatedJob(outdated_from=0, tenant_id=TENANT, job_id=chain.job.id)

    def pause(_: Recomputation) -> None:
        chain.pause()

    assert not run.execute(outdated, pause)
    assert chain.standing.state is JobState.PAUSED
    assert version_of(chain) == "v1"
    assert_accounted(chain)


def test_calendar_changed_while_a_job_was_left_updating_is_followed_by_the_run_that_completes_it() -> None:
    """A run of the reconciler dies; the next one would else judge the job that it read before it completed it."""
    chain = begun()
    change(chain, dates_out=(TODAY + 1,))
    chain.world.steps.crash_after("jobs.replace")
    with pytest.raises(Crash):
        recompute(chain)
    assert chain.standing.state is JobState.UPDATING
    change(chain, dates_out=(TODAY + 1, TODAY + 2))
    chain.world.steps.calm()
    chain.world.clock.time_ms = LATER
    report = reconcile_definitions(chain.world)
    assert (report.settled, report.outdated, report.recomputed) == ([chain.job.id], 1, 1)
    assert version_of(chain) == "v3"
    assert present(chain).nominal_at == (TODAY + 5) * DAY + 9 * 3_600_000
    assert_accounted(chain)


MIDNIGHT = TODAY * DAY + DAY
MORNING = MIDNIGHT + 8 * 3_600_000


def test_next_run_moves_out_of_a_blackout_window_that_is_added_and_back() -> None:
    chain = begun()
    window = Blackout(from_at=MORNING, until_at=MORNING + 2 * 3_600_000, reason="deployment")
    change(chain, blackouts=(window,))
    chain.world.clock.time_ms += REMEMBER_MS
    told: list[Recomputation] = []
    assert recompute(chain, told)
    assert told[0].move is not None
    assert (told[0].move.from_at, told[0].move.to_at) == (MORNING + 3_600_000, MORNING + DAY + 3_600_000)
    assert present(chain).nominal_at == MORNING + DAY + 3_600_000
    assert not recompute(chain)
    change(chain, blackouts=())
    chain.world.clock.time_ms += REMEMBER_MS
    assert recompute(chain)
    assert present(chain).nominal_at == MORNING + 3_600_000
    assert_accounted(chain)


def test_blackout_window_that_has_ended_and_a_change_of_its_past_move_nothing() -> None:
    chain = begun()
    change(chain, blackouts=(Blackout(from_at=MORNING - 2 * DAY, until_at=MORNING - DAY - 3_600_000),))
    chain.world.clock.time_ms += REMEMBER_MS
    assert not recompute(chain)


HOUR = 3_600_000


def window(low: float, high: float) -> Blackout:
    """From and until, in hours of the first morning."""
    return Blackout(from_at=MIDNIGHT + int(low * HOUR), until_at=MIDNIGHT + int(high * HOUR))


@pytest.mark.parametrize(
    ("when", "before", "after", "changed_at", "runs_at"),
    [
        (WhenExcluded.SKIP, (), (window(480, 482),), 9.25, 9.0),
        (WhenExcluded.NEXT, (window(8, 11),), (window(8, 9.5),), 10.0, 9.5),
        (WhenExcluded.NEXT, (window(8, 11),), (), 10.0, 9.0),
        (WhenExcluded.PREVIOUS, (), (window(8.5, 11),), 8.5, 8.5 - 1 / 60),
    ],
    ids=["far window", "window that ends sooner", "window that is gone", "target that is past"],
)
def test_change_of_a_calendar_drops_no_run_that_is_due_and_has_not_begun(
    when: WhenExcluded,
    before: tuple[Blackout, ...],
    after: tuple[Blackout, ...],
    changed_at: float,
    runs_at: float,
) -> None:
    world = World(DUE_AT)
    assert world.calendars.put(TENANT, replace(PLANT, blackouts=before), None)
    line = replace(LINE, calendar=CalendarRule(name="plant", when_excluded=when))
    job = world.accept(world.cases.core.read_calendar.resolved(TENANT, line))
    assert isinstance(job, Job)
    chain = Chain(world, job)
    world.clock.time_ms = MIDNIGHT + int(changed_at * HOUR)
    change(chain, blackouts=after)
    world.clock.time_ms += REMEMBER_MS
    assert recompute(chain)
    assert present(chain).nominal_at == MIDNIGHT + round(runs_at * HOUR)
    assert present(chain).id.dispatch_at <= world.clock.now_ms()
    assert_accounted(chain)


class CountedReads:
    """Counts the reads of the store."""

    def __init__(self, chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count, read = 0, chain.world.calendars.get

        def get(tenant_id: str, name: str) -> OwnCalendar | None:
            self.count += 1
            return read(tenant_id, name)

        monkeypatch.setattr(chain.world.calendars, "get", get)


def test_calendar_that_is_gone_is_read_once_a_minute_for_all_jobs_that_name_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain = begun()
    calendar = chain.world.calendars.get(TENANT, "plant")
    assert calendar is not None
    assert chain.world.calendars.delete(TENANT, calendar)
    chain.world.clock.time_ms += REMEMBER_MS
    reads, read_calendar = CountedReads(chain, monkeypatch), chain.world.cases.core.read_calendar
    for _ in range(5):
        assert read_calendar.present(TENANT, chain.standing.schedule) is None
    assert reads.count == 1
    assert chain.world.calendars.put(TENANT, replace(PLANT, version=5), None)
    chain.world.clock.time_ms += REMEMBER_MS
    assert read_calendar.present(TENANT, chain.standing.schedule) == replace(PLANT, version=5)
