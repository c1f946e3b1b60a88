"""Production's composition over the ports of simulated processes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from shared.adapters.aws.errors import NoAnswerError
from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.bootstrap.core import CoreUseCases
from shared.bootstrap.marked_ports import marked
from shared.bootstrap.ports import Ports
from shared.bootstrap.use_cases import UseCases
from shared.names import QueueName
from shared.ports.executions import WriteUnknown
from shared.settings import ApiSettings, Settings, VaultSettings
from shared.usecases.filing.file_successor import FileSuccessor
from tests.simulation import planted
from tests.simulation.calls import GreenletOffload, PortCalls, ProcessClock, ProcessHandle
from tests.simulation.hub import SimLoop
from tests.simulation.lanes import QUEUE_URLS, Backlog
from tests.simulation.newer_items import seen_by
from tests.simulation.newer_messages import NewerClient
from tests.simulation.process import Process
from tests.simulation.releases import Release
from tests.simulation.vault import SimVault
from tests.support.fakes.clock import one_by_one
from tests.support.fakes.tenant_deletions import FakeTenantRecords
from tests.support.settings import only, settings_of

if TYPE_CHECKING:
    from tests.simulation.world import World


class KeylessPorts(Ports):
    """Those of a function without a key, such as a sweeper, as its settings make them in production."""

    @property
    def vault(self) -> NoReturn:  # type: ignore[override]
        raise TypeError("this function has no key")


class SimCore(CoreUseCases):
    """The core, with the fault that mutants plant in the successors of recurring executions."""

    @cached_property
    def file_successor(self) -> FileSuccessor:
        successor = FileSuccessor(
            self.file,
            self.ports.executions,
            self.ports.jobs,
            self.read_tenant,
            self.ports.clock,
            self.settings.retention,
        )
        if planted.FROZEN:
            return successor
        counts: Any = planted.TodaysCounts(successor, self.settings.shard_plan, self.ports.clock)
        return counts


def use_cases_of(
    world: World, process: Process, release: Release | None = None, *, kind: type[Settings] = ApiSettings
) -> UseCases:
    """The use cases of a process that has just started and lives for one request or one tick. `kind` has the settings
    of its function."""
    return _use_cases(world, ProcessHandle(process), release or world.releases.start(), kind)


def warm_use_cases(world: World, handle: ProcessHandle) -> UseCases:
    """The use cases of a sandbox, to keep: each of its invocations is a process of its own."""
    return _use_cases(world, handle, world.releases.start())


class Sandbox:
    """An executor's sandbox. What its use cases cache outlives a batch; each batch is a process of its own."""

    def __init__(self, world: World, queue: QueueName, process: Process) -> None:
        self._handle = ProcessHandle(process)
        self.release = world.releases.start()
        self.run_attempts = _use_cases(world, self._handle, self.release).attempts.run_attempts(queue)

    def hand_to(self, process: Process, loop: SimLoop) -> None:
        """From now on every port call is made by this process."""
        self._handle.process, self._handle.loop = process, loop


class Sandboxes:
    """Lambda hands a batch to the idle sandbox that was used last, or makes one. A dead one is not given back."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._idle: dict[QueueName, list[Sandbox]] = {queue: [] for queue in QueueName}

    def take(self, queue: QueueName, process: Process) -> Sandbox:
        """A sandbox for a batch of a queue; idle ones of a release that was replaced are gone."""
        self._idle[queue] = [one for one in self._idle[queue] if self._world.releases.serves(one.release)]
        return self._idle[queue].pop() if self._idle[queue] else Sandbox(self._world, queue, process)

    def give_back(self, queue: QueueName, sandbox: Sandbox) -> None:
        """The batch is over, and the sandbox is alive."""
        self._idle[queue].append(sandbox)


def _use_cases(
    world: World, handle: ProcessHandle, release: Release, kind: type[Settings] = ApiSettings
) -> UseCases:
    settings = settings_of(release.plan, world.retention, default_quotas=world.quotas)
    ports = marked(_ports(world, handle, release, has_keys=issubclass(kind, VaultSettings)))
    return UseCases(SimCore(ports, only(kind, settings)))


def _ports(world: World, handle: ProcessHandle, release: Release, *, has_keys: bool) -> Ports:
    """Every port whose calls can be throttled, lost or cut off by a crash."""

    def faulty(target: Any, **fails: Any) -> Any:
        return PortCalls(handle, target, fails)

    ports = Ports() if has_keys else KeylessPorts()
    ports.clock, ports.offload = ProcessClock(handle), GreenletOffload(handle)
    ports.entropy, ports.pause, ports.spread = world.entropy, world.hub.sleep, one_by_one
    ports.executions = faulty(seen_by(release, world, world.store))
    ports.queries = faulty(world.queries)
    ports.claimer = faulty(seen_by(release, world, world.claimer), claim=_unknown)
    ports.one_offs = faulty(seen_by(release, world, world.one_offs))
    ports.one_off_batches = faulty(seen_by(release, world, world.one_off_batches))
    ports.jobs = faulty(seen_by(release, world, world.jobs))
    ports.job_keys = faulty(world.job_keys)
    ports.calendars = faulty(world.calendars)
    ports.triggers, ports.event_sources = faulty(world.triggers), faulty(world.event_sources)
    ports.idempotency = faulty(world.idempotency)
    ports.run_locks = faulty(world.run_locks)
    ports.job_health = faulty(world.job_health)
    ports.alert_windows = faulty(world.alert_windows)
    ports.workflows, ports.runs = faulty(world.workflows), faulty(world.runs)
    ports.maps = faulty(world.maps)
    ports.limits = faulty(world.limits)
    ports.budgets = faulty(world.budgets)
    ports.ledger = faulty(world.ledger)
    ports.reconcile_progress = faulty(world.reconcile_progress)
    ports.shard_counts = faulty(world.shard_counts)
    ports.progress = faulty(world.progress)
    ports.parked_messages = faulty(world.parked_messages)
    ports.redrive_tasks = faulty(world.redrives)
    ports.job_tasks, ports.bulk_pages = faulty(world.job_tasks), faulty(world.bulk_pages)
    ports.redrive_batches = faulty(
        seen_by(release, world, world.redrive_batches),
        mark_all=lambda marks: [WriteUnknown("injected") for _ in marks],
    )
    ports.accepted_log = faulty(world.accepted)
    ports.late_puts = faulty(world.late_puts)
    sqs: Any = faulty(world.lanes, send_message_batch=_no_answer)
    if release.writes_newer_messages:
        sqs = NewerClient(sqs)
    ports.queue = SqsWakeupQueue(sqs, QUEUE_URLS, world.weights, one_by_one)
    ports.backlog = Backlog(faulty(world.lanes))
    ports.tenants = faulty(world.tenants)
    if has_keys:
        ports.vault = SimVault(world, handle)
    ports.tenant_deletions = faulty(world.deletions)
    ports.tenant_records = faulty(FakeTenantRecords(world.table))
    ports.live_items = faulty(world.live_items)
    ports.recurring_jobs = world.live_items
    ports.sender, ports.targets = world.receiver.sender(handle), world.targets.sender(handle)
    ports.signed_sender = world.targets.signed_sender(handle)
    return ports


def _no_answer(**_request: Any) -> Any:
    raise NoAnswerError("injected")


def _unknown(claims: Any, _now_ms: int) -> list[WriteUnknown]:
    return [WriteUnknown("injected") for _ in claims]
