"""The archive of a run: the product's archiver reads all records at rest, after their expiry, and after a late put.

It runs without faults and draws nothing from the streams of the run: `tests/simulation/archiving.py` is about its
crashes. What clients are then shown as statistics goes to the oracle.
"""

from collections import defaultdict

from shared.bootstrap.ports import Ports
from shared.bootstrap.use_cases import UseCases, use_cases
from shared.domain.archive.schedule import sealable_from
from shared.domain.archive.stat_window import StatWindow, Step
from shared.domain.archive.statistics import Sums
from shared.domain.archive.unit import HOUR_MS, ArchiveUnit, hour_of, unit_of
from shared.domain.executions.states import EndReason, State
from shared.domain.tenancy.tenant import Tenant
from shared.ports.archive import PlanMark
from shared.ports.executions import ExecutionPage
from shared.usecases.archive.read_statistics import StatBucket
from tests.simulation.evidence import Reading, Record, Statistics
from tests.simulation.readers import record_of
from tests.simulation.releases import GROWN
from tests.simulation.world import TENANTS, World
from tests.support.builders import one_off, with_changes
from tests.support.fakes.archive import FakeArchiveFiles, FakeArchiveUnits, FakeIndexCounts, FakeObjectStore
from tests.support.fakes.clock import SeededEntropy, VirtualClock, one_by_one
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.history import FakeHistoryStore
from tests.support.fakes.queries import FakeQueries
from tests.support.fakes.scan import SortedRows, due_row, executions_of
from tests.support.fakes.table import FakeTable
from tests.support.fakes.vault import FakeVault
from tests.support.settings import settings_of

LATE_NUMBER = 1 << 60
"""Of the record that is put late: no order has it."""


class ShardReader(FakeExecutionStore):
    """Finds the rows of a shard without a look at all others, which would cost more than the run itself."""

    def __init__(self, table: FakeTable) -> None:
        super().__init__(table)
        self._shards: dict[tuple[int, int], SortedRows] = defaultdict(dict)
        for row in sorted(table.executions.values(), key=lambda row: str(row.execution.id)):
            due = due_row(row.execution)
            self._shards[due.id.bucket, due.id.shard][due.sort_key] = due if row.damage is None else None

    def read_shard(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ExecutionPage:
        rows = self._shards.get((bucket, shard), {})
        return executions_of(self._table, dict(sorted(rows.items())), after, limit)


class ArchivedRun:
    """Begin it at rest, before any record expires."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._units, self._objects = FakeArchiveUnits(), FakeObjectStore()
        self._history = FakeHistoryStore()
        self._vault = FakeVault(SeededEntropy(world.seed))
        self._vault._keys = world.vault._keys
        self.readings: list[Reading] = []
        self._stored: dict[str, list[Record]] = {name: [] for name in TENANTS}
        """What has ended, by tenant: a record that expires stays here."""
        self.broken: list[str] = []
        for row in world.table.executions.values():
            self._stored[row.execution.tenant_id].append(record_of(row.execution))
        units = {unit_of(key) for key in world.table.executions}
        self._hours = sorted({unit.hour for unit in units})
        self._list(units)

    def _list(self, units: set[ArchiveUnit]) -> None:
        """Those with records: the hours of the two weeks after the run are empty."""
        for unit in units:
            self._units.open(unit, next_pass_at=0, sealable_from=sealable_from(unit, 0))
        later = max(hour_of(self._world.hub.now_ms), *self._hours, 0) + 30 * 24
        self._units.note_planned(PlanMark(hour=later, recorded=GROWN))

    def read_at_rest(self) -> None:
        self._pass(self._world.hub.now_ms)

    def read_after_expiry(self) -> None:
        """Some records are gone: the files have them. Each hour that is old enough is sealed."""
        now_ms = self._world.hub.now_ms
        self._pass(now_ms)
        unsealed = [state.unit for state in self._units.listed() if state.sealable_from <= now_ms]
        self.broken += [f"{unit} is not sealed" for unit in unsealed]

    def read_after_a_late_put(self) -> None:
        """A record of a pause is put into a sealed hour, which opens it again."""
        if not self._hours:
            return
        tenant, now_ms = self._world.tenant(TENANTS[0]), self._world.hub.now_ms
        record = with_changes(
            one_off(LATE_NUMBER, due_at=self._hours[0] * HOUR_MS, tenant_id=tenant.id),
            state=State.SKIPPED,
            end_reason=EndReason.JOB_PAUSED,
            ends_chain=True,
        )
        expires_at_s = self._world.retention.expires_at_s(now_ms)
        self._cases(now_ms).core.ports.executions.put_if_absent(record, expires_at_s=expires_at_s)
        self._stored[tenant.id].append(record_of(record))
        self._pass(now_ms + 1)

    def _pass(self, now_ms: int) -> None:
        cases = self._cases(now_ms)
        report = cases.archive.run.execute()
        if report.mismatched or report.unavailable or any(each.unreadable for each in report.passes):
            self.broken.append(f"the archiver found {report.mismatches or report.damaged or report.passes}")
        stored = {name: list(records) for name, records in self._stored.items()}
        shown = [self._shown(cases, name) for name in (*TENANTS, None)]
        self.readings.append(Reading(stored=stored, statistics=shown))

    def _shown(self, cases: UseCases, name: str | None) -> Statistics:
        tenant = self._world.tenant(name) if name is not None else None
        buckets, minutes = self._read(cases, tenant, Step.HOUR), self._read(cases, tenant, Step.MINUTE)
        whole, by_minute = Sums(), Sums()
        for bucket in buckets:
            whole.merge(bucket.sums)
        for bucket in minutes:
            by_minute.merge(bucket.sums)
        return Statistics(
            tenant=name,
            states=dict(whole.states),
            reasons=dict(whole.end_reasons),
            statuses=dict(whole.statuses),
            attempts=whole.attempts,
            minutes={
                number: (minute.ended, minute.failed, dict(minute.lag.counts))
                for number, minute in by_minute.minutes.items()
            },
            is_complete=all(bucket.is_complete for bucket in buckets),
        )

    def _read(self, cases: UseCases, tenant: Tenant | None, step: Step) -> list[StatBucket]:
        """The statistics of all hours in these steps; only those by minute have the minutes apart."""
        windows = (
            StatWindow(from_at=hour * HOUR_MS, until_at=(hour + 1) * HOUR_MS, step=step)
            for hour in self._hours
        )
        return [
            bucket
            for window in windows
            for bucket in cases.archive.read_statistics.execute(tenant, window).buckets
        ]

    def _cases(self, now_ms: int) -> UseCases:
        world, ports = self._world, Ports()
        ports.clock, ports.spread = VirtualClock(now_ms), one_by_one
        ports.executions = ShardReader(world.table)
        ports.ledger, ports.shard_counts, ports.tenants = world.ledger, world.shard_counts, world.tenants
        ports.tenant_deletions, ports.entropy = world.deletions, SeededEntropy(world.seed)
        ports.late_puts, ports.vault = world.late_puts, self._vault
        ports.archive_units, ports.archive_objects = self._units, self._objects
        ports.archive_files, ports.history = FakeArchiveFiles(), self._history
        ports.index_counts, ports.queries = FakeIndexCounts(world.table), FakeQueries(world.table)
        return use_cases(ports, settings_of(world.releases.newest, world.retention))
