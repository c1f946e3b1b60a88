"""The product's own reconciler, once everything has settled: it must find nothing that the oracle does not."""

from collections.abc import Iterator

from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.bootstrap.ports import Ports
from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import MINUTE_MS
from shared.usecases.ticks.reconcile import SETTLE_MINUTES, Reconcile
from tests.simulation.lanes import QUEUE_URLS
from tests.simulation.verdicts import Fault, Verdict
from tests.simulation.world import World
from tests.support.fakes.clock import VirtualClock, one_by_one
from tests.support.fakes.ledger import FakeShardLedger
from tests.support.fakes.wakeup_queue import even
from tests.support.settings import settings_of


def audit(world: World) -> Iterator[Fault]:
    """Reconcile the whole run without faults, and report what was found now and while the load was on."""
    for identity in world.missing_executions:
        yield _fault("missing_executions while the load was on", identity)
    mark = FakeShardLedger()
    mark.note_reconciled_through(world.start_ms // MINUTE_MS - 1)
    reconcile = _reconcile(world, mark)
    while mark.reconciled_through() != world.hub.now_ms // MINUTE_MS - SETTLE_MINUTES:
        report = reconcile.execute()
        for identity in report.missing_executions:
            yield _fault("missing_executions", identity)
        for identity in report.double_completed:
            yield _fault("completed twice", identity)
        for identity in report.chains_repaired:
            yield _fault("lost and found", identity)


def _reconcile(world: World, mark: FakeShardLedger) -> Reconcile:
    """Production's reconciler over ports without faults."""
    ports = Ports()
    ports.clock, ports.entropy = VirtualClock(world.hub.now_ms), world.entropy
    ports.executions, ports.jobs, ports.run_locks = world.store, world.jobs, world.run_locks
    ports.ledger, ports.reconcile_mark, ports.accepted_log = world.ledger, mark, world.accepted
    ports.shard_counts = world.shard_counts
    ports.queue = SqsWakeupQueue(world.lanes, QUEUE_URLS, even, one_by_one)  # type: ignore[arg-type]
    return use_cases(ports, settings_of(world.releases.newest, world.retention)).ticks.reconcile


def _fault(text: str, identity: str) -> Fault:
    is_job = identity.startswith("job_")
    return Fault(
        verdict=Verdict.RECONCILER,
        text=text,
        job_id=identity if is_job else None,
        execution_id=None if is_job else identity,
    )
