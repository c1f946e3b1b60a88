"""One deployment in a simulation: the product's use cases, unchanged, over fakes, on a virtual clock."""

import random
from collections.abc import Collection, Mapping
from dataclasses import replace

from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.tenancy.create_tenant import CreateTenant
from tests.simulation.clocks import Clocks
from tests.simulation.contention import Contention
from tests.simulation.evidence import role_of
from tests.simulation.faults import (
    WRONG_CLOCKS_SHARE,
    FaultMix,
    Strike,
    Weather,
    draw_index,
    draw_mix,
    draw_separate,
    draw_targets,
)
from tests.simulation.functions import Functions
from tests.simulation.hub import Hub
from tests.simulation.indexes import SimQueries
from tests.simulation.lanes import SimLanes
from tests.simulation.places import FAILURE_INDEX
from tests.simulation.process import Process
from tests.simulation.receiver import SimReceiver
from tests.simulation.releases import Releases
from tests.simulation.seasons import season_of
from tests.simulation.stores import (
    SimClaimer,
    SimExecutionStore,
    SimOneOffBatches,
    SimRedriveBatches,
    SimRunStore,
    SimTable,
)
from tests.simulation.targets import SimTargets
from tests.simulation.trace import Trace
from tests.simulation.wiring import Sandboxes
from tests.support.fakes.accepted_log import FakeAcceptedLog
from tests.support.fakes.alert_windows import FakeAlertWindows
from tests.support.fakes.archive import FakeLatePuts
from tests.support.fakes.budgets import GENEROUS, FakeBudgetStore
from tests.support.fakes.bulk_tasks import FakeBulkPages, FakeJobTasks, FakeRedriveTasks
from tests.support.fakes.calendar_store import FakeCalendarStore
from tests.support.fakes.clock import SeededEntropy, VirtualClock
from tests.support.fakes.event_source_store import FakeEventSourceStore
from tests.support.fakes.idempotency_store import FakeIdempotencyStore
from tests.support.fakes.job_health_store import FakeJobHealthStore
from tests.support.fakes.job_keys import FakeJobKeys
from tests.support.fakes.job_store import FakeJobStore
from tests.support.fakes.lane_stores import FakeLaneProgressStore, FakeParkedMessageStore
from tests.support.fakes.ledger import FakeShardLedger
from tests.support.fakes.limit_store import FakeLimitStore
from tests.support.fakes.live_items import FakeLiveItems
from tests.support.fakes.one_off_store import FakeOneOffStore
from tests.support.fakes.reconcile_progress import FakeReconcileProgress
from tests.support.fakes.run_lock_store import FakeRunLockStore
from tests.support.fakes.shard_counts import FakeShardCountStore
from tests.support.fakes.tenant_deletions import FakeTenantDeletions
from tests.support.fakes.tenant_store import FakeTenantStore
from tests.support.fakes.trigger_store import FakeTriggerStore
from tests.support.fakes.vault import FakeVault
from tests.support.fakes.workflow_stores import FakeMapStore, FakeWorkflowStore

TENANTS = ("acme", "globex")
RETENTION_DAYS = 14
LIMITS = {
    Quota.CONCURRENCY: (2, 4),
    Quota.CALLS_PER_SECOND: (2, 5),
    Quota.DESTINATION_CONCURRENCY: (1, 3),
    Quota.DESTINATION_CALLS_PER_SECOND: (2, 5),
}
"""What a tenant may be limited to. All calls of one go to one destination."""


class World:
    """Everything that one seed runs with."""

    def __init__(self, seed: int, mix: FaultMix | None = None, *, is_demanding: bool = True) -> None:
        self.seed = seed
        self.is_demanding = is_demanding
        """Whether receivers may ask for something by their answers."""
        rng = random.Random(seed)
        separate = random.Random(f"separate faults {seed}")
        if mix is None:
            has_wrong_clocks = random.Random(f"wrong clocks of {seed}").random() < WRONG_CLOCKS_SHARE
            mix = replace(draw_mix(rng), wrong_clocks=has_wrong_clocks)
            mix = draw_separate(mix, separate)
            mix = draw_index(mix, random.Random(f"mix of index {seed}"))
            mix = draw_targets(mix, random.Random(f"mix of targets {seed}"))
        self.weather = Weather(rng, mix, separate, random.Random(f"throttles of index {seed}"))
        self._clocks = Clocks(seed, self.weather)
        self.season = season_of(seed)
        self.start_ms = self.season.start_ms
        self.hub = Hub(self.start_ms)
        self.trace = Trace(self.start_ms)
        self.contention = Contention()
        self.shard_counts = FakeShardCountStore()
        self.table = SimTable(self.shard_counts)
        self.store = SimExecutionStore(self.table, self.hub, self.weather)
        self.table.index_throttles = self._index_throttles
        self.queries = SimQueries(self.store)
        self.claimer = SimClaimer(self.table, self.weather, self.contention)
        self.one_off_batches = SimOneOffBatches(self.table, self.weather, self.contention)
        self.jobs, self.ledger = FakeJobStore(self.table), FakeShardLedger()
        self.job_keys = FakeJobKeys(self.table)
        self.calendars = FakeCalendarStore(self.table)
        self.triggers, self.event_sources = FakeTriggerStore(self.table), FakeEventSourceStore()
        self.live_items, self.reconcile_progress = FakeLiveItems(self.table), FakeReconcileProgress()
        self.idempotency, self.tenants = FakeIdempotencyStore(), FakeTenantStore()
        self.deletions = FakeTenantDeletions(self.tenants)
        self.progress, self.parked_messages = FakeLaneProgressStore(), FakeParkedMessageStore()
        self.limits, self.budgets = FakeLimitStore(), FakeBudgetStore()
        self.quotas = GENEROUS
        self.sandboxes = Sandboxes(self)
        self.redrives = FakeRedriveTasks()
        self.job_tasks, self.bulk_pages = FakeJobTasks(), FakeBulkPages()
        self.redrive_batches = SimRedriveBatches(self.table, self.weather, self.contention)
        self.run_locks, self.one_offs = FakeRunLockStore(), FakeOneOffStore(self.table)
        self.job_health = FakeJobHealthStore()
        self.alert_windows = FakeAlertWindows()
        self.workflows, self.runs = FakeWorkflowStore(self.table), SimRunStore(self.table)
        self.maps = FakeMapStore(self.table)
        self.accepted = FakeAcceptedLog()
        self.late_puts = FakeLatePuts()
        self.missing_executions: list[str] = []
        """What the reconciler said to be missing while the load was on."""
        self.entropy = SeededEntropy(seed)
        self.vault = FakeVault(self.entropy)
        self.vault_down_until = 0
        self.retention = Retention(RETENTION_DAYS)
        self.releases = Releases(seed, self.start_ms, self.hub, self.weather)
        self.receiver = SimReceiver(self.hub, self.weather)
        self.targets = SimTargets(self)
        self.functions = Functions(self)
        self.lanes = SimLanes(
            self.hub, self.weather, self.trace, self.functions.execute, self.functions.rescue
        )
        self._processes = 0
        create = CreateTenant(self.tenants, self.vault, VirtualClock(self.start_ms), self.entropy)
        for name in TENANTS:
            create.execute(name)
            self._limit(name)
            with_role = replace(self.tenants.tenants[name], target_roles=(role_of(name),))
            self.tenants.tenants[name] = with_role

    def _index_throttles(self, _: Execution) -> bool:
        """Whether the index of failures throttles a write now; the write is made without its entry."""
        is_hot = self.weather.hotspots.throttles([FAILURE_INDEX], self.hub.now_ms)
        if is_hot:
            self.weather.note(Strike.THROTTLE_INDEX)
        return is_hot or self.weather.strikes(Strike.THROTTLE_INDEX)

    def _limit(self, name: str) -> None:
        """Give a tenant limits of its own, and some weight, where this run has any."""
        rng, standing = self.weather.rng, self.tenants.tenants[name]
        if self.weather.mix.limited:
            quotas = {quota: rng.choice(limits) for quota, limits in LIMITS.items() if rng.random() < 0.5}
            self.tenants.tenants[name] = replace(standing, quotas=quotas, weight=rng.choice((1, 3)))

    def tenant(self, name: str) -> Tenant:
        """A tenant, read without faults."""
        tenant = self.tenants.get(name)
        assert tenant is not None
        return tenant

    def weights(self, tenant_ids: Collection[str]) -> Mapping[str, int]:
        """The weights of tenants."""
        return {tenant_id: self.tenant(tenant_id).weight for tenant_id in tenant_ids}

    def note(self, who: str, text: str, job_id: str = "") -> None:
        """Add to the trace what no process does."""
        self.trace.note(self.hub.now_ms, who, text, [job_id] if job_id else ())

    def process(self, kind: str) -> Process:
        """A new sandbox."""
        self._processes += 1
        name, skew = f"{kind}{self._processes}", self._clocks.draw(self.hub.now_ms)
        return Process(name, self.hub, self.weather, self.trace, self.contention, skew)
