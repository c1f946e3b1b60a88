"""Reads of a shard of the fake table: due rows for watchers and sweepers, or complete executions."""

from collections.abc import Iterator
from dataclasses import replace

from shared.domain.bucket import bucket_start_ms
from shared.domain.dispatch.pending_row import PendingRow
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.run import Run
from shared.ports.executions import ExecutionPage, PendingPage, RunRow, ScanPage
from tests.support.fakes.table import FakeTable

SortedRows = dict[str, DueRow | RunRow | None]
"""By sort key; None for a row that cannot be decoded."""


def rows_of(table: FakeTable, bucket: int, shard: int) -> SortedRows:
    """Every row of a shard, in order of time."""
    return dict(sorted(_rows(table, bucket, shard), key=lambda entry: entry[0]))


def page_of(rows: SortedRows, after: str | None, limit: int) -> ScanPage:
    """The next rows after `after`."""
    keys, next_after = _next_keys(rows, after, limit)
    return ScanPage(
        rows=tuple(row for key in keys if isinstance(row := rows[key], DueRow)),
        runs=tuple(row for key in keys if isinstance(row := rows[key], RunRow)),
        unreadable=tuple(key for key in keys if rows[key] is None),
        next_after=next_after,
    )


def pending_of(page: ScanPage) -> PendingPage:
    """The pending rows of a page."""
    return PendingPage(
        rows=tuple(
            PendingRow(row.wakes, row.id.dispatch_at, row.tenant_id, row.lane, row.destination)
            for row in page.rows
            if row.state is State.PENDING
        ),
        unreadable=page.unreadable,
        next_after=page.next_after,
    )


def executions_of(table: FakeTable, rows: SortedRows, after: str | None, limit: int) -> ExecutionPage:
    """The executions among the next rows after `after`."""
    keys, next_after = _next_keys(rows, after, limit)
    readable = [row for key in keys if isinstance(row := rows[key], DueRow)]
    return ExecutionPage(
        executions=tuple(table.executions[row.id].read() for row in readable if row.reminder_target is None),
        unreadable=tuple(key for key in keys if rows[key] is None),
        next_after=next_after,
    )


def _next_keys(rows: SortedRows, after: str | None, limit: int) -> tuple[list[str], str | None]:
    """As in DynamoDB, a full page is never marked as the last."""
    if limit < 1:
        raise ValueError("a page examines at least one row")
    keys = [key for key in rows if after is None or key > after][:limit]
    return keys, keys[-1] if len(keys) == limit else None


def _rows(table: FakeTable, bucket: int, shard: int) -> Iterator[tuple[str, DueRow | RunRow | None]]:
    for item in table.runs.values():
        if item.run.id.shard == shard and item.run.id.bucket == bucket:
            found = run_row(item.run)
            yield found.sort_key, found
    for row in table.executions.values():
        if row.execution.id.shard == shard and row.execution.id.bucket == bucket:
            due = replace(due_row(row.execution), index_is_stale=row.index_is_stale)
            yield due.sort_key, due if row.damage is None else None
    for pointer_row in table.pointers.values():
        location = pointer_row.pointer.location
        if location.shard == shard and location.bucket == bucket:
            due = reminder_row(pointer_row.pointer)
            yield due.sort_key, due


def run_row(run: Run) -> RunRow:
    """What sweepers read of a run."""
    return RunRow(
        id=run.id,
        sort_key=_sort_key(run.id, run_id_text(run.id)),
        is_open=not run.state.is_terminal,
        deadline_at=run.deadline_at,
        parent=run.parent.execution if run.parent is not None else None,
        notification=run.notification,
    )


def _sort_key(location: ExecutionId, identity: str) -> str:
    return f"{location.dispatch_at - bucket_start_ms(location.bucket):05d}#{identity}"


def due_row(execution: Execution) -> DueRow:
    """What watchers and sweepers read of an execution."""
    return DueRow(
        id=execution.id,
        sort_key=_sort_key(execution.id, str(execution.id)),
        tenant_id=execution.tenant_id,
        lane=execution.lane,
        state=execution.state,
        created_at=execution.created_at,
        claims=execution.progress.claims,
        max_claims=execution.call.retry.max_attempts + execution.progress.refunded,
        stop_retries=execution.progress.stop_retries,
        claimable_from=execution.claimable_from,
        next_attempt_at=execution.progress.next_attempt_at,
        destination=execution.call.destination,
        notification=execution.progress.notification,
        async_accepted=execution.progress.async_until is not None,
        begun_at=_begun_at(execution),
        task=execution.task,
    )


def _begun_at(execution: Execution) -> int | None:
    if execution.progress.async_until is not None:
        return execution.claimed_at
    return execution.progress.outcomes[-1].started_at if execution.progress.outcomes else None


def reminder_row(pointer: RetryReminder) -> DueRow:
    """What watchers and sweepers read of a retry reminder."""
    return DueRow(
        id=pointer.location,
        sort_key=_sort_key(pointer.location, f"ptr_{pointer.target.body}_{pointer.claims}"),
        tenant_id=pointer.tenant_id,
        lane=pointer.lane,
        state=pointer.state,
        created_at=pointer.created_at,
        claims=pointer.claims,
        max_claims=pointer.claims,
        stop_retries=False,
        claimable_from=None,
        next_attempt_at=None,
        destination=pointer.destination,
        reminder_target=pointer.target,
    )
