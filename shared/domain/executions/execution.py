"""The execution: one run of a job, from its filing to its end."""

from dataclasses import field, replace
from typing import Any

from shared.dataclass import dataclass
from shared.domain.delivery.alerts import Alert
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.callback import GONE_STATUS, MAX_RESULT_BYTES
from shared.domain.delivery.trace import Trace, own_trace, span_of
from shared.domain.errors import InvalidValueError
from shared.domain.executions.progress import Progress
from shared.domain.executions.redrive import RedriveOf
from shared.domain.executions.states import NOT_STARTED, EndReason, State
from shared.domain.ids import ExecutionId, one_off_job_id
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.recurrence import Recurrence
from shared.domain.tenancy.suspension import Suspensions, suspension_at
from shared.names import Lane

LEASE_MARGIN_MS = 5_000
"""A lease exceeds the callback's timeout by this margin, for the wait, the outcome write and clock skew."""
EARLY_MS = 1_500
"""A message at most this early is claimed at once, and the worker waits; an earlier one is put back."""
GUARDED_FROM = (1 << 50) - 1
"""`claimable_from` of a guarded execution before its admission: never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRef:
    """The task of a workflow's run that an execution is.

    Stored with the execution, so that the write that ends the execution also names the run that must learn of it.
    """

    run: ExecutionId
    """Where the run's item is stored."""
    key: str
    epoch: int
    hands_on: bool = False
    """Whether another task needs its result, which the write that ends it then stores."""
    needs_results: bool = False
    """Whether its request contains results of other tasks."""
    takes_input: bool = False
    """Whether its request contains the input of the run."""
    input_id: str | None = None
    """Names that input; None for a task that takes none, and in a run without input."""
    item: int | None = None
    """The position of its element in the array of a map, from 0; None for the execution of another task."""
    items: int = 0
    """How many elements the array has."""

    @property
    def max_result_bytes(self) -> int:
        """The result of a map is an array of those of its items, and has as many bytes as any other at most."""
        if self.item is None:
            return MAX_RESULT_BYTES
        punctuation = self.items + 1
        return (MAX_RESULT_BYTES - punctuation) // self.items


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRun:
    """The run of a workflow, as it ended: a redrive changes the run, and no notification of an earlier end."""

    id: ExecutionId
    """Where the run's item is stored."""
    record: bytes
    """State, instants and tasks, as `shared/domain/workflows/run_end.py` packs them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRef:
    """The event that has started a run, by the names of its sender; of a debounced run, the latest event."""

    trigger: str
    source: str
    id: str
    recorded_at: int | None = None
    """When it was recorded, of a run that later events may postpone. Each of them is recorded at a later instant."""
    due_at: int | None = None
    """When the run is due, after the events that have postponed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One run that is due at an instant: index entry, lock and history in one item. Times are in UTC ms."""

    id: ExecutionId
    tenant_id: str
    job_id: str
    revision: int
    nominal_at: int
    created_at: int
    call: CallSpec
    fingerprint: bytes
    """Of the request that created the job: distinguishes two requests for the same id."""
    progress: Progress = field(default_factory=Progress)
    index_shard: int = 0
    name: str | None = None
    tags: tuple[str, ...] = ()
    recurrence: Recurrence | None = None
    start_deadline_at: int | None = None
    """A one-off job that has not started by this instant ends as SKIPPED."""
    runs_when_suspended: bool = False
    """Whether a one-off job that is due during a suspension of its tenant runs afterwards, in place of never."""
    job_created_at: int | None = None
    """When a one-off job was created, if it was moved to another time since."""
    run: int = 1
    """The number of this run in its job, from 1; skipped instants are not counted."""
    redrive_of: RedriveOf | None = None
    notification_of: ExecutionId | None = None
    """The execution whose outcome this notification delivers or announces; the notification itself, where it
    announces a limit of the tenant, or tells of the end of a run."""
    alert: Alert | None = None
    """What this notification announces; None for one that delivers an outcome."""
    task: TaskRef | None = None
    ended_run: EndedRun | None = None
    """The run of a workflow of whose end this notification tells."""
    event: EventRef | None = None
    """What has started a run outside the schedule; None for a run that a person or a schedule has started."""

    def __post_init__(self) -> None:
        """Raises InvalidValueError for combinations that no transition makes."""
        if not 0 <= self.attempt <= self.call.retry.max_attempts:
            raise InvalidValueError("attempt must be 0 to max_attempts")
        is_outside_chain = self.redrive_of is not None or self.notification_of is not None
        if is_outside_chain and self.recurrence is not None:
            raise InvalidValueError("neither a redrive nor a notification is a link of a chain")
        if self.alert is not None and self.notification_of is None:
            raise InvalidValueError("only a notification announces events")
        if self.task is not None and (is_outside_chain or self.recurrence is not None):
            raise InvalidValueError("a task is neither a redrive, a notification nor a link of a chain")

    @property
    def state(self) -> State:
        return self.progress.state

    @property
    def attempt(self) -> int:
        """The number of attempts that have begun, as users and receivers see it."""
        return self.progress.attempt

    @property
    def lane(self) -> Lane:
        """The lane of the job, unless catch-up moved this run to another lane."""
        return self.progress.lane or self.call.lane

    @property
    def hands_on(self) -> bool:
        """Whether it succeeds only with a result, which another task of its run needs."""
        return self.task is not None and self.task.hands_on

    @property
    def is_own_job(self) -> bool:
        """Whether its ID is also that of a one-off job."""
        return self.notification_of is None and self.job_id == one_off_job_id(self.id)

    def progressed(self, **changes: Any) -> "Execution":
        """A copy with these fields of its progress changed."""
        return replace(self, progress=replace(self.progress, **changes))

    @property
    def trace(self) -> Trace:
        """The trace of the client that created the job, or the execution's own."""
        return self.call.trace or own_trace(self.id)

    @property
    def span_id(self) -> str:
        """The span of the latest attempt: each claim has one of its own."""
        return span_of(self.id, self.progress.claims)

    @property
    def has_attempts_left(self) -> bool:
        """Whether the count of attempts and `stop_retries` allow another claim."""
        return self.attempt < self.call.retry.max_attempts and not self.progress.stop_retries

    def lease_expired(self, now_ms: int) -> bool:
        """Whether the lease of a running execution has expired."""
        lease_until = self.progress.lease_until
        return lease_until is not None and lease_until < now_ms

    @property
    def claimed_at(self) -> int | None:
        """When the running attempt was claimed; None if no attempt is running.

        Computed from the lease of the claim, or from the asynchronous deadline once the receiver has accepted
        the work.
        """
        lease_until, async_until = self.progress.lease_until, self.progress.async_until
        if async_until is not None:
            return self.call.async_policy.claimed_at(async_until)
        return None if lease_until is None else lease_until - self.call.timeout_ms - LEASE_MARGIN_MS

    @property
    def attempt_deadline_at(self) -> int | None:
        """The asynchronous deadline of the running attempt; None if no attempt is running."""
        return self.call.async_policy.deadline_at(self.claimed_at) if self.claimed_at is not None else None

    @property
    def receiver_gone(self) -> bool:
        """Whether the execution failed because its receiver answered 410."""
        if self.notification_of is not None:
            return False
        is_final = self.state is State.FAILED and self.progress.end_reason is EndReason.NOT_RETRYABLE
        last = self.progress.outcomes[-1] if self.progress.outcomes else None
        return is_final and last is not None and last.status == GONE_STATUS and not last.reason.is_of_aws

    @property
    def due_at(self) -> int:
        """When the first attempt is due: at the instant of the ID, unless events have postponed the run."""
        postponed_to = self.event.due_at if self.event is not None else None
        return max(self.id.dispatch_at, postponed_to or 0)

    @property
    def aged_from(self) -> int:
        """The start of the execution's age: its due time, or the creation of a redrive filed later."""
        return max(self.due_at, self.created_at) if self.redrive_of is not None else self.due_at

    @property
    def is_postponable(self) -> bool:
        """Whether it waits without ever having been claimed, so that further events may postpone it."""
        return self.state is State.WAITING and self.progress.claims == 0

    @property
    def gives_up_at(self) -> int | None:
        """The instant after which no attempt begins; None if there is no limit."""
        return self.call.retry.gives_up_at(self.aged_from)

    @property
    def not_before(self) -> int:
        """The instant before which the next call must not begin."""
        return max(self.id.dispatch_at, self.progress.next_attempt_at or 0)

    @property
    def scheduled_at(self) -> int:
        """The instant that the API and the receiver see: the nominal instant, or the backfilled one."""
        return self.recurrence.scheduled_at(self.nominal_at) if self.recurrence else self.nominal_at

    def is_missed(self, suspensions: Suspensions, now_ms: int) -> bool:
        """Whether the execution ends without a call, since it was due during one of its tenant's suspensions.

        A recurring run ends once the suspension is over, so that one record covers all missed instants. The runs of
        a backfill, redrives and notifications only wait.
        """
        suspension = suspension_at(suspensions, self.due_at)
        if suspension is None:
            return False
        if self.recurrence is not None:
            return suspension.is_over(now_ms) and not self.recurrence.is_backfill
        waits = self.runs_when_suspended or self.redrive_of is not None or self.notification_of is not None
        return not waits

    @property
    def is_guarded(self) -> bool:
        """Whether the first attempt needs admission: the run may be skipped, or may wait for another run."""
        overlaps = self.recurrence is None or self.recurrence.overlap_policy is OverlapPolicy.ALLOW
        return self.start_deadline_at is not None or not overlaps

    @property
    def awaits_admission(self) -> bool:
        """Whether a guard must admit the execution before it can be claimed."""
        return self.is_guarded and self.state in NOT_STARTED

    @property
    def claimable_from(self) -> int | None:
        """The earliest instant of a claim: 0 before the start, then the retry time or the lease's end."""
        lease_until, next_attempt_at = self.progress.lease_until, self.progress.next_attempt_at
        if self.state in NOT_STARTED:
            return GUARDED_FROM if self.is_guarded else 0
        if self.state is State.WAITING and next_attempt_at is not None:
            return next_attempt_at - EARLY_MS
        return lease_until + 1 if lease_until is not None else None

    def occurrence(self, nominal_at: int, *, created_at: int) -> "Execution":
        """A new execution of the same job and revision at another nominal instant."""
        if self.recurrence is None:
            raise InvalidValueError("a one-off job has no other occurrence")
        return replace(
            self,
            id=self.recurrence.id_of(self.job_id, self.revision, nominal_at),
            nominal_at=nominal_at,
            created_at=created_at,
            progress=Progress(),
            run=self.run + 1,
        )
