"""The sweeper: go over ended buckets until every row in them has ended, and re-send for rows that need it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from shared.domain.bucket import LEAST_COUNTS, bucket_of, bucket_start_ms, next_sweep_ms
from shared.domain.dispatch.sweep import (
    AGED_AT_ONCE,
    LOOK_AGAIN_MS,
    RESEND_AT_LEAST_MS,
    DueRow,
    SweepAction,
    SweepContext,
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
from shared.domain.executions.retention import Retention
from shared.names import QueueName
from shared.ports.dispatch import (
    Backlog,
    LaneProgressStore,
    OpenShard,
    ShardLedger,
    ShardRecord,
    SweptMark,
    WakeupQueue,
)
from shared.ports.executions import ExecutionStore
from shared.ports.limits import LimitStore
from shared.ports.runtime import Clock
from shared.usecases.filing.scanned_shards import ScannedShards
from shared.usecases.outcomes.give_up_lost import GiveUpLost
from shared.usecases.outcomes.repair_notifications import RepairNotifications
from shared.usecases.ticks.keep_late_payload import KeepLatePayload
from shared.usecases.ticks.lane_snapshot import LaneSnapshot
from shared.usecases.ticks.measure_overdue import MeasureOverdue

PAGE_ROWS = 500
FIRST_LOOK_BACK = 60
"""Minutes listed at least by the first sweep of a deployment, and again after a growth of the shard counts: a
put may precede the first sweep that knows its shard."""
MIN_PAUSE_MS = 20_000
"""The least time between two passes over a shard."""


@dataclass(slots=True)
class SweepReport:
    shards_swept: int = 0
    closed: int = 0
    resent: int = 0
    send_failed: int = 0
    unavailable: int = 0
    held_back: int = 0
    open_breakers: int = 0
    worker_lost: int = 0
    quarantined: list[str] = field(default_factory=list)
    oldest_unclaimed_ms: int = 0
    """How long the oldest job is overdue that is neither claimed nor throttled."""
    oldest_waiting_ms: int = 0
    """How long the oldest throttled job is overdue."""


@dataclass(slots=True)
class _Pass:
    """The counts of a pass over one shard so far."""

    context: SweepContext
    unfinished: int = 0
    resent: int = 0
    refused: int = 0
    aged: int = 0
    next_actionable_at: int | None = None

    def look_again_at(self, instant_ms: int) -> None:
        """A row may need a message then: the next pass comes no later."""
        if self.next_actionable_at is None or instant_ms < self.next_actionable_at:
            self.next_actionable_at = instant_ms


@dataclass(frozen=True, slots=True)
class SweepBuckets:
    """One run of the sweeper; runs may overlap, crash or be missed."""

    store: ExecutionStore
    queue: WakeupQueue
    ledger: ShardLedger
    progress: LaneProgressStore
    backlog: Backlog
    limits: LimitStore
    give_up: GiveUpLost
    repair_notifications: RepairNotifications
    keep_late_payload: KeepLatePayload
    clock: Clock
    scanned: ScannedShards
    retention: Retention

    def execute(self, has_time: Callable[[], bool] = lambda: True) -> SweepReport:
        """Sweep each open shard whose next pass is due, oldest first, until `has_time` is False."""
        report = SweepReport()
        lanes = LaneSnapshot(self.progress, self.backlog, self.limits)
        report.open_breakers = lanes.open_breakers(self.clock.now_ms())
        measure = MeasureOverdue(lanes)
        for shard in self._open_shards(report, has_time):
            if not has_time():
                break
            if shard.next_pass_at > self.clock.now_ms():
                continue
            try:
                self._sweep(shard, lanes, measure, report)
            except ServiceError:
                report.unavailable += 1
        report.oldest_unclaimed_ms, report.oldest_waiting_ms = measure.result(self.clock.now_ms())
        return report

    def _open_shards(self, report: SweepReport, has_time: Callable[[], bool]) -> list[OpenShard]:
        """The ledger's list, after adding the shards that no watcher ever opened.

        If adding fails, the listed shards are swept all the same; the next run adds the rest.
        """
        now_bucket = bucket_of(self.clock.now_ms())
        shards = self.ledger.open_before(now_bucket)
        try:
            added = self._list_unopened(now_bucket, shards, has_time)
            return self.ledger.open_before(now_bucket) if added else shards
        except ServiceError:
            report.unavailable += 1
            return shards

    def _list_unopened(self, now_bucket: int, shards: list[OpenShard], has_time: Callable[[], bool]) -> bool:
        """Add unlisted shards, bucket by bucket; True if any was added.

        The mark covers only the shards that were recorded when it moved: after a growth, the upper shards of
        earlier buckets are listed as well.
        """
        record = self.scanned.record()
        recorded = record.counts if record else LEAST_COUNTS
        plan = self.scanned.plan.grown_to(recorded)
        mark = self.ledger.swept_through()
        if mark is None:
            mark = SweptMark(bucket=_first_bucket(now_bucket, record) - 1, recorded=recorded)
        has_grown = not mark.recorded.covers(recorded)
        listed = {(shard.bucket, shard.shard) for shard in shards}
        added = False
        for bucket in range(mark.bucket + 1 - has_grown * FIRST_LOOK_BACK, now_bucket):
            if not has_time():
                break
            known = mark.recorded if bucket <= mark.bucket else None
            for number in range(known.of(bucket) if known else 0, plan.counts_at(bucket).of(bucket)):
                if (bucket, number) not in listed:
                    self.ledger.reopen(bucket, number, next_sweep_ms(bucket, bucket_start_ms(bucket)))
                    added = True
            if known is None:
                self.ledger.note_swept_through(bucket, recorded)
        return added

    def _sweep(
        self, shard: OpenShard, lanes: LaneSnapshot, measure: MeasureOverdue, report: SweepReport
    ) -> None:
        state = _Pass(
            context=SweepContext(
                now_ms=self.clock.now_ms(),
                is_first_pass=shard.passes == 0,
                scan_began_at=shard.scan_began_at,
                last_resend_at=shard.last_resend_at,
            )
        )
        after: str | None = None
        while True:
            page = self.store.scan(shard.bucket, shard.shard, after=after, limit=PAGE_ROWS)
            report.quarantined.extend(page.unreadable)
            state.unfinished += len(page.unreadable)
            pending = self.repair_notifications.execute(page.rows)
            state.unfinished += pending.rows
            report.quarantined.extend(pending.quarantined)
            if pending.rows > len(pending.quarantined):
                # As for rows: the regular pass over an old bucket may be an hour away.
                state.look_again_at(state.context.now_ms + LOOK_AGAIN_MS)
            lanes.observe(page.rows)
            rows = [row for row in page.rows if not row.state.is_terminal]
            for row in rows:
                measure.execute(row, state.context.now_ms)
            self._sweep_rows(rows, lanes, state, report)
            after = page.next_after
            if after is None:
                break
        report.shards_swept += 1
        self._finalize(shard, state, report)

    def _sweep_rows(self, rows: list[DueRow], lanes: LaneSnapshot, state: _Pass, report: SweepReport) -> None:
        resends = []
        for row in rows:
            self._note(row, state)
            if self._decide(row, state, report) is not SweepAction.RESEND:
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

    def _decide(self, row: DueRow, state: _Pass, report: SweepReport) -> SweepAction:
        """The action for a row, done unless it is a message. A row that fails never blocks the others."""
        try:
            self.keep_late_payload.execute(row, state.context.now_ms)
            action = sweep_action(row, state.context)
            if action is SweepAction.CHECK_REMINDER:
                action = self._check_reminder(row)
            if action is SweepAction.GIVE_UP:
                report.worker_lost += self._give_up(row)
        except UnavailableError:
            report.unavailable += 1
            # The regular pass over an old bucket may be an hour away.
            state.look_again_at(state.context.now_ms + LOOK_AGAIN_MS)
            return SweepAction.LEAVE
        except PunctualError:
            # Unreadable, or another item has the key of its successor: operators have to look.
            report.quarantined.append(str(row.id))
            return SweepAction.LEAVE
        return action

    def _note(self, row: DueRow, state: _Pass) -> None:
        state.unfinished += 1
        later = actionable_at(row, state.context.now_ms)
        if later is not None:
            state.look_again_at(later)

    def _resend(self, rows: list[DueRow], state: _Pass, report: SweepReport) -> None:
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
        state.refused += refused
        if refused:
            state.look_again_at(now_ms + LOOK_AGAIN_MS)

    def _check_reminder(self, row: DueRow) -> SweepAction:
        """End a reminder whose target has moved on from its attempt."""
        target = self.store.get(row.wakes)
        if not reminder_is_settled(target, row.claims):
            return SweepAction.RESEND
        now_ms = self.clock.now_ms()
        self.store.end_reminder(row.id, row.wakes, row.claims, self.retention.expires_at_s(now_ms))
        return SweepAction.LEAVE

    def _give_up(self, row: DueRow) -> bool:
        """The worker died in the last attempt: record FAILED, and continue the chain."""
        execution = self.store.get(row.id)
        if execution is None or execution.has_attempts_left:
            return False
        return execution.lease_expired(self.clock.now_ms()) and self.give_up.execute(execution)

    def _finalize(self, shard: OpenShard, state: _Pass, report: SweepReport) -> None:
        if state.unfinished == 0:
            report.closed += self.ledger.close(shard)
            return
        now_ms = self.clock.now_ms()
        next_pass_at = next_sweep_ms(shard.bucket, now_ms)
        if state.next_actionable_at is not None:
            next_pass_at = min(next_pass_at, max(state.next_actionable_at, now_ms + MIN_PAUSE_MS))
        # A refused message is in no queue: the next pass must not hold rows back as if it were on its way.
        was_resent = state.resent > 0 and state.refused == 0
        last_resend_at = now_ms if was_resent else shard.last_resend_at
        self.ledger.record_pass(shard, next_pass_at=next_pass_at, last_resend_at=last_resend_at)


def _first_bucket(now_bucket: int, record: ShardRecord | None) -> int:
    """Where the first sweep begins: no sweep may have run since the first row was filed."""
    look_back = now_bucket - FIRST_LOOK_BACK
    if record is None or record.open_from is None:
        return look_back
    return min(look_back, record.open_from)


def _wakeup_for(row: DueRow, now_ms: int, *, has_aged: bool) -> Wakeup:
    """`ends_at` is when the next copy is sent: without it, deferred copies would add up."""
    due_at = row.next_attempt_at or row.id.dispatch_at
    return replace(
        single_wakeup(row.lane, row.tenant_id, row.wakes, due_at, row.destination),
        via=QueueName.STANDARD if has_aged else None,
        ends_at=now_ms + RESEND_AT_LEAST_MS,
    )
