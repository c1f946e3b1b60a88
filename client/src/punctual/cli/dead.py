"""`punctual dead` and `redrives`: executions that failed for good, and repeating their requests."""

from collections.abc import Iterator
from datetime import tzinfo
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from punctual.cli.confirming import confirm
from punctual.cli.jobs_of import find_job_id
from punctual.cli.list_options import (
    PAGE,
    All,
    IdempotencyKey,
    Limit,
    Since,
    Until,
    Yes,
    sent,
    shown,
)
from punctual.cli.output import Column
from punctual.cli.run_texts import job_of, outcome
from punctual.cli.runs import Run
from punctual.cli.session import Session, session_of
from punctual.cli.texts import local

if TYPE_CHECKING:
    from punctual.models import DeadLetter, Redrive, RedrivePlan

Reason = Literal[
    "attempts_used_up",
    "not_retryable",
    "stopped",
    "too_old",
    "job_deleted",
    "worker_lost",
    "http_status",
    "redirect",
    "timeout",
    "connect_failed",
    "dns_failed",
    "tls_failed",
    "address_not_allowed",
    "protocol_error",
    "lease_too_short",
    "request_unreadable",
    "receiver_failed",
    "receiver_gave_up",
    "unavailable",
    "signing_secret_gone",
    "result_invalid",
    "workflow_gone",
    "run_failed",
    "run_timed_out",
    "role_refused",
    "target_not_found",
    "target_access_denied",
    "target_throttled",
    "target_refused",
    "target_failed",
    "function_failed",
]
Lane = Literal["critical", "standard", "bulk"]

OfJob = Annotated[str | None, typer.Option("--job", metavar="JOB", help="Only those of this job.")]
OfTag = Annotated[str | None, typer.Option("--tag", help="Only those of jobs with this tag.")]
OfReason = Annotated[
    Reason | None,
    typer.Option("--reason", help="Only those that ended for this reason, or whose last attempt did."),
]
OfStatus = Annotated[
    int | None, typer.Option("--status", help="Only those whose last attempt got this HTTP status.")
]
OfLane = Annotated[Lane | None, typer.Option("--lane", help="Only those of this lane.")]

_COLUMNS = (
    Column("run", lambda run: run.id),
    Column("job", job_of),
    Column("due", lambda run: run.due_at),
    Column("attempts", lambda run: run.attempts_begun),
    Column("outcome", outcome, folds=True),
    Column("redriven by", lambda run: run.redriven_by),
)
_LETTER = (
    Column("run", lambda run: run.id),
    Column("job", job_of),
    Column("due", lambda run: run.due_at),
    Column("lane", lambda run: run.lane),
    Column("attempts", lambda run: run.attempts_begun),
    Column("outcome", outcome),
    Column("response", lambda run: run.last_response_body),
    Column("redriven by", lambda run: run.redriven_by),
    Column(
        "request",
        lambda run: _request(run),
    ),
    Column("run of the workflow", lambda run: run.run or None),
    Column("headers", lambda run: _headers(run) or None),
    Column("body", lambda run: _body(run)),
)
REDRIVE = (
    Column("redrive", lambda task: task.id),
    Column("state", lambda task: task.state),
    Column("redriven", lambda task: task.counts.redriven),
    Column("skipped", lambda task: task.counts.skipped),
    Column("refused", lambda task: task.counts.refused),
    Column("cancelled", lambda task: task.counts.cancelled),
    Column("already started", lambda task: task.counts.already_started),
    Column("rate", lambda task: task.rate),
    Column("due until", lambda task: task.due_until),
    Column("created", lambda task: task.created_at),
    Column("ended", lambda task: task.ended_at),
)
_PLAN = (
    Column("matching", lambda plan: plan.count),
    Column("already redriven", lambda plan: plan.already_redriven),
    Column("redrives", lambda plan: plan.redrives),
    Column("complete", lambda plan: plan.complete),
)


def _request(letter: Any) -> str | None:
    if letter.request is None:
        return None if letter.run else "not stored any more"
    return f"{letter.request.method} {letter.request.url}"


def _headers(letter: Any) -> dict[str, str]:
    return {each.name: each.value for each in letter.request.headers} if letter.request else {}


def _body(letter: Any) -> str | None:
    if letter.request is None:
        return None
    return letter.request.body if letter.request.revealed else f"{letter.request.body_bytes} bytes, not shown"


def list_dead(
    context: typer.Context,
    job: OfJob = None,
    tag: OfTag = None,
    reason: OfReason = None,
    status: OfStatus = None,
    lane: OfLane = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = PAGE,
    all_: All = False,
) -> None:
    """List the executions that failed for good, newest first."""
    session = session_of(context)
    of = None if job is None else find_job_id(session, job)
    found = session.client.dead_letters.iterate(
        job=of, tag=tag, reason=reason, status=status, lane=lane, since=since, until=until
    )
    session.show_list(shown(session, found, limit, all_), _COLUMNS, empty="no dead letters")


def get_dead(
    context: typer.Context,
    run: Run,
    reveal: Annotated[
        bool,
        typer.Option(
            "--reveal", help="Show header values and the body. Needs the scope admin, and is audited."
        ),
    ] = False,
) -> None:
    """Show a dead letter with its request."""
    session = session_of(context)
    session.show_one(session.client.dead_letters.get(run, reveal=reveal or None), _LETTER)


def redrive_dead(
    context: typer.Context,
    job: OfJob = None,
    tag: OfTag = None,
    reason: OfReason = None,
    status: OfStatus = None,
    lane: OfLane = None,
    since: Since = None,
    until: Until = None,
    rate: Annotated[
        int | None, typer.Option("--rate", min=1, help="At most so many redrives are due in one second.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count them.")] = False,
    yes: Yes = False,
    idempotency_key: IdempotencyKey = None,
) -> None:
    """Redrive all dead letters that match, oldest first. `punctual run redrive` redrives a single one."""
    session = session_of(context)
    members = {
        "job": None if job is None else find_job_id(session, job),
        "tag": tag,
        "reason": reason,
        "status": status,
        "lane": lane,
        "since": sent(session, "--since", since, idempotency_key),
        # What is due after the count is not redriven, unless a repetition has to be the same request.
        "until": sent(
            session, "--until", "0s" if until is None and idempotency_key is None else until, idempotency_key
        ),
    }
    chosen: dict[str, Any] = {name: value for name, value in members.items() if value is not None}
    plan = session.client.dead_letters.redrive(dry_run=True, **chosen)
    is_done = plan.complete and plan.redrives == 0
    # With a key, the redrive of an earlier request with the key is shown.
    if dry_run or (is_done and not (plan.count and idempotency_key)):
        session.show_one(plan, _PLAN)
        _show_sample(session, plan)
        return
    if not is_done:
        _confirm(session, plan, yes)
    if rate is not None:
        chosen["rate"] = rate
    task = session.client.dead_letters.redrive(**chosen, dry_run=False, idempotency_key=idempotency_key)
    _show_task(session, task)


def _show_sample(session: Session, plan: "RedrivePlan") -> None:
    session.note("would be redriven first:" if plan.sample else "there is nothing to redrive")
    for line in _sample(plan, session.around.zone):
        session.note(f"  {line}")


def _confirm(session: Session, plan: "RedrivePlan", yes: bool) -> None:
    confirm(
        session,
        "redrive",
        count=plan.redrives,
        nouns="dead letters",
        examples=list(_sample(plan, session.around.zone)),
        yes=yes,
        is_exact=plan.complete,
    )


def _sample(plan: "RedrivePlan", zone: tzinfo | None) -> Iterator[str]:
    for letter in plan.sample:
        yield _sample_line(letter, zone)


def _sample_line(letter: "DeadLetter", zone: tzinfo | None) -> str:
    return f"{letter.id}  {job_of(letter)}  due {local(letter.due_at, zone)}  {outcome(letter)}"


def _show_task(session: Session, task: "Redrive") -> None:
    """Show how far a bulk redrive is, and how it is followed."""
    session.show_one(task, REDRIVE)
    if task.state == "running":
        session.note(f"`punctual redrives show {task.id}` shows its progress, and `redrives undo` undoes it")


RedriveArgument = Annotated[
    str, typer.Argument(metavar="REDRIVE", help="The id of a bulk redrive.", show_default=False)
]


def get_redrive(context: typer.Context, redrive: RedriveArgument) -> None:
    """Show the progress of a bulk redrive."""
    session = session_of(context)
    session.show_one(session.client.redrives.get(redrive), REDRIVE)


def undo_redrive(context: typer.Context, redrive: RedriveArgument) -> None:
    """Undo a bulk redrive, except for redrives that have started."""
    session = session_of(context)
    session.show_one(session.client.redrives.undo(redrive), REDRIVE)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    dead = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Executions that failed for good.")
    dead.command("list")(list_dead)
    dead.command("get")(get_dead)
    dead.command("redrive")(redrive_dead)
    app.add_typer(dead, name="dead")
    redrives = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Bulk redrives.")
    redrives.command("show")(get_redrive)
    redrives.command("undo")(undo_redrive)
    app.add_typer(redrives, name="redrives")
