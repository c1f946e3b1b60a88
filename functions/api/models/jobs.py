"""Jobs."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from functions.api.models.requests import RequestIn, RetryIn, TargetOut
from functions.api.models.schedules import ScheduleIn, ScheduleOut
from functions.api.models.schema import Schema, Seconds
from shared.domain.async_policy import (
    DEFAULT_ASYNC_POLICY,
    MAX_DEADLINE_SECONDS,
    MAX_HEARTBEAT_SECONDS,
    MIN_DEADLINE_SECONDS,
    MIN_HEARTBEAT_SECONDS,
    AsyncPolicy,
)
from shared.domain.catch_up import (
    CATCH_UP_LIMIT,
    CATCH_UP_WINDOW_MS,
    LATE_TOLERANCE_MS,
    MAX_CATCH_UP_LIMIT,
    MAX_CATCH_UP_WINDOW_MS,
    CatchUp,
    CatchUpPolicy,
)
from shared.domain.new_job import (
    MAX_NAME_LENGTH,
    MAX_START_DEADLINE_SECONDS,
    MAX_TAGS,
    TAG,
    NewJob,
    Recurring,
)
from shared.domain.overlap import OverlapPolicy
from shared.domain.retry import RetryPolicy
from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS, Lane

RECURRING_ONLY = (
    "catch_up",
    "catch_up_limit",
    "catch_up_window_seconds",
    "late_tolerance_seconds",
    "overlap_policy",
)
Name = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME_LENGTH)]
Tag = Annotated[str, StringConstraints(pattern=TAG)]


class JobIn(Schema):
    """A job to be created."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "nightly report",
                    "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
                    "request": {"url": "https://example.com/hooks/report", "json": {"kind": "nightly"}},
                }
            ]
        }
    )

    schedule: ScheduleIn
    request: RequestIn
    name: Name | None = None
    tags: Annotated[list[Tag], Field(max_length=MAX_TAGS)] = Field(default_factory=list)
    lane: Annotated[Lane, Field(strict=False)] = Lane.STANDARD
    timeout_seconds: Annotated[Seconds, Field(ge=1, le=MAX_CALLBACK_TIMEOUT_SECONDS)] = 30
    retry: RetryIn = Field(default_factory=RetryIn)
    async_deadline_seconds: Annotated[Seconds, Field(ge=MIN_DEADLINE_SECONDS, le=MAX_DEADLINE_SECONDS)] = (
        Field(
            DEFAULT_ASYNC_POLICY.deadline_seconds,
            description="The whole time that an attempt may take whose receiver works on after its answer.",
        )
    )
    heartbeat_seconds: Annotated[Seconds, Field(ge=MIN_HEARTBEAT_SECONDS, le=MAX_HEARTBEAT_SECONDS)] = Field(
        DEFAULT_ASYNC_POLICY.heartbeat_seconds,
        description="Not heard of for longer, such an attempt counts as lost.",
    )
    catch_up: Annotated[CatchUp, Field(strict=False)] = Field(
        CatchUp.COALESCE, description="What is run of the instants that were missed."
    )
    catch_up_limit: Annotated[Seconds, Field(ge=1, le=MAX_CATCH_UP_LIMIT)] = Field(
        CATCH_UP_LIMIT, description="The most that `all` runs; the newest are kept."
    )
    catch_up_window_seconds: Annotated[Seconds, Field(ge=0, le=MAX_CATCH_UP_WINDOW_MS // 1000)] = Field(
        CATCH_UP_WINDOW_MS // 1000, description="What was missed longer ago never runs."
    )
    late_tolerance_seconds: Annotated[Seconds, Field(ge=0, le=86_400)] = Field(
        LATE_TOLERANCE_MS // 1000, description="A run that is late by no more has not been missed."
    )
    overlap_policy: Annotated[OverlapPolicy, Field(strict=False)] = Field(
        OverlapPolicy.ALLOW, description="What happens while an earlier run has not ended."
    )

    start_deadline_seconds: Annotated[Seconds, Field(ge=1, le=MAX_START_DEADLINE_SECONDS)] | None = Field(
        None, description="A job that runs once and has not started so long after its time is skipped."
    )

    @model_validator(mode="after")
    def _for_recurring_jobs(self) -> Self:
        if self.schedule.at is None and self.schedule.delay_seconds is None:
            return self
        for name in RECURRING_ONLY:
            if name in self.model_fields_set:
                raise ValueError(f"{name} has no meaning for a job that runs once")
        return self

    def new_job(self) -> NewJob:
        """The domain's value."""
        return NewJob(
            timing=self.schedule.timing(),
            request=self.request.request(),
            name=self.name,
            tags=tuple(self.tags),
            lane=self.lane,
            timeout_seconds=self.timeout_seconds,
            retry=RetryPolicy(**self.retry.model_dump()),
            async_policy=AsyncPolicy(
                deadline_seconds=self.async_deadline_seconds, heartbeat_seconds=self.heartbeat_seconds
            ),
            jitter_ms=self.schedule.jitter_seconds * 1000,
            start_deadline_seconds=self.start_deadline_seconds,
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


class JobPatch(Schema):
    """A merge patch (RFC 7396) of a job: what is named takes the place of what is there, null brings back the default.

    The members are those of a new job, and the job that comes out is judged like a new one. A `schedule` that names
    another kind replaces the whole schedule.
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"schedule": {"timezone": "Europe/Paris"}, "tags": ["reports"]}]}
    )

    schedule: dict[str, Any] | None = None
    request: dict[str, Any] | None = None
    name: Name | None = None
    tags: list[Tag] | None = None
    lane: Lane | None = None
    timeout_seconds: int | None = None
    retry: dict[str, Any] | None = None
    async_deadline_seconds: int | None = None
    heartbeat_seconds: int | None = None
    catch_up: CatchUp | None = None
    catch_up_limit: int | None = None
    catch_up_window_seconds: int | None = None
    late_tolerance_seconds: int | None = None
    overlap_policy: OverlapPolicy | None = None
    start_deadline_seconds: int | None = None


class PauseIn(Schema):
    """Why a job is paused; shown to whoever looks at it."""

    reason: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None


class JobOut(BaseModel):
    """A job as it stands. What is for recurring jobs alone is null for one that runs once."""

    id: str
    kind: Literal["once", "cron", "rate"]
    state: str
    name: str | None
    tags: list[str]
    schedule: ScheduleOut
    next_due_at: str | None = Field(description="When it will next be due; null where it will not.")
    request: TargetOut
    lane: Lane
    timeout_seconds: int
    retry: RetryIn
    async_deadline_seconds: int
    heartbeat_seconds: int
    catch_up: CatchUp | None
    catch_up_limit: int | None
    catch_up_window_seconds: int | None
    late_tolerance_seconds: int | None
    overlap_policy: OverlapPolicy | None
    start_deadline_seconds: int | None
    pause_reason: str | None
    revision: int
    created_at: str
