"""`punctual admin tenants`: the tenants of a deployment."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from punctual.cli.account import (
    SETTINGS_ROWS,
    AlertEvents,
    AlertFormat,
    AlertsUrl,
    LateAfter,
    OnFailure,
    OnSuccess,
    changed_defaults,
)
from punctual.cli.exits import CommandError, Exit
from punctual.cli.keys import ScopeName, names_of
from punctual.cli.list_options import PAGE, All, Limit, shown
from punctual.cli.output import Column, Format
from punctual.cli.session import Session, session_of
from punctual.cli.tenant_deletion import TenantArgument, delete_tenant, show_deletion

if TYPE_CHECKING:
    from punctual.models import NewTenant

_COLUMNS = (
    Column("tenant", lambda tenant: tenant.id),
    Column("state", lambda tenant: tenant.state),
    Column("weight", lambda tenant: tenant.weight),
    Column(
        "own quotas", lambda tenant: {name: tenant.quotas.get(name) for name in tenant.own_quotas}, folds=True
    ),
    Column("created", lambda tenant: tenant.created_at),
)
_ROWS = (
    *_COLUMNS[:3],
    Column("effective", lambda tenant: tenant.effective_at),
    Column("index shards", lambda tenant: tenant.index_shards),
    Column("own quotas", lambda tenant: tenant.own_quotas or None),
    Column("quotas", lambda tenant: tenant.quotas),
    Column("target roles", lambda tenant: tenant.target_roles or None),
    Column("external id", lambda tenant: tenant.target_external_id),
    *SETTINGS_ROWS,
    Column("created", lambda tenant: tenant.created_at),
    Column("revision", lambda tenant: tenant.revision),
)


def list_tenants(context: typer.Context, limit: Limit = PAGE, all_: All = False) -> None:
    """List all tenants by id."""
    session = session_of(context)
    found = session.client.admin.tenants.iterate()
    session.show_list(shown(session, found, limit, all_), _COLUMNS, empty="no tenants")


def create_tenant(
    context: typer.Context,
    tenant: TenantArgument,
    scope: Annotated[
        list[ScopeName] | None, typer.Option("--scope", help="Of its first key; read and write by default.")
    ] = None,
) -> None:
    """Create a tenant, and write its first API key and its signing secret once."""
    session = session_of(context)
    given: dict[str, Any] = {} if not scope else {"scopes": names_of(scope)}
    _show_new(session, session.client.admin.tenants.create(id=tenant, **given))


def _show_new(session: Session, new: "NewTenant") -> None:
    session.warn(f"the API key and the signing secret of {new.tenant.id} are shown once: store them now")
    session.warn("the first line is the key, the second the signing secret")
    lines = f"{new.api_key}\n{new.signing_secret}"
    if session.format is Format.CSV:
        session.out.line(lines)
    else:
        session.show(lines, new)


def get_tenant(context: typer.Context, tenant: TenantArgument) -> None:
    """Show a tenant: its state, its quotas, and its defaults."""
    session = session_of(context)
    session.show_one(session.client.admin.tenants.get(tenant), _ROWS)


def change_tenant(
    context: typer.Context,
    tenant: TenantArgument,
    state: Annotated[
        Literal["active", "suspended"] | None,
        typer.Option("--state", help="Suspend the tenant, or resume it."),
    ] = None,
    weight: Annotated[int | None, typer.Option("--weight", min=1, help="Its shares of a backlog.")] = None,
    index_shards: Annotated[int | None, typer.Option("--index-shards", min=1, help="Can only grow.")] = None,
    quota: Annotated[
        list[str] | None,
        typer.Option(
            "--quota", metavar="NAME=N", help="Such as tags=5, or tags=default; may be given several times."
        ),
    ] = None,
    target_role: Annotated[
        list[str] | None,
        typer.Option(
            "--target-role",
            metavar="ARN",
            help="A role for targets in its account; replaces all, may be given several times. none removes all.",
        ),
    ] = None,
    on_success: OnSuccess = None,
    on_failure: OnFailure = None,
    alerts_url: AlertsUrl = None,
    alert: AlertEvents = None,
    alert_late_after: LateAfter = None,
    alert_format: AlertFormat = None,
) -> None:
    """Suspend or resume a tenant, or change its weight, its quotas or its defaults."""
    session = session_of(context)
    members = changed_defaults(
        session, on_success, on_failure, alerts_url, alert, alert_late_after, alert_format
    )
    given = {"state": state, "weight": weight, "index_shards": index_shards}
    members |= {name: value for name, value in given.items() if value is not None}
    if quota:
        members["quotas"] = dict(map(_quota, quota))
    if target_role:
        members["target_roles"] = [] if target_role == ["none"] else target_role
    if not members:
        raise CommandError("nothing to change: give an option such as --state or --quota", Exit.USAGE)
    session.show_one(session.client.admin.tenants.update(tenant, **members), _ROWS)


def _quota(text: str) -> tuple[str, int | None]:
    name, separator, limit = text.partition("=")
    if separator and name and (limit == "default" or (limit.isascii() and limit.isdecimal())):
        return name, None if limit == "default" else int(limit)
    raise CommandError(f"--quota {text!r} is no quota: give one such as tags=5 or tags=default", Exit.USAGE)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    tenants = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The tenants of the deployment.")
    tenants.command("list")(list_tenants)
    tenants.command("create")(create_tenant)
    tenants.command("get")(get_tenant)
    tenants.command("change")(change_tenant)
    tenants.command("delete")(delete_tenant)
    tenants.command("deletion")(show_deletion)
    app.add_typer(tenants, name="tenants")
