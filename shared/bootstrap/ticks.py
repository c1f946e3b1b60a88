"""Use cases that a schedule starts: watch, sweep, reconcile."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.dataclass import dataclass

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.usecases.ticks.reconcile_definitions import ReconcileDefinitions
    from shared.usecases.ticks.reconcile_minutes import ReconcileMinutes
    from shared.usecases.ticks.sweep_buckets import SweepBuckets
    from shared.usecases.ticks.watch_buckets import WatchBuckets


@dataclass(frozen=True)
class TickUseCases:
    """For every function."""

    core: CoreUseCases

    @cached_property
    def watch_buckets(self) -> WatchBuckets:
        from shared.usecases.ticks.watch_buckets import WatchBuckets
        from shared.usecases.ticks.window_sends import WindowSends

        ports = self.core.ports
        return WatchBuckets(
            store=ports.executions,
            sends=WindowSends(queue=ports.queue, clock=ports.clock, pause=ports.pause),
            ledger=ports.ledger,
            clock=ports.clock,
            scanned=self.core.scanned_shards,
            spread=ports.spread,
        )

    @cached_property
    def sweep_buckets(self) -> SweepBuckets:
        from shared.usecases.outcomes.repair_notifications import RepairNotifications
        from shared.usecases.ticks.held_runs import HeldRuns
        from shared.usecases.ticks.keep_late_payload import KeepLatePayload
        from shared.usecases.ticks.repair_index import RepairIndex
        from shared.usecases.ticks.sweep_buckets import SweepBuckets
        from shared.usecases.ticks.sweep_shard import SweepShard

        ports = self.core.ports
        sweep_shard = SweepShard(
            store=ports.executions,
            queue=ports.queue,
            ledger=ports.ledger,
            give_up=self.core.give_up,
            repair_notifications=RepairNotifications(store=ports.executions, finalize=self.core.finalize),
            repair_index=RepairIndex(ports.executions),
            repair_runs=lambda rows, runs: self.core.workflows.repair_runs.execute(rows, runs),
            keep_late_payload=KeepLatePayload(
                store=ports.executions, jobs=ports.jobs, retention=self.core.settings.retention
            ),
            clock=ports.clock,
        )
        return SweepBuckets(
            sweep_shard=sweep_shard,
            ledger=ports.ledger,
            progress=ports.progress,
            backlog=ports.backlog,
            limits=ports.limits,
            held_runs=HeldRuns(ports.executions, ports.run_locks),
            clock=ports.clock,
            scanned=self.core.scanned_shards,
        )

    @cached_property
    def reconcile_definitions(self) -> ReconcileDefinitions:
        from shared.usecases.chains.recompute_job import RecomputeJob
        from shared.usecases.ticks.collect_payloads import CollectPayloads
        from shared.usecases.ticks.reconcile_definitions import ReconcileDefinitions
        from shared.usecases.ticks.reconcile_job import ReconcileJob

        ports = self.core.ports
        settle = self.core.lifecycle.settle
        return ReconcileDefinitions(
            live=ports.live_items,
            progress=ports.reconcile_progress,
            reconcile_job=ReconcileJob(
                store=ports.executions,
                jobs=ports.jobs,
                find_head=self.core.find_head,
                file=self.core.file,
                file_successor=self.core.file_successor,
                settle=settle,
                clock=ports.clock,
            ),
            recompute=RecomputeJob(
                jobs=ports.jobs,
                settle=settle,
                read_calendar=self.core.read_calendar,
                clock=ports.clock,
            ),
            collect_payloads=CollectPayloads(
                jobs=ports.jobs,
                workflow_head=lambda *key: ports.workflows.head(*key),
                clock=ports.clock,
                retention=self.core.settings.retention,
            ),
            clock=ports.clock,
            spread=ports.spread,
        )

    @cached_property
    def reconcile_minutes(self) -> ReconcileMinutes:
        from shared.usecases.ticks.reconcile_minutes import ReconcileMinutes

        ports = self.core.ports
        return ReconcileMinutes(
            store=ports.executions,
            jobs=ports.jobs,
            accepted=ports.accepted_log,
            progress=ports.reconcile_progress,
            clock=ports.clock,
            scanned=self.core.scanned_shards,
            spread=ports.spread,
        )
