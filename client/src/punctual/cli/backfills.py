"""`punctual backfill`: the runs of a past range."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from punctual.cli.jobs_of import find_job_id
from punctual.cli.jobs_read import ROWS
from punctual.cli.list_options import IdempotencyKey, sent
from punctual.cli.options import DURATION, JobArgument, seconds
from punctual.cli.output import Column
from punctual.cli.session import Session, session_of

if TYPE_CHECKING:
    from punctual.models import BackfillPlan

SHOWN = 10
PLAN_ROWS = (
    Column("runs", lambda plan: plan.count),
    Column("of", lambda plan: plan.of),
    Column("from", lambda plan: plan.since),
    Column("to", lambda plan: plan.until),
    Column("first", lambda plan: plan.first_at),
    Column("last", lambda plan: plan.last_at),
    Column("one every", lambda plan: f"{plan.every_seconds} s"),
)


def backfill_job(
    context: typer.Context,
    job: JobArgument,
    since: Annotated[str, typer.Option("--from", help="The start, such as 2030-01-01T00:00:00Z or 7d.")],
    until: Annotated[str, typer.Option("--to", help="The end, not in the future; it is not included.")],
    every: Annotated[
        str | None,
        typer.Option(help="The time between the starts of two runs; 1 s by default.", metavar=DURATION),
    ] = None,
    lane: Annotated[
        Literal["critical", "standard", "bulk"] | None, typer.Option(help="The queue; bulk by default.")
    ] = None,
    overlap: Annotated[
        Literal["allow", "skip", "queue_one"] | None,
        typer.Option(help="What a run does whose predecessor has not ended."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the runs; create nothing.")] = False,
    idempotency_key: IdempotencyKey = None,
) -> None:
    """Run a recurring job for the instants of a past range. The backfill is a job of its own."""
    session = session_of(context)
    given = {
        "every_seconds": None if every is None else seconds(every, "--every"),
        "lane": lane,
        "overlap_policy": overlap,
    }
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    jobs, of = session.client.jobs, find_job_id(session, job)
    if dry_run:
        plan: BackfillPlan = jobs.backfill(of, since=since, until=until, dry_run=True, **options)
        _show_plan(session, plan)
        return
    first, end = (
        sent(session, option, when, idempotency_key) or when
        for option, when in (("--from", since), ("--to", until))
    )
    made = jobs.backfill(of, since=first, until=end, idempotency_key=idempotency_key, **options)
    session.show_one(made, ROWS)
    session.note(f"to stop it: punctual delete {made.id}")


def _show_plan(session: Session, plan: "BackfillPlan") -> None:
    session.show_one(plan, PLAN_ROWS)
    for instant in plan.instants[:SHOWN]:
        session.note(f"  {session.local(instant)}")
    if plan.count > SHOWN:
        session.note(f"  and {plan.count - SHOWN} more")
    session.note("nothing was created")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("backfill")(backfill_job)
