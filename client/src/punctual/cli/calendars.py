"""`punctual calendars`: the tenant's own calendars, which schedules name."""

from datetime import date, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.output import Column
from punctual.cli.session import Session, session_of
from punctual.cli.triggers import IfMatch

if TYPE_CHECKING:
    from punctual.models import Blackout

IMPORTED_DAYS = 5 * 366
"""Days of an iCalendar file are taken for this long by default."""


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
Blackouts = Annotated[
    list[str] | None,
    typer.Option(
        "--blackout",
        metavar="FROM/UNTIL [REASON]",
        help="A window in which no run begins, such as 2030-12-24T20:00:00Z/2030-12-26T06:00:00Z. May be given "
        "several times.",
    ),
]
FileIn = Annotated[
    str | None,
    typer.Option("--in-ics", metavar="FILE|-", help="An iCalendar file whose days are business days."),
]
FileOut = Annotated[
    str | None,
    typer.Option("--out-ics", metavar="FILE|-", help="An iCalendar file whose days are excluded."),
]
Since = Annotated[
    str | None,
    typer.Option(metavar="DATE", help="The first day taken from a file. Default: the first of this year."),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="DATE", help="The day after the last one taken from a file. Default: in five years."
    ),
]

COLUMNS = (
    Column("calendar", lambda calendar: calendar.name),
    Column("version", lambda calendar: calendar.version),
    Column("country", lambda calendar: calendar.country),
    Column("weekend", lambda calendar: calendar.weekend),
    Column("in", lambda calendar: calendar.dates_in, folds=True),
    Column("out", lambda calendar: calendar.dates_out, folds=True),
    Column("set", lambda calendar: calendar.set),
    Column("blackouts", lambda calendar: [_shown(each) for each in calendar.blackouts], folds=True),
    Column("changed", lambda calendar: calendar.changed_at),
)


def list_calendars(context: typer.Context) -> None:
    """List the tenant's own calendars, and those of the operators that it may name."""
    session = session_of(context)
    listed = session.client.calendars.list()
    session.show_list([*listed.calendars, *listed.shared], COLUMNS, empty="no calendars")


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
    blackouts: Blackouts = None,
    in_ics: FileIn = None,
    out_ics: FileOut = None,
    since: Since = None,
    until: Until = None,
    set_: Annotated[str | None, typer.Option("--set", help="The set of the calendar.")] = None,
    if_match: IfMatch = None,
) -> None:
    """Create a calendar, or replace its days by those that are given, and by those of iCalendar files."""
    session = session_of(context)
    members = members_of(session, weekend, (dates_in, dates_out), (in_ics, out_ics), (since, until))
    members |= {"country": country, "set": set_, "blackouts": windows_of(blackouts)}
    session.show_one(session.client.calendars.put(calendar, if_match=if_match, **members), COLUMNS)


def members_of(
    session: Session,
    weekend: list[Weekday] | None,
    dates: tuple[list[str] | None, list[str] | None],
    files: tuple[str | None, str | None],
    limits: tuple[str | None, str | None],
) -> dict[str, Any]:
    """The members of a calendar by its options: weekend, dates and files that are in and out, and the limits of what is
    taken from files."""
    if any(limits) and not any(files):
        raise CommandError("--since and --until limit what is taken from --in-ics and --out-ics", Exit.USAGE)
    members: dict[str, Any] = {
        name: [*(days or []), *_days_of(session, file, *limits)]
        for name, days, file in zip(("dates_in", "dates_out"), dates, files, strict=True)
    }
    return members | ({"weekend": [day.value for day in weekend]} if weekend else {})


def windows_of(texts: list[str] | None) -> list[dict[str, str]]:
    """The blackout windows of options."""
    found: list[dict[str, str]] = []
    for text in texts or []:
        window, _, reason = text.strip().partition(" ")
        since, slash, until = window.partition("/")
        if not slash:
            raise CommandError(
                f"--blackout needs FROM/UNTIL, such as 2030-12-24T20:00:00Z/2030-12-26T06:00:00Z, not {text}",
                Exit.USAGE,
            )
        found.append({"from": since, "until": until, "reason": reason.strip()})
    return found


def _shown(window: "Blackout") -> str:
    text = f"{window.since.isoformat(timespec='minutes')}/{window.until.isoformat(timespec='minutes')}"
    return f"{text} {window.reason}".rstrip().replace("+00:00", "Z")


def _days_of(session: Session, file: str | None, since: str | None, until: str | None) -> list[str]:
    """The days of an iCalendar file as dates of ISO 8601."""
    if file is None:
        return []
    from punctual.importers import IcalendarReader

    today = session.around.now().date()
    first = today.replace(month=1, day=1) if since is None else _date("--since", since)
    end = today + timedelta(IMPORTED_DAYS) if until is None else _date("--until", until)
    name = "standard input" if file == "-" else file.removeprefix("@")
    return [day.isoformat() for day in IcalendarReader(first, end).read(name, session.content(file))]


def _date(option: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CommandError(f"{option} needs a date such as 2027-12-31", Exit.USAGE) from None


def delete_calendar(context: typer.Context, calendar: CalendarArgument, if_match: IfMatch = None) -> None:
    """Delete a calendar that no job names."""
    session = session_of(context)
    session.show_one(session.client.calendars.delete(calendar, if_match=if_match), COLUMNS)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    calendars = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The tenant's own calendars.")
    calendars.command("list")(list_calendars)
    calendars.command("get")(get_calendar)
    calendars.command("put")(put_calendar)
    calendars.command("delete")(delete_calendar)
    app.add_typer(calendars, name="calendars")
