"""`punctual admin lanes`, `alarms` and `parked`: where calls wait, what is wrong, and what could not be handled."""

from typing import TYPE_CHECKING, Annotated

import typer

from punctual.cli.list_options import PAGE, All, Limit, shown
from punctual.cli.output import Column, Format
from punctual.cli.session import session_of

if TYPE_CHECKING:
    from punctual.models import HotScope

_LANES = (
    Column("lane", lambda entry: entry[0]),
    Column("messages", lambda entry: entry[1].visible_messages),
    Column("behind since", lambda entry: entry[1].behind_since),
)
_HOT = (
    Column("kind", lambda scope: scope.kind),
    Column("id", lambda scope: scope.id),
    Column("reason", lambda scope: scope.reason),
    Column("breaker", lambda scope: scope.breaker),
    Column("open until", lambda scope: scope.open_until),
    Column("limit", lambda scope: scope.concurrency_limit),
    Column("running", lambda scope: scope.running),
    Column("until", lambda scope: scope.until),
)
_ALARMS = (
    Column("alarm", lambda alarm: alarm.name),
    Column("state", lambda alarm: alarm.state),
    Column("since", lambda alarm: alarm.since),
    Column("notifies", lambda alarm: alarm.notifies),
    Column("runbook", lambda alarm: alarm.runbook),
    Column("meaning", lambda alarm: alarm.meaning, folds=True),
    Column("reason", lambda alarm: alarm.reason, folds=True),
)
_PARKED = (
    Column("message", lambda message: message.id),
    Column("parked", lambda message: message.parked_at),
    Column("lane", lambda message: message.lane),
    Column("reason", lambda message: message.reason),
    Column("size", lambda message: message.size),
    Column("body", lambda message: message.body, folds=True),
)


def show_lanes(context: typer.Context, limit: Limit = PAGE, all_: All = False) -> None:
    """Show the lanes, and list the tenants and destinations in which calls wait or fail.

    CSV has the tenants and destinations.
    """
    session = session_of(context)
    lanes = session.client.admin.lanes
    found = lanes.list(limit=1).lanes
    hot: list[HotScope] = list(shown(session, lanes.iterate(), limit, all_))
    if session.format in (Format.JSON, Format.YAML):
        session.out.data({"lanes": found, "hot_scopes": hot})
        return
    if session.format is Format.TABLE:
        session.show_list(found.items(), _LANES, empty="")
        session.out.line("")
    session.show_list(hot, _HOT, empty="no call waits for a limit or a circuit breaker")


def list_alarms(context: typer.Context, limit: Limit = PAGE, all_: All = False) -> None:
    """List the alarms of the deployment with the runbook of each, those in alarm first."""
    session = session_of(context)
    found = session.client.admin.alarms.iterate()
    session.show_list(shown(session, found, limit, all_), _ALARMS, empty="no alarms")


def list_parked(context: typer.Context, limit: Limit = PAGE, all_: All = False) -> None:
    """List the messages of dead-letter queues that could not be handled, newest first."""
    session = session_of(context)
    found = session.client.admin.parked.iterate()
    session.show_list(shown(session, found, limit, all_), _PARKED, empty="no parked messages")


def remove_parked(
    context: typer.Context,
    message: Annotated[str, typer.Argument(metavar="MESSAGE", help="An id of `admin parked list`.")],
) -> None:
    """Remove a message that could not be handled, and show it: it is stored nowhere else."""
    session = session_of(context)
    session.show_one(session.client.admin.parked.remove(message), _PARKED)


def add_to(admin: typer.Typer) -> None:
    """Add the commands."""
    admin.command("lanes")(show_lanes)
    admin.command("alarms")(list_alarms)
    parked = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="Messages that could not be handled."
    )
    parked.command("list")(list_parked)
    parked.command("remove")(remove_parked)
    admin.add_typer(parked, name="parked")
