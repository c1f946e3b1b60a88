"""`punctual calendars`: the tenant's own calendars, which schedules name."""

from enum import Enum
from typing import Annotated, Any

import typer

from punctual.cli.output import Column
from punctual.cli.session import session_of


class Weekday(str, Enum):
    """A day of the week."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


CalendarArgument = Annotated[
    str, typer.Argument(metavar="CALENDAR", help="The name of a calendar.", show_default=False)
]
Country = Annotated[
    str | None,
    typer.Option(
        "--country", metavar="NAME", help="Its holidays and its weekend are excluded, such as DE or US-CA."
    ),
]
Weekend = Annotated[
    list[Weekday] | None,
    typer.Option(
        "--weekend", help="A day in place of the weekend of the country. May be given several times."
    ),
]
DatesIn = Annotated[
    list[str] | None,
    typer.Option("--in", metavar="DATE", help="A business day in any case. May be given several times."),
]
DatesOut = Annotated[
    list[str] | None,
    typer.Option("--out", metavar="DATE", help="An excluded day. May be given several times."),
]

COLUMNS = (
    Column("calendar", lambda calendar: calendar.name),
    Column("version", lambda calendar: calendar.version),
    Column("country", lambda calendar: calendar.country),
    Column("weekend", lambda calendar: calendar.weekend),
    Column("in", lambda calendar: calendar.dates_in, folds=True),
    Column("out", lambda calendar: calendar.dates_out, folds=True),
    Column("changed", lambda calendar: calendar.changed_at),
)


def list_calendars(context: typer.Context) -> None:
    """List the tenant's own calendars."""
    session = session_of(context)
    session.show_list(session.client.calendars.list().calendars, COLUMNS, empty="no calendars")


def get_calendar(context: typer.Context, calendar: CalendarArgument) -> None:
    """Show a calendar."""
    session = session_of(context)
    session.show_one(session.client.calendars.get(calendar), COLUMNS)


def put_calendar(
    context: typer.Context,
    calendar: CalendarArgument,
    country: Country = None,
    weekend: Weekend = None,
    dates_in: DatesIn = None,
    dates_out: DatesOut = None,
) -> None:
    """Create a calendar, or replace its days by those that are given."""
    session = session_of(context)
    days: dict[str, Any] = {"dates_in": dates_in or [], "dates_out": dates_out or []}
    if weekend:
        days["weekend"] = [day.value for day in weekend]
    session.show_one(session.client.calendars.put(calendar, country=country, **days), COLUMNS)


def delete_calendar(context: typer.Context, calendar: CalendarArgument) -> None:
    """Delete a calendar that no job names."""
    session = session_of(context)
    session.show_one(session.client.calendars.delete(calendar), COLUMNS)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    calendars = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The tenant's own calendars.")
    calendars.command("list")(list_calendars)
    calendars.command("get")(get_calendar)
    calendars.command("put")(put_calendar)
    calendars.command("delete")(delete_calendar)
    app.add_typer(calendars, name="calendars")
