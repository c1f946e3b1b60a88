"""`punctual why`: in words, why a run was late, failed, has not started, or did not run."""

from collections.abc import Iterable, Iterator
from datetime import datetime, tzinfo
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from punctual.cli.jobs_of import find_job
from punctual.cli.run_texts import attempt_outcome
from punctual.cli.session import Session, session_of
from punctual.cli.texts import escaped, local

if TYPE_CHECKING:
    from punctual.models import Execution, ExecutionDetail, Explanation, Job

_RUN = "exe_"
_FAILING = frozenset({"failed", "waiting"})
_UNSTARTED = frozenset({"pending", "queued", "waiting"})
"""A run that waits for another attempt counts as well."""
SEARCHED = 200
"""So many of the newest executions of a job are searched for one that waits."""


def why(
    context: typer.Context,
    of: Annotated[
        str,
        typer.Argument(
            metavar="JOB|RUN",
            help="The id of an execution; or a job, of which the run that waits or else the last one is explained.",
            show_default=False,
        ),
    ],
) -> None:
    """Say why a run was late, failed, has not started, or did not run."""
    session = session_of(context)
    run_id = of if of.startswith(_RUN) else _run_of(session, find_job(session, of))
    if run_id is None:
        return
    explanation = session.client.executions.explain(run_id)
    failing = session.client.executions.get(run_id) if explanation.state in _FAILING else None
    lines = texts(explanation, failing, session.around.zone)
    session.show("\n".join(map(escaped, lines)), explanation)


def _run_of(session: Session, job: "Job") -> str | None:
    """The id of the run to explain; None after a job without one was explained itself."""
    newest = islice(session.client.jobs.iterate_executions(job), SEARCHED)
    run = chosen(newest, session.around.now())
    if run is not None:
        return run.id
    session.show("\n".join(map(escaped, _without_run(job, session.around.zone))), job)
    return None


def chosen(newest: "Iterable[Execution]", now: datetime) -> "Execution | None":
    """Of a job's executions, newest first: the oldest that is due and has not started, or else the newest that is
    due."""
    due = [run for run in newest if run.due_at <= now or run.state not in _UNSTARTED]
    unstarted = [run for run in due if run.state in _UNSTARTED]
    return unstarted[-1] if unstarted else due[0] if due else None


def _without_run(job: "Job", zone: tzinfo | None) -> Iterator[str]:
    yield f"{job.name or job.id} has not run yet."
    if job.next_due_at is not None:
        yield f"Its next run is due at {local(job.next_due_at, zone)}."
    elif job.no_next_run:
        yield job.no_next_run


def texts(
    explanation: "Explanation", failing: "ExecutionDetail | None", zone: tzinfo | None
) -> Iterator[str]:
    """An explanation as lines. The sentences are those of the API."""
    named = f" of {explanation.name}" if explanation.name else f" of {explanation.job_id}"
    yield f"{explanation.id}{named}, due at {local(explanation.due_at, zone)}"
    yield explanation.summary
    wait = explanation.waiting_for
    if wait is not None and wait.until is not None:
        yield f"It starts at {local(wait.until, zone)} at the earliest."
    if failing is not None and failing.attempts:
        last = failing.attempts[-1]
        yield f"Attempt {last.number} ended with {attempt_outcome(last)}."
    if failing is not None and failing.last_response_body:
        yield f"The receiver answered: {failing.last_response_body}"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("why")(why)
