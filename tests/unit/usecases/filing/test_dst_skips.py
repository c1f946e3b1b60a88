"""Runs whose local time a change of the clocks leaves out: each has a record, whatever else happens to the chain."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.schedules.cron import Gap
from shared.domain.schedules.schedule import Cron, first_after
from shared.usecases.listings.list_executions import HistoryPosition
from tests.support.builders import TENANT
from tests.support.usecases.chains import MINUTE, Chain
from tests.support.usecases.shown import records
from tests.support.usecases.world import World

HOURS = 3_600_000
DAYS = 24 * HOURS


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


SPRING = at("2026-03-08T07:00:00")
"""When New York's clocks go from 02:00 to 03:00."""
EVE = at("2026-03-07T07:30:00")
"""02:30 in New York on the day before."""
SKIPPING = Cron(line="30 2 * * *", timezone="America/New_York", gap=Gap.SKIP)


def begun(schedule: Cron = SKIPPING, first_at: int = EVE, **parts: Any) -> Chain:
    """A chain whose first run is due now."""
    world = World(first_at)
    parts = {"created_at": first_at - MINUTE} | parts
    job = world.recurring(schedule=schedule, chain_from=first_at, **parts)
    return Chain(world, job)


def dropped(chain: Chain) -> list[Execution]:
    return [one for one in chain.executions() if one.progress.end_reason is EndReason.DST_GAP]


def test_a_run_that_the_policy_skips_leaves_a_record_and_the_chain_goes_on() -> None:
    chain = begun()
    chain.work()
    (record,) = dropped(chain)
    assert (record.state, record.attempt) == (State.SKIPPED, 0)
    assert record.progress.missed is not None
    assert (
        record.progress.missed.count,
        record.progress.missed.first_at,
        record.progress.missed.last_at,
    ) == (1, SPRING, SPRING)
    assert chain.world.table.executions[record.id].expires_at_s is not None
    assert chain.head.nominal_at == at("2026-03-09T06:30:00")


MONTHLY = Cron(line="30 2 29 * *", timezone="Europe/Berlin", gap=Gap.SKIP)
"""2026 has no 29 February: the run of 29 January is followed by that of 29 March, which a gap leaves out."""
JANUARY = at("2026-01-29T01:30:00")
GAP = at("2026-03-29T01:00:00")


def _filed_by_run() -> Chain:
    chain = begun(MONTHLY, JANUARY)
    chain.work()
    return chain


def _filed_by_creation() -> Chain:
    world = World(JANUARY)
    return Chain(world, world.create_jobs.create_recurring.execute(_made_at(JANUARY, MONTHLY)))


def _filed_by_update() -> Chain:
    chain = begun(replace(MONTHLY, line="0 12 * * *"), JANUARY)
    chain.update(schedule=MONTHLY)
    return chain


@pytest.mark.parametrize("filed", [_filed_by_run, _filed_by_creation, _filed_by_update])
def test_record_of_a_dst_skip_that_is_weeks_ahead_lasts_until_after_its_time(
    filed: Callable[[], Chain],
) -> None:
    chain = filed()
    (record,) = dropped(chain)
    assert record.id.dispatch_at == GAP - 1 > chain.world.clock.time_ms + 50 * DAYS
    row = chain.world.table.executions[record.id]
    assert row.expires_at_s == chain.world.retention.expires_at_s(record.id.dispatch_at)


@pytest.mark.parametrize(
    ("line", "zone", "gap", "first", "count"),
    [
        ("30 2 * * *", "America/New_York", Gap.SHIFT, "2026-03-07T07:30:00", 0),
        ("*/15 * * * *", "America/New_York", Gap.SKIP, "2026-03-08T06:45:00", 0),
        ("*/15 2 * * *", "America/New_York", Gap.SKIP, "2026-03-07T07:45:00", 0),
        ("10,20,40 2 * * *", "America/New_York", Gap.SKIP, "2026-03-07T07:40:00", 3),
        ("0 9 * * *", "America/New_York", Gap.SKIP, "2026-03-07T14:00:00", 0),
        ("0 9 * * *", "Pacific/Apia", Gap.SHIFT, "2011-12-29T19:00:00", 1),
        ("cron(30 2 * * ? *)", "America/New_York", Gap.SKIP, "2026-03-07T07:30:00", 1),
        ("15 2 * * *", "Australia/Lord_Howe", Gap.SKIP, "2026-10-02T15:45:00", 1),
    ],
)
def test_dst_skips_are_recorded_only_for_runs_in_the_gap(
    line: str, zone: str, gap: Gap, first: str, count: int
) -> None:
    chain = begun(Cron(line=line, timezone=zone, gap=gap), at(first))
    chain.work()
    assert sum(record.progress.missed.count for record in dropped(chain) if record.progress.missed) == count
    assert len(dropped(chain)) == (count > 0)


def test_skipped_run_that_shares_its_instant_displaces_no_run() -> None:
    """With the old offset 02:30 is the instant of 03:30, and the change itself is that of 03:00."""
    chain = begun(Cron(line="0,30 2,3 * * *", timezone="America/New_York", gap=Gap.SKIP))
    chain.extend_lease(8)
    ran = [one.nominal_at for one in chain.executions() if one.state is not State.SKIPPED]
    assert len(dropped(chain)) == 1
    assert {SPRING, SPRING + 30 * MINUTE} <= set(ran)


@pytest.mark.parametrize("done", [0, 1])
@pytest.mark.parametrize("is_answer", [False, True])
def test_filing_after_a_crash_writes_the_same_record_of_dst_skips(done: int, is_answer: bool) -> None:
    chain = begun()
    (claimed,) = chain.claim_due()
    lose = chain.world.steps.lose_answer if is_answer else chain.world.steps.fail
    chain.world.steps.before("store.put_if_absent", lambda: None, times=done)
    chain.world.steps.after("store.put_if_absent", lambda: None, times=done)
    lose("store.put_if_absent")
    with pytest.raises(UnavailableError):
        chain.world.file_successor.execute(claimed)
    for _ in range(3):
        chain.world.clock.time_ms += MINUTE
        chain.world.file_successor.execute(claimed)
    assert len(dropped(chain)) == 1
    assert chain.head.nominal_at == at("2026-03-09T06:30:00")


def test_no_successor_stands_without_the_record() -> None:
    chain = begun()
    (claimed,) = chain.claim_due()
    chain.world.steps.at_each = lambda *_: _assert_told(chain)
    chain.world.file_successor.execute(claimed)


def _assert_told(chain: Chain) -> None:
    assert chain.head.nominal_at < SPRING or dropped(chain)


def test_skipped_run_among_missed_instants_has_its_own_record() -> None:
    chain = begun()
    (claimed,) = chain.claim_due()
    chain.world.clock.time_ms += 5 * DAYS
    chain.world.file_successor.execute(claimed)
    (jump,) = [one for one in chain.executions() if one.progress.end_reason is EndReason.COALESCED]
    assert jump.progress.missed is not None
    assert (jump.progress.missed.count, len(dropped(chain))) == (3, 1)


def test_skipped_run_after_the_last_run_of_a_schedule_is_recorded() -> None:
    chain = begun(replace(SKIPPING, end_at=SPRING + HOURS))
    chain.work()
    assert len(dropped(chain)) == 1
    assert chain.standing.state is JobState.COMPLETED


def test_dst_skip_behind_the_last_of_the_maximum_runs_is_not_recorded() -> None:
    chain = begun(max_runs=1)
    chain.work()
    assert dropped(chain) == []


def test_a_job_is_told_of_one_between_its_creation_and_its_first_run() -> None:
    world = World(SPRING - HOURS)
    job = world.create_jobs.create_recurring.execute(_made_at(SPRING - HOURS))
    chain = Chain(world, job)
    assert len(dropped(chain)) == 1
    world.create_jobs.create_recurring.execute(job)
    assert len(dropped(chain)) == 1
    later = World(SPRING)
    assert dropped(Chain(later, later.create_jobs.create_recurring.execute(_made_at(SPRING)))) == []


def _made_at(created_at: int, schedule: Cron = SKIPPING) -> Job:
    draft = World(created_at).recurring(schedule=schedule, created_at=created_at)
    first_at = first_after(schedule, created_at)
    assert first_at is not None
    return replace(draft, chain_from=first_at)


@pytest.mark.parametrize("verb", ["resume", "update"])
def test_skipped_run_between_a_change_and_the_next_run_is_recorded(verb: str) -> None:
    chain = begun(replace(SKIPPING, line="30 2 * * 1"), at("2026-03-09T06:30:00"), created_at=EVE)
    chain.world.clock.time_ms = SPRING - HOURS
    if verb == "resume":
        chain.pause()
        chain.update(schedule=SKIPPING)
        chain.resume()
    else:
        chain.update(schedule=SKIPPING)
    assert len(dropped(chain)) == 1


def test_history_lists_the_record_of_a_dst_skip_in_order() -> None:
    chain = begun()
    chain.extend_lease(5)
    for limit in (1, 2, 100):
        shown = _history(chain, limit)
        assert [one.nominal_at for one in shown] == sorted([one.nominal_at for one in shown], reverse=True)
        assert {one.id for one in shown} == {one.id for one in chain.executions()}
        assert [one.progress.end_reason for one in shown].count(EndReason.DST_GAP) == 1


def _history(chain: Chain, limit: int) -> list[Execution]:
    shown: list[Execution] = []
    position: HistoryPosition | None = None
    while not shown or position is not None:
        page = chain.world.list_executions.execute(
            TENANT, chain.job.id, limit=limit, criteria=ExecutionFilter(), position=position
        )
        shown += records(page.executions)
        position = page.next_position
    return shown


def test_a_year_of_a_daily_line_has_a_run_or_a_record_for_every_date() -> None:
    chain = begun(first_at=at("2026-01-01T07:30:00"))
    for _ in range(364):
        chain.work()
        chain.world.clock.time_ms = chain.head.nominal_at
    told = [one for one in chain.executions() if one.nominal_at < at("2027-01-01T05:00:00")]
    assert len(told) == 365
    assert len(dropped(chain)) == 1
