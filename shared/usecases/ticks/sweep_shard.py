"""One pass of the sweeper over one shard: re-send for rows that need it, and remember what is still open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.bucket import is_complete, kept_open_until, next_sweep_ms
from shared.domain.dispatch.sweep import (
    AGED_AT_ONCE,
    LOOK_AGAIN_MS,
    RESEND_AT_LEAST_MS,
    DueRow,
    SweepAction,
    actionable_at,
    forced_resend_at,
    has_aged,
    is_held_back,
    may_wait,
    reminder_is_settled,
    sweep_action,
)
from shared.domain.dispatch.wakeup import Wakeup, pack, single_wakeup
from shared.domain.errors import PunctualError, ServiceError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.names import QueueName
from shared.ports.dispatch import OpenShard, PassLease, ShardLedger, WakeupQueue
from shared.ports.executions import ExecutionStore, RunRow, ScanPage
from shared.ports.runtime import Clock
from shared.usecases.outcomes.give_up_lost import GiveUpLost
from shared.usecases.outcomes.repair_notifications import RepairNotifications
from shared.usecases.ticks.keep_late_payload import KeepLatePayload
from shared.usecases.ticks.lane_snapshot import LaneSnapshot
from shared.usecases.ticks.measure_overdue import MeasureOverdue
from shared.usecases.ticks.repair_index import RepairIndex
from shared.usecases.ticks.sweep_pass import ShardPass, SweepReport

if TYPE_CHECKING:
    from shared.usecases.workflows.repair_runs import UnsettledRuns

PAGE_ROWS = 500
READ_AT_ONCE = 100
MIN_PAUSE_MS = 20_000
"""The least time between two passes over a shard."""
UNLISTED_PAUSE_MS = 900_000
"""The least time between two passes, beside the regular ones, if the open rows are too many to be listed."""


class _OutOfTimeError(Exception):
    """The run has to stop before the end of the page."""


@dataclass(frozen=True, slots=True)
class SweepShard:
    """A pass may crash, or be suspended, at any point: all its effects are safe to repeat."""

    store: ExecutionStore
    queue: WakeupQueue
    ledger: ShardLedger
    give_up: GiveUpLost
    repair_notifications: RepairNotifications
    repair_index: RepairIndex
    repair_runs: Callable[[Sequence[DueRow], Iterable[RunRow]], UnsettledRuns]
    """`RepairRuns`, made only for a page that needs it."""
    keep_late_payload: KeepLatePayload
    clock: Clock

    def execute(
        self,
        lease: PassLease,
        lanes: LaneSnapshot,
        measure: MeasureOverdue,
        report: SweepReport,
        has_time: Callable[[], bool],
        ticked_at: int | None,
    ) -> None:
        """Sweep the shard; if `has_time` turns False, keep the progress for the next run. ServiceError."""
        shard = lease.shard
        state = ShardPass.begin(shard, self.clock.now_ms(), ticked_at)
        is_scan = shard.progress is not None or _needs_scan(shard, state.context.now_ms)
        saved = shard.progress
        try:
            for page in self._scanned(shard) if is_scan else self._listed(shard):
                if not has_time():
                    raise _OutOfTimeError
                self._sweep_page(shard, page, lanes, measure, state, report, has_time)
                if is_scan and page.next_after is not None:
                    saved = state.progress(lease, page.next_after)
        except _OutOfTimeError:
            self.ledger.suspend_pass(lease, saved)
            report.suspended += 1
            return
        except ServiceError:
            with suppress(ServiceError):  # The lease ends by itself, a little later.
                self.ledger.suspend_pass(lease, saved)
            raise
        report.shards_swept += 1
        self._conclude(lease, state, report, is_scan=is_scan)

    def _scanned(self, shard: OpenShard) -> Iterator[ScanPage]:
        after = shard.progress.cursor if shard.progress else None
        while True:
            page = self.store.scan(shard.bucket, shard.shard, after=after, limit=PAGE_ROWS)
            yield page
            after = page.next_after
            if after is None:
                return

    def _listed(self, shard: OpenShard) -> Iterator[ScanPage]:
        listed = shard.open_rows or ()
        for start in range(0, len(listed), READ_AT_ONCE):
            yield self.store.read_rows(shard.bucket, shard.shard, listed[start : start + READ_AT_ONCE])

    def _sweep_page(
        self,
        shard: OpenShard,
        page: ScanPage,
        lanes: LaneSnapshot,
        measure: MeasureOverdue,
        state: ShardPass,
        report: SweepReport,
        has_time: Callable[[], bool],
    ) -> None:
        for sort_key in page.unreadable:
            state.keep(sort_key)
            report.quarantined.append(f"{shard.bucket}#{shard.shard}/{sort_key}")
        missing = self.repair_notifications.execute(page.rows)
        for row in missing.rows:
            state.keep(row.sort_key)
        report.quarantined.extend(missing.quarantined)
        state.failed += len(missing.rows) - len(missing.quarantined)
        lanes.observe(page.rows)
        rows = [row for row in page.rows if not row.state.is_terminal]
        for row in rows:
            measure.execute(row, state.context.last_resend_at, state.context.now_ms)
        self._sweep_rows(rows, lanes, state, report, has_time)
        if page.runs or any(row.task is not None for row in page.rows):
            state.keep_runs(self.repair_runs(page.rows, page.runs), report)
        index = self.repair_index.execute(page.rows, has_time)
        report.index_repaired += index.repaired
        for row in index.left:
            if row not in missing.rows:
                state.keep(row.sort_key)
            state.look_again_at(state.context.now_ms + LOOK_AGAIN_MS)

    def _sweep_rows(
        self,
        rows: list[DueRow],
        lanes: LaneSnapshot,
        state: ShardPass,
        report: SweepReport,
        has_time: Callable[[], bool],
    ) -> None:
        targets = self._targets(rows)
        resends = []
        for row in rows:
            if not has_time():
                raise _OutOfTimeError
            action = self._decide(row, targets, state, report)
            if action is SweepAction.SETTLED:
                continue
            self._keep(row, state)
            if action is not SweepAction.RESEND:
                continue
            if is_held_back(row, lanes.view(row), lanes.hot_scopes, state.context):
                report.held_back += 1
                later = state.context.now_ms + LOOK_AGAIN_MS
                state.look_again_at(min(later, forced_resend_at(row, state.context)))
            else:
                resends.append(row)
                if may_wait(row, lanes.hot_scopes, state.context.now_ms):
                    state.look_again_at(state.context.now_ms + RESEND_AT_LEAST_MS)
        self._resend(resends, state, report)

    def _targets(self, rows: list[DueRow]) -> dict[ExecutionId, Execution] | None:
        """The targets of all retry reminders; None if they must be read one by one."""
        ids = list(dict.fromkeys(row.wakes for row in rows if row.reminder_target is not None))
        targets: dict[ExecutionId, Execution] = {}
        try:
            for start in range(0, len(ids), READ_AT_ONCE):
                targets |= self.store.get_many(ids[start : start + READ_AT_ONCE])
        except PunctualError:
            return None
        return targets

    def _decide(
        self,
        row: DueRow,
        targets: dict[ExecutionId, Execution] | None,
        state: ShardPass,
        report: SweepReport,
    ) -> SweepAction:
        """The action for a row, done unless it is a message. A row that fails never blocks the others."""
        try:
            self._keep_request(row, state, report)
            action = sweep_action(row, state.context)
            if action is SweepAction.CHECK_REMINDER:
                target = self.store.get(row.wakes) if targets is None else targets.get(row.wakes)
                settled = reminder_is_settled(target, row.claims)
                action = SweepAction.SETTLED if settled else SweepAction.RESEND
            if action is SweepAction.GIVE_UP:
                report.lost += self._give_up(row)
        except UnavailableError:
            report.unavailable += 1
            state.failed += 1
            return SweepAction.LEAVE
        except PunctualError:
            # Unreadable, or another item has the key of its successor: operators have to look.
            report.quarantined.append(str(row.id))
            return SweepAction.LEAVE
        return action

    def _keep_request(self, row: DueRow, state: ShardPass, report: SweepReport) -> None:
        """A request that cannot be kept now is kept by a later pass: its throttle must not hold the row up."""
        try:
            self.keep_late_payload.execute(row, state.context.now_ms)
        except UnavailableError:
            report.unavailable += 1
            state.failed += 1

    def _keep(self, row: DueRow, state: ShardPass) -> None:
        state.keep(row.sort_key)
        later = actionable_at(row, state.context.now_ms)
        if later is not None:
            state.look_again_at(later)

    def _resend(self, rows: list[DueRow], state: ShardPass, report: SweepReport) -> None:
        now_ms = self.clock.now_ms()
        old = [row for row in rows if has_aged(row, now_ms)][: AGED_AT_ONCE - state.aged]
        state.aged += len(old)
        aged = {row.sort_key for row in old}
        wakeups = pack(_wakeup_for(row, now_ms, has_aged=row.sort_key in aged) for row in rows)
        failed = self.queue.send(wakeups, self.clock.now_ms()) if wakeups else []
        refused = sum(len(wakeup.keys) for wakeup in failed)
        report.send_failed += refused
        report.resent += len(rows) - refused
        state.resent += len(rows)
        state.failed += refused

    def _give_up(self, row: DueRow) -> list[Execution]:
        """The worker died in the last attempt: record FAILED, and continue the chain. The execution, if it
        failed."""
        execution = self.store.get(row.id)
        if execution is None or execution.has_attempts_left:
            return []
        is_lost = execution.lease_expired(self.clock.now_ms()) and self.give_up.execute(execution)
        return [execution] if is_lost else []

    def _conclude(self, lease: PassLease, state: ShardPass, report: SweepReport, *, is_scan: bool) -> None:
        """Close the shard, or record the pass: when to look at the open rows, and when to scan again."""
        shard = lease.shard
        kept_until = kept_open_until(shard.bucket, shard.open_until)
        may_close = state.began_at >= kept_until if is_scan else shard.full_scan_at is None
        if state.unfinished == 0 and may_close:
            report.closed += self.ledger.close(lease)
            return
        now_ms = self.clock.now_ms()
        full_scan_at = shard.full_scan_at
        if is_scan:
            has_all = is_complete(shard.bucket, shard.open_until, state.began_at)
            full_scan_at = None if has_all else max(next_sweep_ms(shard.bucket, now_ms), kept_until)
        next_pass_at = full_scan_at or next_sweep_ms(shard.bucket, now_ms)
        if state.next_actionable_at is not None:
            pause_ms = MIN_PAUSE_MS if state.open_rows is not None else UNLISTED_PAUSE_MS
            next_pass_at = min(next_pass_at, max(state.next_actionable_at, now_ms + pause_ms))
        if state.failed:
            # The regular pass over an old bucket may be an hour away.
            next_pass_at = min(next_pass_at, now_ms + LOOK_AGAIN_MS)
        # A refused message is in no queue: the next pass must not hold rows back as if it were on its way.
        was_resent = state.resent > 0 and not state.failed
        self.ledger.record_pass(
            lease,
            next_pass_at=next_pass_at,
            full_scan_at=full_scan_at,
            last_resend_at=now_ms if was_resent else shard.last_resend_at,
            open_rows=state.listed,
        )


def _needs_scan(shard: OpenShard, now_ms: int) -> bool:
    is_due = shard.full_scan_at is not None and shard.full_scan_at <= now_ms
    return shard.open_rows is None or is_due


def _wakeup_for(row: DueRow, now_ms: int, *, has_aged: bool) -> Wakeup:
    """`ends_at` is when the next copy is sent: without it, deferred copies would add up."""
    due_at = row.next_attempt_at or row.id.dispatch_at
    return replace(
        single_wakeup(row.lane, row.tenant_id, row.wakes, due_at, row.destination, row.trace),
        via=QueueName.STANDARD if has_aged else None,
        ends_at=now_ms + RESEND_AT_LEAST_MS,
    )
