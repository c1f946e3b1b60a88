"""Schemas of schedules and previews."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    ConfigDict,
    Field,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import (
    EXAMPLES,
    LEFT_OUT,
    Instant,
    InstantOut,
    Representation,
    Schema,
    Seconds,
    with_examples,
)
from functions.api.resources.schedules.examples import PREVIEW_OUT, SCHEDULE_IN
from shared.domain.errors import InvalidValueError, ScheduleError, raise_any
from shared.domain.jobs.new_job import MAX_RUNS
from shared.domain.schedules.calendar_rule import MAX_BUSINESS_DAY, CalendarRule, WhenExcluded
from shared.domain.schedules.cron import Gap, Overlap, parse_cron
from shared.domain.schedules.dst import DstEffect
from shared.domain.schedules.eventbridge import read_expression
from shared.domain.schedules.schedule import Cron, Once, parse_instant
from shared.domain.schedules.schedule_warnings import WarningCode
from shared.domain.schedules.timing import After, Every, Timing
from shared.domain.schedules.zones import load_zone

MAX_DELAY_SECONDS = 10 * 366 * 86_400
MAX_RATE_SECONDS = 366 * 86_400
ONCE = ("at", "delay_seconds")
KINDS = (*ONCE, "cron", "rate_seconds", "expression")
"""A schedule has exactly one of these."""
_ONLY_WITH: Mapping[str, tuple[str, ...]] = {
    "timezone": ("at", "cron", "expression"),
    "dst_gap": ("cron", "expression"),
    "dst_overlap": ("cron", "expression"),
    "calendar": ("cron", "expression"),
    "when_excluded": ("cron", "expression"),
    "business_day": ("cron", "expression"),
    "start_at": ("cron", "rate_seconds", "expression"),
    "end_at": ("cron", "rate_seconds", "expression"),
    "max_runs": ("cron", "rate_seconds", "expression"),
}
T = TypeVar("T")


def has_kind(kind: str) -> dict[str, Any]:
    """The JSON schema of schedules of a kind."""
    # By its type, and not by `not null`: generators of test data are a hundred times faster with a type.
    return {
        "required": [kind],
        "properties": {kind: {"type": "integer" if kind.endswith("_seconds") else "string"}},
    }


def _has_only(kind: str) -> dict[str, Any]:
    """The JSON schema of schedules of a kind, without any member that other kinds alone may have."""
    others = [name for name in KINDS if name != kind]
    meaningless = [name for name, kinds in _ONLY_WITH.items() if kind not in kinds]
    nothing = {name: {"type": "null"} for name in (*others, *meaningless)}
    schema = has_kind(kind)
    return {"title": kind, **schema, "properties": schema["properties"] | nothing}


JitterSeconds = Annotated[Seconds, Field(ge=0, le=86_400)]
MAX_CALENDAR = 72
"""Characters of the name of a calendar: one of the operators has the longest."""


class ScheduleIn(Schema):
    """When a job runs: exactly one of `at`, `delay_seconds`, `cron`, `rate_seconds` and `expression`."""

    model_config = ConfigDict(
        json_schema_extra={
            EXAMPLES: SCHEDULE_IN,
            # Beside `type`, a bare `oneOf` would make readers show a union of objects as the type.
            "if": {"type": "object"},
            "then": {"oneOf": [_has_only(kind) for kind in KINDS]},
        }
    )

    at: Instant | None = Field(
        None, description="Once: RFC 3339 with an offset, or a local time together with `timezone`."
    )
    delay_seconds: Annotated[Seconds, Field(ge=0, le=MAX_DELAY_SECONDS)] | None = Field(
        None, description="Once, this many seconds from now."
    )
    cron: Annotated[str, Field(max_length=1024, examples=["*/5 * * * *"])] | None = Field(
        None, description="Five fields of a Unix cron line, or an alias such as @hourly or @daily."
    )
    rate_seconds: Annotated[Seconds, Field(ge=1, le=MAX_RATE_SECONDS)] | None = Field(
        None, description="At this interval, counted from `start_at` or from the second of creation."
    )
    expression: Annotated[str, Field(max_length=1024, examples=["cron(0 9 ? * MON-FRI *)"])] | None = Field(
        None, description="EventBridge Scheduler's `cron(...)`, `rate(...)` or `at(...)`, unchanged."
    )
    timezone: Annotated[str, Field(max_length=64, examples=["Europe/Berlin"])] | None = Field(
        None, description="IANA zone of a cron line (UTC where absent) or of local times."
    )
    dst_gap: Annotated[Gap, Field(strict=False)] | None = Field(
        None, description="A local time that is skipped: run after the gap (`shift`) or not at all (`skip`)."
    )
    dst_overlap: Annotated[Overlap, Field(strict=False)] | None = Field(
        None, description="A local time that comes twice: run the `first`, the `second` or `both`."
    )
    calendar: Annotated[str, Field(max_length=MAX_CALENDAR, examples=["DE", "US-CA"])] | None = Field(
        None,
        description="A country, such as DE or US-CA, whose weekend and public holidays are excluded, a calendar of "
        "your own, or one of the operators, such as operator/deployments.",
    )
    when_excluded: Annotated[WhenExcluded, Field(strict=False)] | None = Field(
        None,
        description="What a run on an excluded day does: `skip`, or move to the `next` or `previous` business "
        "day, or to the next one of the month and else the previous one (`modified_following`).",
    )
    business_day: Annotated[Seconds, Field(ge=-MAX_BUSINESS_DAY, le=MAX_BUSINESS_DAY)] | None = Field(
        None, description="Only on the nth business day of the month; -1 is the last one."
    )
    start_at: Instant | None = Field(None, description="Nothing runs before; the anchor of a rate.")
    end_at: Instant | None = Field(None, description="Nothing runs after.")
    max_runs: Annotated[Seconds, Field(ge=1, le=MAX_RUNS)] | None = Field(
        None, description="The job ends after this many runs."
    )
    jitter_seconds: JitterSeconds = Field(
        0, description="Each run starts later by up to this many seconds; the delay of one run never changes."
    )

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [name for name in KINDS if getattr(self, name) is not None]
        if len(given) != 1:
            raise InvalidValueError(f"exactly one of {', '.join(KINDS)} is required")
        raise_any(
            InvalidValueError(f"{name} has no meaning with {given[0]}", path=(name,))
            for name, kinds in _ONLY_WITH.items()
            if getattr(self, name) is not None and given[0] not in kinds
        )
        _ = self.timing  # Raises where the schedule is invalid.
        return self

    @cached_property
    def timing(self) -> Timing:
        """ScheduleError for a schedule that can never be valid."""
        if self.at is not None:
            return Once(at=parse_instant(self.at, self.timezone))
        if self.delay_seconds is not None:
            return After(self.delay_seconds)
        start_at, end_at = self._bound("start_at"), self._bound("end_at")
        if self.rate_seconds is not None:
            return Every(self.rate_seconds, start_at, end_at)
        zone = "UTC" if self.timezone is None else self.timezone
        load_zone(zone)
        if self.expression is not None:
            return self._with_calendar(self._read_expression(self.expression, zone, start_at, end_at))
        parse_cron(self.cron or "")
        line = Cron(
            line=self.cron or "",
            timezone=zone,
            gap=self.dst_gap or Gap.SHIFT,
            overlap=self.dst_overlap or Overlap.FIRST,
            start_at=start_at,
            end_at=end_at,
        )
        return self._with_calendar(line)

    def _with_calendar(self, timing: Timing) -> Timing:
        if self.calendar is None:
            raise_any(
                ScheduleError(f"{name}: needs a calendar, such as DE or US-CA", field=name)
                for name in ("when_excluded", "business_day")
                if getattr(self, name) is not None
            )
            return timing
        if not isinstance(timing, Cron):
            raise ScheduleError(
                "calendar: has no meaning with rate(...) and at(...); a line has local dates",
                field="calendar",
            )
        rule = CalendarRule(
            name=self.calendar,
            when_excluded=self.when_excluded or WhenExcluded.SKIP,
            business_day=self.business_day,
        )
        return replace(timing, calendar=rule)

    def _bound(self, name: str) -> int | None:
        text = getattr(self, name)
        if text is None:
            return None
        return _renamed(name, lambda: parse_instant(text, "UTC" if self.timezone is None else self.timezone))

    def _read_expression(self, text: str, zone: str, start_at: int | None, end_at: int | None) -> Timing:
        timing = _renamed(
            "expression",
            lambda: read_expression(
                text,
                zone,
                gap=self.dst_gap,
                overlap=self.dst_overlap,
                start_at=start_at,
                end_at=end_at,
            ),
        )
        if isinstance(timing, Every):
            return Every(timing.rate_seconds, start_at, end_at)
        if isinstance(timing, Once) and (
            start_at is not None or end_at is not None or self.max_runs is not None
        ):
            raise ScheduleError(
                "expression: start_at, end_at and max_runs have no meaning with at(...)", field="schedule"
            )
        return timing


def _renamed(name: str, read: Callable[[], T]) -> T:
    """Report an error inside a text, such as a field of a cron line, as an error of the body's member."""
    try:
        return read()
    except ScheduleError as error:
        if error.field in ("timezone", "end_at"):
            raise
        raise ScheduleError(str(error), field=name) from error


def under_sent_member(error: ScheduleError, schedule: Mapping[str, Any]) -> ScheduleError:
    """The error of an instant, under the member that was sent: a delay or an expression, for example."""
    if error.field != "at":
        return error
    sent = next((name for name in KINDS if schedule.get(name) is not None), "at")
    return type(error)(str(error), field=sent)


class ScheduleOut(Representation):
    """A stored schedule. Members that do not apply are left out."""

    at: InstantOut | SkipJsonSchema[None] = LEFT_OUT
    cron: str | SkipJsonSchema[None] = LEFT_OUT
    rate_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    expression: str | SkipJsonSchema[None] = LEFT_OUT
    timezone: str | SkipJsonSchema[None] = LEFT_OUT
    dst_gap: Gap | SkipJsonSchema[None] = LEFT_OUT
    dst_overlap: Overlap | SkipJsonSchema[None] = LEFT_OUT
    calendar: str | SkipJsonSchema[None] = LEFT_OUT
    when_excluded: WhenExcluded | SkipJsonSchema[None] = LEFT_OUT
    business_day: int | SkipJsonSchema[None] = LEFT_OUT
    start_at: InstantOut | SkipJsonSchema[None] = LEFT_OUT
    end_at: InstantOut | SkipJsonSchema[None] = LEFT_OUT
    max_runs: int | SkipJsonSchema[None] = LEFT_OUT
    jitter_seconds: int | SkipJsonSchema[None] = LEFT_OUT


class PreviewedRunOut(Representation):
    """A run of a schedule. With jitter it starts between `scheduled_at` and `begins_before`."""

    scheduled_at: InstantOut
    local: str
    offset: str
    begins_before: InstantOut | None


class ClockChangeOut(Representation):
    """A change of the clocks that affects runs: local times that are skipped or come twice."""

    at: InstantOut
    local_before: str
    local_after: str
    effect: DstEffect
    count: int
    local_times: list[str] = Field(description="The first of the affected local times.")
    runs_at: InstantOut | None = Field(
        description="The time at which it runs instead; null where it does not run."
    )


class WarningOut(Representation):
    """A behaviour of the schedule that may surprise. None of them is an error."""

    code: WarningCode
    text: str


class SchedulePreviewOut(Representation):
    """The runs of a schedule, changes of the clocks, and warnings."""

    model_config = with_examples(PREVIEW_OUT)

    description: str
    timezone: str
    runs: list[PreviewedRunOut]
    clock_changes: list[ClockChangeOut]
    warnings: list[WarningOut]
