"""Schemas of a tenant's own calendars."""

from datetime import date
from typing import Annotated, Literal, get_args

from pydantic import Field, StringConstraints
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import (
    Instant,
    InstantOut,
    Representation,
    Schema,
    SetName,
    is_none,
    read_instant,
    with_examples,
)
from functions.api.resources.calendars import examples
from shared.domain.errors import InvalidValueError, ScheduleError, raise_any
from shared.domain.schedules.blackouts import MAX_BLACKOUT_DAYS, MAX_BLACKOUTS, MAX_REASON, Blackout
from shared.domain.schedules.business_days import date_of, day_of
from shared.domain.schedules.instants import format_instant
from shared.domain.schedules.own_calendar import MAX_DATES, SHARED_PREFIX, OwnCalendar

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)
DateText = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Dates = Annotated[list[DateText], Field(max_length=MAX_DATES)]
FIRST_YEAR, LAST_YEAR = 1970, 2200


class BlackoutIn(Schema):
    """A window, [from, until), in which no run begins, in any time zone."""

    from_: Instant = Field(
        alias="from",
        description="A whole minute: RFC 3339 with an offset, because a calendar has no time zone.",
    )
    until: Instant = Field(
        description=f"The first instant after the window, at most {MAX_BLACKOUT_DAYS} days after `from`."
    )
    reason: Annotated[str, Field(max_length=MAX_REASON)] = Field(
        "", description="What the window is for. It is shown, and has no effect."
    )

    def blackout(self) -> Blackout:
        """InvalidValueError for what is no window."""
        from_at, until_at = _instant("from", self.from_), _instant("until", self.until)
        return Blackout(from_at=from_at, until_at=until_at, reason=self.reason)


class CalendarIn(Schema):
    """The excluded days: those of a country, of a weekend, and of dates. A date of `dates_in` is never excluded. No run
    begins in one of the blackout windows, whatever its date."""

    model_config = with_examples(examples.CALENDAR_IN)

    country: Annotated[str, Field(max_length=64, examples=["DE", "US-CA"])] | None = Field(
        None, description="A country whose public holidays, and whose weekend, are excluded."
    )
    weekend: Annotated[list[Weekday], Field(max_length=6)] | None = Field(
        None, description="Null: the weekend of the country, or Saturday and Sunday without one."
    )
    dates_in: Dates = Field(default_factory=list, description="Days that are business days in any case.")
    dates_out: Dates = Field(default_factory=list, description="Days that are excluded as well.")
    blackouts: Annotated[list[BlackoutIn], Field(max_length=MAX_BLACKOUTS)] = Field(
        default_factory=list,
        description="Windows of instants, such as those of a deployment. They may overlap. `when_excluded` of a "
        "schedule says what happens to a run in one.",
    )

    set_: SetName | None = Field(
        None, alias="set", description="The set to which the calendar belongs, such as one file."
    )

    def calendar(self, name: str) -> OwnCalendar:
        """InvalidValueError for a name or a date that cannot be, and for too many dates."""
        return OwnCalendar(
            name=name,
            version=0,
            changed_at=0,
            country=self.country,
            weekend=None if self.weekend is None else frozenset(map(WEEKDAYS.index, self.weekend)),
            dates_in=_days("dates_in", self.dates_in),
            dates_out=_days("dates_out", self.dates_out),
            set_name=self.set_,
            blackouts=_blackouts(self.blackouts),
        )


class BlackoutOut(Representation):
    """A window, [from, until), in which no run begins."""

    from_: InstantOut = Field(alias="from")
    until: InstantOut
    reason: str


class CalendarOut(Representation):
    """A calendar. Its version grows with each change."""

    model_config = with_examples(examples.CALENDAR_OUT, populate_by_name=True)

    name: str
    version: int
    country: str | None
    weekend: list[Weekday] | None = Field(
        description="Null: the weekend of the country, or Saturday and Sunday without one."
    )
    dates_in: list[str]
    dates_out: list[str]
    set_: SetName | SkipJsonSchema[None] = Field(None, alias="set", exclude_if=is_none)
    blackouts: list[BlackoutOut] = Field(description="By their start.")
    changed_at: InstantOut


class CalendarsOut(Representation):
    """All calendars of the tenant, by name."""

    model_config = with_examples(examples.CALENDARS_OUT)

    calendars: list[CalendarOut]
    shared: list[CalendarOut] = Field(
        description="The calendars of the operators, which schedules of every tenant may name, such as "
        f"`{SHARED_PREFIX}deployments`."
    )


class SharedCalendarsOut(Representation):
    """All calendars of the operators, by name."""

    model_config = with_examples(examples.SHARED_CALENDARS_OUT)

    calendars: list[CalendarOut]


def shared_out(calendar: OwnCalendar) -> CalendarOut:
    """With the name that schedules have."""
    return calendar_out(calendar, SHARED_PREFIX)


def calendar_out(calendar: OwnCalendar, prefix: str = "") -> CalendarOut:
    weekend = None if calendar.weekend is None else [WEEKDAYS[day] for day in sorted(calendar.weekend)]
    return CalendarOut(
        name=f"{prefix}{calendar.name}",
        version=calendar.version,
        country=calendar.country,
        weekend=weekend,
        dates_in=[date_of(day).isoformat() for day in calendar.dates_in],
        dates_out=[date_of(day).isoformat() for day in calendar.dates_out],
        set_=calendar.set_name,
        blackouts=[
            BlackoutOut.model_validate(
                {
                    "from": format_instant(each.from_at),
                    "until": format_instant(each.until_at),
                    "reason": each.reason,
                }
            )
            for each in calendar.blackouts
        ],
        changed_at=format_instant(calendar.changed_at),
    )


def _blackouts(sent: list[BlackoutIn]) -> tuple[Blackout, ...]:
    found: list[Blackout] = []
    refused: list[InvalidValueError] = []
    for number, each in enumerate(sent):
        try:
            found.append(each.blackout())
        except InvalidValueError as error:
            path = ("blackouts", str(number), *error.path)
            refused.append(InvalidValueError(f"blackouts: {error}", path=path))
    raise_any(refused)
    return tuple(sorted(set(found)))


def _instant(name: str, text: str) -> int:
    try:
        at_ms = read_instant(name, text)
    except ScheduleError as error:
        raise InvalidValueError(str(error), path=(name,)) from error
    if at_ms is None or date_of(at_ms // 86_400_000).year > LAST_YEAR:
        raise InvalidValueError(f"{name}: the year must be from {FIRST_YEAR} to {LAST_YEAR}", path=(name,))
    return at_ms


def _days(name: str, texts: list[str]) -> tuple[int, ...]:
    return tuple(sorted({_day(name, number, text) for number, text in enumerate(texts)}))


def _day(name: str, number: int, text: str) -> int:
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise InvalidValueError(f"{name}: {text} is no date", path=(name, str(number))) from error
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise InvalidValueError(
            f"{name}: the year must be from {FIRST_YEAR} to {LAST_YEAR}", path=(name, str(number))
        )
    return day_of(day)
