"""`punctual admin calendars`: the operators' calendars, which the schedules of all tenants may name."""

import typer

from punctual.cli.calendars import (
    COLUMNS,
    Blackouts,
    CalendarArgument,
    Country,
    DatesIn,
    DatesOut,
    FileIn,
    FileOut,
    Since,
    Until,
    Weekend,
    members_of,
    windows_of,
)
from punctual.cli.session import session_of


def list_shared_calendars(context: typer.Context) -> None:
    """List the calendars that all tenants may name."""
    session = session_of(context)
    session.show_list(session.client.admin.calendars.list().calendars, COLUMNS, empty="no calendars")


def get_shared_calendar(context: typer.Context, calendar: CalendarArgument) -> None:
    """Show a calendar that all tenants may name."""
    session = session_of(context)
    session.show_one(session.client.admin.calendars.get(calendar), COLUMNS)


def put_shared_calendar(
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
) -> None:
    """Create a calendar that all tenants may name, as operator/NAME, or replace its days."""
    session = session_of(context)
    members = members_of(session, weekend, (dates_in, dates_out), (in_ics, out_ics), (since, until))
    windows = windows_of(blackouts)
    shown = session.client.admin.calendars.put(calendar, country=country, blackouts=windows, **members)
    session.show_one(shown, COLUMNS)


def delete_shared_calendar(context: typer.Context, calendar: CalendarArgument) -> None:
    """Delete a calendar that all tenants may name; jobs keep the days that they have."""
    session = session_of(context)
    session.show_one(session.client.admin.calendars.delete(calendar), COLUMNS)


def add_to(admin: typer.Typer) -> None:
    """Add the commands."""
    calendars = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="Calendars that all tenants may name."
    )
    calendars.command("list")(list_shared_calendars)
    calendars.command("get")(get_shared_calendar)
    calendars.command("put")(put_shared_calendar)
    calendars.command("delete")(delete_shared_calendar)
    admin.add_typer(calendars, name="calendars")
