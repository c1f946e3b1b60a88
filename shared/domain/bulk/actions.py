"""Actions of bulk tasks on jobs, and the jobs that can take them."""

from enum import StrEnum

from shared.domain.bulk.patch import JobPatch
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import OPEN, State
from shared.domain.jobs.job import GONE, HELD, Job, JobState
from shared.domain.schedules.schedule import Backfill


class BulkAction(StrEnum):
    """The values are those of the API."""

    PAUSE = "pause"
    RESUME = "resume"
    TRIGGER = "trigger"
    DELETE = "delete"
    PATCH = "patch"


class Refusal(StrEnum):
    """Why a job does not take the action. The values are those of the API."""

    DELETED = "deleted"
    COMPLETED = "completed"
    ENDED = "ended"
    """A one-off job that has already ended."""
    RUNNING = "running"
    """A one-off job of which an attempt is running."""
    BACKFILL = "backfill"
    """A backfill runs for the instants of its range alone, and keeps all but its tags."""
    INVALID = "invalid"
    """The patch and what the job keeps make no valid job: its attempts and waits could take more than 7 days."""
    QUOTA = "quota"
    """The job would have more tags than the quota allows."""
    CHANGED = "changed"
    """Another request changed the job at the same moment."""
    UNREADABLE = "unreadable"


def refusal_of(action: BulkAction, job: Execution | Job, patch: JobPatch | None = None) -> Refusal | None:
    """Why the job cannot take the action now; None if it can."""
    if isinstance(job, Execution):
        if job.state in OPEN:
            return Refusal.RUNNING if job.state is State.RUNNING else None
        return Refusal.ENDED
    if job.state in GONE:
        return Refusal.DELETED
    if job.state is JobState.COMPLETED and action is not BulkAction.DELETE:
        return Refusal.COMPLETED
    is_fixed = action is BulkAction.TRIGGER or (patch is not None and bool(patch.values))
    if is_fixed and isinstance(job.schedule, Backfill):
        return Refusal.BACKFILL
    if patch is not None and not patch.suits(job.definition):
        return Refusal.INVALID
    return Refusal.QUOTA if patch is not None and patch.has_too_many_tags(job.definition) else None


def is_unchanged_by(action: BulkAction, job: Execution | Job, patch: JobPatch | None = None) -> bool:
    """Whether the job already is as the action would leave it."""
    if patch is not None and isinstance(job, Job):
        return not patch.changes(job.definition)
    if action is BulkAction.PAUSE:
        return job.state in HELD
    return action is BulkAction.RESUME and job.state in (JobState.ACTIVE, JobState.UPDATING)
