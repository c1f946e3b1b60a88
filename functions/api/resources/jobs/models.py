"""Schemas of jobs."""

from collections.abc import Callable
from functools import cache, partial
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, PrivateAttr, StringConstraints, model_validator
from pydantic.json_schema import SkipJsonSchema

from functions.api.alert_models import AlertsIn, AlertsOut
from functions.api.models import (
    EXAMPLES,
    LEFT_OUT,
    CallbackUrl,
    InstantOut,
    JobKey,
    Representation,
    Schema,
    Seconds,
    SecretName,
    SetName,
    is_none,
    with_examples,
)
from functions.api.resources.backfills.models import BackfillOut
from functions.api.resources.jobs import examples
from functions.api.resources.jobs.call_models import RequestIn, RetryIn, RetryOut, TargetOut
from functions.api.resources.jobs.member_rules import (
    ONE_KIND,
    RECURRING_ONLY,
    kind_errors,
    recurring_only_errors,
)
from functions.api.resources.jobs.run_models import LastRun, NoNextRunOut, WhenSuspended, WhenSuspendedIn
from functions.api.resources.jobs.target_models import AwsTargetIn, check_no_null
from functions.api.resources.jobs.target_views import AwsTargetOut
from functions.api.resources.schedules.models import ONCE, ScheduleIn, ScheduleOut, has_kind
from shared.domain.delivery.async_policy import (
    DEFAULT_ASYNC_POLICY,
    MAX_DEADLINE_SECONDS,
    MAX_HEARTBEAT_SECONDS,
    MIN_DEADLINE_SECONDS,
    MIN_HEARTBEAT_SECONDS,
    AsyncPolicy,
)
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import ONE_ATTEMPT
from shared.domain.delivery.trace import Trace
from shared.domain.errors import InvalidValueError, raise_any
from shared.domain.jobs.new_job import (
    CALL_ONLY,
    MAX_NAME_LENGTH,
    MAX_START_DEADLINE_SECONDS,
    MAX_TAGS,
    NAME,
    TAG,
    NewJob,
    Recurring,
    check_name,
    check_tags,
)
from shared.domain.listings.filters import JOB_STATES, Kind
from shared.domain.schedules.catch_up import (
    CATCH_UP_LIMIT,
    CATCH_UP_WINDOW_MS,
    LATE_TOLERANCE_MS,
    MAX_CATCH_UP_LIMIT,
    MAX_CATCH_UP_WINDOW_MS,
    CatchUp,
    CatchUpPolicy,
)
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.workflows.identities import WORKFLOW_ID, check_workflow_id
from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS, Lane

V = TypeVar("V")


def _checked(check: Callable[[V], None], value: V) -> V:
    """A value that the domain accepts. The path of an error starts at the value itself."""
    try:
        check(value)
    except InvalidValueError as error:
        raise InvalidValueError(str(error), path=error.path[1:]) from error
    return value


WorkflowId = Annotated[
    str,
    AfterValidator(partial(_checked, check_workflow_id)),
    Field(json_schema_extra={"pattern": WORKFLOW_ID}),
]
Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_NAME_LENGTH),
    AfterValidator(partial(_checked, check_name)),
    Field(json_schema_extra={"pattern": NAME}),
]
Tag = Annotated[str, StringConstraints(pattern=TAG)]
Tags = Annotated[
    list[Tag],
    Field(max_length=MAX_TAGS, json_schema_extra={"uniqueItems": True}),
    AfterValidator(partial(_checked, check_tags)),
]
TimeoutSeconds = Annotated[Seconds, Field(ge=1, le=MAX_CALLBACK_TIMEOUT_SECONDS)]
DeadlineSeconds = Annotated[Seconds, Field(ge=MIN_DEADLINE_SECONDS, le=MAX_DEADLINE_SECONDS)]
HeartbeatSeconds = Annotated[Seconds, Field(ge=MIN_HEARTBEAT_SECONDS, le=MAX_HEARTBEAT_SECONDS)]
CatchUpLimit = Annotated[Seconds, Field(ge=1, le=MAX_CATCH_UP_LIMIT)]
CatchUpSeconds = Annotated[Seconds, Field(ge=0, le=MAX_CATCH_UP_WINDOW_MS // 1000)]
ToleranceSeconds = Annotated[Seconds, Field(ge=0, le=86_400)]
StartSeconds = Annotated[Seconds, Field(ge=1, le=MAX_START_DEADLINE_SECONDS)]
JobStateOut = Annotated[str, Field(json_schema_extra={"enum": sorted(JOB_STATES)})]


class JobIn(Schema):
    """A job to create, with exactly one of `request`, `workflow` and `target`. The members from `catch_up` to
    `overlap_policy` are for recurring jobs only."""

    model_config = ConfigDict(
        json_schema_extra={
            EXAMPLES: examples.JOB_IN,
            # A one-off job must not even name the members that only recurring jobs have.
            "if": {"properties": {"schedule": {"anyOf": [has_kind(kind) for kind in ONCE]}}},
            "then": {"not": {"anyOf": [{"required": [name]} for name in RECURRING_ONLY]}},
            **ONE_KIND,
        }
    )

    schedule: ScheduleIn
    request: RequestIn | SkipJsonSchema[None] = Field(None, description="The HTTP request to make.")
    workflow: WorkflowId | SkipJsonSchema[None] = Field(
        None,
        description=(
            "The workflow to start, in place of a `request`. Each execution starts a run, is open until the run has "
            f"ended, and ends as the run does. Such a job has no {', '.join(f'`{name}`' for name in CALL_ONLY)}."
        ),
    )
    target: AwsTargetIn | SkipJsonSchema[None] = Field(
        None,
        description=(
            "The target in AWS to send to, in place of a `request`, with the rights of a role that an operator "
            "registered. Such a job has no `signing_secret`."
        ),
    )
    name: Name | None = Field(
        None, description="Shown in lists. The filter `q` finds jobs by a prefix of their name."
    )
    tags: Tags = Field(default_factory=list, description="Lists can be filtered by one tag.")
    lane: Annotated[Lane, Field(strict=False)] = Field(
        Lane.STANDARD, description="The queue and its workers. Lanes never wait for one another."
    )
    timeout_seconds: TimeoutSeconds = Field(
        30, description="For the whole call, including the response body."
    )
    retry: RetryIn = Field(default_factory=cache(RetryIn))
    async_deadline_seconds: DeadlineSeconds = Field(
        DEFAULT_ASYNC_POLICY.deadline_seconds,
        description="The longest duration of an attempt whose receiver answered 202 and reports later.",
    )
    heartbeat_seconds: HeartbeatSeconds = Field(
        DEFAULT_ASYNC_POLICY.heartbeat_seconds,
        description="Such an attempt counts as lost after this time without a heartbeat.",
    )
    catch_up: Annotated[CatchUp, Field(strict=False)] = Field(
        CatchUp.COALESCE, description="The instants to run after an outage: none, the latest, or all."
    )
    catch_up_limit: CatchUpLimit = Field(
        CATCH_UP_LIMIT, description="The maximum that `all` runs; the newest instants run."
    )
    catch_up_window_seconds: CatchUpSeconds = Field(
        CATCH_UP_WINDOW_MS // 1000, description="Instants missed longer ago than this never run."
    )
    late_tolerance_seconds: ToleranceSeconds = Field(
        LATE_TOLERANCE_MS // 1000,
        description="A run that is late by at most this much does not count as missed.",
    )
    overlap_policy: Annotated[OverlapPolicy, Field(strict=False)] = Field(
        OverlapPolicy.ALLOW, description="The rule for a run whose predecessor has not ended."
    )
    start_deadline_seconds: StartSeconds | None = Field(
        None, description="A one-off job that has not started this long after its time is skipped."
    )
    when_suspended: WhenSuspendedIn = None
    on_success: CallbackUrl | None = Field(
        None,
        description="The URL to call after a success. `none`: no call. Null: the tenant's default.",
    )
    on_failure: CallbackUrl | None = Field(None, description="The URL to call after a failure.")
    alerts: AlertsIn | None = Field(None, description="The events to announce. Null: the tenant's default.")
    signing_secret: SecretName | None = Field(
        None,
        description=(
            "The name of the signing secrets that sign the calls and outcome callbacks, and no others do. Null: "
            "the secrets without a name."
        ),
    )

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Self:
        raise_any(kind_errors({name for name in self.model_fields_set if getattr(self, name) is not None}))
        check_no_null(self, "an object", "request", "target")
        check_no_null(self, "the id of a workflow", "workflow")
        return self

    @model_validator(mode="after")
    def _for_recurring_jobs(self) -> Self:
        if self.schedule.at is not None or self.schedule.delay_seconds is not None:
            raise_any(recurring_only_errors(self.model_fields_set))
        return self

    def new_job(self, *, depth: int = 0, trace: Trace | None = None) -> NewJob:
        return NewJob(
            depth=depth,
            trace=trace,
            timing=self.schedule.timing,
            request=self._request(),
            name=self.name,
            tags=tuple(self.tags),
            lane=self.lane,
            timeout_seconds=self.timeout_seconds,
            signing_secret=self.signing_secret,
            retry=self.retry.policy if self.workflow is None else ONE_ATTEMPT,
            async_policy=AsyncPolicy(
                deadline_seconds=self.async_deadline_seconds, heartbeat_seconds=self.heartbeat_seconds
            ),
            jitter_ms=self.schedule.jitter_seconds * 1000,
            start_deadline_seconds=self.start_deadline_seconds,
            runs_when_suspended=self.when_suspended is WhenSuspended.RUN,
            recurring=Recurring(
                max_runs=self.schedule.max_runs,
                overlap_policy=self.overlap_policy,
                catch_up=CatchUpPolicy(
                    mode=self.catch_up,
                    limit=self.catch_up_limit,
                    window_ms=self.catch_up_window_seconds * 1000,
                    late_tolerance_ms=self.late_tolerance_seconds * 1000,
                ),
            ),
        )

    def _request(self) -> Request:
        notified: Any = {
            "on_success": self.on_success,
            "on_failure": self.on_failure,
            "alerts": self.alerts.alerts if self.alerts is not None else None,
        }
        call = self.request or self.target
        return Request(workflow_id=self.workflow, **notified) if call is None else call.request(**notified)


class JobOut(Representation):
    """A job. Members that only recurring jobs have are null for a one-off job."""

    model_config = with_examples(examples.JOB_OUT, populate_by_name=True)

    id: str
    key: JobKey | SkipJsonSchema[None] = LEFT_OUT
    set_: SetName | SkipJsonSchema[None] = Field(None, alias="set", exclude_if=is_none)
    kind: Kind
    state: JobStateOut
    name: str | None
    tags: list[str]
    schedule: ScheduleOut
    next_due_at: InstantOut | None = Field(description="The next due time; null where there is none.")
    no_next_run: NoNextRunOut
    last_run: LastRun
    request: TargetOut | None = Field(
        description="Null for a job that sends to a target or starts a workflow."
    )
    workflow: str | SkipJsonSchema[None] = Field(
        None, exclude_if=is_none, description="The workflow that the job starts, in place of a request."
    )
    target: AwsTargetOut | SkipJsonSchema[None] = LEFT_OUT
    lane: Lane
    timeout_seconds: int
    retry: RetryOut
    async_deadline_seconds: int
    heartbeat_seconds: int
    catch_up: CatchUp | None
    catch_up_limit: int | None
    catch_up_window_seconds: int | None
    late_tolerance_seconds: int | None
    overlap_policy: OverlapPolicy | None
    start_deadline_seconds: int | None
    when_suspended: WhenSuspended | None
    on_success: str | None = Field(description="`none`: no call. Null: the tenant's default.")
    on_failure: str | None
    alerts: AlertsOut | None = Field(description="Null: the tenant's default.")
    signing_secret: str | None = Field(description="Null: the signing secrets without a name.")
    pause_reason: str | None
    backfill: BackfillOut | None = Field(
        description="The range of a backfill; `schedule` is then the schedule of the job that it belongs to."
    )
    revision: int = Field(description="Grows with every change. The ETag contains it.")
    created_at: InstantOut
    _stored_request: Request | None = PrivateAttr(None)
    """The whole request, of which audit records have a keyed hash."""
