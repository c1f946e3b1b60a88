"""Chains that were started with an older time zone database, in every situation."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Cron, first_after
from shared.usecases.chains.recompute_job import OutdatedJob, Recomputation, RecomputeJob
from shared.usecases.reading.read_calendar import ReadCalendar
from tests.support.builders import DUE_AT
from tests.support.usecases.accounts import assert_accounted
from tests.support.usecases.chains import MINUTE, Chain, fresh

LINE = Cron(line="0-58/2 * * * *", timezone="Asia/Kolkata")
OLD = replace(LINE, rules="2020a -5:31")
"""By the older tables, the line fires at odd minutes; by the installed tables, at even minutes."""
FIRST_AT = DUE_AT // MINUTE * MINUTE + MINUTE
DAILY = Cron(line="0 9 * * *", timezone="America/New_York")
DAILY_OLD = replace(DAILY, rules="2020a 5,,M4.1.0,M10.5.0")
Change = Callable[[Chain], object]


def old_chain(now_ms: int = FIRST_AT, **parts: Any) -> Chain:
    """A job whose chain was started with older tables, and whose first run is due at FIRST_AT."""
    parts = {"schedule": OLD, "chain_from": FIRST_AT, "created_at": FIRST_AT - 30_000} | parts
    return fresh(now_ms, **parts)


def working() -> Chain:
    """The first run has started, and its successor is filed by the older tables."""
    return with_successor(old_chain())


def with_successor(chain: Chain) -> Chain:
    """Filed by hand, so that the installed tables are not used."""
    chain.claim_due()
    first = chain.executions()[0]
    chain.world.put(first.occurrence(FIRST_AT + 2 * MINUTE, created_at=FIRST_AT))
    return chain


def just_due() -> Chain:
    """The head is unclaimed."""
    return old_chain(first_state=State.QUEUED)


def claimed() -> Chain:
    """The head runs, and has filed nothing yet."""
    chain = old_chain()
    chain.run_head()
    return chain


def behind() -> Chain:
    """The head was claimed late, and its worker is about to jump."""
    chain = old_chain(FIRST_AT + 9 * MINUTE + 30_000)
    chain.run_head()
    return chain


def far_ahead() -> Chain:
    """The next run is far in the future."""
    begins = replace(OLD, start_at=FIRST_AT)
    return old_chain(FIRST_AT - 10 * MINUTE, created_at=FIRST_AT - 11 * MINUTE, schedule=begins)


def ends_soon() -> Chain:
    """Two instants are left by the rules of either database."""
    return with_successor(old_chain(schedule=replace(OLD, end_at=FIRST_AT + 5 * MINUTE)))


def runs_three_times() -> Chain:
    """One of three runs has started."""
    return with_successor(old_chain(max_runs=3))


SITUATIONS: list[Callable[[], Chain]] = [
    working,
    just_due,
    claimed,
    behind,
    far_ahead,
    ends_soon,
    runs_three_times,
]


def outdated(chain: Chain) -> OutdatedJob:
    return OutdatedJob(outdated_from=0, tenant_id=chain.job.tenant_id, job_id=chain.job.id)


def recompute(chain: Chain, told: list[Recomputation] | None = None) -> bool:
    world = chain.world
    run = RecomputeJob(
        jobs=world.jobs,
        settle=world.lifecycle.settle,
        read_calendar=ReadCalendar(world.calendars, world.clock),
        clock=world.clock,
    )
    return run.execute(outdated(chain), (told if told is not None else []).append)


def present(chain: Chain) -> Execution:
    """The head of the current chain."""
    return [one for one in chain.executions() if one.revision == chain.standing.chain_revision][-1]


def begins(chain: Chain) -> list[int]:
    """The minutes at which runs started, counted from the first."""
    return [(one.nominal_at - FIRST_AT) // MINUTE for one in chain.executions() if one.attempt > 0]


def close(chain: Chain) -> None:
    """Complete transitions and let executors work; then check the invariants and the current rules."""
    chain.world.steps.calm()
    chain.world.lifecycle.find_settled.execute(chain.job.tenant_id, chain.job.id)
    recompute(chain)
    assert_accounted(chain)
    seen = len(chain.starts)
    chain.extend_lease(4)
    for execution in chain.running():
        chain.world.file_successor.execute(execution)
    assert_accounted(chain)
    for _, execution in chain.starts[seen:]:
        assert first_after(LINE, execution.nominal_at - 1) == execution.nominal_at, "by the old rules"


def rules_of(one: Job | Execution) -> str | None:
    schedule = one.schedule if isinstance(one, Job) else one.recurrence and one.recurrence.schedule
    assert isinstance(schedule, Cron)
    return schedule.rules
