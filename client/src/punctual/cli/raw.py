"""`punctual api`: any request to the API."""

import json
from typing import Annotated, Any

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.session import Session, session_of

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def call_api(
    context: typer.Context,
    method: Annotated[str, typer.Argument(metavar="METHOD", help="GET, POST, PUT, PATCH or DELETE.")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="Such as /v1/usage, with its query.")],
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="@FILE|-", help="A file with the body in JSON; - is standard input."),
    ] = None,
    if_match: Annotated[str | None, typer.Option(help="A revision of the job, or * for any.")] = None,
    idempotency_key: Annotated[
        str | None, typer.Option(help="With the same key a request takes effect once.")
    ] = None,
) -> None:
    """Send any request to the API and show the answer, such as `punctual api GET /v1/usage`."""
    session = session_of(context)
    if method.upper() not in METHODS:
        raise CommandError(
            f"{method!r} is no method of the API: give one of {', '.join(METHODS)}", Exit.USAGE
        )
    address, query = _parts(path)
    body = {} if data is None else {"json": _body(session, data)}
    answer = session.client.request(
        method,
        address,
        query=query,
        idempotency_key=idempotency_key,
        if_match=int(if_match) if if_match and if_match.isdecimal() else if_match,
        **body,
    )
    session.out.data(answer)


def _parts(path: str) -> tuple[str, dict[str, str]]:
    from urllib.parse import parse_qsl, urlsplit

    parts = urlsplit(path)
    if parts.scheme or parts.netloc or parts.fragment:
        raise CommandError(f"{path!r} is no path of the API: give one such as /v1/usage", Exit.USAGE)
    return parts.path, dict(parse_qsl(parts.query, keep_blank_values=True))


def _body(session: Session, source: str) -> Any:
    try:
        return json.loads(session.content(source))
    except ValueError as error:
        raise CommandError(f"the body is no JSON: {error}", Exit.USAGE) from None


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("api")(call_api)
