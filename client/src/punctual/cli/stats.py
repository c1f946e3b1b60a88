"""`punctual stats` and `busiest`: counts by outcome, and how late calls began, as numbers and as small bars."""

from collections.abc import Callable, Iterator, Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from punctual.cli.durations import duration
from punctual.cli.exits import CommandError, Exit
from punctual.cli.jobs_of import find_job_id
from punctual.cli.list_options import AnyJob, Since, Until
from punctual.cli.output import Column, Format
from punctual.cli.session import Session, session_of
from punctual.cli.sparklines import joined, sparkline
from punctual.cli.texts import escaped, local
from punctual.cli.workflows_of import is_workflow_id, workflow_id

if TYPE_CHECKING:
    from punctual.models import BusiestJobs, StatBucket, Statistics

WIDTH = 60
"""The most bars in a line; a range with more steps joins several in one bar."""
Step = Literal["minute", "hour", "day"]
By = Annotated[Step, typer.Option("--by", help="The length of a step.")]

COLUMNS = (
    Column("from", lambda step: step.from_at),
    Column("until", lambda step: step.until_at),
    Column("complete", lambda step: step.complete),
    Column("ended", lambda step: step.ended),
    Column("failed", lambda step: step.failed),
    Column("lag p50 ms", lambda step: step.lag.p50_ms),
    Column("lag p99 ms", lambda step: step.lag.p99_ms),
    Column("not counted", lambda step: step.uncounted_due),
)


_BUSIEST = (
    Column("job", lambda job: job.job_id),
    Column("tenant", lambda job: job.tenant_id),
    Column("ended", lambda job: job.ended),
    Column("failed", lambda job: job.failed),
)
Day = Annotated[
    str | None,
    typer.Option("--day", metavar="DATE", help="A day in UTC that is over; by default the latest one."),
]


Workflow = Annotated[
    str | None,
    typer.Option(
        "--workflow",
        metavar="WORKFLOW",
        help="The id or the key of a workflow: the executions of its tasks alone.",
        show_default=False,
    ),
]


def show_stats(
    context: typer.Context,
    job: AnyJob = None,
    workflow: Workflow = None,
    by: By = "hour",
    since: Since = None,
    until: Until = None,
) -> None:
    """Show how many executions ended and failed, and how late their calls began, step by step.

    Those of one job reach back 14 days. For earlier days use `punctual busiest --day`, or
    `punctual searches create --job`. Those of a workflow reach back as far as the archive.
    """
    session = session_of(context)
    if job is not None and workflow is not None:
        raise CommandError("give a job or --workflow, not both", Exit.USAGE)
    if workflow is not None:
        only: str | None = workflow_id(session, "--workflow", workflow)
    else:
        only = job if job is None or is_workflow_id(job) else find_job_id(session, job)
    show_statistics(session, session.client.stats.get(by=by, since=since, until=until, job=only))


def show_statistics(session: Session, statistics: "Statistics") -> None:
    """Show the statistics of a tenant, of a job or of all tenants. CSV has a line for each step."""
    if session.format is Format.CSV:
        session.show_list(statistics.buckets, COLUMNS, empty="")
        return
    lines = texts(statistics, session.around.zone)
    session.show("\n".join(map(escaped, lines)), statistics)


def show_busiest(context: typer.Context, day: Day = None) -> None:
    """List the recurring jobs with the most executions of a day."""
    session = session_of(context)
    show_busiest_jobs(session, session.client.stats.busiest_jobs(day=day))


def show_busiest_jobs(session: Session, found: "BusiestJobs") -> None:
    """Show the jobs with the most executions, and whether all of the day is counted."""
    if session.format in (Format.JSON, Format.YAML):
        session.out.data(found)
        return
    session.show_list(found.jobs, _BUSIEST, empty="no recurring job has run")
    counted = "all counted" if found.complete else "not all counted yet"
    session.note(f"{found.ended} executions, {counted}; {found.job_count} recurring jobs")


def texts(statistics: "Statistics", zone: tzinfo | None) -> Iterator[str]:
    """The sums of a range, each beside its steps as bars."""
    total, steps = statistics.total, statistics.buckets
    yield f"{local(statistics.from_at, zone)} to {local(statistics.until_at, zone)}, by {statistics.by}"
    yield ""
    yield _line("ended", str(total.ended), _bars(steps, lambda step: step.ended))
    yield _line("failed", str(total.failed), _bars(steps, lambda step: step.failed))
    yield _line("lag p50", duration(total.lag.p50_ms), _bars(steps, lambda step: step.lag.p50_ms, max))
    yield _line("lag p99", duration(total.lag.p99_ms), _bars(steps, lambda step: step.lag.p99_ms, max))
    yield from _named("states", total.states)
    yield from _named("reasons", total.end_reasons)
    yield from _named("answers", total.statuses)
    yield ""
    yield from _completeness(statistics, zone)


def _line(name: str, value: str, bars: str) -> str:
    return f"{name:<8}  {value:>9}  {bars}".rstrip()


def _bars(
    steps: "tuple[StatBucket, ...]",
    value: "Callable[[StatBucket], float | None]",
    join: Callable[[Any], float] = sum,
) -> str:
    return sparkline(joined([value(step) for step in steps], WIDTH, join))


def _named(name: str, counts: Mapping[str, int] | None) -> Iterator[str]:
    if counts:
        ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        yield f"{name:<8}  " + ", ".join(f"{each} {count}" for each, count in ordered)


def _completeness(statistics: "Statistics", zone: tzinfo | None) -> Iterator[str]:
    """How far the counts are complete, and what is not in them yet."""
    until = statistics.complete_until
    if until == statistics.until_at:
        yield "Each execution that was due in this range is counted."
        return
    yield f"Complete until {local(until, zone)}." if until else "No step is complete yet."
    due = [step.uncounted_due for step in statistics.buckets if step.uncounted_due]
    failed = [step.uncounted_failed for step in statistics.buckets if step.uncounted_failed]
    if due:
        yield f"Not counted yet: {sum(due)} executions that were due, {sum(failed)} of them failed."


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("stats")(show_stats)
    app.command("busiest")(show_busiest)
