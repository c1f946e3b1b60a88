"""`punctual keys` and `secrets`: the API keys and the signing secrets of the tenant."""

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from punctual.cli.downloads import check_new, new_file
from punctual.cli.options import DURATION, seconds
from punctual.cli.output import Column, Format
from punctual.cli.secret_samples import write_sample
from punctual.cli.session import Session, session_of
from punctual.cli.signing_secrets import signing_secrets_of

if TYPE_CHECKING:
    from punctual.models import NewKey, NewSecret


class ScopeName(str, Enum):
    """A scope of a key."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


Scopes = Annotated[
    list[ScopeName], typer.Option("--scope", help="May be given several times; no scope includes another.")
]
Name = Annotated[str | None, typer.Option("--name", help="Shown in lists.")]
ExpiresIn = Annotated[
    str | None,
    typer.Option(
        "--expires-in", metavar=DURATION, help="Its life, such as 90d. Without it, it does not expire."
    ),
]
Overlap = Annotated[
    str | None,
    typer.Option(
        "--overlap", metavar=DURATION, help="How long the old one stays valid beside it; 1d by default."
    ),
]
KeyArgument = Annotated[
    str,
    typer.Argument(
        metavar="KEY", help="The id of a key: the part between pk_ and the next _.", show_default=False
    ),
]
SecretName = Annotated[
    str | None, typer.Option("--name", help="The name that jobs give as their signing secret.")
]
SecretArgument = Annotated[
    str, typer.Argument(metavar="SECRET", help="The id of a signing secret, sec_...", show_default=False)
]

KEY_COLUMNS = (
    Column("key", lambda key: key.id),
    Column("name", lambda key: key.name, folds=True),
    Column("scopes", lambda key: key.scopes),
    Column("state", lambda key: key.state),
    Column("created", lambda key: key.created_at),
    Column("expires", lambda key: key.expires_at),
    Column("last used", lambda key: key.last_used_at),
)
SECRET_COLUMNS = (
    Column("secret", lambda secret: secret.id),
    Column("name", lambda secret: secret.name),
    Column("state", lambda secret: secret.state),
    Column("created", lambda secret: secret.created_at),
    Column("ends", lambda secret: secret.ends_at),
)


def names_of(scopes: Sequence[ScopeName]) -> list[Literal["read", "write", "admin"]]:
    """The scopes as a request names them."""
    return [each.value for each in scopes]


def life(expires_in: str | None) -> dict[str, Any]:
    """The life of a key as a request says it."""
    return {} if expires_in is None else {"expires_in_seconds": seconds(expires_in, "--expires-in")}


def overlap_of(overlap: str | None) -> dict[str, Any]:
    """How long old keys and secrets stay valid, as a request says it."""
    return {} if overlap is None else {"overlap_seconds": seconds(overlap, "--overlap")}


def show_keys(session: Session, keys: Sequence[Any]) -> None:
    """Show the keys of a tenant."""
    session.show_list(keys, KEY_COLUMNS, empty="no keys")


def show_secrets(session: Session, secrets: Sequence[Any]) -> None:
    """Show the signing secrets of a tenant, which no answer has."""
    session.show_list(secrets, SECRET_COLUMNS, empty="no signing secrets")


def show_once(session: Session, secret: str, what: str, document: Any) -> None:
    """Write a new secret to standard output, alone unless JSON or YAML is wanted, and say that it is not shown again.

    `what` names it, such as `the key 0123 (read, write)`.
    """
    session.warn(f"{what} is shown once: store it now, where only its users can read it")
    if session.format is Format.CSV:
        session.out.line(secret)
    else:
        session.show(secret, document)


def show_new_key(session: Session, new: "NewKey") -> None:
    """Write a new key once."""
    show_once(session, new.api_key, f"the API key {new.id} ({', '.join(new.scopes)})", new)


def show_new_secret(session: Session, new: "NewSecret") -> None:
    """Write a new signing secret once."""
    name = f" of the name {new.name}" if new.name else ""
    show_once(session, new.signing_secret, f"the signing secret {new.id}{name}", new)


def list_keys(context: typer.Context) -> None:
    """List the API keys of the tenant, without their secrets."""
    session = session_of(context)
    show_keys(session, session.client.keys.list().keys)


def create_key(
    context: typer.Context, scope: Scopes, name: Name = None, expires_in: ExpiresIn = None
) -> None:
    """Create an API key, and write it once."""
    session = session_of(context)
    given = life(expires_in) | ({} if name is None else {"name": name})
    show_new_key(session, session.client.keys.create(scopes=names_of(scope), **given))


def rotate_key(
    context: typer.Context, key: KeyArgument, overlap: Overlap = None, expires_in: ExpiresIn = None
) -> None:
    """Replace an API key with a new one, and write the new one once."""
    session = session_of(context)
    show_new_key(session, session.client.keys.rotate(key, **life(expires_in), **overlap_of(overlap)))


def revoke_key(context: typer.Context, key: KeyArgument) -> None:
    """Revoke an API key. Every function refuses it within a minute."""
    session = session_of(context)
    session.show_one(session.client.keys.revoke(key), KEY_COLUMNS)


def list_secrets(context: typer.Context) -> None:
    """List the secrets that sign calls, without the secrets themselves."""
    session = session_of(context)
    show_secrets(session, session.client.signing_secrets.list().signing_secrets)


def rotate_secret(
    context: typer.Context,
    name: SecretName = None,
    overlap: Overlap = None,
    sample: Annotated[
        Path | None,
        typer.Option(
            "--sample",
            metavar="FILE",
            help="Write a call that is signed with it, for the tests of a receiver, and verify it.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --sample.")] = False,
) -> None:
    """Create a signing secret, beside which the old ones sign for a while, and write it once.

    The call of --sample is also signed with the secret in PUNCTUAL_SIGNING_SECRET or in the profile, as the calls of
    the deployment are until the old secrets end.
    """
    session = session_of(context)
    given = overlap_of(overlap) | ({} if name is None else {"name": name})
    if sample is None:
        show_new_secret(session, session.client.signing_secrets.rotate(**given))
        return
    check_new(sample, force=force)
    # The file is open before the secret is rotated, which cannot be undone.
    with new_file(sample, force=force) as part:
        old = signing_secrets_of(session, None)
        new = session.client.signing_secrets.rotate(**given)
        show_new_secret(session, new)
        write_sample(session, sample, part, new.signing_secret, old)


def retire_secret(context: typer.Context, secret: SecretArgument) -> None:
    """Retire an old signing secret now."""
    session = session_of(context)
    session.show_one(session.client.signing_secrets.retire(secret), SECRET_COLUMNS)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    keys = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="API keys.")
    keys.command("list")(list_keys)
    keys.command("create")(create_key)
    keys.command("rotate")(rotate_key)
    keys.command("revoke")(revoke_key)
    app.add_typer(keys, name="keys")
    secrets = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The secrets that sign calls.")
    secrets.command("list")(list_secrets)
    secrets.command("rotate")(rotate_secret)
    secrets.command("retire")(retire_secret)
    app.add_typer(secrets, name="secrets")
