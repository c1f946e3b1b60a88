"""Executions in memory. Every public method is atomic."""

from collections.abc import Sequence
from typing import Any

from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import NotFoundError, ThrottledError
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.stages import Stages
from shared.domain.executions.states import REDRIVABLE, EndReason, State, Transition
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionPage, Finish, PendingPage, ScanPage
from shared.ports.listings import TenantIndex
from tests.support.builders import with_changes
from tests.support.fakes.scan import executions_of, page_of, pending_of, rows_of
from tests.support.fakes.table import Damage, FakeTable, ReminderRow, Row, reminder_key

MAX_GET = 100
TO_WAITING = (Transition.RETRY, Transition.REFUND)
REFUNDS = (Transition.REFUND, Transition.EXPIRE, Transition.WITHDRAW)


class FakeExecutionStore:
    """Obeys the rules of the port; allowed transitions come from the domain's table."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def put_if_absent(self, execution: Execution, *, expires_at_s: int | None = None) -> Execution | None:
        if execution.id in self._table.executions:
            return self._table.executions[execution.id].read()
        self._table.insert(execution, expires_at_s)
        return None

    def postpone(self, execution: Execution) -> Execution | None:
        row = self._row(execution.id)
        stored, event = row.execution.event, execution.event
        recorded_at = stored.recorded_at if stored is not None else None
        is_later = event is not None and recorded_at is not None and recorded_at < (event.recorded_at or 0)
        if row.damage is Damage.NEWER or not row.execution.is_postponable or not is_later:
            return row.read()
        row.execution = execution
        return None

    def put_reminder(self, pointer: RetryReminder) -> bool:
        key = reminder_key(pointer.location, pointer.target, pointer.claims)
        if key in self._table.pointers:
            return False
        self._table.pointers[key] = ReminderRow(pointer, pointer.expires_at_s)
        return True

    def get(self, execution_id: ExecutionId) -> Execution | None:
        row = self._table.executions.get(execution_id)
        return row.read() if row is not None else None

    def get_many(self, execution_ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        if len(execution_ids) > MAX_GET:
            raise ValueError(f"at most {MAX_GET} executions are read at once")
        found = {execution_id: self.get(execution_id) for execution_id in execution_ids}
        return {execution_id: execution for execution_id, execution in found.items() if execution is not None}

    def finish(self, execution: Execution, finish: Finish) -> Execution | None:
        if (finish.next_attempt_at is not None) != (finish.transition in TO_WAITING):
            raise ValueError(
                "the next attempt's instant goes with a retry or a refund, and with no other end"
            )
        if (finish.refunded_since is not None) != (finish.transition in REFUNDS):
            raise ValueError("the instant of the first refund goes with a refund, and with no other end")
        row = self._row(execution.id)
        standing = row.execution
        is_own = _claim_of(standing) == _claim_of(execution)
        is_stopped = finish.transition in TO_WAITING and standing.progress.stop_retries
        if not row.matches(finish.transition) or not is_own or is_stopped:
            return row.read()
        self._change(
            row,
            finish.transition,
            finish.expires_at_s,
            outcomes=finish.outcomes,
            last_body=finish.last_body or standing.progress.last_body,
            result=finish.result,
            next_attempt_at=finish.next_attempt_at or standing.progress.next_attempt_at,
            end_reason=finish.end_reason or standing.progress.end_reason,
            notification=finish.notification,
            refunded=standing.progress.refunded + (finish.transition in REFUNDS),
            refunded_since=finish.refunded_since or standing.progress.refunded_since,
            stages=finish.stages or standing.progress.stages,
            successor_sent=finish.successor_sent or standing.progress.successor_sent,
        )
        return None

    def extend_lease(
        self,
        execution: Execution,
        *,
        lease_until: int,
        async_until: int | None = None,
        stages: Stages | None = None,
        successor_sent: bool = False,
    ) -> Execution | None:
        row = self._row(execution.id)
        standing = row.execution
        is_own = _claim_of(standing) == _claim_of(execution)
        is_stopped = async_until is None and standing.progress.stop_retries
        is_shorter = (standing.progress.lease_until or 0) > lease_until
        if not row.matches(Transition.EXTEND) or not is_own or is_stopped or is_shorter:
            return row.read()
        until = standing.progress.async_until if async_until is None else async_until
        row.execution = with_changes(
            standing,
            lease_until=lease_until,
            async_until=until,
            stages=stages or standing.progress.stages,
            successor_sent=successor_sent or standing.progress.successor_sent,
        )
        return None

    def give_up(
        self,
        execution: Execution,
        *,
        reason: EndReason,
        now_ms: int,
        expires_at_s: int,
        notification: ExecutionId | None = None,
    ) -> bool:
        row = self._table.executions.get(execution.id)
        if row is None or not row.matches(Transition.GIVE_UP):
            return False
        if row.execution.progress.claims != execution.progress.claims or not row.execution.lease_expired(
            now_ms
        ):
            return False
        self._change(row, Transition.GIVE_UP, expires_at_s, end_reason=reason, notification=notification)
        return True

    def cancel(
        self,
        execution_id: ExecutionId,
        transition: Transition,
        *,
        reason: EndReason,
        expires_at_s: int,
        revision: int | None = None,
        notification: ExecutionId | None = None,
    ) -> Execution | None:
        if transition not in (Transition.CANCEL, Transition.UNDO, Transition.END_CHAIN, Transition.SKIP):
            raise ValueError("an end without an attempt is CANCEL, UNDO, END_CHAIN or SKIP")
        row = self._row(execution_id)
        if not row.matches(transition) or revision not in (None, row.execution.revision):
            return row.read()
        ends_chain = row.execution.progress.ends_chain or transition is Transition.END_CHAIN
        self._change(
            row,
            transition,
            expires_at_s,
            end_reason=reason,
            ends_chain=ends_chain,
            notification=notification,
        )
        return None

    def stop_retries(self, execution_id: ExecutionId) -> bool:
        row = self._table.executions.get(execution_id)
        if row is None or not row.matches(Transition.FAIL):
            return False
        row.execution = with_changes(row.execution, stop_retries=True)
        return True

    def keep_result(self, execution_id: ExecutionId, expires_at_s: int) -> bool:
        row = self._table.executions.get(execution_id)
        if row is None or not row.execution.progress.result:
            return False
        row.expires_at_s = max(row.expires_at_s or 0, expires_at_s)
        return True

    def mark_redriven(self, execution_id: ExecutionId, redriven_by: RedrivenBy) -> Execution | None:
        row = self._row(execution_id)
        is_open_to_it = row.damage is not Damage.NEWER and row.execution.state in REDRIVABLE
        if not is_open_to_it or row.execution.progress.redriven_by is not None:
            return row.read()
        row.execution = with_changes(row.execution, redriven_by=redriven_by)
        return None

    def mark_unreadable(self, execution_id: ExecutionId, expires_at_s: int) -> bool:
        row = self._table.executions.get(execution_id)
        if row is None or row.damage is not Damage.BROKEN or row.execution.state.is_terminal:
            return False
        row.execution = with_changes(
            row.execution,
            state=State.FAILED,
            owner=None,
            lease_until=None,
            async_until=None,
            end_reason=EndReason.UNREADABLE,
        )
        row.expires_at_s = expires_at_s
        return True

    def scan(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ScanPage:
        return page_of(rows_of(self._table, bucket, shard), after, limit)

    def scan_pending(self, bucket: int, shard: int, *, after: str | None, limit: int) -> PendingPage:
        return pending_of(self.scan(bucket, shard, after=after, limit=limit))

    def read_rows(self, bucket: int, shard: int, sort_keys: Sequence[str]) -> ScanPage:
        if len(sort_keys) > MAX_GET:
            raise ValueError(f"at most {MAX_GET} rows are read at once")
        rows = rows_of(self._table, bucket, shard)
        return page_of({key: row for key, row in rows.items() if key in sort_keys}, None, len(rows) + 1)

    def read_shard(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ExecutionPage:
        return executions_of(self._table, rows_of(self._table, bucket, shard), after, limit)

    def repair_index(self, row: DueRow) -> bool:
        stored = self._table.executions.get(row.id)
        if stored is None or not stored.index_is_stale or stored.execution.state is not row.state:
            return False
        if self._table.index_throttles(stored.execution):
            raise ThrottledError("the index throttles")
        stored.entry, stored.index_is_stale = _ENTRIES.get(row.state), False
        return True

    def _change(self, row: Row, transition: Transition, expires_at_s: int | None, **fields: Any) -> None:
        """Make one transition. Owner and lease end with the attempt; retention starts in a terminal state."""
        if (expires_at_s is not None) != transition.ends:
            raise ValueError("an expiry goes with a transition that ends the execution, and with no other")
        row.execution = with_changes(
            row.execution, state=transition.target, owner=None, lease_until=None, async_until=None, **fields
        )
        row.expires_at_s = expires_at_s
        entry = _ENTRIES.get(transition.target)
        row.index_is_stale = entry is not row.entry and self._table.index_throttles(row.execution)
        if not row.index_is_stale:
            row.entry = entry

    def _row(self, execution_id: ExecutionId) -> Row:
        if execution_id not in self._table.executions:
            raise NotFoundError("no such execution")
        return self._table.executions[execution_id]


def _claim_of(execution: Execution) -> tuple[int, str | None]:
    return execution.progress.claims, execution.progress.owner


_ENTRIES = {State.FAILED: TenantIndex.FAILED, State.WAITING: TenantIndex.RETRY}
