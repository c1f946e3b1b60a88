"""`punctual searches`: executions of a long range, found into files."""

from datetime import timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from punctual.cli.dead import OfJob, OfLane, OfReason, OfStatus, OfTag
from punctual.cli.downloads import check_new, content_of, new_file
from punctual.cli.exits import CommandError, Exit
from punctual.cli.jobs_of import find_job_id
from punctual.cli.list_options import PAGE, All, IdempotencyKey, Limit, Until, sent, shown
from punctual.cli.output import Column
from punctual.cli.runs import State
from punctual.cli.session import Session, session_of

if TYPE_CHECKING:
    from punctual.models import SearchDetail

MARGIN = timedelta(minutes=1)
"""A file whose URL expires sooner is read by a new URL."""
SearchArgument = Annotated[
    str, typer.Argument(metavar="SEARCH", help="The id of a search.", show_default=False)
]

_COLUMNS = (
    Column("search", lambda search: search.id),
    Column("state", lambda search: search.state),
    Column("found", lambda search: search.found),
    Column("from", lambda search: search.since),
    Column("to", lambda search: search.until),
    Column("created", lambda search: search.created_at),
)
_ROWS = (
    *_COLUMNS,
    Column("job", lambda search: search.filter.job),
    Column("run state", lambda search: search.filter.state),
    Column("tag", lambda search: search.filter.tag),
    Column("reason", lambda search: search.filter.reason),
    Column("status", lambda search: search.filter.status),
    Column("lane", lambda search: search.filter.lane),
    Column("progress", lambda search: search.progress_at),
    Column("ended", lambda search: search.ended_at),
    Column("expires", lambda search: search.expires_at),
    Column("goes on at", lambda search: search.next_to),
    Column("files", lambda search: len(getattr(search, "files", ())) or None),
)


def create_search(
    context: typer.Context,
    since: Annotated[
        str,
        typer.Option(
            "--since",
            metavar="WHEN",
            help="Due at this instant or later: RFC 3339, or how long ago, such as 90d.",
        ),
    ],
    until: Until = None,
    state: Annotated[State | None, typer.Option("--state", help="Only executions in this state.")] = None,
    job: OfJob = None,
    tag: OfTag = None,
    reason: OfReason = None,
    status: OfStatus = None,
    lane: OfLane = None,
    idempotency_key: IdempotencyKey = None,
) -> None:
    """Search all executions of a range, in the background."""
    session = session_of(context)
    criteria: dict[str, Any] = {
        "state": state,
        "job": None if job is None else find_job_id(session, job),
        "tag": tag,
        "reason": reason,
        "status": status,
        "lane": lane,
    }
    chosen = {name: value for name, value in criteria.items() if value is not None}
    bounds = {
        name: at
        for name, option, when in (("since", "--since", since), ("until", "--until", until))
        if (at := sent(session, option, when, idempotency_key)) is not None
    }
    search = session.client.executions.search(filter=chosen, idempotency_key=idempotency_key, **bounds)
    session.show_one(search, _ROWS)
    session.note(f"`punctual searches show {search.id}` shows its progress")


def list_searches(context: typer.Context, limit: Limit = PAGE, all_: All = False) -> None:
    """List searches, newest first."""
    session = session_of(context)
    found = session.client.searches.iterate()
    session.show_list(shown(session, found, limit, all_), _COLUMNS, empty="no searches")


def show_search(context: typer.Context, search: SearchArgument) -> None:
    """Show the progress of a search. Only JSON and YAML have the URLs of its files, which need no key."""
    session = session_of(context)
    session.show_one(session.client.searches.get(search), _ROWS)


def cancel_search(context: typer.Context, search: SearchArgument) -> None:
    """Cancel a search that is still running. What it has found is dropped."""
    session = session_of(context)
    session.show_one(session.client.searches.cancel(search), _ROWS)


def download_search(
    context: typer.Context,
    search: SearchArgument,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The file to create, such as runs.ndjson.gz.", show_default=False
        ),
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Write what a search has found to a file: one JSON document a line, compressed with gzip."""
    session = session_of(context)
    check_new(file, force=force)
    found = session.client.searches.get(search)
    if not found.files:
        raise CommandError(_no_files(found), Exit.CONFLICT)
    with new_file(file, force=force) as target:
        _write(session, found, target)
        size = target.tell()
    rows = sum(part.rows for part in found.files)
    session.note(f"{rows} executions in {file} ({size} bytes): `gunzip -c` prints them")


def _no_files(search: "SearchDetail") -> str:
    if search.state == "finished":
        return "the search has found nothing, or its files have expired"
    return f"the search is {search.state}: it has files when it is finished"


def _write(session: Session, search: "SearchDetail", target: IO[bytes]) -> None:
    """Write the files of a search one after another: several gzip files are one."""
    signed = search
    for place, part in enumerate(search.files):
        if signed.urls_expire_at is not None and signed.urls_expire_at - session.around.now() < MARGIN:
            signed = session.client.searches.get(search)
        before = target.tell()
        for piece in content_of(signed.files[place].url):
            target.write(piece)
        if target.tell() - before != part.bytes:
            raise CommandError("a file of the search broke off: repeat the command", Exit.UNAVAILABLE)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    searches = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="Executions of a long range, found into files."
    )
    searches.command("create")(create_search)
    searches.command("list")(list_searches)
    searches.command("show")(show_search)
    searches.command("cancel")(cancel_search)
    searches.command("download")(download_search)
    app.add_typer(searches, name="searches")
