"""Schemas of merge patches of jobs."""

from typing import Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import CallbackUrl, Schema, SecretName, with_examples
from functions.api.resources.jobs import examples
from functions.api.resources.jobs.models import (
    CatchUpLimit,
    CatchUpSeconds,
    DeadlineSeconds,
    HeartbeatSeconds,
    Name,
    StartSeconds,
    Tags,
    TimeoutSeconds,
    ToleranceSeconds,
    WorkflowId,
)
from functions.api.resources.jobs.run_models import WhenSuspendedIn
from shared.domain.schedules.catch_up import CatchUp
from shared.domain.schedules.overlap import OverlapPolicy
from shared.names import Lane


class JobPatch(Schema):
    """A merge patch (RFC 7396) of a job: a member replaces the present one, null restores the default.

    The members are those of a new job, and the resulting job is validated like a new one. A `schedule` of
    another kind replaces the whole schedule.
    """

    model_config = with_examples(examples.JOB_PATCH)

    schedule: dict[str, Any] | SkipJsonSchema[None] = Field(
        None, description="Members of a new job's `schedule`."
    )
    request: dict[str, Any] | SkipJsonSchema[None] = Field(
        None, description="Members of a new job's `request`. They replace a `workflow` or `target`."
    )
    workflow: WorkflowId | SkipJsonSchema[None] = Field(
        None, description="Replaces the present one, or the `request` with what only calls have."
    )
    target: dict[str, Any] | SkipJsonSchema[None] = Field(
        None, description="Members of a new job's `target`. They replace a `request` or `workflow`."
    )
    name: Name | None = None
    tags: Tags | None = None
    lane: Lane | None = None
    timeout_seconds: TimeoutSeconds | None = None
    retry: dict[str, Any] | None = Field(None, description="Members of a new job's `retry`.")
    async_deadline_seconds: DeadlineSeconds | None = None
    heartbeat_seconds: HeartbeatSeconds | None = None
    catch_up: CatchUp | None = None
    catch_up_limit: CatchUpLimit | None = None
    catch_up_window_seconds: CatchUpSeconds | None = None
    late_tolerance_seconds: ToleranceSeconds | None = None
    overlap_policy: OverlapPolicy | None = None
    start_deadline_seconds: StartSeconds | None = None
    when_suspended: WhenSuspendedIn = None
    on_success: CallbackUrl | None = None
    on_failure: CallbackUrl | None = None
    alerts: dict[str, Any] | None = Field(None, description="Members of a new job's `alerts`.")
    signing_secret: SecretName | None = None
