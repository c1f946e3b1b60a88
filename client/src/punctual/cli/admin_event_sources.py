"""`punctual admin event-sources`: which tenants the events of accounts of AWS are for."""

from typing import TYPE_CHECKING, Annotated

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.output import Column
from punctual.cli.session import session_of

if TYPE_CHECKING:
    from punctual.models import EventRouteIn

_COLUMNS = (
    Column("account", lambda source: source.account),
    Column("version", lambda source: source.version),
    Column(
        "routes",
        lambda source: ", ".join(f"{each.source_prefix}={each.tenant_id}" for each in source.routes),
        folds=True,
    ),
    Column("changed", lambda source: source.changed_at),
)
Account = Annotated[str, typer.Argument(metavar="ACCOUNT", help="An account of AWS, 12 digits.")]


def list_event_sources(context: typer.Context) -> None:
    """List the accounts of AWS whose events reach tenants."""
    session = session_of(context)
    found = session.client.admin.event_sources.list().event_sources
    session.show_list(found, _COLUMNS, empty="no event sources")


def get_event_source(context: typer.Context, account: Account) -> None:
    """Show which tenants the events of an account of AWS are for."""
    session = session_of(context)
    session.show_one(session.client.admin.event_sources.get(account), _COLUMNS)


def put_event_source(
    context: typer.Context,
    account: Account,
    route: Annotated[
        list[str],
        typer.Option(
            metavar="PREFIX=TENANT", help="The tenant of events whose source begins so; repeatable."
        ),
    ],
) -> None:
    """Say which tenants the events of an account of AWS are for; replaces all routes of the account."""
    session = session_of(context)
    routes = [_route(each) for each in route]
    session.show_one(session.client.admin.event_sources.put(account, routes=routes), _COLUMNS)


def delete_event_source(context: typer.Context, account: Account) -> None:
    """Let no more events of an account of AWS reach a tenant."""
    session = session_of(context)
    session.show_one(session.client.admin.event_sources.delete(account), _COLUMNS)


def _route(text: str) -> "EventRouteIn":
    prefix, _, tenant = text.rpartition("=")
    if not prefix or not tenant:
        raise CommandError("--route needs a prefix and a tenant, such as aws.s3=acme", Exit.USAGE)
    # Imported late: no other command needs it.
    from punctual.models import EventRouteIn

    return EventRouteIn(source_prefix=prefix, tenant_id=tenant)


def add_to(admin: typer.Typer) -> None:
    """Add the commands."""
    sources = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="Accounts of AWS whose events reach tenants."
    )
    sources.command("list")(list_event_sources)
    sources.command("get")(get_event_source)
    sources.command("put")(put_event_source)
    sources.command("delete")(delete_event_source)
    admin.add_typer(sources, name="event-sources")
