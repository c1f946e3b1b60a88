"""Invariants of a recurring job after any changes: each instant has one record, and started at most once."""

from collections import Counter
from itertools import pairwise

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED
from shared.domain.jobs.job import Chain as ChainOfJob
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import instants_before
from tests.support.usecases.chains import Chain

MANY = 10_000


def assert_accounted(chain: Chain) -> None:
    """Each past instant has exactly one record, and none started twice. The job must not be changing."""
    job = chain.standing
    past = sorted(
        chain.world.jobs.past_chains(job.tenant_id, job.id, limit=MANY), key=lambda each: each.revision
    )
    _assert_started_once(chain)
    _assert_only_the_present_chain_is_open(chain, job)
    for earlier, later in pairwise([*past, job.chain(0)]):
        assert earlier.history_until + 1 == later.history_from, "chains follow each other without a gap"
    for each in (*past, job.chain(_present_end(chain, job))):
        _assert_told(chain, each)


def _present_end(chain: Chain, job: Job) -> int:
    """Instants after the head are in the future; a pause records skipped instants when it ends."""
    if job.state in (JobState.PAUSED, JobState.COMPLETED):
        return job.ended_through or 0
    present = [one.nominal_at for one in chain.executions() if one.revision == job.chain_revision]
    return max(present, default=0)


def _assert_told(chain: Chain, of: ChainOfJob) -> None:
    rows = [one for one in chain.executions() if one.revision == of.revision]
    until = min(of.history_until, chain.world.clock.time_ms)
    for instant in instants_before(of.schedule, until + 1, of.history_from, MANY):
        own = [one for one in rows if one.nominal_at == instant]
        told = own + [one for one in rows if _passes_over(one, instant)]
        assert len(told) == 1, (
            f"{len(told)} records of {instant - chain.job.chain_from} in chain {of.revision}"
        )
    for one in rows:
        if one.progress.missed is not None:
            span = instants_before(
                of.schedule, one.progress.missed.last_at + 1, one.progress.missed.first_at, MANY
            )
            assert (one.progress.missed.count, one.nominal_at) == (len(span), one.progress.missed.first_at)


def _passes_over(record: Execution, instant: int) -> bool:
    missed = record.progress.missed
    return missed is not None and missed.first_at < instant <= missed.last_at


def _assert_started_once(chain: Chain) -> None:
    begun = [one for one in chain.executions() if one.attempt > 0]
    doubled = [instant for instant, times in Counter(one.nominal_at for one in begun).items() if times > 1]
    assert not doubled, f"{[instant - chain.job.chain_from for instant in doubled]} began twice"


def _assert_only_the_present_chain_is_open(chain: Chain, job: Job) -> None:
    waiting = [one for one in chain.executions() if one.state in NOT_STARTED]
    assert all(one.revision == job.chain_revision for one in waiting), "an old chain is still to run"
    assert len(waiting) <= 1, "the chain has split"
    if job.state is not JobState.ACTIVE:
        assert not waiting, f"the job is {job.state}, and something of it is still to run"
