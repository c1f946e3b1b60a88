"""`punctual runs` and `run`: executions and runs of workflows, and what can be done with one."""

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
from punctual.cli.workflow_runs import PREFIX, cancel_workflow_run, redrive_workflow_run, show_workflow_run

if TYPE_CHECKING:
    from punctual.models import Execution

State = Literal["pending", "queued", "running", "waiting", "succeeded", "failed", "cancelled", "skipped"]
Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="The id of an execution, which is the webhook-id of its calls, or of a run of a workflow.",
        show_default=False,
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
    """Show an execution with its attempts and their stages, or a run of a workflow with its tasks and its graph."""
    session = session_of(context)
    if run.startswith(PREFIX):
        show_workflow_run(session, run)
        return
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
    """Cancel a redrive, or a run of a workflow. Every other execution is cancelled with its job."""
    session = session_of(context)
    if run.startswith(PREFIX):
        cancel_workflow_run(session, run)
        return
    _show(session, session.client.executions.cancel(run, stop_retries=stop_retries or None))


def redrive_run(context: typer.Context, run: Run) -> None:
    """Repeat the request of a failed execution, or what has not succeeded in a run of a workflow, now."""
    session = session_of(context)
    if run.startswith(PREFIX):
        redrive_workflow_run(session, run)
        return
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
        help="Show an execution or a run of a workflow: `punctual run exe_...`; or cancel or redrive it.",
    )
    run.command("show")(show_run)
    run.command("cancel")(cancel_run)
    run.command("redrive")(redrive_run)
    app.add_typer(run, name="run")
