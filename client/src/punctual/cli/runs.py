"""`punctual runs` and `run`: executions, one or many, and what can be done with one."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from punctual.cli.exits import CommandError, Exit
from punctual.cli.jobs_of import find_job_id
from punctual.cli.list_options import PAGE, All, AnyJob, Limit, Since, Until, shown
from punctual.cli.output import Column
from punctual.cli.run_texts import RUN_COLUMNS, job_of, outcome, timeline
from punctual.cli.session import Session, session_of
from punctual.cli.texts import escaped

if TYPE_CHECKING:
    from punctual.models import Execution

State = Literal["pending", "queued", "running", "waiting", "succeeded", "failed", "cancelled", "skipped"]
Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="The id of an execution: the webhook-id of its calls.", show_default=False
    ),
]
_ROWS = (
    Column("run", lambda run: run.id),
    Column("job", job_of),
    Column("state", lambda run: run.state),
    Column("due", lambda run: run.due_at),
    Column("redrive of", lambda run: run.redrive_of),
    Column("outcome", lambda run: outcome(run) or None),
)


def list_runs(
    context: typer.Context,
    job: AnyJob = None,
    failed: Annotated[bool, typer.Option("--failed", help="The same as --state failed.")] = False,
    state: Annotated[State | None, typer.Option(help="Only executions in this state.")] = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = PAGE,
    all_: All = False,
) -> None:
    """List executions, newest first: those of a job, or those of all jobs."""
    session = session_of(context)
    if failed and state not in (None, "failed"):
        raise CommandError(f"--failed and --state {state} exclude each other: give one of them", Exit.USAGE)
    filters: dict[str, Any] = {"state": "failed" if failed else state, "since": since, "until": until}
    client = session.client
    if job is None:
        runs = client.executions.iterate(**filters)
    else:
        runs = client.jobs.iterate_executions(find_job_id(session, job), **filters)
    session.show_list(shown(session, runs, limit, all_), RUN_COLUMNS, empty="no executions")


def show_run(context: typer.Context, run: Run) -> None:
    """Show an execution with its attempts and their stages, from its due time to the end of its call."""
    session = session_of(context)
    found = session.client.executions.get(run)
    explanation = session.client.executions.explain(run)
    lines = timeline(found, explanation, session.around.zone)
    session.show("\n".join(map(escaped, lines)), {"execution": found, "explanation": explanation})


def cancel_run(
    context: typer.Context,
    run: Run,
    stop_retries: Annotated[
        bool, typer.Option("--stop-retries", help="Make an attempt that runs already the last one.")
    ] = False,
) -> None:
    """Cancel a redrive. Every other execution is cancelled with its job."""
    session = session_of(context)
    _show(session, session.client.executions.cancel(run, stop_retries=stop_retries or None))


def redrive_run(context: typer.Context, run: Run) -> None:
    """Repeat the request of a failed execution, now."""
    session = session_of(context)
    _show(session, session.client.executions.redrive(run))


def _show(session: Session, run: "Execution") -> None:
    session.show_one(run, _ROWS)


class _ShowsByDefault(TyperGroup):
    """`run exe_...` is `run show exe_...`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        known = not args or args[0] in self.commands
        return super().resolve_command(ctx, args if known else ["show", *args])


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("runs")(list_runs)
    run = typer.Typer(
        cls=_ShowsByDefault,
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Show an execution: `punctual run exe_...`; or cancel or redrive it.",
    )
    run.command("show")(show_run)
    run.command("cancel")(cancel_run)
    run.command("redrive")(redrive_run)
    app.add_typer(run, name="run")
