"""`punctual pause`, `resume`, `trigger` and `delete`: jobs that are named, or all that match a filter."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from punctual.cli.bulk_change import change_jobs
from punctual.cli.exits import CommandError, Exit
from punctual.cli.jobs_of import find_job_id
from punctual.cli.jobs_read import COLUMNS
from punctual.cli.options import DURATION, JobArguments, seconds, with_options
from punctual.cli.run_texts import RUN_COLUMNS
from punctual.cli.selection import SELECTION_OPTIONS, WITH_KEY, selection
from punctual.cli.session import Session, session_of

if TYPE_CHECKING:
    from punctual.models import Execution, ExecutionDetail


def _each(session: Session, jobs: tuple[str, ...], change: Callable[[str], Any]) -> None:
    """Change jobs one after another, and show those that were changed, also when one of them fails."""
    ids = [find_job_id(session, named) for named in jobs]
    changed: list[Any] = []
    try:
        for job in ids:
            changed.append(change(job))  # noqa: PERF401 - kept when one fails
    finally:
        if changed:
            session.show_list(changed, COLUMNS, empty="")


@with_options(WITH_KEY)
def pause_jobs(
    context: typer.Context,
    jobs: JobArguments = None,
    reason: Annotated[str | None, typer.Option(help="Shown with the job.", metavar="TEXT")] = None,
    **values: Any,
) -> None:
    """Pause recurring jobs: no run starts until they are resumed."""
    session = session_of(context)
    chosen = selection(session, jobs, values)
    if chosen.filter is not None:
        change_jobs(session, "pause", chosen, reason=reason)
    else:
        _each(session, chosen.jobs, lambda job: session.client.jobs.pause(job, reason=reason))


@with_options(WITH_KEY)
def resume_jobs(context: typer.Context, jobs: JobArguments = None, **values: Any) -> None:
    """Resume paused jobs with their next instant; what was skipped meanwhile never runs."""
    session = session_of(context)
    chosen = selection(session, jobs, values)
    if chosen.filter is not None:
        change_jobs(session, "resume", chosen)
    else:
        _each(session, chosen.jobs, session.client.jobs.resume)


@with_options(WITH_KEY)
def delete_jobs(
    context: typer.Context,
    jobs: JobArguments = None,
    stop_retries: Annotated[
        bool, typer.Option("--stop-retries", help="Also end runs that wait for a retry. For named jobs.")
    ] = False,
    grace: Annotated[
        int | None,
        typer.Option(
            help="With a filter: delete after this many hours, and pause until then; 24 by default.",
            metavar="HOURS",
        ),
    ] = None,
    **values: Any,
) -> None:
    """Delete recurring jobs, and cancel one-off jobs that have not started."""
    session = session_of(context)
    chosen = selection(session, jobs, values)
    if chosen.filter is not None:
        if stop_retries:
            raise CommandError("--stop-retries is for jobs that are named", Exit.USAGE)
        change_jobs(session, "delete", chosen, **({} if grace is None else {"grace_hours": grace}))
        return
    if grace is not None:
        raise CommandError("--grace is for many jobs, chosen by a filter", Exit.USAGE)
    _each(
        session, chosen.jobs, lambda job: session.client.jobs.cancel(job, stop_retries=stop_retries or None)
    )


@with_options(SELECTION_OPTIONS)
def trigger_jobs(
    context: typer.Context,
    jobs: JobArguments = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the end of the run; 1 if it fails.")] = False,
    timeout: Annotated[str, typer.Option(help="The longest wait.", metavar=DURATION)] = "10m",
    idempotency_key: Annotated[
        str | None,
        typer.Option(
            help="With the same key the same command takes effect once. For one job, or with a filter.",
            metavar="KEY",
        ),
    ] = None,
    **values: Any,
) -> None:
    """Run recurring jobs once more, now."""
    session = session_of(context)
    chosen = selection(session, jobs, values, key=idempotency_key)
    if chosen.filter is not None:
        if wait:
            raise CommandError("--wait is for jobs that are named", Exit.USAGE)
        change_jobs(session, "trigger", chosen)
        return
    if idempotency_key and len(chosen.jobs) > 1:
        raise CommandError("--idempotency-key is for one job", Exit.USAGE)
    limit = seconds(timeout, "--timeout")
    runs = _triggered(session, chosen.jobs, idempotency_key)
    if wait:
        _show_ends(session, runs, limit)
    else:
        session.show_list(runs, RUN_COLUMNS, empty="")


def _triggered(session: Session, jobs: tuple[str, ...], key: str | None) -> "list[Execution]":
    runs: list[Execution] = []
    ids = [find_job_id(session, named) for named in jobs]
    try:
        for job in ids:
            runs.append(session.client.jobs.trigger(job, idempotency_key=key))  # noqa: PERF401 - kept when one fails
    except Exception:
        if len(ids) > 1:
            session.warn(f"{jobs[len(runs)]} failed, and the jobs after it were not triggered")
        raise
    finally:
        for run in runs:
            session.note(f"{run.id} of {run.job_id} begins")
    return runs


def _show_ends(session: Session, runs: "list[Execution]", limit: int) -> None:
    ended: list[ExecutionDetail] = []
    deadline = session.around.monotonic() + limit
    for run in runs:
        left = max(0.0, deadline - session.around.monotonic())
        end = session.client.wait_for(run, timeout=left)
        if end.execution is not None:
            ended.append(end.execution)
    session.show_list(ended, RUN_COLUMNS, empty="")
    failed = [each for each in ended if each.state != "succeeded"]
    if failed:
        raise CommandError(
            f"{len(failed)} of {len(ended)} runs did not succeed",
            hint=f"punctual why {failed[0].id}",
        )


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("pause")(pause_jobs)
    app.command("resume")(resume_jobs)
    app.command("trigger")(trigger_jobs)
    app.command("delete")(delete_jobs)
