"""Schemas of the patch of a bulk operation: the members of a new job that many jobs can have in common."""

from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from functions.api.alert_models import AlertsIn, AlertsOut
from functions.api.models import LEFT_OUT, CallbackUrl, Representation, Schema, SecretName
from functions.api.resources.jobs.call_models import RetryIn, RetryOut
from functions.api.resources.jobs.models import (
    CatchUpLimit,
    CatchUpSeconds,
    DeadlineSeconds,
    HeartbeatSeconds,
    JobIn,
    Tags,
    TimeoutSeconds,
    ToleranceSeconds,
)
from functions.api.resources.schedules.models import JitterSeconds, ScheduleIn
from shared.domain.bulk.members import Member
from shared.domain.bulk.patch import JobPatch
from shared.domain.jobs.new_job import MAX_TAGS
from shared.domain.schedules.catch_up import CatchUp
from shared.domain.schedules.overlap import OverlapPolicy
from shared.names import Lane


class BulkPatchIn(Schema):
    """The members of recurring jobs that a bulk operation can change. What is left out stays as it is.

    They are those of a new job. Null restores the default. `retry` and `alerts` are replaced as a whole.
    """

    lane: Annotated[Lane, Field(strict=False)] | None = Field(None, description="The lane of the jobs' runs.")
    timeout_seconds: TimeoutSeconds | None = Field(
        None, description="For the whole call, including the response body."
    )
    retry: RetryIn | None = None
    async_deadline_seconds: DeadlineSeconds | None = None
    heartbeat_seconds: HeartbeatSeconds | None = None
    jitter_seconds: JitterSeconds | None = Field(None, description="`jitter_seconds` of the schedule.")
    catch_up: Annotated[CatchUp, Field(strict=False)] | None = None
    catch_up_limit: CatchUpLimit | None = None
    catch_up_window_seconds: CatchUpSeconds | None = None
    late_tolerance_seconds: ToleranceSeconds | None = None
    overlap_policy: Annotated[OverlapPolicy, Field(strict=False)] | None = None
    on_success: CallbackUrl | None = None
    on_failure: CallbackUrl | None = None
    alerts: AlertsIn | None = None
    signing_secret: SecretName | None = None
    add_tags: Tags = Field(default_factory=list, description="Tags that every job has afterwards.")
    remove_tags: Tags = Field(default_factory=list, description="Tags that no job has afterwards.")

    def patch(self, max_tags: int = MAX_TAGS) -> JobPatch:
        """InvalidValueError for a patch that changes nothing, or contradicts itself."""
        named = [member for member in Member if member.value in self.model_fields_set]
        return JobPatch(
            values={member: _value(member, getattr(self, member.value)) for member in named},
            add_tags=tuple(self.add_tags),
            remove_tags=tuple(self.remove_tags),
            max_tags=max_tags,
        )


IN_MS = frozenset({Member.TIMEOUT, Member.JITTER, Member.CATCH_UP_WINDOW, Member.LATE_TOLERANCE})
"""Members that the definition of a job has in ms."""


def _value(member: Member, sent: Any) -> Any:
    """What the definition of a job has for a member that was sent."""
    if sent is None:
        model = ScheduleIn if member is Member.JITTER else JobIn
        sent = model.model_fields[member.value].get_default(call_default_factory=True)
    if isinstance(sent, RetryIn):
        return sent.policy
    if isinstance(sent, AlertsIn):
        return sent.alerts
    return sent * 1000 if member in IN_MS else sent


class BulkPatchOut(Representation):
    """The patch of an operation, with the members that it changes."""

    lane: Lane | SkipJsonSchema[None] = LEFT_OUT
    timeout_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    retry: RetryOut | SkipJsonSchema[None] = LEFT_OUT
    async_deadline_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    heartbeat_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    jitter_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    catch_up: CatchUp | SkipJsonSchema[None] = LEFT_OUT
    catch_up_limit: int | SkipJsonSchema[None] = LEFT_OUT
    catch_up_window_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    late_tolerance_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    overlap_policy: OverlapPolicy | SkipJsonSchema[None] = LEFT_OUT
    on_success: str | SkipJsonSchema[None] = LEFT_OUT
    on_failure: str | SkipJsonSchema[None] = LEFT_OUT
    alerts: AlertsOut | SkipJsonSchema[None] = LEFT_OUT
    signing_secret: str | SkipJsonSchema[None] = LEFT_OUT
    removed: list[Member] = Field(description="Members that are null in each job afterwards.")
    add_tags: list[str]
    remove_tags: list[str]
