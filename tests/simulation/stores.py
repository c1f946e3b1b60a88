"""Stores as DynamoDB allows them to be: pages end anywhere, batches are read in parts, an index lags behind."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.states import EndReason
from shared.domain.ids import ExecutionId
from shared.domain.workflows.run import Run
from shared.ports.executions import Claim, ClaimRejected, ExecutionPage, Finish, ScanPage, WriteUnknown
from shared.ports.jobs import Payload
from shared.ports.workflows import RunUpdate
from tests.simulation import planted
from tests.simulation.contention import Contention
from tests.simulation.faults import Strike, Weather
from tests.simulation.hub import Hub
from tests.simulation.places import shard_key
from tests.support.fakes.claimer import FakeClaimer
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.one_off_batches import FakeOneOffBatches, Fault
from tests.support.fakes.redrive_batches import FakeRedriveBatches, MarkResult
from tests.support.fakes.shard_counts import FakeShardCountStore
from tests.support.fakes.table import FakeTable
from tests.support.fakes.workflow_stores import FakeRunStore

READ_TRIES = 5
PAUSE_MS = (5, 60)
INDEX_LAG_MS = (100, 60_000)


@dataclass(slots=True)
class IndexEntry:
    """One dead letter in the index, and when readers begin and cease to see it."""

    execution: Execution
    from_ms: int
    until_ms: int | None = None


class SimTable(FakeTable):
    """Notes each open row that is put into a shard that the record does not contain: no scan might find it."""

    def __init__(self, recorded: FakeShardCountStore) -> None:
        super().__init__()
        self.unscanned: list[str] = []
        self._recorded = recorded

    def insert(self, execution: Execution, expires_at_s: int | None) -> None:
        """See the table."""
        location = execution.id
        record = self._recorded.read()
        is_recorded = record is not None and location.shard < record.counts.of(location.bucket)
        if not execution.state.is_terminal and not is_recorded:
            self.unscanned.append(f"{location!s} was put into a shard that is not recorded")
        super().insert(execution, expires_at_s)


class SimExecutionStore(FakeExecutionStore):
    """Reads of the base table are strong all the same, each key by itself."""

    def __init__(self, table: FakeTable, hub: Hub, weather: Weather) -> None:
        super().__init__(table)
        self.table, self.hub, self.weather = table, hub, weather
        self.index: dict[str, IndexEntry] = {}
        self.on_outcome: Callable[[ExecutionId], None] = lambda _: None
        """Called for each execution whose attempt was recorded."""

    def cut(self, limit: int) -> int:
        """The length of a page, which ends anywhere."""
        return self.weather.rng.choice((1, 2, 3, limit))

    def _note_cut(self, next_after: str | None) -> None:
        if next_after is not None:
            self.weather.note(Strike.CUT_PAGE)

    def scan(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ScanPage:
        """See the port."""
        page = super().scan(bucket, shard, after=after, limit=self.cut(limit))
        self._note_cut(page.next_after)
        if not planted.STALE_MS:
            return page
        seen = (row for row in page.rows if row.created_at + planted.STALE_MS <= self.hub.now_ms)
        return replace(page, rows=tuple(seen))

    def read_shard(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ExecutionPage:
        """See the port."""
        page = super().read_shard(bucket, shard, after=after, limit=self.cut(limit))
        self._note_cut(page.next_after)
        return page

    def get_many(self, execution_ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        """See the port. Keys that stay unprocessed are read later, when others have changed."""
        found, rest = super().get_many([]), list(dict.fromkeys(execution_ids))
        for _ in range(READ_TRIES):
            served = len(rest)
            if rest and self.weather.strikes(Strike.UNPROCESSED_KEYS):
                served = self.weather.rng.randint(0, len(rest) - 1)
            found |= super().get_many(rest[:served])
            rest = rest[served:]
            if not rest:
                return found
            self.hub.sleep(self.weather.rng.randint(*PAUSE_MS))
        raise UnavailableError("BatchGetItem left keys unprocessed")

    def finish(self, execution: Execution, finish: Finish) -> Execution | None:
        """See the port."""
        standing = super().finish(execution, finish)
        if standing is None and finish.outcomes:
            self.on_outcome(execution.id)
        self._index_if_failed(execution.id)
        return standing

    def give_up(
        self,
        execution: Execution,
        *,
        reason: EndReason,
        now_ms: int,
        expires_at_s: int,
        notification: ExecutionId | None = None,
    ) -> bool:
        """See the port."""
        done = super().give_up(
            execution, reason=reason, now_ms=now_ms, expires_at_s=expires_at_s, notification=notification
        )
        self._index_if_failed(execution.id)
        return done

    def repair_index(self, row: DueRow) -> bool:
        """See the port."""
        done = super().repair_index(row)
        self._index_if_failed(row.id)
        return done

    def _index_if_failed(self, execution_id: ExecutionId) -> None:
        row = self._table.executions.get(execution_id)
        key = f"{execution_id.dispatch_at:015d}#{execution_id!s}"
        if row is not None and row.is_dead_letter and key not in self.index:
            self.index[key] = IndexEntry(row.execution, self.hub.now_ms + self._lag_ms())

    def drop_from_index(self, execution_id: ExecutionId) -> None:
        """The row has gone; readers of the index see it for a while yet."""
        key = f"{execution_id.dispatch_at:015d}#{execution_id!s}"
        if key in self.index:
            self.index[key].until_ms = self.hub.now_ms + self._lag_ms()

    def _lag_ms(self) -> int:
        return self.weather.rng.randint(*INDEX_LAG_MS) if self.weather.strikes(Strike.STALE_INDEX) else 0


class SimRunStore(FakeRunStore):
    """Notes how often each epoch of a run has ended, and each change of a run that has ended."""

    def __init__(self, table: FakeTable) -> None:
        super().__init__(table)
        self.ends: Counter[tuple[ExecutionId, int]] = Counter()
        self.ended: dict[tuple[ExecutionId, int], Run] = {}
        """Each epoch as it ended."""
        self.deadlines: dict[tuple[ExecutionId, int], int] = {}
        self.violations: list[str] = []

    def put_if_absent(self, run: Run, *, expires_at_s: int | None = None) -> Run | None:
        """See the port."""
        existing = super().put_if_absent(run, expires_at_s=expires_at_s)
        if existing is None and run.state.is_terminal:
            self.ends[run.id, run.epoch] += 1
        self._note(run if existing is None else existing)
        return existing

    def update(self, before: Run, after: Run, *, expires_at_s: int | None = None) -> RunUpdate:
        """See the port."""
        stored = self.get(before.id)
        update = super().update(before, after, expires_at_s=expires_at_s)
        if stored is not None and stored != update.run:
            if stored.state.is_terminal and stored.epoch == update.run.epoch:
                self.violations.append(f"{stored.id} changed after its end")
            if update.run.state.is_terminal:
                self.ends[update.run.id, update.run.epoch] += 1
            self._note(update.run)
        return update

    def _note(self, run: Run) -> None:
        self.deadlines[run.id, run.epoch] = run.deadline_at
        if run.state.is_terminal:
            self.ended.setdefault((run.id, run.epoch), run)


class SimClaimer(FakeClaimer):
    """Claims in one batch of statements, each of which may fail by itself."""

    def __init__(self, table: FakeTable, weather: Weather, contention: Contention) -> None:
        super().__init__(table)
        self._weather = weather
        self._contention = contention

    def _claim(self, claim: Claim, now_ms: int) -> Execution | ClaimRejected | WriteUnknown:
        if self._weather.strikes(Strike.THROTTLE_STATEMENT):
            return WriteUnknown("ThrottlingError", is_throttled=True)
        if self._contention.is_held([str(claim.execution_id)]):
            self._weather.note(Strike.CONFLICT_OF_WRITE)
            return WriteUnknown("TransactionConflict")
        if self._weather.hotspots.throttles([shard_key(claim.execution_id)], now_ms):
            self._weather.note(Strike.THROTTLE_HOT_PLACE)
            return WriteUnknown("ThrottlingError", is_throttled=True)
        return super()._claim(claim, now_ms)


class SimOneOffBatches(FakeOneOffBatches):
    """Puts in one batch of statements, each of which may fail by itself."""

    def __init__(self, table: FakeTable, weather: Weather, contention: Contention) -> None:
        super().__init__(table)
        self._weather = weather
        self._contention = contention

    def _put(self, execution: Execution, fault: Fault | None) -> Execution | WriteUnknown | None:
        if self._weather.strikes(Strike.THROTTLE_STATEMENT):
            return WriteUnknown("ThrottlingError")
        if self._contention.is_held([str(execution.id)]):
            self._weather.note(Strike.CONFLICT_OF_WRITE)
            return WriteUnknown("TransactionConflict")
        return super()._put(execution, fault)

    def _put_payload(self, payload: Payload, fault: Fault | None) -> WriteUnknown | None:
        if self._weather.strikes(Strike.THROTTLE_STATEMENT):
            return WriteUnknown("ThrottlingError")
        return super()._put_payload(payload, fault)


class SimRedriveBatches(FakeRedriveBatches):
    """Marks in one batch of statements, each of which may fail by itself."""

    def __init__(self, table: FakeTable, weather: Weather, contention: Contention) -> None:
        super().__init__(table)
        self._weather = weather
        self._contention = contention

    def _mark(self, execution_id: ExecutionId, redriven_by: RedrivenBy) -> MarkResult:
        if self._weather.strikes(Strike.THROTTLE_STATEMENT):
            return WriteUnknown("ThrottlingError")
        if self._contention.is_held([str(execution_id)]):
            self._weather.note(Strike.CONFLICT_OF_WRITE)
            return WriteUnknown("TransactionConflict")
        return super()._mark(execution_id, redriven_by)
