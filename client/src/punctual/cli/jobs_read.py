"""`punctual list` and `get`: jobs as they are."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from punctual.aws_targets import target_parts
from punctual.cli.jobs_of import find_job, find_job_id
from punctual.cli.list_options import PAGE, All, Limit, shown
from punctual.cli.options import JobArgument
from punctual.cli.output import Column
from punctual.cli.session import session_of

if TYPE_CHECKING:
    from punctual.models import Schedule

State = Literal[
    "active",
    "cancelled",
    "completed",
    "deleted",
    "deleting",
    "failed",
    "paused",
    "pausing",
    "pending",
    "queued",
    "running",
    "skipped",
    "succeeded",
    "updating",
    "waiting",
]
Kind = Literal["once", "cron", "rate", "backfill"]


def schedule_text(schedule: "Schedule") -> str:
    """The schedule in short, such as `30 2 * * * Europe/Berlin`; `once` for an instant."""
    if schedule.at is not None:
        return "once"
    if schedule.rate_seconds is not None:
        return f"every {schedule.rate_seconds} s"
    line = schedule.cron or schedule.expression or ""
    line = f"{line} {schedule.timezone}" if schedule.timezone else line
    if schedule.calendar is None:
        return line
    days = f"business day {schedule.business_day}" if schedule.business_day else schedule.when_excluded
    return f"{line}, {schedule.calendar} {days or ''}".rstrip()


COLUMNS = (
    Column("id", lambda job: job.id),
    Column("key", lambda job: job.key, folds=True),
    Column("name", lambda job: job.name, folds=True),
    Column("state", lambda job: job.state),
    Column("schedule", lambda job: schedule_text(job.schedule), folds=True),
    Column("next run", lambda job: job.next_due_at),
    Column("tags", lambda job: job.tags, folds=True),
)


def _last(name: str) -> Any:
    return lambda job: getattr(job.last_run, name) if job.last_run else None


def _targets(job: Any) -> list[tuple[str, Any]]:
    """The service that the job sends to, if it has a target."""
    return target_parts(job.target) if job.target else []


def _of_target(name: str) -> Any:
    return lambda job: next((getattr(each, name, None) for _, each in _targets(job)), None)


def _lag_text(job: Any) -> str | None:
    lag_ms = job.last_run.lag_ms if job.last_run else None
    return None if lag_ms is None else f"{lag_ms} ms"


LAST_RUN = (
    Column("last run was", _last("state")),
    Column("late by", _lag_text),
)
ROWS = (
    Column("id", lambda job: job.id),
    Column("key", lambda job: job.key),
    Column("set", lambda job: job.set),
    Column("name", lambda job: job.name),
    Column("state", lambda job: job.state),
    Column("pause reason", lambda job: job.pause_reason),
    Column("schedule", lambda job: schedule_text(job.schedule)),
    Column("at", lambda job: job.schedule.at),
    Column("next run", lambda job: job.next_due_at),
    Column("no next run", lambda job: job.no_next_run),
    Column("last run", _last("execution_id")),
    Column("last run was", _last("state")),
    Column("last run began", _last("started_at")),
    Column("request", lambda job: f"{job.request.method} {job.request.url}" if job.request else None),
    Column("workflow", lambda job: job.workflow),
    Column("sends to", lambda job: next((each.arn for _, each in _targets(job)), None)),
    Column("invocation type", _of_target("invocation_type")),
    Column("message group", _of_target("message_group_id")),
    Column("source", _of_target("source")),
    Column("detail type", _of_target("detail_type")),
    Column("tags", lambda job: job.tags or None),
    Column("lane", lambda job: job.lane),
    Column("attempts", lambda job: job.retry.max_attempts),
    Column("timeout", lambda job: f"{job.timeout_seconds} s"),
    Column("overlap", lambda job: job.overlap_policy),
    Column("catch up", lambda job: job.catch_up),
    Column("on success", lambda job: job.on_success),
    Column("on failure", lambda job: job.on_failure),
    Column("signing secret", lambda job: job.signing_secret),
    Column("created", lambda job: job.created_at),
    Column("revision", lambda job: job.revision),
)


def list_jobs(
    context: typer.Context,
    tag: Annotated[str | None, typer.Option(help="Only jobs with this tag.")] = None,
    state: Annotated[State | None, typer.Option(help="Only jobs in this state.")] = None,
    kind: Annotated[Kind | None, typer.Option(help="Only jobs of this kind.")] = None,
    name: Annotated[str | None, typer.Option(help="Only jobs whose name begins with this text.")] = None,
    set_: Annotated[str | None, typer.Option("--set", help="Only recurring jobs of this set.")] = None,
    backfill_of: Annotated[
        str | None, typer.Option(metavar="JOB", help="Only the backfills of this job.")
    ] = None,
    last_run: Annotated[
        bool, typer.Option("--last-run", help="Show how the last run of each job ended, too.")
    ] = False,
    limit: Limit = PAGE,
    all_: All = False,
) -> None:
    """List jobs: recurring jobs by id, then one-off jobs by due time."""
    session = session_of(context)
    of = None if backfill_of is None else find_job_id(session, backfill_of)
    jobs = session.client.jobs.iterate(
        tag=tag,
        state=state,
        kind=kind,
        q=name,
        set=set_,
        backfill_of=of,
        include="last_run" if last_run else None,
    )
    columns = (*COLUMNS, *LAST_RUN) if last_run else COLUMNS
    session.show_list(shown(session, jobs, limit, all_), columns, empty="no jobs")


def get_job(context: typer.Context, job: JobArgument) -> None:
    """Show a job: its definition, its state, its next run and its last one."""
    session = session_of(context)
    session.show_one(find_job(session, job), ROWS)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("list")(list_jobs)
    app.command("get")(get_job)
