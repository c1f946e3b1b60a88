"""When a job runs."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from functions.api.models.schema import Schema, Seconds
from shared.domain.cron import parse_cron
from shared.domain.new_job import After, Every, Timing
from shared.domain.schedule import Cron, Once, parse_instant
from shared.domain.zones import load_zone

MAX_DELAY_SECONDS = 10 * 366 * 86_400
MAX_RATE_SECONDS = 366 * 86_400


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
