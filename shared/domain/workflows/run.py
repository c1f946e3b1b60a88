"""The run of a workflow: one record with the progress of each of its tasks."""

from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.bucket import ShardCounts
from shared.domain.errors import InvalidValueError
from shared.domain.ids import ExecutionId
from shared.domain.workflows.graph import MAX_TASKS

MAX_EPOCHS = 100
"""The first start of a run and its redrives."""
MAX_DEADLINE_SECONDS = 7 * 86_400
"""No row of a run expires before its deadline."""
DEFAULT_DEADLINE_SECONDS = 86_400


class RunState(StrEnum):
    """The state of a run. The values are those of the API."""

    RUNNING = "running"
    FAILING = "failing"
    """A task of a `fail_fast` workflow has failed: only handlers of failed tasks are still chosen."""
    CANCELLING = "cancelling"
    """No task is chosen any more; running ones end by themselves."""
    TIMING_OUT = "timing_out"
    """The deadline has passed; the same as for a cancellation."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"

    @property
    def is_terminal(self) -> bool:
        """Whether only a redrive leaves this state."""
        return self in ENDED


ENDED = frozenset({RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED, RunState.TIMED_OUT})
STOPPING = frozenset({RunState.CANCELLING, RunState.TIMING_OUT})
"""The states in which no task is chosen any more."""


class TaskState(StrEnum):
    """The state of a task in its run. A task without progress waits for others."""

    CHOSEN = "chosen"
    """Its execution has an ID, and is filed or about to be."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


class TaskReason(StrEnum):
    """Why a task ended without an execution: it was never chosen, or is a map that could not begin or be joined."""

    UPSTREAM_NOT_SUCCEEDED = "upstream_not_succeeded"
    NOTHING_FAILED = "nothing_failed"
    FAIL_FAST = "fail_fast"
    RUN_CANCELLED = "run_cancelled"
    RUN_TIMED_OUT = "run_timed_out"
    MAP_MISSING = "map_missing"
    """The result has nothing at the path of the map."""
    MAP_NO_ARRAY = "map_no_array"
    MAP_TOO_LONG = "map_too_long"
    RESULT_LOST = "result_lost"
    """A result that the map needs is not stored any more."""


MAP_FAILURES = frozenset(
    {TaskReason.MAP_MISSING, TaskReason.MAP_NO_ARRAY, TaskReason.MAP_TOO_LONG, TaskReason.RESULT_LOST}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskProgress:
    """How far a task has come in an epoch of its run."""

    state: TaskState
    epoch: int
    at: int
    """The due instant of its execution; without an execution, when it was skipped or cancelled. UTC ms."""
    reason: TaskReason | None = None
    """Set if and only if the task has ended without an execution, or is a map that failed with all its items
    succeeded."""

    def __post_init__(self) -> None:
        """InvalidValueError for combinations that no step makes."""
        if not 1 <= self.epoch <= MAX_EPOCHS:
            raise InvalidValueError(f"an epoch is 1 to {MAX_EPOCHS}")
        is_map_failure = self.reason in MAP_FAILURES
        if self.reason is not None and is_map_failure != (self.state is TaskState.FAILED):
            raise InvalidValueError("a task fails with the reasons of maps, and with no other")
        if self.reason is not None and self.state in (TaskState.CHOSEN, TaskState.SUCCEEDED):
            raise InvalidValueError("only a skipped or cancelled task, or a failed map, has a reason")

    @property
    def is_open(self) -> bool:
        """Whether its execution has not ended, as far as the run knows."""
        return self.state is TaskState.CHOSEN

    @property
    def has_execution(self) -> bool:
        """Whether it was chosen in its epoch."""
        return self.reason is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parent:
    """The execution of a job that started a run, and that is open until the run has ended."""

    execution: ExecutionId
    job_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkRedrive:
    """The bulk redrive that began an epoch of a run, and the dead letter at which it did: one of those of the run."""

    task: str
    dead_letter: ExecutionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of one revision of a workflow. Instants are UTC ms."""

    id: ExecutionId
    """Where its item is stored; its text form begins with `run_`."""
    tenant_id: str
    workflow_id: str
    revision: int
    created_at: int
    deadline_at: int
    """Of the present epoch: no attempt of a task begins later."""
    counts: ShardCounts
    """The shard counts of its tasks' executions, frozen: every process computes the same IDs."""
    tasks: tuple[TaskProgress | None, ...]
    """In the order of the definition; None for a task that waits for others."""
    fingerprint: bytes
    """Of the request that started the run: distinguishes two requests for the same ID."""
    state: RunState = RunState.RUNNING
    epoch: int = 1
    """1, and one more for each redrive."""
    ended_at: int | None = None
    parent: Parent | None = None
    """None for a run that was started by request."""
    notification: ExecutionId | None = None
    """The ID of the notification of the end, chosen by the write that ends the run; None if nothing is notified."""
    input_id: str | None = None
    """Names the stored input, for ever the same; None for a run without one."""
    bulk_redrive: BulkRedrive | None = None
    """Who began the present epoch; None for the first one, and for a redrive of this run alone."""

    def __post_init__(self) -> None:
        """InvalidValueError for combinations that no step makes."""
        if not 1 <= len(self.tasks) <= MAX_TASKS:
            raise InvalidValueError(f"a run has 1 to {MAX_TASKS} tasks")
        if not 1 <= self.epoch <= MAX_EPOCHS:
            raise InvalidValueError(f"an epoch is 1 to {MAX_EPOCHS}")
        if self.state.is_terminal != (self.ended_at is not None):
            raise InvalidValueError("exactly an ended run has the instant of its end")
        if self.notification is not None and not self.state.is_terminal:
            raise InvalidValueError("only an ended run has a notification")
        if self.state.is_terminal and not self.is_complete:
            raise InvalidValueError("a run ends only when all its tasks have ended")

    @property
    def last_choice_at(self) -> int:
        """The last instant at which a task is chosen. Its give-up age has whole seconds, at least one, and ends at the
        deadline or before."""
        return self.deadline_at - 1000

    @property
    def is_complete(self) -> bool:
        """Whether every task has ended."""
        return all(task is not None and not task.is_open for task in self.tasks)

    def open_tasks(self) -> list[int]:
        """The positions of the tasks whose executions have not ended, as far as the run knows."""
        return [index for index, task in enumerate(self.tasks) if task is not None and task.is_open]
