"""Changes of many jobs: look first, ask, start the bulk operation, and wait for its end.

The count and the examples come from a dry run, whose plan the operation then shows to the API.
"""

from typing import TYPE_CHECKING, Any, Literal

from punctual._texts import counted
from punctual.cli.confirming import confirm
from punctual.cli.exits import CommandError, Exit
from punctual.cli.output import Column
from punctual.cli.progress import progress
from punctual.cli.selection import Selection
from punctual.cli.session import Session

if TYPE_CHECKING:
    from punctual.models import BulkPlan, BulkTask, JobSummary

Action = Literal["pause", "resume", "trigger", "patch", "delete"]
POLL_SECONDS = 1.0
_WORKING = frozenset({"running", "undoing"})
TASK_ROWS = (
    Column("id", lambda task: task.id),
    Column("action", lambda task: task.action),
    Column("state", lambda task: task.state),
    Column("jobs", lambda task: f"{task.total}" if task.total_is_exact else f"at least {task.total}"),
    Column("changed", lambda task: task.counts.done),
    Column("unchanged", lambda task: task.counts.unchanged or None),
    Column("refused", lambda task: task.counts.refused or None),
    Column("deleted", lambda task: task.counts.deleted or None),
    Column("undone", lambda task: task.counts.undone or None),
    Column("changed since", lambda task: task.counts.changed_since or None),
    Column("left", lambda task: task.left or None),
    Column("reason", lambda task: task.reason),
    Column("rate", lambda task: f"{task.rate} a second"),
    Column("created", lambda task: task.created_at),
    Column("ended", lambda task: task.ended_at),
    Column("deletes at", lambda task: task.deletes_at),
)
"""The rows of a bulk operation, also for the commands that show one."""


def change_jobs(session: Session, action: Action, chosen: Selection, **more: Any) -> None:
    """Perform an action on all jobs that match the filter, and show the operation.

    `more` has the members that only some actions have, such as `reason` and `patch`.
    """
    body = {"action": action, "filter": chosen.filter, **more}
    if chosen.rate is not None:
        body["rate"] = chosen.rate
    plan = session.client.jobs.bulk(**body, dry_run=True)
    count = _to_change(plan)
    if chosen.is_dry_run:
        session.show(_plan_text(action, plan, count), plan)
        return
    for warning in plan.warnings:
        session.note(f"note: {warning}")
    for line in _left_out(plan):
        session.note(line)
    if not count:
        session.note(f"no job to {action}")
        if chosen.idempotency_key is None:
            return
        # The operation of an earlier request with the key is shown.
    else:
        confirm(
            session,
            action,
            count=count,
            nouns="jobs",
            examples=[example_text(each) for each in plan.examples],
            yes=chosen.yes,
            is_exact=plan.complete,
        )
    task = session.client.jobs.bulk(**body, plan=plan.plan, idempotency_key=chosen.idempotency_key)
    _show(session, wait_for_task(session, task) if chosen.waits else task)


def _to_change(plan: "BulkPlan") -> int:
    return plan.count - plan.unchanged - sum(plan.refused.values())


def _left_out(plan: "BulkPlan") -> list[str]:
    lines = [f"{counted(plan.unchanged, 'jobs')} already so"] if plan.unchanged else []
    lines += [f"{counted(count, 'jobs')} cannot take it: {reason}" for reason, count in plan.refused.items()]
    return lines


def _plan_text(action: Action, plan: "BulkPlan", count: int) -> str:
    number = counted(count, "jobs") if plan.complete else f"at least {counted(count, 'jobs')}"
    lines = [
        f"{number} to {action}; nothing was changed",
        *(f"  {example_text(e)}" for e in plan.examples),
    ]
    return "\n".join([*lines, *_left_out(plan), *(f"note: {each}" for each in plan.warnings)])


def example_text(job: "JobSummary") -> str:
    """A job in one line."""
    names = " ".join(each for each in (job.key, job.name) if each)
    return f"{job.id}  {job.state}  {names}".rstrip()


def wait_for_task(session: Session, task: "BulkTask") -> "BulkTask":
    """Wait until a bulk operation has changed its jobs; a deletion with a grace ends when all are paused."""
    if task.state not in _WORKING:
        return task
    try:
        with progress(session, f"{task.action} {task.id}", task.total) as show:
            while task.state in _WORKING:
                show(task.total - task.left)
                session.around.sleep(POLL_SECONDS)
                task = session.client.bulk_tasks.get(task.id)
    except KeyboardInterrupt:
        session.warn(
            f"the operation goes on: punctual bulk show {task.id}, or punctual bulk cancel {task.id}"
        )
        raise
    return task


def _show(session: Session, task: "BulkTask") -> None:
    session.show_one(task, TASK_ROWS)
    if task.state == "cancelled":
        raise CommandError(f"{task.id} was cancelled: {task.left} jobs were not reached", Exit.FAILED)
    session.note(f"to undo it: punctual bulk undo {task.id}")
