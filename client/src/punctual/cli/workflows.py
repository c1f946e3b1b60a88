"""`punctual workflows`: definitions of workflows, and their runs."""

import json
from typing import Annotated, Any

import typer

from punctual.aws_targets import target_parts
from punctual.cli.exits import CommandError, Exit
from punctual.cli.list_options import PAGE, All, IdempotencyKey, Limit, shown
from punctual.cli.options import DURATION, seconds
from punctual.cli.output import Column
from punctual.cli.session import Session, session_of
from punctual.cli.workflow_runs import RUN_ROWS, WORKFLOW_RUN_COLUMNS, show_detail
from punctual.cli.workflows_of import find_workflow, find_workflow_id

WorkflowArgument = Annotated[
    str, typer.Argument(metavar="WORKFLOW", help="The id or the key of a workflow.", show_default=False)
]
_BODY = "as the body of POST /v1/workflows"
_COLUMNS = (
    Column("id", lambda workflow: workflow.id),
    Column("name", lambda workflow: workflow.name, folds=True),
    Column("tasks", lambda workflow: workflow.task_count),
    Column("revision", lambda workflow: workflow.revision),
    Column("created", lambda workflow: workflow.created_at),
    Column("tags", lambda workflow: workflow.tags, folds=True),
)


def _call_text(task: Any) -> str:
    if task.request is not None:
        return f"{task.request.method} {task.request.url}"
    return next(f"{service} {part.arn}" for service, part in target_parts(task.target))


_TASK_COLUMNS = (
    Column("task", lambda task: task.key),
    Column("after", lambda task: task.after, folds=True),
    Column("run if", lambda task: task.run_if if task.after else None),
    Column("calls", lambda task: _call_text(task), folds=True),
    Column("attempts", lambda task: task.retry.max_attempts),
    Column("lane", lambda task: task.lane),
)
_ROWS = (
    *_COLUMNS,
    Column("key", lambda workflow: workflow.key),
    Column("set", lambda workflow: workflow.set),
    Column("state", lambda workflow: workflow.state),
    Column("on failure", lambda workflow: getattr(workflow, "on_failure", None)),
    Column("deadline s", lambda workflow: getattr(workflow, "deadline_seconds", None)),
)


def create_workflow(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help=f"JSON, {_BODY}; - is standard input.", show_default=False)
    ],
    idempotency_key: IdempotencyKey = None,
) -> None:
    """Create a workflow from a file."""
    session = session_of(context)
    body = _body(session, file)
    body.setdefault("tasks", [])
    _show(session, session.client.workflows.create(**body, idempotency_key=idempotency_key))


def put_workflow(
    context: typer.Context,
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="Your own name for the workflow.", show_default=False)
    ],
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help=f"JSON, {_BODY}; - is standard input.", show_default=False)
    ],
    set_: Annotated[str | None, typer.Option("--set", help="The set of the workflow.")] = None,
    if_match: Annotated[
        int | None, typer.Option(metavar="REVISION", help="Change only this revision, and create nothing.")
    ] = None,
) -> None:
    """Create the workflow with a key from a file, or change it to what the file has."""
    session = session_of(context)
    body = _body(session, file, "set")
    body.setdefault("tasks", [])
    if set_ is not None:
        body["set"] = set_
    done = session.client.workflows.put(key, if_match=if_match, **body)
    session.note(f"{done.change}: {key}")
    _show(session, done.workflow)


def list_workflows(
    context: typer.Context,
    limit: Limit = PAGE,
    all_: All = False,
    set_: Annotated[str | None, typer.Option("--set", help="Only workflows of this set.")] = None,
) -> None:
    """List workflows, oldest first."""
    session = session_of(context)
    found = session.client.workflows.iterate(set=set_)
    session.show_list(shown(session, found, limit, all_), _COLUMNS, empty="no workflows")


def get_workflow(context: typer.Context, workflow: WorkflowArgument) -> None:
    """Show a workflow and its tasks."""
    session = session_of(context)
    _show(session, find_workflow(session, workflow))


def edit_workflow(
    context: typer.Context,
    workflow: WorkflowArgument,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|-",
            help="JSON: the members to change, such as all tasks; null restores a default.",
            show_default=False,
        ),
    ],
    if_match: Annotated[
        int | None, typer.Option(metavar="REVISION", help="Change only this revision of the workflow.")
    ] = None,
) -> None:
    """Change a workflow. Runs that have started keep the definition that they began with."""
    session = session_of(context)
    patch = _body(session, file)
    before = find_workflow(session, workflow)
    _show(session, session.client.workflows.update(before, if_match=if_match, **patch))


def delete_workflow(context: typer.Context, workflow: WorkflowArgument) -> None:
    """Delete a workflow: no run starts any more, and runs that have started go on."""
    session = session_of(context)
    session.show_one(session.client.workflows.delete(find_workflow_id(session, workflow)), _ROWS)


def start_run(
    context: typer.Context,
    workflow: WorkflowArgument,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the end of the run; 1 if it fails.")] = False,
    timeout: Annotated[str, typer.Option(help="The longest wait.", metavar=DURATION)] = "10m",
    idempotency_key: IdempotencyKey = None,
    input_: Annotated[
        str | None,
        typer.Option(
            "--input",
            metavar="JSON|@FILE|@-",
            help="The input of the run, for its tasks with input: JSON, or a file with it; @- is standard input.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Start a run of a workflow, now."""
    session = session_of(context)
    limit = seconds(timeout, "--timeout")
    given = {} if input_ is None else {"input": _input(session, input_)}
    run = session.client.workflows.start(
        find_workflow_id(session, workflow), idempotency_key=idempotency_key, **given
    )
    if not wait:
        session.show_one(run, RUN_ROWS)
        session.note(f"`punctual run {run.id}` shows its tasks")
        return
    session.note(f"{run.id} begins")
    ended = session.client.wait_for(run, timeout=limit).run
    if ended is not None:
        show_detail(session, ended)
        if ended.state != "succeeded":
            raise CommandError(
                f"the run ended as {ended.state}", hint=f"punctual run redrive {run.id} repeats what failed"
            )


def _input(session: Session, given: str) -> Any:
    """CommandError, without the content, for anything but JSON."""
    text = session.content(given[1:]) if given.startswith("@") else given
    try:
        return json.loads(text)
    except ValueError:
        raise CommandError(
            "--input is no JSON",
            Exit.USAGE,
            hint="""give JSON, as in --input '{"order": 7}', or a file, as in --input @order.json""",
        ) from None


def list_workflow_runs(
    context: typer.Context, workflow: WorkflowArgument, limit: Limit = PAGE, all_: All = False
) -> None:
    """List the runs of a workflow, latest first. `punctual run run_...` shows one with its tasks."""
    session = session_of(context)
    runs = session.client.workflows.iterate_runs(find_workflow_id(session, workflow))
    session.show_list(shown(session, runs, limit, all_), WORKFLOW_RUN_COLUMNS, empty="no runs")


def _show(session: Session, workflow: Any) -> None:
    session.show_one(workflow, _ROWS)
    if session.is_for_people:
        session.out.line("")
        session.show_list(workflow.tasks, _TASK_COLUMNS, empty="no tasks")


def _body(session: Session, file: str, *more: str) -> dict[str, Any]:
    """The JSON object of a file, with members of a workflow and `more`. CommandError, without the content, which may
    have secrets."""
    from punctual.applyfile.workflow_schema import WORKFLOW_MEMBERS

    try:
        body = json.loads(session.content(file))
    except ValueError as error:
        place = f": {error.msg}, line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise CommandError(f"the file is no JSON{place}", Exit.USAGE, hint=f"give JSON, {_BODY}") from None
    known = {*WORKFLOW_MEMBERS, *more}
    if not isinstance(body, dict) or not body.keys() <= known:
        raise CommandError(
            f"the file is no object with members of {', '.join(sorted(known))}",
            Exit.USAGE,
            hint=f"give JSON, {_BODY}",
        )
    return body


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    workflows = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="Workflows: tasks that wait for one another."
    )
    workflows.command("create")(create_workflow)
    workflows.command("put")(put_workflow)
    workflows.command("list")(list_workflows)
    workflows.command("get")(get_workflow)
    workflows.command("edit")(edit_workflow)
    workflows.command("delete")(delete_workflow)
    workflows.command("start")(start_run)
    workflows.command("runs")(list_workflow_runs)
    app.add_typer(workflows, name="workflows")
