"""The use cases that look after buckets and queues, and make no callback."""

import os

from shared.adapters.clients import client
from shared.adapters.logs.accepted_log import CloudWatchAcceptedLog
from shared.bootstrap.core import Core
from shared.bootstrap.redrives import parking_lot
from shared.settings import Settings
from shared.usecases.dead_letters.handle_dead_messages import HandleDeadMessages
from shared.usecases.outcomes.repair_notifications import RepairNotifications
from shared.usecases.reading.find_head import FindHead
from shared.usecases.ticks.reconcile import Reconcile
from shared.usecases.ticks.sweep_buckets import SweepBuckets
from shared.usecases.ticks.watch_buckets import WatchBuckets


def core_from_env() -> Core:
    """The parts of a function that makes no callback."""
    return Core(Settings.from_env(os.environ))


def watch_buckets(parts: Core) -> WatchBuckets:
    """WATCH."""
    return WatchBuckets(
        store=parts.store,
        queue=parts.queue,
        ledger=parts.ledger,
        clock=parts.clock,
        plan=parts.settings.shard_plan,
    )


def sweep_buckets(parts: Core) -> SweepBuckets:
    """SWEEP."""
    return SweepBuckets(
        store=parts.store,
        queue=parts.queue,
        ledger=parts.ledger,
        progress=parts.progress,
        backlog=parts.queue,
        limits=parts.limits,
        give_up=parts.give_up,
        repair_notifications=RepairNotifications(store=parts.store, finalize=parts.finalize),
        clock=parts.clock,
        plan=parts.settings.shard_plan,
        retention=parts.settings.retention,
    )


def reconcile(parts: Core, api_log_group: str) -> Reconcile:
    """RECONCILE."""
    return Reconcile(
        store=parts.store,
        jobs=parts.jobs,
        accepted=CloudWatchAcceptedLog(client("logs", parts.settings.region), api_log_group),
        mark=parts.ledger,
        find_head=FindHead(parts.store),
        file=parts.file,
        file_successor=parts.file_successor,
        clock=parts.clock,
        plan=parts.settings.shard_plan,
        settle=parts.lifecycle.settle,
    )


def handle_dead_messages(parts: Core) -> HandleDeadMessages:
    """The dead-letter queues."""
    return HandleDeadMessages(
        store=parts.store,
        file=parts.file,
        file_successor=parts.file_successor,
        parked_messages=parking_lot(parts),
        clock=parts.clock,
        retention=parts.settings.retention,
        give_up=parts.give_up,
        finalize=parts.finalize,
    )
