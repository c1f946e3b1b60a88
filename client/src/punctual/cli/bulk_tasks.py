"""`punctual bulk`: operations on many jobs, and what became of them."""

from typing import Annotated

import typer

from punctual.cli.bulk_change import TASK_ROWS
from punctual.cli.bulk_patch import patch_jobs
from punctual.cli.list_options import PAGE, All, Limit, shown
from punctual.cli.output import Column
from punctual.cli.session import session_of

Task = Annotated[str, typer.Argument(metavar="TASK", help="The id of a bulk operation.", show_default=False)]

_COLUMNS = (
    Column("task", lambda task: task.id),
    Column("action", lambda task: task.action),
    Column("state", lambda task: task.state),
    Column("jobs", lambda task: task.total),
    Column("done", lambda task: task.counts.done),
    Column("left", lambda task: task.left),
    Column("created", lambda task: task.created_at),
    Column("reason", lambda task: task.reason, folds=True),
)


def list_tasks(context: typer.Context, limit: Limit = PAGE, all_: All = False) -> None:
    """List bulk operations, newest first."""
    session = session_of(context)
    found = session.client.bulk_tasks.iterate()
    session.show_list(shown(session, found, limit, all_), _COLUMNS, empty="no bulk operations")


def show_task(context: typer.Context, task: Task) -> None:
    """Show the progress of a bulk operation."""
    session = session_of(context)
    session.show_one(session.client.bulk_tasks.get(task), TASK_ROWS)


def undo_task(context: typer.Context, task: Task) -> None:
    """Undo a bulk operation, except for jobs that others have changed since."""
    session = session_of(context)
    session.show_one(session.client.bulk_tasks.undo(task), TASK_ROWS)


def cancel_task(context: typer.Context, task: Task) -> None:
    """Cancel a bulk operation that is still running. What it has changed stays changed."""
    session = session_of(context)
    session.show_one(session.client.bulk_tasks.cancel(task), TASK_ROWS)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    bulk = typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Operations on many jobs, such as `punctual pause --tag`.",
    )
    bulk.command("patch")(patch_jobs)
    bulk.command("list")(list_tasks)
    bulk.command("show")(show_task)
    bulk.command("undo")(undo_task)
    bulk.command("cancel")(cancel_task)
    app.add_typer(bulk, name="bulk")
