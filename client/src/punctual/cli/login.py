"""`punctual login` and `whoami`: a profile with the URL and the key of a deployment.

The key is typed at a hidden prompt, read from standard input, or printed by a program whenever it is needed. It is
never an argument, which other users of the machine could read.
"""

from typing import Annotated

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.output import Column
from punctual.cli.profiles import NAME, read_file, with_profile, write_file
from punctual.cli.session import Session, session_of


def log_in(
    context: typer.Context,
    key_stdin: Annotated[
        bool, typer.Option("--key-stdin", help="Read the key from standard input, in its first line.")
    ] = False,
    key_command: Annotated[
        str | None,
        typer.Option(
            help="A program that prints the key, such as 'pass show punctual'. It runs whenever a key is needed.",
            metavar="COMMAND",
        ),
    ] = None,
    no_check: Annotated[bool, typer.Option("--no-check", help="Store it without a call of the API.")] = False,
) -> None:
    """Store the URL and the key of a deployment, as a profile that only you can read.

    --url names the deployment, and --profile the profile: `default` if it is not given.
    """
    from punctual._config import DEFAULT_PROFILE, PROFILE, checked_key, checked_url, config_path, key_of

    session = session_of(context)
    name = session.profile or session.around.environ.get(PROFILE) or DEFAULT_PROFILE
    if NAME.fullmatch(name) is None:
        raise CommandError("--profile is up to 64 letters, digits, _ and -", Exit.USAGE)
    if key_stdin and key_command is not None:
        raise CommandError("give --key-stdin or --key-command, not both", Exit.USAGE)
    url = checked_url(_url(session))
    if key_command is None:
        members = {"url": url, "key": checked_key(_key(session, from_stdin=key_stdin)).reveal()}
    else:
        members = {"url": url, "key_command": key_command}
    path = config_path(session.around.environ)
    text = with_profile(read_file(path), name, members)
    key = key_of(members)
    if not no_check and key is not None:
        _check(session, url, key.reveal())
    write_file(path, text)
    session.note(f"stored the profile {name!r} for {url} in {path}")
    if name != DEFAULT_PROFILE:
        session.note(f"use it with --profile {name}, or set {PROFILE}={name}")


def _url(session: Session) -> str:
    from punctual._config import URL

    url = session.url or session.around.environ.get(URL)
    if url:
        return url
    if not session.can_ask:
        raise CommandError("which deployment? Give --url", Exit.USAGE)
    return session.ask("URL of the deployment, such as https://api.example.com: ")


def _key(session: Session, *, from_stdin: bool) -> str:
    if from_stdin:
        return session.around.stdin.readline()
    if not session.can_ask:
        raise CommandError(
            "there is no terminal to type the key at", Exit.USAGE, hint="give --key-stdin or --key-command"
        )
    return session.around.ask_hidden("API key (it is not shown): ")


def _check(session: Session, url: str, key: str) -> None:
    """Raise the error of the API for a key that it does not know."""
    found = session.client_with(url, key, None).whoami.get()
    session.note(
        f"the key {found.key_id} of the tenant {found.tenant} has the scopes {', '.join(found.scopes)}"
    )


ROWS = (
    Column("tenant", lambda found: found.tenant),
    Column("operator", lambda found: found.is_operator or None),
    Column("key", lambda found: found.key_id),
    Column("scopes", lambda found: found.scopes),
    Column("expires", lambda found: found.expires_at),
)


def who_am_i(context: typer.Context) -> None:
    """Show the tenant and the scopes of the key that is in use."""
    session = session_of(context)
    session.show_one(session.client.whoami.get(), ROWS)
    session.note(f"at {session.client.url}")


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("login")(log_in)
    app.command("whoami")(who_am_i)
