"""`punctual next` and `preview`: the runs that a job, or a schedule, is going to have."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from punctual.cli.clock_changes import calendar
from punctual.cli.exits import CommandError, Exit
from punctual.cli.job_members import KINDS, members_of_job
from punctual.cli.job_options import SCHEDULE
from punctual.cli.jobs_of import find_job
from punctual.cli.list_options import AnyJob
from punctual.cli.options import DURATION, seconds, with_options
from punctual.cli.output import Column
from punctual.cli.session import session_of
from punctual.cli.texts import escaped

if TYPE_CHECKING:
    from punctual.models import SchedulePreview

_EVENTBRIDGE = ("cron(", "rate(", "at(")


def _local(local: str, offset: str) -> str:
    """A local time with its day of the week, such as `Mon 2025-02-21 02:30:00 +01:00`."""
    return f"{datetime.fromisoformat(local):%a %Y-%m-%d %H:%M:%S} {offset}"


_NEXT = (
    Column("run", lambda run: _local(run.local, run.offset)),
    Column("due", lambda run: run.due_at),
)
_SOON = (
    Column("at", lambda run: run.at),
    Column("job", lambda run: run.job_id),
    Column("run", lambda run: run.execution_id),
    Column("attempt", lambda run: run.attempt),
    Column("basis", lambda run: run.basis),
)


def next_runs(
    context: typer.Context,
    job: AnyJob = None,
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=100, help="How many runs to show.")] = 10,
    within: Annotated[
        str | None,
        typer.Option("--within", metavar=DURATION, help="Of all jobs: how far to look ahead; 5m by default."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="INSTANT", help="Of all jobs: look ahead from this instant on; now by default."
        ),
    ] = None,
) -> None:
    """List the next runs of a job in its zone, and when each is due with its jitter; or the next calls of all jobs."""
    session = session_of(context)
    if job is None:
        ahead = None if within is None else seconds(within, "--within")
        found = islice(session.client.upcoming.iterate(within=ahead, since=since, limit=count), count)
        session.show_list(found, _SOON, empty="nothing is due: --within 24h looks farther ahead")
        return
    if within is not None or since is not None:
        raise CommandError("--within and --from are for all jobs: give -n for one", Exit.USAGE)
    of = find_job(session, job)
    upcoming = session.client.jobs.upcoming(of, count=count)
    session.show_list(upcoming.runs, _NEXT, empty=of.no_next_run or "no next run")


@with_options({each.name: each.annotation for each in SCHEDULE})
def preview(
    context: typer.Context,
    schedule: Annotated[
        str | None,
        typer.Argument(
            metavar="SCHEDULE",
            help='A cron line such as "30 2 * * *", an alias such as @daily, or EventBridge\'s cron(...) or rate(...).',
            show_default=False,
        ),
    ] = None,
    **values: Any,
) -> None:
    """Show what a schedule would do: its next runs, and a calendar of the clock changes that affect it.

    The options are those of `punctual create`. Nothing is stored.
    """
    session = session_of(context)
    members = members_of_job(session, values).get("schedule", {})
    previewed = session.client.schedules.preview(**members, **_kind(schedule, members))
    session.show("\n".join(map(escaped, texts(previewed))), previewed)


def _kind(schedule: str | None, members: dict[str, Any]) -> dict[str, Any]:
    """The member that an argument stands for; CommandError unless there is exactly one kind of schedule."""
    if (schedule is None) != any(kind in members for kind in KINDS):
        raise CommandError(
            'give a SCHEDULE such as "30 2 * * *", or one option such as --every 5m', Exit.USAGE
        )
    if schedule is None:
        return {}
    is_expression = schedule.strip().lower().startswith(_EVENTBRIDGE)
    return {"expression" if is_expression else "cron": schedule}


def texts(preview: "SchedulePreview") -> Iterator[str]:
    """A preview as lines: its description, its runs, the calendar of clock changes, and warnings."""
    yield preview.description
    yield ""
    for run in preview.runs:
        yield f"  {_local(run.local, run.offset)}"
    if not preview.runs:
        yield "  no runs"
    yield ""
    yield from _calendar(preview)
    for warning in preview.warnings:
        yield f"warning: {warning.text}"


def _calendar(preview: "SchedulePreview") -> Iterator[str]:
    entries = list(calendar(preview.clock_changes))
    if not entries:
        return
    yield f"The clocks of {preview.timezone} change:"
    widest = max(len(entry.times) for entry in entries)
    for entry in entries:
        yield f"  {entry.day}  {entry.clocks}  {entry.change:<7}  {entry.times:<{widest}}  {entry.effect}"
    yield ""


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("next")(next_runs)
    app.command("preview")(preview)
