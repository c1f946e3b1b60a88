"""Schemas of workflows."""

from functools import cache, cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from functions.api.alert_models import AlertsOut, each_once
from functions.api.models import (
    LEFT_OUT,
    CallbackUrl,
    InstantOut,
    JobKey,
    Representation,
    Schema,
    Seconds,
    SetName,
    is_none,
    with_examples,
)
from functions.api.resources.jobs.call_models import RequestIn, RetryIn, RetryOut, TargetOut
from functions.api.resources.jobs.models import Name, Tags, TimeoutSeconds
from functions.api.resources.jobs.target_models import ONE_CALL, AwsTargetIn, check_one_call
from functions.api.resources.jobs.target_views import AwsTargetOut
from functions.api.resources.workflows import examples
from functions.api.resources.workflows.map_models import MapMember, MapOut, TaskKey
from shared.domain.delivery.alerts import (
    ALERTS_DISABLED,
    DEFAULT_RULES,
    AlertEvent,
    AlertFormat,
    AlertRules,
    Alerts,
)
from shared.domain.delivery.callback import MAX_RESULT_BYTES
from shared.domain.delivery.outcome_callbacks import NO_CALLBACK
from shared.domain.jobs.new_job import DEFAULT_TIMEOUT_SECONDS
from shared.domain.workflows.graph import MAX_NEEDS, MAX_TASKS, OnFailure, RunIf
from shared.domain.workflows.new_workflow import NewTask, NewWorkflow, RunCallbacks
from shared.domain.workflows.run import DEFAULT_DEADLINE_SECONDS, MAX_DEADLINE_SECONDS
from shared.names import Lane

RunSeconds = Annotated[Seconds, Field(ge=1, le=MAX_DEADLINE_SECONDS)]


class TaskIn(Schema):
    """A task: a request or a target to call once the tasks in `after` have ended as `run_if` wants."""

    model_config = ConfigDict(json_schema_extra=ONE_CALL)

    key: TaskKey = Field(description="The name of the task, unique in its workflow.")
    request: RequestIn | SkipJsonSchema[None] = Field(
        None, description="The request that the task makes. A task has this or a target."
    )
    target: AwsTargetIn | SkipJsonSchema[None] = Field(
        None, description="The service of AWS that the task calls or sends to, in place of a request."
    )
    after: Annotated[
        list[TaskKey], Field(max_length=MAX_TASKS - 1, json_schema_extra={"uniqueItems": True})
    ] = Field(
        default_factory=list,
        description="The keys of the tasks that must end before this one. Without any, it starts with the run.",
    )
    run_if: Annotated[RunIf, Field(strict=False)] = Field(
        RunIf.ALL_SUCCEEDED,
        description=(
            "What the tasks in `after` must have come to, once all of them have ended: `all_succeeded`, `all_ended` "
            "(in whatever way), or `any_failed`, which makes this task the handler of their failure."
        ),
    )
    needs: Annotated[list[TaskKey], Field(max_length=MAX_NEEDS, json_schema_extra={"uniqueItems": True})] = (
        Field(
            default_factory=list,
            description=(
                "The keys of tasks in `after` whose results this task gets in its body: "
                '`{"body": ..., "results": {key: {"state": ..., "result": ...}}}`. Each of them answers with JSON '
                f"of at most {MAX_RESULT_BYTES:,} bytes, or fails. `request` has a JSON body or none, and a method "
                "with a body; a target has a JSON body. Of targets, only functions that are waited for have results."
            ),
        )
    )
    input: bool = Field(
        False,
        description=(
            'Whether this task gets the input of its run in its body: `{"input": ..., "body": ..., "results": {...}}`. '
            "The input of a run that an event has started is the event. `request` as with `needs`."
        ),
    )
    map: MapMember = None
    retry: RetryIn = Field(default_factory=cache(RetryIn))
    timeout_seconds: TimeoutSeconds = Field(
        DEFAULT_TIMEOUT_SECONDS, description="For the whole call, including the response body."
    )
    lane: Annotated[Lane, Field(strict=False)] = Field(
        Lane.STANDARD, description="The queue and its workers. Lanes never wait for one another."
    )

    @model_validator(mode="after")
    def _has_one_call(self) -> Self:
        check_one_call(self)
        return self

    def new_task(self) -> NewTask:
        call = self.request or self.target
        assert call is not None
        return NewTask(
            key=self.key,
            request=call.request(),
            after=tuple(self.after),
            run_if=self.run_if,
            needs=tuple(self.needs),
            takes_input=self.input,
            map=self.map.task_map if self.map is not None else None,
            retry=self.retry.policy,
            timeout_seconds=self.timeout_seconds,
            lane=self.lane,
        )


_TASKS = Annotated[list[TaskIn], Field(min_length=1, max_length=MAX_TASKS)]


class RunCallbacksIn(Schema):
    """The URLs to call after a run has ended, once for each epoch. A cancelled run is no failure, and calls none."""

    on_success: CallbackUrl | None = Field(
        None, description="After a success. `none`: no call. Null: the tenant's default."
    )
    on_failure: CallbackUrl | None = Field(
        None, description="After a failure, and when the deadline has passed."
    )


_RUN_EVENTS = (AlertEvent.FAILED, AlertEvent.RECOVERED)


def _of_runs(events: frozenset[AlertEvent]) -> frozenset[AlertEvent]:
    if not events <= set(_RUN_EVENTS):
        raise ValueError("failed and recovered are the events of runs")
    return events


RunEvents = Annotated[
    frozenset[Annotated[AlertEvent, Field(strict=False)]],
    Field(
        strict=False,
        min_length=1,
        max_length=len(_RUN_EVENTS),
        json_schema_extra={"items": {"type": "string", "enum": [event.value for event in _RUN_EVENTS]}},
    ),
    BeforeValidator(each_once),
    AfterValidator(_of_runs),
]


class RunAlertsIn(Schema):
    """A subscription to the ends of runs: the events that are announced, and the URL that is called."""

    url: CallbackUrl = Field(description="`none`: no alerts.")
    events: RunEvents = Field(
        DEFAULT_RULES.events,
        description=(
            "`failed`: the run failed, or its deadline passed. `recovered`: the first run to succeed after that."
        ),
    )
    format: Annotated[AlertFormat, Field(strict=False)] = Field(
        DEFAULT_RULES.format,
        description='`slack`: a body of `{"text": "..."}`, for incoming webhooks of chats.',
    )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        _ = self.alerts  # Raises where the rules contradict each other.
        return self

    @cached_property
    def alerts(self) -> Alerts:
        """InvalidValueError for `recovered` without `failed`."""
        rules = AlertRules(events=self.events, format=self.format)
        return ALERTS_DISABLED if self.url == NO_CALLBACK else Alerts(url=self.url, rules=rules)


class WorkflowIn(Schema):
    """A workflow to create: tasks that wait for one another, without a cycle."""

    model_config = with_examples(examples.WORKFLOW_IN)

    tasks: _TASKS = Field(description="1 to 100 tasks, with 500 entries in all their `after` lists at most.")
    on_failure: Annotated[OnFailure, Field(strict=False)] = Field(
        OnFailure.FAIL_FAST,
        description=(
            "What happens to the other tasks of a run when a task fails. `fail_fast`: those that have not started "
            "are cancelled, but for handlers of the failure. `continue`: those that can still run go on."
        ),
    )
    deadline_seconds: RunSeconds = Field(
        DEFAULT_DEADLINE_SECONDS,
        description="The longest duration of a run: no attempt of a task starts later.",
    )
    name: Name | None = Field(None, description="Shown in lists.")
    tags: Tags = Field(default_factory=list)
    callbacks: RunCallbacksIn = Field(default_factory=cache(RunCallbacksIn))
    alerts: RunAlertsIn | None = Field(
        None, description="The ends of runs to announce. Null: the tenant's default."
    )

    def new_workflow(self) -> NewWorkflow:
        """InvalidValueError with the path of each fault of the graph."""
        return NewWorkflow(
            tasks=tuple(task.new_task() for task in self.tasks),
            on_failure=self.on_failure,
            deadline_seconds=self.deadline_seconds,
            name=self.name,
            tags=tuple(self.tags),
            callbacks=RunCallbacks(
                on_success=self.callbacks.on_success, on_failure=self.callbacks.on_failure
            ),
            alerts=self.alerts.alerts if self.alerts is not None else None,
        )


class WorkflowPatch(Schema):
    """A merge patch (RFC 7396) of a workflow: a member replaces the present one, null restores the default.

    `tasks` replaces all tasks. The resulting workflow is validated like a new one.
    """

    model_config = with_examples(examples.WORKFLOW_PATCH)

    tasks: list[dict[str, Any]] | None = Field(None, description="All tasks, as in a new workflow.")
    on_failure: OnFailure | None = None
    deadline_seconds: RunSeconds | None = None
    name: Name | None = None
    tags: Tags | None = None
    callbacks: RunCallbacksIn | None = None
    alerts: RunAlertsIn | None = None


class TaskOut(Representation):
    """A task of a workflow. Headers and body of its request, and the message of a target, are never shown again."""

    key: str
    after: list[str]
    run_if: RunIf
    needs: list[str]
    input: bool
    map: MapOut | SkipJsonSchema[None] = LEFT_OUT
    request: TargetOut | None = Field(description="Null for a task with a target.")
    target: AwsTargetOut | SkipJsonSchema[None] = LEFT_OUT
    retry: RetryOut
    timeout_seconds: int
    lane: Lane


class RunCallbacksOut(Representation):
    """The URLs that are called after a run."""

    on_success: str | None = Field(description="Null: the tenant's default. `none`: no call.")
    on_failure: str | None


class WorkflowSummaryOut(Representation):
    """A workflow in a list. `GET /v1/workflows/{workflow_id}` shows the other members."""

    model_config = with_examples(examples.WORKFLOW_SUMMARY, populate_by_name=True)

    id: str
    state: Literal["active", "deleted"] = Field(description="A deleted workflow starts no run.")
    name: str | None
    tags: list[str]
    key: JobKey | SkipJsonSchema[None] = LEFT_OUT
    set_: SetName | SkipJsonSchema[None] = Field(None, alias="set", exclude_if=is_none)
    task_count: int
    revision: int = Field(description="Grows with every change. The ETag contains it.")
    created_at: InstantOut


class WorkflowOut(WorkflowSummaryOut):
    """A workflow with the requests of its tasks, but for their headers and bodies."""

    model_config = with_examples(examples.WORKFLOW_OUT, populate_by_name=True)

    on_failure: OnFailure
    deadline_seconds: int
    callbacks: RunCallbacksOut
    alerts: AlertsOut | None = Field(description="Null: the tenant's default.")
    tasks: list[TaskOut]


class WorkflowPageOut(Representation):
    """Workflows that are not deleted, oldest first. A page may be short while `next_cursor` is there."""

    model_config = with_examples(examples.WORKFLOW_PAGE)

    workflows: list[WorkflowSummaryOut]
    next_cursor: str | None
