"""The options that commands with lists share."""

from collections.abc import Iterable
from datetime import timezone
from typing import Annotated, TypeVar

import typer

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


def shown(session: Session, items: Iterable[Item], limit: int, all_: bool) -> list[Item]:
    """The entries that a list shows."""
    return session.first(items, None if all_ else limit)


def fixed(session: Session, when: str | None) -> str | None:
    """The same instant for several requests: how long ago is counted from now."""
    from punctual._values import instant

    return None if when is None else instant(when, session.around.now().astimezone(timezone.utc))
