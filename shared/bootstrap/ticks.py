"""Use cases that a schedule starts: watch, sweep, reconcile."""

from dataclasses import dataclass
from functools import cached_property

from shared.bootstrap.core import CoreUseCases
from shared.usecases.outcomes.repair_notifications import RepairNotifications
from shared.usecases.ticks.collect_payloads import CollectPayloads
from shared.usecases.ticks.keep_late_payload import KeepLatePayload
from shared.usecases.ticks.reconcile import Reconcile
from shared.usecases.ticks.sweep_buckets import SweepBuckets
from shared.usecases.ticks.sweep_shard import SweepShard
from shared.usecases.ticks.watch_buckets import WatchBuckets


@dataclass(frozen=True)
class TickUseCases:
    """For every function."""

    core: CoreUseCases

    @cached_property
    def watch_buckets(self) -> WatchBuckets:
        ports = self.core.ports
        return WatchBuckets(
            store=ports.executions,
            queue=ports.queue,
            ledger=ports.ledger,
            clock=ports.clock,
            scanned=self.core.scanned_shards,
        )

    @cached_property
    def sweep_buckets(self) -> SweepBuckets:
        ports = self.core.ports
        sweep_shard = SweepShard(
            store=ports.executions,
            queue=ports.queue,
            ledger=ports.ledger,
            give_up=self.core.give_up,
            repair_notifications=RepairNotifications(store=ports.executions, finalize=self.core.finalize),
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
            clock=ports.clock,
            scanned=self.core.scanned_shards,
        )

    @cached_property
    def reconcile(self) -> Reconcile:
        ports = self.core.ports
        return Reconcile(
            store=ports.executions,
            jobs=ports.jobs,
            accepted=ports.accepted_log,
            mark=ports.reconcile_mark,
            find_head=self.core.find_head,
            file=self.core.file,
            file_successor=self.core.file_successor,
            clock=ports.clock,
            scanned=self.core.scanned_shards,
            settle=self.core.lifecycle.settle,
            collect_payloads=CollectPayloads(
                jobs=ports.jobs, clock=ports.clock, retention=self.core.settings.retention
            ),
        )
