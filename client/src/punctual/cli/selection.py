"""The jobs that a command changes: those that are named, or all that match a filter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.jobs_read import Kind, State
from punctual.cli.list_options import IdempotencyKey, sent
from punctual.cli.session import Session

FILTERS = {
    "tag": "tag",
    "set_": "set",
    "state": "state",
    "kind": "kind",
    "name": "q",
    "created_from": "created_from",
    "created_to": "created_to",
}
"""The options that filter jobs, and the members of the filter."""
_INSTANTS = {"created_from": "--created-from", "created_to": "--created-to"}
SELECTION_OPTIONS: Mapping[str, Any] = {
    "tag": Annotated[str | None, typer.Option("--tag", help="All jobs with this tag.", metavar="TAG")],
    "set_": Annotated[
        str | None, typer.Option("--set", help="All recurring jobs of this set.", metavar="NAME")
    ],
    "state": Annotated[State | None, typer.Option("--state", help="All jobs in this state.")],
    "kind": Annotated[
        Kind | None,
        typer.Option("--kind", help="All jobs of this kind. One-off jobs are chosen by once alone."),
    ],
    "name": Annotated[
        str | None, typer.Option("--name", help="All jobs whose name begins with this text.", metavar="TEXT")
    ],
    "created_from": Annotated[
        str | None,
        typer.Option(
            "--created-from",
            help="All jobs that were created at this instant or later: RFC 3339, or how long ago, such as 24h.",
            metavar="WHEN",
        ),
    ],
    "created_to": Annotated[
        str | None,
        typer.Option("--created-to", help="All jobs that were created before this instant.", metavar="WHEN"),
    ],
    "every": Annotated[bool | None, typer.Option("--all", help="All jobs.")],
    "rate": Annotated[
        int | None, typer.Option("--rate", help="At most this many jobs a second.", metavar="N")
    ],
    "dry_run": Annotated[bool | None, typer.Option("--dry-run", help="Only count the jobs; change nothing.")],
    "yes": Annotated[bool | None, typer.Option("--yes", "-y", help="Do not ask.")],
    "no_wait": Annotated[
        bool | None, typer.Option("--no-wait", help="Do not wait until all jobs are changed.")
    ],
}
"""For `with_options`."""
WITH_KEY: Mapping[str, Any] = {**SELECTION_OPTIONS, "idempotency_key": IdempotencyKey}
"""The same, and the key of the bulk operation."""
_ONLY_BULK = ("rate", "dry_run", "yes", "no_wait", "idempotency_key")


@dataclass(frozen=True, slots=True)
class Selection:
    """Jobs that are named, or a filter: exactly one of both."""

    jobs: tuple[str, ...]
    filter: dict[str, str] | None
    rate: int | None = None
    is_dry_run: bool = False
    yes: bool = False
    waits: bool = True
    idempotency_key: str | None = None


def selection(
    session: Session,
    jobs: Sequence[str] | None,
    values: Mapping[str, Any],
    *,
    takes_jobs: bool = True,
    key: str | None = None,
) -> Selection:
    """What the arguments and options select. Raises CommandError unless they select in one way.

    `takes_jobs` is False for a command whose jobs cannot be named. `key` is the idempotency key of a command that
    takes one for a single job, too.
    """
    key = key or values.get("idempotency_key")
    chosen = {member: values[name] for name, member in FILTERS.items() if values.get(name) is not None}
    if jobs and (chosen or values.get("every")):
        raise CommandError("give jobs, or options that filter jobs, not both", Exit.USAGE)
    if chosen and values.get("every"):
        raise CommandError("--all contradicts the other filters: give one or the other", Exit.USAGE)
    if jobs:
        given = [name for name in _ONLY_BULK if values.get(name)]
        if given:
            raise CommandError(
                f"--{given[0].replace('_', '-')} is for many jobs, chosen by a filter", Exit.USAGE
            )
        return Selection(tuple(jobs), None)
    if not chosen and not values.get("every"):
        named = "a JOB, " if takes_jobs else ""
        raise CommandError(f"which jobs? Give {named}a filter such as --tag, or --all", Exit.USAGE)
    for name, option in _INSTANTS.items():
        if name in chosen:
            # Fixed once: the dry run and the operation must have the same filter.
            chosen[name] = sent(session, option, chosen[name], key)
    return Selection(
        jobs=(),
        filter=chosen,
        rate=values.get("rate"),
        is_dry_run=bool(values.get("dry_run")),
        yes=bool(values.get("yes")),
        waits=not values.get("no_wait"),
        idempotency_key=key,
    )
