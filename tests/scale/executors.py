"""Executors: sandboxes that Lambda hands batches of messages to."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from functions.executor.records import batch_response, deliveries
from infra.sizing import figures
from shared.bootstrap.use_cases import use_cases
from shared.names import EXECUTOR_TIMEOUT_SECONDS, QueueName
from shared.usecases.attempts.batch_report import BatchReport
from shared.usecases.attempts.settlement import AttemptEnd
from tests.scale.machines import MachineClock, MachineLoop, MachineOffload
from tests.scale.queues import BATCH, Message
from tests.scale.receivers import MachineSender

if TYPE_CHECKING:
    from tests.scale.world import ScaleWorld

SCALING_MS = 10_000


class Sandbox:
    """An executor's machine, whose caches outlive a batch."""

    def __init__(self, world: ScaleWorld, queue: QueueName) -> None:
        self.machine = world.machine(world.slice.stage.memory.of_executor(queue))
        self.loop = MachineLoop(world.hub)
        ports = world.ports(self.machine)
        ports.clock = MachineClock(world.hub, self.loop)
        ports.offload = MachineOffload(self.machine, self.loop)
        ports.sender = MachineSender(world.receivers, self.machine, self.loop)
        self.run = use_cases(ports, world.settings).attempts.run_attempts(queue)


class Executors:
    """Lambda hands a batch to the idle sandbox that was used last, or starts a new one."""

    def __init__(self, world: ScaleWorld) -> None:
        self._world = world
        self._sandboxes: list[Sandbox] = []
        self._idle: dict[QueueName, list[Sandbox]] = {queue: [] for queue in QueueName}
        self.made: Counter[QueueName] = Counter()
        self.ends: Counter[AttemptEnd] = Counter()
        self.batches = 0
        self.keys = 0
        self.batch_ms = 0.0
        self.cpu_ms = 0.0
        self.full_ms: dict[QueueName, list[float]] = defaultdict(list)
        """How long full batches lasted."""
        self.deferred = 0
        self.undecided = 0
        self._starts: Counter[tuple[QueueName, int]] = Counter()
        self.is_warm = True
        """Whether a new sandbox is one that existed before the run."""

    def begin(self) -> None:
        self.ends.clear()
        self.batches = self.keys = self.deferred = self.undecided = 0
        self.batch_ms = self.cpu_ms = 0
        self.full_ms.clear()
        self.is_warm = False

    def close(self) -> None:
        for sandbox in self._sandboxes:
            sandbox.loop.close()

    def consume(self, queue: QueueName, batch: list[Message]) -> None:
        self._world.hub.spawn(lambda: self._run(queue, batch))

    def _run(self, queue: QueueName, batch: list[Message]) -> None:
        hub, started_ms = self._world.hub, self._world.hub.now_ms
        hub.sleep(int(figures.latency("invoke")))
        if self._idle[queue]:
            sandbox = self._idle[queue].pop()
        else:
            sandbox = Sandbox(self._world, queue)
            self._sandboxes.append(sandbox)
            self.made[queue] += 1
            if not self.is_warm:
                hub.sleep(int(self._wait_for_sandbox_ms(queue) + figures.latency("cold_start")))
        cpu_ms = sandbox.machine.cpu_ms
        report = self.invoke(sandbox, queue, batch)
        failed = {failure["itemIdentifier"] for failure in batch_response(report)["batchItemFailures"]}
        waits = {item.delivery.message_id: item.visible_after_seconds for item in report.returned()}
        self.batches += 1
        self.keys += len(report.attempts)
        self.batch_ms += hub.now_ms - started_ms
        self.cpu_ms += sandbox.machine.cpu_ms - cpu_ms
        if len(batch) == BATCH:
            self.full_ms[queue].append(hub.now_ms - started_ms)
        self.deferred += len(report.deferred)
        self.undecided += len(report.undecided)
        self.ends.update(attempt.end for attempt in report.attempts)
        self._idle[queue].append(sandbox)
        self._world.sqs.finished(queue, batch, {key: wait for key, wait in waits.items() if key in failed})

    def invoke(self, sandbox: Sandbox, queue: QueueName, batch: list[Message]) -> BatchReport:
        """Run the function on a batch; a subclass may look at the report."""
        sandbox.machine.spend(len(batch) * figures.cpu("decode"))
        deadline_at = int(self._world.hub.now_ms) + EXECUTOR_TIMEOUT_SECONDS * 1000
        received = deliveries([_record(message) for message in batch])
        asyncio.set_event_loop(None)
        report: BatchReport = sandbox.loop.run_until_complete(sandbox.run.execute(received, deadline_at))
        return report

    def _wait_for_sandbox_ms(self, queue: QueueName) -> float:
        """Lambda starts a number of sandboxes of a function each ten seconds; more wait for the next ten."""
        window, now_ms = int(self._world.hub.now_ms) // SCALING_MS, self._world.hub.now_ms
        most = max(1, figures.SANDBOXES_AT_ONCE.value / self._world.slice.factor)
        while self._starts[queue, window] >= most:
            window += 1
        self._starts[queue, window] += 1
        return max(0, window * SCALING_MS - now_ms)


def _record(message: Message) -> dict[str, Any]:
    return {
        "messageId": message.id,
        "body": message.body,
        "attributes": {
            "SentTimestamp": str(message.sent_at),
            "ApproximateReceiveCount": str(message.receives),
            "ApproximateFirstReceiveTimestamp": str(message.first_received_at),
        },
    }
