"""`punctual create` and `edit`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.job_changes import changes_between
from punctual.cli.job_members import checked_new, cleared, members_of_job, without_headers
from punctual.cli.job_options import ANNOTATIONS
from punctual.cli.jobs_of import find_job
from punctual.cli.jobs_read import ROWS
from punctual.cli.options import JobArgument, with_options
from punctual.cli.session import Session, session_of

if TYPE_CHECKING:
    from punctual.models import Job


@with_options(ANNOTATIONS)
def create_job(
    context: typer.Context,
    key: Annotated[
        str | None,
        typer.Option(
            "--key", help="Your own name for a recurring job: create the job with it, or change it to this."
        ),
    ] = None,
    set_: Annotated[str | None, typer.Option("--set", help="The set of a job with --key.")] = None,
    idempotency_key: Annotated[
        str | None, typer.Option(help="With the same key the job is created once.", show_default=False)
    ] = None,
    if_match: Annotated[
        int | None,
        typer.Option(metavar="REVISION", help="With --key: change only this revision, and create nothing."),
    ] = None,
    **values: Any,
) -> None:
    """Create a job that runs once, on a cron line or at an interval."""
    session = session_of(context)
    job = members_of_job(session, values)
    checked_new(job)
    if key is None:
        if set_ is not None:
            raise CommandError("--set needs --key", Exit.USAGE)
        if if_match is not None:
            raise CommandError("--if-match needs --key", Exit.USAGE)
        session.show_one(session.client.jobs.create(**job, idempotency_key=idempotency_key), ROWS)
        return
    if idempotency_key is not None:
        raise CommandError(
            "--idempotency-key is not needed with --key: a repetition changes nothing", Exit.USAGE
        )
    _put(session, key, job if set_ is None else {**job, "set": set_}, if_match)


def _put(session: Session, key: str, job: dict[str, Any], if_match: int | None) -> None:
    done = session.client.jobs.put(key, if_match=if_match, **job)
    session.note(f"{done.change}: {key}")
    if done.job is not None:
        session.show_one(done.job, ROWS)


@with_options(ANNOTATIONS)
def edit_job(
    context: typer.Context,
    job: JobArgument,
    clear: Annotated[
        list[str] | None,
        typer.Option(help="An option whose default is restored, such as name.", metavar="OPTION"),
    ] = None,
    remove_header: Annotated[
        list[str] | None, typer.Option(help="A header that the request has no more.", metavar="NAME")
    ] = None,
    if_match: Annotated[
        int | None, typer.Option(metavar="REVISION", help="Change only this revision of the job.")
    ] = None,
    **values: Any,
) -> None:
    """Change a job, and show what has changed. What is not given stays as it is, and --tag replaces all tags."""
    session = session_of(context)
    patch = without_headers(cleared(members_of_job(session, values), clear or ()), remove_header or ())
    if not patch:
        raise CommandError("nothing to change: give an option, or --clear OPTION", Exit.USAGE)
    before = find_job(session, job)
    after = session.client.jobs.update(before, if_match=if_match, **patch)
    _show_changes(session, patch, before, after)


def _show_changes(session: Session, patch: dict[str, Any], before: "Job", after: "Job") -> None:
    changes = changes_between(before, after, patch)
    lines = [
        f"{after.id}: revision {before.revision} → {after.revision}",
        *(f"  {each.text}" for each in changes),
    ]
    data = {"changes": [each.data for each in changes], "job": after}
    session.show("\n".join(lines) if changes else f"{after.id} is unchanged", data)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("create")(create_job)
    app.command("edit")(edit_job)
