"""The product's own reconciler, once everything has settled: it must find nothing that the oracle does not."""

from collections.abc import Iterator

from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.bootstrap.ports import Ports
from shared.bootstrap.ticks import TickUseCases
from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import MINUTE_MS
from shared.names import LIVE_SEGMENTS
from shared.ports.dispatch import MinuteProgress, SegmentProgress
from shared.usecases.ticks.reconcile_report import ReconcileReport, settled_through
from tests.simulation.lanes import QUEUE_URLS
from tests.simulation.verdicts import Fault, Verdict
from tests.simulation.world import World
from tests.support.fakes.clock import VirtualClock, one_by_one
from tests.support.fakes.reconcile_progress import FakeReconcileProgress
from tests.support.fakes.wakeup_queue import even
from tests.support.settings import settings_of


def audit(world: World) -> Iterator[Fault]:
    """Reconcile the whole run without faults, and report what was found now and while the load was on."""
    for identity in world.missing_executions:
        yield _fault("missing_executions while the load was on", identity)
    progress = FakeReconcileProgress()
    progress.note_minutes(MinuteProgress(through=world.start_ms // MINUTE_MS - 1))
    for segment in range(LIVE_SEGMENTS):
        progress.move_segment(
            segment, None, SegmentProgress(covered_at=world.start_ms, checked_until=world.start_ms)
        )
    for report in _reports(world, progress):
        for identity in report.missing_executions:
            yield _fault("missing_executions", identity)
        for identity in report.double_completed:
            yield _fault("completed twice", identity)
        for identity in report.chains_repaired:
            yield _fault("lost and found", identity)


def _reports(world: World, progress: FakeReconcileProgress) -> Iterator[ReconcileReport]:
    """Production's reconciler over ports without faults, until it has accounted for the whole run."""
    ticks = _ticks(world, progress)
    settled = settled_through(world.hub.now_ms)
    yield ticks.reconcile_minutes.execute()
    while min(each.checked_until for each in progress.by_segment.values()) <= settled * MINUTE_MS:
        yield ticks.reconcile_definitions.execute()


def _ticks(world: World, progress: FakeReconcileProgress) -> TickUseCases:
    ports = Ports()
    ports.clock, ports.entropy = VirtualClock(world.hub.now_ms), world.entropy
    ports.executions, ports.jobs, ports.run_locks = world.store, world.jobs, world.run_locks
    ports.ledger, ports.reconcile_progress, ports.accepted_log = world.ledger, progress, world.accepted
    ports.live_items, ports.tenants, ports.spread = world.live_items, world.tenants, one_by_one
    ports.shard_counts, ports.calendars = world.shard_counts, world.calendars
    ports.queue = SqsWakeupQueue(world.lanes, QUEUE_URLS, even, one_by_one)  # type: ignore[arg-type]
    return use_cases(ports, settings_of(world.releases.newest, world.retention)).ticks


def _fault(text: str, identity: str) -> Fault:
    is_job = identity.startswith("job_")
    return Fault(
        verdict=Verdict.RECONCILER,
        text=text,
        job_id=identity if is_job else None,
        execution_id=None if is_job else identity,
    )
