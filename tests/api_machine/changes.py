"""What becomes of a promised job when a change of it is acknowledged."""

from typing import Any

from tests.api_machine.chains import PromisedChain
from tests.api_machine.executions import PromisedExecution
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.instants import milliseconds
from tests.api_machine.terms import Terms

STOPPED_ONE_BY_ONE = 500
"""Where a chain has had more instants, an old retry finds out for itself that its job is gone."""
CHAINS_STOPPED = 6
"""So does one of a chain before these."""
GUARD_MS = 5_000
Records = list[dict[str, Any]]


def accounted_until(job: PromisedJob, records: Records) -> int:
    """The last instant of the present chain that has started or was passed over, when its history is this."""
    chain = job.chain
    started = [due_at for due_at, execution in job.planned.items() if execution.chain is chain]
    told = [
        milliseconds(record["missed"]["last_at"])
        for record in records
        if record["missed"] is not None and chain.has(milliseconds(record["scheduled_at"]))
    ]
    return max([chain.after_at, *started, *told])


def edit(job: PromisedJob, terms: Terms, now_ms: int) -> None:
    """A job that runs once is another one, in the place of what it was."""
    job.chain.terms, job.chain.begun_at = terms, now_ms


def pause(job: PromisedJob, reason: str | None, now_ms: int) -> None:
    """Nothing begins that has not begun."""
    job.chain.stop("job_paused", now_ms)
    job.chain.is_quiet = True
    job.pause_reason = reason


def resume(job: PromisedJob, records: Records, now_ms: int) -> None:
    """It goes on strictly after now, and after whatever has started."""
    _begin_chain(job, job.terms, max(now_ms, accounted_until(job, records)), now_ms)
    job.pause_reason = None
    job.is_completed = job.is_used_up


def update(job: PromisedJob, terms: Terms, records: Records, now_ms: int) -> None:
    """What has started goes on; the rest runs as the new terms say."""
    if terms.runs_as(job.terms):
        job.chain.terms = terms
        return
    is_paused, after_at = job.chain.is_paused, accounted_until(job, records)
    if is_paused or terms.instants != job.terms.instants:
        after_at = max(after_at, now_ms)
    job.chain.stop("job_updated", now_ms)
    _begin_chain(job, terms, after_at, now_ms)
    if is_paused:
        job.chain.stop("job_paused", now_ms)
        job.chain.is_quiet = True
    else:
        job.is_completed = job.is_used_up


def _begin_chain(job: PromisedJob, terms: Terms, after_at: int, now_ms: int) -> None:
    job.chain.until_at = after_at
    job.chains.append(PromisedChain(terms=terms, begun_at=now_ms, after_at=after_at))


def end(job: PromisedJob, now_ms: int) -> None:
    """Its cancellation or deletion: nothing begins any more, and attempts that run are the last."""
    if job.ended_at is not None:
        return
    reason = "job_deleted" if job.is_recurring else "cancelled"
    found = _found_one_by_one(job, now_ms)
    for execution in job.executions.values():
        if execution.is_beside or execution.scheduled_at in found or execution.has_ended:
            execution.stop(reason)
        else:
            execution.is_open = True
    job.chain.stop(reason, now_ms)
    job.ended_at, job.has_changed_by_itself = now_ms, True


def _found_one_by_one(job: PromisedJob, now_ms: int) -> set[int]:
    chains = job.chains[-CHAINS_STOPPED:]
    recent = [chain.up_to(now_ms + GUARD_MS)[-STOPPED_ONE_BY_ONE:] for chain in chains]
    return {due_at for instants in recent for due_at in instants} if job.is_recurring else set(job.planned)


def answered(job: PromisedJob, execution: PromisedExecution, now_ms: int) -> None:
    """The receiver has answered the call that ran; a 410 pauses the job while the chain is still its own."""
    execution.answered()
    is_its_own = job.is_recurring and job.ended_at is None and execution.chain is job.chain
    if is_its_own and execution.end_reason == "not_retryable" and job.is_active:
        job.chain.stop("job_paused", now_ms)
        job.pause_reason, job.has_changed_by_itself = "gone", True


def come_to_rest(job: PromisedJob) -> None:
    """No call is on its way: what has started so far is known."""
    if job.state == ("active", "completed"):
        job.is_completed = job.has_changed_by_itself = True
    job.chain.is_quiet = job.chain.stopped_at is not None
