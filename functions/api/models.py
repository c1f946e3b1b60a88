"""What clients send and get, as schemas. Lengths of time end in `_seconds`, instants in `_at`."""

from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from shared.domain.cron import parse_cron
from shared.domain.new_job import After, Every, NewJob, Timing
from shared.domain.request import Request
from shared.domain.retry import RetryPolicy
from shared.domain.schedule import Cron, Once, parse_instant
from shared.domain.zones import load_zone
from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS, Lane

Seconds = Annotated[int, Field(strict=True)]
MAX_DELAY_SECONDS = 10 * 366 * 86_400
MAX_RATE_SECONDS = 366 * 86_400


class Schema(BaseModel):
    """Strict: no coercion between JSON types, no unknown field."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ScheduleIn(Schema):
    """When: exactly one of `at`, `delay_seconds`, `cron` and `rate_seconds`."""

    at: Annotated[str, Field(max_length=64, examples=["2030-01-01T09:00:00Z"])] | None = Field(
        None, description="RFC 3339 with an offset; or a local time, together with `timezone`."
    )
    delay_seconds: Annotated[Seconds, Field(ge=0, le=MAX_DELAY_SECONDS)] | None = Field(
        None, description="Once, so many seconds from now."
    )
    cron: Annotated[str, Field(max_length=1024, examples=["*/5 * * * *"])] | None = Field(
        None, description="Five fields of a Unix cron line, or @hourly @daily @weekly @monthly @yearly."
    )
    rate_seconds: Annotated[Seconds, Field(ge=1, le=MAX_RATE_SECONDS)] | None = Field(
        None, description="Every so many seconds, counted from the second of creation."
    )
    timezone: Annotated[str, Field(max_length=64, examples=["Europe/Berlin"])] | None = Field(
        None, description="IANA zone of a cron line (UTC where absent) or of a local `at`."
    )

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [
            name
            for name in ("at", "delay_seconds", "cron", "rate_seconds")
            if getattr(self, name) is not None
        ]
        if len(given) != 1:
            raise ValueError("exactly one of at, delay_seconds, cron and rate_seconds is required")
        if self.timezone is not None and given[0] in ("delay_seconds", "rate_seconds"):
            raise ValueError(f"timezone has no meaning with {given[0]}")
        return self

    def timing(self) -> Timing:
        """The domain's value; ScheduleError where it breaks the rules of time."""
        if self.at is not None:
            return Once(at=parse_instant(self.at, self.timezone))
        if self.delay_seconds is not None:
            return After(self.delay_seconds)
        if self.rate_seconds is not None:
            return Every(self.rate_seconds)
        zone = self.timezone or "UTC"
        load_zone(zone)
        parse_cron(self.cron or "")
        return Cron(line=self.cron or "", timezone=zone)


class RequestIn(Schema):
    """What to call. At most one of `body` (text, sent as it is) and `json` (sent as JSON)."""

    url: Annotated[str, Field(max_length=2048, examples=["https://example.com/hooks/report"])]
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] = "POST"
    headers: dict[str, str] = Field(default_factory=dict)
    body: str | None = None
    json_: Any = Field(None, alias="json")

    @model_validator(mode="after")
    def _one_body(self) -> Self:
        if {"body", "json_"} <= self.model_fields_set:
            raise ValueError("body and json exclude each other")
        return self

    def request(self) -> Request:
        """The domain's value; a JSON body brings its content type unless one was given."""
        headers = tuple(self.headers.items())
        if "json_" not in self.model_fields_set:
            return Request(method=self.method, url=self.url, headers=headers, body=(self.body or "").encode())
        if not any(name.lower() == "content-type" for name in self.headers):
            headers = (*headers, ("Content-Type", "application/json"))
        return Request(method=self.method, url=self.url, headers=headers, body=orjson.dumps(self.json_))


class RetryIn(Schema):
    """How often and how patiently: full jitter up to min(cap, base x factor^(n-1)) before retry n."""

    max_attempts: Annotated[Seconds, Field(ge=1, le=20)] = 5
    base_seconds: Annotated[Seconds, Field(ge=1, le=86_400)] = 10
    factor: Annotated[Seconds, Field(ge=1, le=10)] = 2
    cap_seconds: Annotated[Seconds, Field(ge=1, le=86_400)] = 3_600

    @model_validator(mode="after")
    def _base_below_cap(self) -> Self:
        if self.base_seconds > self.cap_seconds:
            raise ValueError("base_seconds must not be above cap_seconds")
        return self


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


class TargetOut(BaseModel):
    """The call, without headers and body: those may hold secrets and are not shown again."""

    method: str
    url: str


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


class AttemptOut(BaseModel):
    """One attempt of an execution. An attempt whose worker died is counted but leaves no entry."""

    number: int
    started_at: str
    duration_ms: int
    status: int | None
    reason: str


class MissedOut(BaseModel):
    """Nominal instants that were passed over in one go."""

    count: int
    first_at: str
    last_at: str


class ExecutionOut(BaseModel):
    """One planned firing."""

    id: str
    job_id: str
    state: str
    scheduled_at: str
    attempts_begun: int
    attempts: list[AttemptOut]
    next_attempt_at: str | None
    end_reason: str | None
    last_response_body: str | None = Field(description="First 256 bytes of the last failing answer.")
    missed: MissedOut | None


class ExecutionPageOut(BaseModel):
    """Newest first. A page may be short while `next_cursor` is there."""

    executions: list[ExecutionOut]
    next_cursor: str | None


class HealthOut(BaseModel):
    """The API answers."""

    status: Literal["ok"]


class FieldErrorOut(BaseModel):
    """One thing that is wrong with a body."""

    pointer: str
    detail: str


class ProblemOut(BaseModel):
    """Every error, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[FieldErrorOut] | None = None
