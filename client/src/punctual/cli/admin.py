"""`punctual admin`: what operators see of all tenants, and what of it is done elsewhere."""

import shlex
from typing import Annotated

import typer

from punctual.cli import (
    admin_accounts,
    admin_calendars,
    admin_event_sources,
    admin_lanes,
    admin_tenants,
)
from punctual.cli.exits import CommandError, Exit
from punctual.cli.list_options import PAGE, All, Limit, Since, Until, shown
from punctual.cli.options import DURATION, seconds
from punctual.cli.output import Column
from punctual.cli.session import session_of
from punctual.cli.stats import By, Day, show_busiest_jobs, show_statistics

_DUE = (
    Column("at", lambda row: row.at),
    Column("tenant", lambda row: row.tenant_id),
    Column("run", lambda row: row.execution_id),
    Column("state", lambda row: row.state),
    Column("lane", lambda row: row.lane),
    Column("shard", lambda row: row.shard),
    Column("retry", lambda row: row.retry),
)


def show_stats(
    context: typer.Context,
    tenant: Annotated[
        str | None, typer.Argument(metavar="TENANT", help="A tenant's id. All tenants together without it.")
    ] = None,
    by: By = "hour",
    since: Since = None,
    until: Until = None,
    job: Annotated[
        str | None, typer.Option("--job", metavar="ID", help="Only one job of the tenant.")
    ] = None,
) -> None:
    """Show counts by outcome, and how late calls began: of a tenant, or of all tenants together."""
    session = session_of(context)
    stats = session.client.admin.stats
    if tenant is not None:
        show_statistics(session, stats.of_tenant(tenant, by=by, since=since, until=until, job=job))
        return
    if job is not None:
        raise CommandError("--job needs the TENANT that has the job", Exit.USAGE)
    show_statistics(session, stats.get(by=by, since=since, until=until))


def show_busiest(
    context: typer.Context,
    tenant: Annotated[
        str | None, typer.Argument(metavar="TENANT", help="A tenant's id. All tenants together without it.")
    ] = None,
    day: Day = None,
) -> None:
    """List the recurring jobs with the most executions of a day: of a tenant, or of all tenants."""
    session = session_of(context)
    stats = session.client.admin.stats
    found = stats.busiest_jobs(day=day) if tenant is None else stats.busiest_jobs_of_tenant(tenant, day=day)
    show_busiest_jobs(session, found)


def list_due(
    context: typer.Context,
    within: Annotated[
        str | None, typer.Option("--within", metavar=DURATION, help="How far to look ahead; 5m by default.")
    ] = None,
    limit: Limit = PAGE,
    all_: All = False,
) -> None:
    """List executions that are about to be due, of all tenants, by time."""
    session = session_of(context)
    ahead = None if within is None else seconds(within, "--within")
    found = session.client.admin.upcoming.iterate(within=ahead)
    session.show_list(shown(session, found, limit, all_), _DUE, empty="nothing is due")


COMMANDS = (
    ("create-operator", "the operators' tenant, and its first key: `punctual login` stores it"),
    ("create-canary", "the canary's tenant, and its secrets, which are not shown"),
    (
        "export-tenant TENANT --file FILE",
        "settings, definitions and executions of a tenant, without the archive, to a new file",
    ),
    ("restore-history TENANT --file FILE", "the archived executions of a tenant, to a new file"),
    ("repeat-deletions", "deletions of tenants again that a restore of tables has undone"),
    ("verify-audit", "whether the audit trail is whole"),
    ("show-execution RUN", "whose execution it is"),
    ("remove-signing-secret-name TENANT NAME", "remove all signing secrets of a name"),
    ("revoke-key operator KEY", "also the last key of the operators"),
)


def bootstrap(
    context: typer.Context,
    function: Annotated[
        str | None,
        typer.Option("--function", metavar="NAME", help="The output ApiFunctionName of the deployed stack."),
    ] = None,
) -> None:
    """Say how the first operator's key is made, and what else needs AWS credentials.

    These programs need AWS credentials and a checkout of the deployed release. This command only names them.
    """
    session = session_of(context)
    name = "<ApiFunctionName>" if function is None else shlex.quote(function)
    program = f"python -m functions.admin --function {name}"
    lines = [line for command, text in COMMANDS for line in (f"# {text}", f"{program} {command}")]
    data = [{"command": f"{program} {command}", "does": text} for command, text in COMMANDS]
    session.show("\n".join(lines), data)
    session.note("run them in a checkout of the deployed release, with its packages and AWS credentials")


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    admin = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="For operators, with an operator's key."
    )
    admin_tenants.add_to(admin)
    admin_accounts.add_to(admin)
    admin.command("stats")(show_stats)
    admin.command("busiest")(show_busiest)
    admin.command("due")(list_due)
    admin_lanes.add_to(admin)
    admin_calendars.add_to(admin)
    admin_event_sources.add_to(admin)
    admin.command("bootstrap")(bootstrap)
    app.add_typer(admin, name="admin")
