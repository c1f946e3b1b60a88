"""The crash sweep: every scenario, struck at every AWS call of its marked invocation, in every way."""

import contextlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from infra.local.clients import REGION
from shared.adapters.clock import SystemEntropy, pause
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.dispatch.ledger import DynamoShardLedger
from shared.adapters.dynamodb.dispatch.shard_counts import DynamoShardCountStore
from shared.adapters.dynamodb.tenancy.tenant_store import DynamoTenantStore
from shared.domain.bucket import LEAST_COUNTS, bucket_of
from shared.domain.tenancy.tenant import split_key
from shared.ports.dispatch import ShardRecord
from shared.usecases.filing.scanned_shards import OPEN_FROM_MARGIN
from tests.crashes.api_scenarios import api
from tests.crashes.archiver_scenarios import archiver
from tests.crashes.arrivals import ArrivalLog
from tests.crashes.auditor_scenarios import auditor
from tests.crashes.batch_scenarios import batches
from tests.crashes.breaker_scenarios import troubled
from tests.crashes.bulk_operation_scenarios import changed_at_once, changed_later
from tests.crashes.bulk_redrive_scenarios import started, started_with_runs, worked_off
from tests.crashes.crash_points import CrashPoint, points_of
from tests.crashes.dead_letter_scenarios import dead_letter
from tests.crashes.deletion_scenarios import deleted
from tests.crashes.deployment import deploy
from tests.crashes.edit_scenarios import edits, moved
from tests.crashes.engines import Engines, engines
from tests.crashes.event_scenarios import received
from tests.crashes.executor_scenarios import executor
from tests.crashes.keyed_scenarios import keyed
from tests.crashes.lifecycle_scenarios import lifecycle
from tests.crashes.limit_alert_scenarios import announced
from tests.crashes.limit_scenarios import held_back, limited
from tests.crashes.long_run_scenarios import going_on, reported, unheard
from tests.crashes.notification_scenarios import telling, told_by_report, told_by_rescue, told_by_sweep
from tests.crashes.pause_scenarios import paused, paused_late
from tests.crashes.payload_scenarios import kept, large
from tests.crashes.reconciler_scenarios import reconciler
from tests.crashes.redrive_scenarios import called_again, redriving, sent_again
from tests.crashes.refund_scenarios import refunds
from tests.crashes.refusal_scenarios import refused
from tests.crashes.run_end_scenarios import begun, begun_later, redriven
from tests.crashes.run_lock_scenarios import handed_over, run_locks, swept
from tests.crashes.scenario import Scenario
from tests.crashes.search_scenarios import searched, written
from tests.crashes.stage import Stage
from tests.crashes.suspension_scenarios import suspended
from tests.crashes.tick_scenarios import sweeper, watcher
from tests.crashes.unfinished_scenarios import finished, left
from tests.crashes.workflow_scenarios import advancing, carried_on, rescued

CATALOGUES = (
    *(api, batches, keyed, edits, large, lifecycle, finished, reported, handed_over),
    *(
        told_by_report,
        redriving,
        started,
        started_with_runs,
        changed_at_once,
        changed_later,
        searched,
        written,
        announced,
    ),
    *(watcher, sweeper, unheard, swept),
    *(told_by_sweep, held_back, worked_off, kept, deleted),
    *(executor, refused, refunds, moved, going_on, run_locks),
    *(telling, called_again, limited, troubled, paused, suspended),
    *(advancing, carried_on, rescued, begun, begun_later, redriven),
    *(dead_letter, told_by_rescue, sent_again, paused_late, reconciler, left, archiver, auditor),
    received,
)
NEVER_AGAIN_MS = 4_000_000_000_000
"""As the last use of a key: beyond the end of every run."""
SCENARIOS = [scenario for catalogue in CATALOGUES for scenario in catalogue.scenarios]


@dataclass(slots=True, kw_only=True)
class Run:
    """One scenario, struck at one point or at none."""

    scenario: Scenario
    point: CrashPoint | None
    faults: list[str]
    calls: list[str] = field(default_factory=list)
    is_struck: bool = False
    recovery_seconds: float = 0.0
    """How long it took, on the run's clock, until every job had ended."""
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.scenario.function} {self.scenario.name} [{self.point or 'unharmed'}]"


class Theatre:
    """Stages for runs; one on which a promise was broken is not used again, so that no run sees another's debris."""

    def __init__(self, running: Engines) -> None:
        self._engines = running
        self._stage: Stage | None = None
        self.used: set[str] = set()
        """The grants that all runs used."""

    def run(self, scenario: Scenario, point: CrashPoint | None = None) -> Run:
        """Play one scenario to its end."""
        begun = time.monotonic()
        stage = self._stage = self._stage or self._open()
        stage.begin(point)
        scenario.act(stage)
        calls, faults = stage.workers.calls, []
        if point is None and not scenario.makes <= set(calls):
            faults.append(f"empty: the invocation makes no {', '.join(scenario.makes - set(calls))}")
        is_struck = stage.workers.struck
        if point is not None and not is_struck and not scenario.races:
            faults.append(f"not struck: the invocation did not make this call, only {', '.join(calls)}")
        recovery_seconds = stage.settle()
        faults += stage.verdict()
        self.used |= stage.deployment.process_pool.used
        if faults:
            self.close()
        return Run(
            scenario=scenario,
            point=point,
            faults=faults,
            calls=calls,
            is_struck=is_struck,
            recovery_seconds=recovery_seconds,
            seconds=time.monotonic() - begun,
        )

    def close(self) -> None:
        """End the stage's processes."""
        stage, self._stage = self._stage, None
        if stage is not None:
            stage.log.stop()
            stage.deployment.stop()

    def _open(self) -> Stage:
        deployment = deploy(self._engines, shards=1)
        stage = Stage(deployment, ArrivalLog(self._engines.clock, deployment.signing_secret))
        # The first sweep of a deployment would list an hour of buckets; what is struck here is an ordinary one.
        client = self._engines.store.client("dynamodb")
        ledger = DynamoShardLedger(client, deployment.tables.leases, REGION)
        ledger.note_swept_through(bucket_of(stage.clock.now_ms()) - 1)
        # The first filing of a deployment records where filing began; no later one makes that call.
        counts = DynamoShardCountStore(client, deployment.tables.jobs, REGION)
        counts.begin(
            ShardRecord(counts=LEAST_COUNTS, open_from=bucket_of(stage.clock.now_ms()) - OPEN_FROM_MARGIN)
        )
        # Whichever request comes first in an hour notes that; here none may make a call that the next one spares.
        parts = split_key(deployment.api_key)
        assert parts is not None
        store = DynamoTenantStore(client, deployment.tables.tenants, Backoff(pause, SystemEntropy()))
        store.note_use(parts[0], NEVER_AGAIN_MS, NEVER_AGAIN_MS)
        return stage


@contextmanager
def theatre(root: Path) -> Iterator[Theatre]:
    """Engines, and a stage when one is needed."""
    with engines(root, goes=False) as running:
        house = Theatre(running)
        with contextlib.closing(house):
            yield house


def runs_of(house: Theatre, scenario: Scenario, only: str = "") -> Iterator[Run]:
    """The unharmed run, which tells the calls, and then one for each point whose name contains `only`."""
    unharmed = house.run(scenario)
    yield unharmed
    latest_seconds = unharmed.recovery_seconds + scenario.delay_seconds
    for point in points_of(unharmed.calls):
        if only in str(point):
            run = house.run(scenario, point)
            if run.recovery_seconds > latest_seconds:
                run.faults.append(
                    f"late: mended in {run.recovery_seconds:.0f} s, not in {latest_seconds:.0f} s"
                )
            yield run
