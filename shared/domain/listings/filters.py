"""Filters of listings."""

from dataclasses import field
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.delivery.callback import Reason
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import TERMINAL, EndReason, State
from shared.domain.jobs.job import GONE, Job, JobState
from shared.domain.listings.position import PositionRange
from shared.domain.schedules.schedule import Backfill, Cron
from shared.names import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionFilter:
    """Executions of one state, or of any state, within a range of positions."""

    state: State | None = None
    span: PositionRange = field(default_factory=PositionRange)

    @property
    def is_filter(self) -> bool:
        """Whether an execution within the span may fail to match."""
        return self.state is not None

    def matches(self, state: State) -> bool:
        """Whether the listing shows an execution in this state. Forwarding records (MOVED) are never shown."""
        return state is not State.MOVED and self.state in (None, state)


_FAILED_FOR = (
    EndReason.ATTEMPTS_USED_UP,
    EndReason.NOT_RETRYABLE,
    EndReason.STOPPED,
    EndReason.TOO_OLD,
    EndReason.JOB_DELETED,
    EndReason.WORKER_LOST,
)
_ATTEMPTS_FOR = (reason.word for reason in Reason if reason is not Reason.OK)
FAILURE_REASONS = tuple(dict.fromkeys((*(reason.value for reason in _FAILED_FOR), *_ATTEMPTS_FOR)))
"""Every reason word for the failure of an execution or of its last attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterFilter:
    """Dead letters that match every given criterion; `span` is a range of due times."""

    job_id: str | None = None
    tag: str | None = None
    """A tag of the job. The caller that reads the job compares it; `matches` does not."""
    reason: str | None = None
    """The end reason, or the reason of the last attempt."""
    status: int | None = None
    """The HTTP status of the last attempt."""
    lane: Lane | None = None
    span: PositionRange = field(default_factory=PositionRange)

    @property
    def is_filter(self) -> bool:
        """Whether a dead letter within the span may fail to match."""
        return self != DeadLetterFilter(span=self.span)

    def matches(self, execution: Execution) -> bool:
        """Whether every criterion except the tag matches."""
        last = execution.progress.outcomes[-1] if execution.progress.outcomes else None
        reasons = {execution.progress.end_reason, last.reason.word if last else None}
        return (
            (self.job_id is None or execution.job_id == self.job_id)
            and (self.reason is None or self.reason in reasons)
            and (self.status is None or (last is not None and last.status == self.status))
            and (self.lane is None or execution.lane is self.lane)
        )


class Kind(StrEnum):
    """The kind of schedule of a job. The values are those of the API."""

    ONCE = "once"
    CRON = "cron"
    RATE = "rate"
    BACKFILL = "backfill"


def kind_of(job: Execution | Job) -> Kind:
    """The kind of a job. A one-off job is represented by its execution."""
    if isinstance(job, Execution):
        return Kind.ONCE
    if isinstance(job.schedule, Backfill):
        return Kind.BACKFILL
    return Kind.CRON if isinstance(job.schedule, Cron) else Kind.RATE


EXECUTION_STATES = tuple(state for state in State if state is not State.MOVED)
"""The states that the API shows."""
JOB_STATES = frozenset(state.value for state in (*JobState, *EXECUTION_STATES))
"""Every value of a job's state in the API; a one-off job has the state of its execution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """Jobs that match every given criterion."""

    state: str | None = None
    tag: str | None = None
    set_name: str | None = None
    name_prefix: str | None = None
    kind: Kind | None = None
    backfill_of: str | None = None
    """Only backfills of this job."""
    created_from: int | None = None
    """Only jobs that were created at this instant or later."""
    created_before: int | None = None
    """Only jobs that were created before this instant."""
    recurs: bool = False
    """Only recurring jobs and backfills."""
    is_live: bool = False
    """No deleted jobs, and no one-off jobs that have ended."""

    @property
    def is_filter(self) -> bool:
        """Whether a job may fail to match. The choice of one-off jobs alone costs no reads, so it does not count."""
        return self not in (JobFilter(), JobFilter(kind=Kind.ONCE))

    @property
    def recurring(self) -> bool:
        """Whether a recurring job can match."""
        return self.kind is not Kind.ONCE and (self.state is None or self.state in set(JobState))

    @property
    def one_off(self) -> bool:
        """Whether a one-off job can match."""
        is_recurring = self.recurs or self.backfill_of is not None or self.set_name is not None
        is_possible = not is_recurring and self.kind in (None, Kind.ONCE)
        return is_possible and (self.state is None or self.state in set(State))

    @property
    def rare_state(self) -> JobState | None:
        """The state of recurring jobs that is wanted, where few have it: most are active."""
        rare = set(JobState) - {JobState.ACTIVE}
        return next((state for state in rare if state == self.state), None)

    def matches(self, job: Execution | Job) -> bool:
        return (
            (self.kind is None or kind_of(job) is self.kind)
            and (self.state is None or job.state.value == self.state)
            and (self.tag is None or self.tag in job.tags)
            and (self.set_name is None or self.set_name == _set_of(job))
            and (self.name_prefix is None or (job.name or "").startswith(self.name_prefix))
            and (self.created_from is None or self.created_from <= created_at(job))
            and (self.created_before is None or created_at(job) < self.created_before)
            and not (self.is_live and job.state in _NOT_LIVE)
        )


_NOT_LIVE = frozenset({*GONE, *TERMINAL})


def _set_of(job: Execution | Job) -> str | None:
    return job.definition.set_name if isinstance(job, Job) else None


def created_at(job: Execution | Job) -> int:
    """When a job was created. The execution of a one-off job may be younger, after a move."""
    if isinstance(job, Execution):
        return job.job_created_at or job.created_at
    return job.created_at
