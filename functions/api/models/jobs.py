"""Jobs."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from functions.api.models.requests import RequestIn, RetryIn, TargetOut
from functions.api.models.schedules import ScheduleIn
from functions.api.models.schema import Schema, Seconds
from shared.domain.new_job import NewJob
from shared.domain.retry import RetryPolicy
from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS, Lane


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
    name: Annotated[str, StringConstraints(min_length=1, max_length=128)] | None = None
    lane: Annotated[Lane, Field(strict=False)] = Lane.STANDARD
    timeout_seconds: Annotated[Seconds, Field(ge=1, le=MAX_CALLBACK_TIMEOUT_SECONDS)] = 30
    retry: RetryIn = Field(default_factory=RetryIn)

    def new_job(self) -> NewJob:
        """The domain's value."""
        retry = RetryPolicy(**self.retry.model_dump())
        return NewJob(
            timing=self.schedule.timing(),
            request=self.request.request(),
            name=self.name,
            lane=self.lane,
            timeout_seconds=self.timeout_seconds,
            retry=retry,
        )


class JobOut(BaseModel):
    """A job as it stands."""

    id: str
    kind: Literal["once", "cron", "rate"]
    state: str
    name: str | None
    schedule: dict[str, str | int]
    next_due_at: str | None = Field(description="When it will next be due; null where it will not.")
    request: TargetOut
    lane: Lane
    timeout_seconds: int
    retry: RetryIn
    revision: int
    created_at: str
