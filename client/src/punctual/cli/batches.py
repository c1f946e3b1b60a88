"""`punctual batch`: many new jobs from a file."""

import json
from shlex import quote
from typing import Annotated, Any

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.output import Column
from punctual.cli.session import session_of

MOST_WITHOUT_KEY = 100
UNKNOWN = 503
"""The status of a job that may have been created."""
LINES = "one job in each line, or one list of jobs, each as in the body of POST /v1/jobs"


def _problem(name: str) -> Any:
    return lambda numbered: getattr(numbered[1].problem, name) if numbered[1].problem else None


COLUMNS = (
    Column("job", lambda numbered: numbered[0]),
    Column("status", lambda numbered: numbered[1].status),
    Column("id", lambda numbered: numbered[1].job.id if numbered[1].job else None),
    Column("refused for", _problem("detail"), folds=True),
)
"""The columns of pairs: the place of a job in the file, from 0, and its result."""


def create_batch(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help=f"JSON: {LINES}; - is standard input.", show_default=False)
    ],
    idempotency_key: Annotated[
        str | None,
        typer.Option(
            help="With the same key each job is created once. More than 100 jobs need it.", metavar="KEY"
        ),
    ] = None,
) -> None:
    """Create many jobs from a file, each accepted or refused by itself; 6 if any is refused."""
    session = session_of(context)
    jobs = _jobs(session.content(file))
    key = idempotency_key or _new_key(jobs)
    results = session.client.jobs.batch(jobs, idempotency_key=key).results
    session.out.list(enumerate(results), COLUMNS, data=results)
    unknown = sum(1 for each in results if each.status == UNKNOWN)
    if unknown:
        raise CommandError(
            f"of {unknown} of {len(results)} jobs it is not known whether they were created",
            Exit.UNAVAILABLE,
            hint=f"with this option, the same command creates each job once: --idempotency-key {quote(key or '')}",
        )
    refused = sum(1 for each in results if each.job is None)
    if refused:
        raise CommandError(f"{refused} of {len(results)} jobs were not created", Exit.REFUSED)


def _new_key(jobs: list[dict[str, Any]]) -> str | None:
    """A key for one request. A file that needs several has to bring its own, in case that the command breaks off."""
    from uuid import uuid4

    return str(uuid4()) if len(jobs) <= MOST_WITHOUT_KEY else None


def _jobs(content: bytes) -> list[dict[str, Any]]:
    """The jobs of a file. Raises CommandError, without the content, which may have secrets."""
    try:
        text = content.decode()
        if text.lstrip().startswith("["):
            found = json.loads(text)
        else:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        place = f": {error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise CommandError(f"the file is no JSON{place}", Exit.USAGE, hint=f"give {LINES}") from None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise CommandError("the file has something else than jobs", Exit.USAGE, hint=f"give {LINES}")
    return found


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("batch")(create_batch)
