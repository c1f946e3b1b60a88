"""The functions of a deployment and what starts them: ticks a minute apart, and messages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from functions.executor.records import batch_response, deliveries
from shared.bootstrap.use_cases import UseCases
from shared.domain.bucket import MINUTE_MS, ShardRange
from shared.domain.errors import PunctualError, UnavailableError
from shared.names import EXECUTOR_TIMEOUT_SECONDS, QueueName
from shared.settings import RedriverSettings, Settings
from shared.usecases.attempts.batch_report import Delivery
from shared.usecases.dead_letters.handle_dead_messages import DeadMessage
from tests.simulation.bounds import UNSEEN_LEAD_MS
from tests.simulation.faults import Strike
from tests.simulation.hub import SimLoop
from tests.simulation.lanes import Message
from tests.simulation.newer_messages import record_for
from tests.simulation.wiring import use_cases_of

if TYPE_CHECKING:
    from tests.simulation.world import World

WATCHERS = 2
SWEEPERS = 2
RECONCILE_MINUTES = 5
GAPS_MINUTES = (60, 60, 60, 720)


class Functions:
    """Starts a process for every tick and every batch of messages."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.no_ticks_until_ms = 0
        """Until when no watcher and no sweeper runs."""

    def start_ticks(self, until_ms: Callable[[], int]) -> None:
        """EventBridge: ticks of every watcher and sweeper, of the redriver, and maybe of the reconciler.

        Some are missed or doubled.
        """
        for index in range(WATCHERS):
            part = ShardRange(index=index, of=WATCHERS)
            self._tick("watcher", partial(_watch, part), 1, until_ms)
        for index in range(SWEEPERS):
            part = ShardRange(index=index, of=SWEEPERS)
            self._tick("sweeper", partial(self._sweep, part), 1, until_ms)
        self._tick("redrive worker", _redrive, 1, until_ms, RedriverSettings)
        if self._world.weather.mix.reconciles:
            self._tick("reconciler", self._reconcile, RECONCILE_MINUTES, until_ms)

    def _sweep(self, part: ShardRange, cases: UseCases) -> None:
        """EventBridge gives the time of a tick in whole seconds."""
        cases.ticks.sweep_buckets.execute(part=part, ticked_at=self._world.hub.now_ms // 1000 * 1000)

    def _reconcile(self, cases: UseCases) -> None:
        for report in (cases.ticks.reconcile_definitions.execute(), cases.ticks.reconcile_minutes.execute()):
            self._world.missing_executions += report.missing_executions

    def _tick(
        self,
        kind: str,
        run: Callable[[UseCases], Any],
        minutes: int,
        until_ms: Callable[[], int],
        settings: type[Settings] = Settings,
    ) -> None:
        """No function of a tick has the keys of tenants."""
        world = self._world

        def invoke() -> None:
            process = world.process(kind)
            process.spawn(lambda: _tolerantly(lambda: run(use_cases_of(world, process, kind=settings))))

        def tick() -> None:
            is_first_gap = not self.no_ticks_until_ms
            if is_first_gap and world.weather.strikes(Strike.TICK_GAP):
                self._begin_gap()
            if world.hub.now_ms < self.no_ticks_until_ms and kind != "reconciler":
                world.weather.note(Strike.MISS_TICK)
            elif not world.weather.strikes(Strike.MISS_TICK):
                invoke()
            if world.weather.strikes(Strike.DOUBLE_TICK):
                invoke()
            if world.hub.now_ms < until_ms():
                world.hub.spawn(tick, world.hub.now_ms + minutes * MINUTE_MS)

        world.hub.spawn(tick, world.hub.now_ms + world.weather.rng.randint(0, MINUTE_MS - 1))

    def _begin_gap(self) -> None:
        minutes = self._world.weather.separate.choice(GAPS_MINUTES)
        self.no_ticks_until_ms = self._world.hub.now_ms + minutes * MINUTE_MS
        self._world.note("world", f"no tick for {minutes} minutes")

    def execute(self, queue: QueueName, batch: list[Message]) -> None:
        """An executor with one batch. What it does not report stays in the queue: all of it, where it fails."""
        world = self._world
        process = world.process("executor")
        if any(message.receives == 1 for message in batch):
            process.unseen_lead_ms = min(process.unseen_lead_ms, UNSEEN_LEAD_MS)
        sandbox = world.sandboxes.take(queue, process)

        def work() -> None:
            try:
                run()
                world.sandboxes.give_back(queue, sandbox)
            finally:
                world.lanes.finished(queue)

        def run() -> None:
            loop = SimLoop(world.hub)
            sandbox.hand_to(process, loop)
            received = deliveries([record_for(sandbox.release, message) for message in batch])
            unread = self._unread(received, batch)
            try:
                deadline_at = process.now_ms() + EXECUTOR_TIMEOUT_SECONDS * 1000
                report = loop.run_until_complete(sandbox.run_attempts.execute(received, deadline_at))
            except PunctualError as fault:
                process.note(f"failed: {fault}", [key for message in batch for key in message.keys])
                return
            finally:
                loop.close()
            if world.weather.strikes(Strike.LOST_RESPONSE):
                process.note("failed after its calls", [key for message in batch for key in message.keys])
                return
            failed = {failure["itemIdentifier"] for failure in batch_response(report)["batchItemFailures"]}
            waits = {item.delivery.message_id: item.visible_after_seconds for item in report.returned()}
            for message in batch:
                if message.id in failed:
                    world.lanes.put_back(message, waits[message.id] * 1000)
                    continue
                if message.id in unread and world.lanes.resends[message.body] == unread[message.id]:
                    world.lanes.violations.append(f"{message.id} of a newer release was dropped unread")
                world.lanes.delete(message)

        process.spawn(work)

    def rescue(self, lane: QueueName, batch: list[Message]) -> None:
        """The handler of dead letters with one batch."""
        world = self._world
        process = world.process("rescuer")
        release = world.releases.start()
        cases = use_cases_of(world, process, release, kind=Settings)
        records = [record_for(release, message) for message in batch]
        received = deliveries(records)
        self._unread(received, batch)
        dead = [
            DeadMessage(
                message_id=record["messageId"],
                lane=lane,
                body=record["body"],
                wakeup=delivery.wakeup,
                error=delivery.error,
                newer=delivery.newer,
            )
            for record, delivery in zip(records, received, strict=True)
        ]

        def run() -> None:
            report = cases.dead_letters.handle_dead_messages.execute(dead)
            for message in batch:
                if message.id not in report.returned:
                    world.lanes.delete(message)

        process.spawn(run)

    def _unread(self, received: list[Delivery], batch: list[Message]) -> dict[str, int]:
        """The messages that only a newer release can read, with how often their bodies were sent again."""
        resends = {message.id: self._world.lanes.resends[message.body] for message in batch}
        unread = [each.message_id for each in received if each.wakeup is None]
        for _ in unread:
            self._world.weather.note(Strike.NEWER_MESSAGE)
        return {message_id: resends[message_id] for message_id in unread}


def _watch(part: ShardRange, cases: UseCases) -> None:
    cases.ticks.watch_buckets.execute(part)


def _redrive(cases: UseCases) -> None:
    cases.bulk.process_bulk_tasks.execute()


def _tolerantly(run: Callable[[], Any]) -> None:
    """A tick that fails is a failed invocation, which is logged and made good by the next one."""
    try:
        run()
    except UnavailableError:
        return
