"""What a job shows of its runs: the last one, and why no other follows."""

from functions.api.models import instant_out
from functions.api.resources.jobs.run_models import LastRunOut
from shared.domain.executions.execution import Execution
from shared.domain.executions.lateness import first_lag_ms
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import first_after, format_instant

_ONE_OFFS = {
    State.SUCCEEDED: "The job has run.",
    State.FAILED: "The job has run, and failed.",
    State.CANCELLED: "The job was cancelled.",
    State.SKIPPED: "The job had not started by its start deadline.",
    State.MOVED: "The job was moved to another time.",
}
_RECURRING = {
    JobState.PAUSING: "The job is being paused.",
    JobState.UPDATING: "The job is being changed.",
    JobState.DELETING: "The job is being deleted.",
    JobState.DELETED: "The job was deleted.",
}
SUSPENDED = "The tenant was suspended when the job was due."
ENDED = "The schedule has no later instant."
ALL_RUNS = "The job has made all runs that max_runs allows."
PAUSED = "The job is paused."


def no_next_run(job: Execution | Job, next_due_at: int | None, now_ms: int) -> str | None:
    """Why a job has no next due time; None for a job that has one."""
    if next_due_at is not None:
        return None
    if isinstance(job, Execution):
        return SUSPENDED if job.progress.end_reason is EndReason.SUSPENDED else _ONE_OFFS[job.state]
    if job.state is JobState.PAUSED:
        return f"{PAUSED} Reason: {job.pause_reason}" if job.pause_reason else PAUSED
    if job.state is JobState.COMPLETED and first_after(job.schedule, now_ms) is not None:
        return ALL_RUNS
    return _RECURRING.get(job.state, ENDED)


def last_run_out(run: Execution | None) -> LastRunOut | None:
    """None before the first run."""
    if run is None:
        return None
    outcomes = run.progress.outcomes
    return LastRunOut(
        execution_id=str(run.id),
        scheduled_at=format_instant(run.scheduled_at),
        state=run.state.value,
        started_at=instant_out(outcomes[0].started_at if outcomes else None),
        lag_ms=first_lag_ms(run),
    )


def own_run(job: Execution | Job) -> Execution | None:
    """The run of a one-off job that has begun: the job itself."""
    return job if isinstance(job, Execution) and job.attempt else None
