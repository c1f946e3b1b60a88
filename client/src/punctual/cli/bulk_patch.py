"""`punctual bulk patch`: the same members for all jobs that match a filter."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from punctual.cli.bulk_change import change_jobs
from punctual.cli.exits import CommandError, Exit
from punctual.cli.job_members import PARTS, members_of_job
from punctual.cli.job_options import SCHEDULE, SETTINGS
from punctual.cli.options import with_options
from punctual.cli.selection import WITH_KEY, selection
from punctual.cli.session import session_of

JITTER = "jitter_seconds"
"""The only member of a schedule that many jobs can get; in a bulk patch it stands beside the others."""
_OF_ONE_JOB = ("name", "tags", "start_deadline_seconds", "when_suspended", "workflow")
PATCHED = (
    *(each for each in SCHEDULE if each.member == JITTER),
    *(each for each in SETTINGS if each.part or each.member not in _OF_ONE_JOB),
)
"""The options of `create` and `edit` for members that a bulk patch can have."""
_CLEARED = {
    **{each.flag.lstrip("-"): each.member for each in PATCHED if each.part not in PARTS},
    **{part: part for part in PARTS},
}
"""What `--clear` takes, and the member of the patch: `retry` and `alerts` are replaced as a whole."""


@with_options({**WITH_KEY, **{each.name: each.annotation for each in PATCHED}})
def patch_jobs(
    context: typer.Context,
    add_tag: Annotated[
        list[str] | None, typer.Option(help="A tag that every job gets.", metavar="TAG")
    ] = None,
    remove_tag: Annotated[
        list[str] | None, typer.Option(help="A tag that no job has any more.", metavar="TAG")
    ] = None,
    clear: Annotated[
        list[str] | None,
        typer.Option(help="An option whose default is restored, such as timeout.", metavar="OPTION"),
    ] = None,
    **values: Any,
) -> None:
    """Change all recurring jobs that match a filter. What is not given stays as each job has it.

    Retries are replaced as a whole by any of their options, and so are alerts.
    """
    session = session_of(context)
    chosen = selection(session, None, values, takes_jobs=False)
    patch = members_of_job(session, values)
    patch.update(patch.pop("schedule", {}))
    for member, tags in (("add_tags", add_tag), ("remove_tags", remove_tag)):
        if tags:
            patch[member] = tags
    patch.update(_nulls(clear or (), patch))
    if not patch:
        raise CommandError(
            "nothing to change: give an option, --add-tag, --remove-tag or --clear", Exit.USAGE
        )
    change_jobs(session, "patch", chosen, patch=patch)


def _nulls(names: Iterable[str], patch: Mapping[str, Any]) -> dict[str, None]:
    """The members that `--clear` names. Raises CommandError."""
    members: dict[str, None] = {}
    for given in names:
        name = given.lstrip("-")
        member = _CLEARED.get(name)
        if member is None:
            raise CommandError(
                f"--clear {given!r} is nothing that many jobs can have: give one of {', '.join(sorted(_CLEARED))}",
                Exit.USAGE,
            )
        if member in patch:
            raise CommandError(f"--clear {name} contradicts another option", Exit.USAGE)
        members[member] = None
    return members
