"""`punctual admin keys`, `secrets`, `usage` and `audit`: the account of any tenant."""

from typing import Annotated

import typer

from punctual.cli.account import show_records, show_usage
from punctual.cli.keys import (
    KEY_COLUMNS,
    SECRET_COLUMNS,
    ExpiresIn,
    KeyArgument,
    Name,
    Overlap,
    Scopes,
    SecretArgument,
    SecretName,
    life,
    names_of,
    overlap_of,
    show_keys,
    show_new_key,
    show_new_secret,
    show_secrets,
)
from punctual.cli.list_options import PAGE, All, Limit, Since, Until
from punctual.cli.session import session_of
from punctual.cli.tenant_deletion import TenantArgument


def list_keys(context: typer.Context, tenant: TenantArgument) -> None:
    """List the API keys of a tenant, without their secrets."""
    session = session_of(context)
    show_keys(session, session.client.admin.keys.list(tenant).keys)


def create_key(
    context: typer.Context,
    tenant: TenantArgument,
    scope: Scopes,
    name: Name = None,
    expires_in: ExpiresIn = None,
) -> None:
    """Create an API key of a tenant, and write it once."""
    session = session_of(context)
    given = life(expires_in) | ({} if name is None else {"name": name})
    show_new_key(session, session.client.admin.keys.create(tenant, scopes=names_of(scope), **given))


def rotate_key(
    context: typer.Context,
    tenant: TenantArgument,
    key: KeyArgument,
    overlap: Overlap = None,
    expires_in: ExpiresIn = None,
) -> None:
    """Replace an API key of a tenant with a new one, and write the new one once."""
    session = session_of(context)
    given = life(expires_in) | overlap_of(overlap)
    show_new_key(session, session.client.admin.keys.rotate(tenant, key, **given))


def revoke_key(context: typer.Context, tenant: TenantArgument, key: KeyArgument) -> None:
    """Revoke an API key of a tenant."""
    session = session_of(context)
    session.show_one(session.client.admin.keys.revoke(tenant, key), KEY_COLUMNS)


def list_secrets(context: typer.Context, tenant: TenantArgument) -> None:
    """List the secrets that sign the calls of a tenant, without the secrets themselves."""
    session = session_of(context)
    show_secrets(session, session.client.admin.signing_secrets.list(tenant).signing_secrets)


def rotate_secret(
    context: typer.Context, tenant: TenantArgument, name: SecretName = None, overlap: Overlap = None
) -> None:
    """Create a signing secret of a tenant, beside which the old ones sign for a while, and write it once."""
    session = session_of(context)
    given = overlap_of(overlap) | ({} if name is None else {"name": name})
    show_new_secret(session, session.client.admin.signing_secrets.rotate(tenant, **given))


def retire_secret(context: typer.Context, tenant: TenantArgument, secret: SecretArgument) -> None:
    """Retire an old signing secret of a tenant now."""
    session = session_of(context)
    session.show_one(session.client.admin.signing_secrets.retire(tenant, secret), SECRET_COLUMNS)


def usage(context: typer.Context, tenant: TenantArgument) -> None:
    """Show the quotas of a tenant, and what is in use."""
    session = session_of(context)
    show_usage(session, session.client.admin.usage.get(tenant))


def audit(
    context: typer.Context,
    tenant: TenantArgument,
    target: Annotated[
        str | None, typer.Option("--target", metavar="ID", help="Only changes of the thing with this id.")
    ] = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = PAGE,
    all_: All = False,
) -> None:
    """List the changes of a tenant, newest first, and the keys that made them."""
    session = session_of(context)
    found = session.client.admin.audit.iterate(tenant, target=target, since=since, until=until)
    show_records(session, found, limit, all_)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    keys = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The API keys of a tenant.")
    keys.command("list")(list_keys)
    keys.command("create")(create_key)
    keys.command("rotate")(rotate_key)
    keys.command("revoke")(revoke_key)
    app.add_typer(keys, name="keys")
    secrets = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="The signing secrets of a tenant."
    )
    secrets.command("list")(list_secrets)
    secrets.command("rotate")(rotate_secret)
    secrets.command("retire")(retire_secret)
    app.add_typer(secrets, name="secrets")
    app.command("usage")(usage)
    app.command("audit")(audit)
