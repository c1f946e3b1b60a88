"""Schemas of the runs of workflows."""

from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import InstantOut, Representation, Schema, Seconds, is_none, with_examples
from functions.api.resources.executions.models import AttemptOut, EndReasonOut, NotificationOut
from functions.api.resources.workflows import examples
from shared.domain.executions.states import State
from shared.domain.workflows.run import MAX_EPOCHS, RunState, TaskReason
from shared.domain.workflows.run_input import MAX_INPUT_BYTES, input_text

BLOCKED = "blocked"
"""The state of a task that waits for other tasks."""
_TASK_STATES = [BLOCKED, *(state.value for state in State if state is not State.MOVED)]
TaskStateOut = Annotated[str, Field(json_schema_extra={"enum": _TASK_STATES})]


class RunIn(Schema):
    """What a run begins with."""

    model_config = with_examples(examples.RUN_IN)

    input: Any = Field(
        None,
        description=(
            f"Any JSON value of at most {MAX_INPUT_BYTES:,} bytes, for the tasks with `input`. It is encrypted, and "
            "never shown again. Null: the run has no input."
        ),
    )

    @property
    def text(self) -> bytes:
        """Empty without an input. InvalidValueError for one that is too long."""
        return b"" if self.input is None else input_text(self.input)


class RunRedriveIn(Schema):
    """What the client has seen of the run that is to be redriven."""

    model_config = with_examples(examples.RUN_REDRIVE_IN)

    epoch: Annotated[Seconds, Field(ge=1, le=MAX_EPOCHS)] = Field(
        description="The `epoch` of the run as you have seen it: sending the request twice redrives once."
    )


class TaskCountsOut(Representation):
    """How many tasks of a run are in which state, as far as the run has recorded."""

    blocked: int = Field(description="They wait for other tasks.")
    open: int = Field(description="They are pending, running, or between two attempts.")
    succeeded: int
    failed: int
    cancelled: int
    skipped: int


class RunOut(Representation):
    """A run of a workflow."""

    model_config = with_examples(examples.RUN_OUT)

    id: str
    workflow_id: str
    execution_id: str | None = Field(
        description="The execution of a job that started the run, and ends with it; null for a run by request."
    )
    job_id: str | None = Field(description="The job of that execution.")
    revision: int = Field(description="The revision of the workflow that the run follows until its end.")
    state: RunState = Field(
        description=(
            "`failing`, `cancelling` and `timing_out` end with the attempts that are running, as `failed`, "
            "`cancelled` and `timed_out`."
        )
    )
    epoch: int = Field(description="1, and one more for each redrive.")
    created_at: InstantOut
    deadline_at: InstantOut = Field(description="No attempt of a task starts later.")
    ended_at: InstantOut | None
    has_input: bool = Field(
        description="Whether it began with an input, which only its tasks with `input` get: it is not shown."
    )
    counts: TaskCountsOut


class FailedItemOut(Representation):
    """An item of a map that has ended without success."""

    index: int = Field(description="The position of its element in the array, from 0.")
    state: TaskStateOut
    execution_id: str | None = Field(description="Null if it was cancelled before it had one.")


class RunItemsOut(Representation):
    """The items of a map, as far as they are recorded."""

    count: int = Field(description="Elements of the array.")
    open: int = Field(description="They are pending, running, or between two attempts.")
    succeeded: int
    failed: int
    cancelled: int
    skipped: int
    unsuccessful: list[FailedItemOut] = Field(
        description="All items that failed, were cancelled or skipped; failed ones first."
    )


class RunTaskOut(Representation):
    """A task of a run, with its execution."""

    key: str
    state: TaskStateOut = Field(
        description=f"`{BLOCKED}`: it waits for other tasks. The other states are those of its execution."
    )
    reason: TaskReason | None = Field(description="Why the task ended without an execution, or a map failed.")
    epoch: int | None = Field(
        description="The epoch of the run in which its state was decided; null while it is blocked."
    )
    execution_id: str | None
    due_at: InstantOut | None
    started_at: InstantOut | None = Field(description="The start of its first attempt that has ended.")
    has_result: bool = Field(
        description="Whether it has handed on a result, which only the tasks that need it get: it is not shown."
    )
    items: RunItemsOut | SkipJsonSchema[None] = Field(
        None, exclude_if=is_none, description="Of a map, once its array has been counted."
    )
    attempts_begun: int
    attempts: list[AttemptOut]
    next_attempt_at: InstantOut | None
    end_reason: EndReasonOut | None


class NodeOut(Representation):
    """A task as a node of the graph."""

    key: str
    level: int = Field(
        description="0 for a task that waits for none; else one more than the tasks before it."
    )


class EdgeOut(Representation):
    """An edge of the graph: the task `target` waits for the task `source`."""

    source: str
    target: str


class GraphOut(Representation):
    """The graph of the tasks."""

    nodes: list[NodeOut] = Field(description="Each behind the nodes that it waits for.")
    edges: list[EdgeOut]


class RunDetailOut(RunOut):
    """A run of a workflow, with its tasks."""

    model_config = with_examples(examples.RUN_DETAIL)

    workflow_name: str | None = Field(description="The name of the workflow in the revision of the run.")
    tasks: list[RunTaskOut] = Field(description="In the order of the definition.")
    graph: GraphOut
    notification: NotificationOut | None = Field(
        description="The execution that tells of the end; null where no notification is sent."
    )


class RunPageOut(Representation):
    """Runs of a workflow, latest first. A page may be short while `next_cursor` is there."""

    model_config = with_examples(examples.RUN_PAGE)

    runs: list[RunOut]
    next_cursor: str | None
