"""The options that commands with lists share."""

from collections.abc import Iterable
from datetime import timezone
from typing import Annotated, TypeVar

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.session import Session

Item = TypeVar("Item")
PAGE = 50

AnyJob = Annotated[
    str | None,
    typer.Argument(
        metavar="JOB",
        help="An id, a key, or a name that only one job has. All jobs without it.",
        show_default=False,
    ),
]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many to show.")]
All = Annotated[bool, typer.Option("--all", help="Show all.")]
Since = Annotated[
    str | None,
    typer.Option(
        "--since", metavar="WHEN", help="At this instant or later: RFC 3339, or how long ago, such as 24h."
    ),
]
Until = Annotated[str | None, typer.Option("--until", metavar="WHEN", help="Before this instant.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]

IdempotencyKey = Annotated[
    str | None,
    typer.Option(
        "--idempotency-key", metavar="KEY", help="With the same key the same command takes effect once."
    ),
]


def shown(session: Session, items: Iterable[Item], limit: int, all_: bool) -> list[Item]:
    """The entries that a list shows."""
    return session.first(items, None if all_ else limit)


def fixed(session: Session, when: str | None) -> str | None:
    """The same instant for several requests: how long ago is counted from now."""
    from punctual._values import instant

    return None if when is None else instant(when, session.around.now().astimezone(timezone.utc))


def sent(session: Session, option: str, when: str | None, key: str | None) -> str | None:
    """The instant of an option, for a request that can be repeated with its idempotency key.

    How long ago is counted from now, so that the session keeps the instant for the text of an error. Raises
    CommandError if there is a key as well: at its repetition, the same command would be another request.
    """
    at = fixed(session, when)
    if at is not None and at != when:
        if key is not None:
            raise CommandError(
                f"with --idempotency-key, {option} {when} is not the same instant at each repetition",
                Exit.USAGE,
                hint=f"give an instant, such as {option} {at}",
            )
        session.instants[option] = at
    return at
