"""Which executions and jobs a listing is to show."""

from dataclasses import dataclass, field
from enum import StrEnum

from shared.domain.delivery.callback import Reason
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.position import PositionRange
from shared.domain.schedules.schedule import Backfill, Cron
from shared.names import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionFilter:
    """Executions of one state, or of any, within a span."""

    state: State | None = None
    span: PositionRange = field(default_factory=PositionRange)

    def matches(self, execution: Execution) -> bool:
        """Whether to show it. What stands elsewhere now is shown there."""
        if execution.state is State.MOVED:
            return False
        return self.state is None or execution.state is self.state


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
"""Every word for why an execution failed, or how its last attempt did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterFilter:
    """Dead letters that have all of what is given, within a span of the instants at which they were due."""

    job_id: str | None = None
    tag: str | None = None
    """Of the job; whoever reads the job asks for it, `admits` does not."""
    reason: str | None = None
    """Why it ended, or how its last attempt did."""
    status: int | None = None
    """What its last attempt was answered."""
    lane: Lane | None = None
    span: PositionRange = field(default_factory=PositionRange)

    def matches(self, execution: Execution) -> bool:
        """Whether to show it, its tag aside."""
        last = execution.progress.outcomes[-1] if execution.progress.outcomes else None
        reasons = {execution.progress.end_reason, last.reason.word if last else None}
        return (
            (self.job_id is None or execution.job_id == self.job_id)
            and (self.reason is None or self.reason in reasons)
            and (self.status is None or (last is not None and last.status == self.status))
            and (self.lane is None or execution.lane is self.lane)
        )


class Kind(StrEnum):
    """How often a job runs. The values are the API's words."""

    ONCE = "once"
    CRON = "cron"
    RATE = "rate"
    BACKFILL = "backfill"


def kind_of(job: Execution | Job) -> Kind:
    """The kind of a job; a one-off is its execution."""
    if isinstance(job, Execution):
        return Kind.ONCE
    if isinstance(job.schedule, Backfill):
        return Kind.BACKFILL
    return Kind.CRON if isinstance(job.schedule, Cron) else Kind.RATE


EXECUTION_STATES = tuple(state for state in State if state is not State.MOVED)
"""Every state that an execution is shown in."""
JOB_STATES = frozenset(state.value for state in (*JobState, *EXECUTION_STATES))
"""Every word that a job's state may be: a one-off has that of its execution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """Jobs that have all of what is given."""

    state: str | None = None
    tag: str | None = None
    name_prefix: str | None = None
    kind: Kind | None = None
    backfill_of: str | None = None
    """Only backfills of this job."""

    @property
    def recurring(self) -> bool:
        """Whether a recurring job could be among them."""
        return self.kind is not Kind.ONCE and (self.state is None or self.state in set(JobState))

    @property
    def one_off(self) -> bool:
        """Whether a one-off job could be among them."""
        is_possible = self.backfill_of is None and self.kind in (None, Kind.ONCE)
        return is_possible and (self.state is None or self.state in set(State))

    def matches(self, job: Execution | Job) -> bool:
        """Whether to show it."""
        return (
            (self.kind is None or kind_of(job) is self.kind)
            and (self.state is None or job.state.value == self.state)
            and (self.tag is None or self.tag in job.tags)
            and (self.name_prefix is None or (job.name or "").startswith(self.name_prefix))
        )
