"""A small stage in the scale model, whose functions report as in production.

The executors' reports, the watchers and the sweepers are the code of the functions. What AWS itself counts (units,
messages, invocations, requests) is what the model counts, and its lists of figures fill the rest.
"""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

from functions.executor.report import emit, emit_limits
from infra.components.construct_ids import construct_id
from infra.sizing import figures
from infra.stages import SMALL
from shared.bootstrap.use_cases import UseCases
from shared.domain.bucket import ShardRange
from shared.names import METRICS_NAMESPACE, Metric, QueueName
from shared.observability import metrics
from shared.usecases.attempts.batch_report import BatchReport
from tests.dashboards.recorder import STAGE, Recorder
from tests.scale.executors import Executors, Sandbox
from tests.scale.queues import Message
from tests.scale.stage import Slice, Stage
from tests.scale.ticks import SWEEPER_STOP_MS, Ticks
from tests.scale.world import ScaleWorld
from tests.support.api.environment import ENVIRONMENT
from tests.support.fakes.budgets import GENEROUS

PART = Slice(stage=Stage(config=replace(SMALL, name=STAGE), shards=4, kms_quota=10_000, tenants=40), shards=4)


def _handler(function: str) -> ModuleType:
    """An entry point of its own, imported as Lambda does."""
    with patch.dict(os.environ, ENVIRONMENT):
        found = importlib.import_module(f"functions.{function}.handler")
    del sys.modules[found.__name__]
    return found


class Cell(ScaleWorld):
    """The world of a recording."""

    def __init__(self, seed: int) -> None:
        super().__init__(PART, seed, GENEROUS, long_for_ms=3_600_000)
        self.recorder = Recorder(lambda: self.hub.now_ms)
        self.executors = RecordedExecutors(self)
        self.sqs._consume = self.executors.consume
        self.ticks = RecordedTicks(self)
        self.is_broken = False
        """Whether executors of the standard lane fail at once."""
        self.is_stopped = False
        """Whether watchers get no ticks."""

    def invoked(self, service: str, duration_ms: float, log_bytes: float) -> None:
        """One run of a function."""
        record, name = self.recorder.add, construct_id(service)
        record("AWS/Lambda", "Invocations", 1, FunctionName=name)
        record("AWS/Lambda", "Duration", duration_ms, FunctionName=name)
        record("AWS/Logs", "IncomingBytes", log_bytes, LogGroupName=name)


class CrashError(Exception):
    """The function failed before it had claimed anything."""


class RecordedExecutors(Executors):
    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self._cell = cell

    def invoke(self, sandbox: Sandbox, queue: QueueName, batch: list[Message]) -> BatchReport:
        cell, record, began_ms = self._cell, self._cell.recorder.add, self._cell.hub.now_ms
        name, service = construct_id(queue), f"executor-{queue}"
        record("AWS/SQS", "NumberOfMessagesReceived", len(batch), QueueName=name)
        if cell.is_broken and queue is QueueName.STANDARD:
            record("AWS/Lambda", "Errors", 1, FunctionName=construct_id(service))
            cell.invoked(service, 200, 0)
            raise CrashError
        report = super().invoke(sandbox, queue, batch)
        emit(report, queue)
        emit_limits(sandbox.run.gate)
        metrics.flush_metrics()
        cell.invoked(service, cell.hub.now_ms - began_ms, cell.recorder.read(service))
        record("AWS/SQS", "NumberOfMessagesDeleted", len(batch) - len(report.returned()), QueueName=name)
        return report

    def _run(self, queue: QueueName, batch: list[Message]) -> None:
        try:
            super()._run(queue, batch)
        except CrashError:
            # The messages become visible again after their visibility timeout.
            hidden = dict.fromkeys((message.id for message in batch), VISIBILITY_SECONDS)
            self._cell.sqs.finished(queue, batch, hidden)


VISIBILITY_SECONDS = 450


class RecordedTicks(Ticks):
    """Ticks through the handlers of watchers and sweepers."""

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self._cell = cell
        self._watcher, self._sweeper = _handler("watcher"), _handler("sweeper")

    def _watch(self, cases: UseCases, part: ShardRange) -> None:
        if not self._cell.is_stopped:
            self._handle("watcher", self._watcher, "watch", cases.ticks.watch_buckets, part)

    def _sweep(self, cases: UseCases, part: ShardRange) -> None:
        self._handle("sweeper", self._sweeper, "sweep", cases.ticks.sweep_buckets, part)

    def _handle(self, service: str, module: ModuleType, name: str, use_case: Any, part: ShardRange) -> None:
        """A tick of another range may run meanwhile, so the module's use case is set for the call alone."""
        hub, began_ms = self._cell.hub, self._cell.hub.now_ms
        setattr(module, name, use_case)
        left = SimpleNamespace(
            get_remaining_time_in_millis=lambda: began_ms + SWEEPER_STOP_MS + 10_000 - hub.now_ms
        )
        module.handler({"range": {"index": part.index, "of": part.of}}, left)
        self._cell.invoked(service, hub.now_ms - began_ms, self._cell.recorder.read(service))


def idle_functions(cell: Cell) -> None:
    """The redriver and the reconcilers find nothing: each reports that it ran, and how far it has come."""
    minute = cell.recorder.minute
    own = {"stage": STAGE, "service": "redriver"}
    cell.recorder.add(METRICS_NAMESPACE, Metric.REDRIVER_TICK, 1, **own)
    cell.invoked("redriver", 40, figures.TICK_LOG_BYTES.value)
    if minute is not None and minute % 15 == 3:
        for name, seconds in (
            (Metric.RECONCILER_COVERAGE_SECONDS, 905.0),
            (Metric.RECONCILER_CHECKED_THROUGH_SECONDS, 1_210.0),
        ):
            cell.recorder.add(METRICS_NAMESPACE, name, seconds, **own | {"service": "reconciler"})
            cell.invoked("reconciler", figures.RECONCILER_IDLE_MS.value, figures.TICK_LOG_BYTES.value)
