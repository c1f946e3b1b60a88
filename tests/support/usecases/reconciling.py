"""A run of the reconciler."""

from typing import Any

from shared.domain.bucket import MINUTE_MS
from shared.usecases.reading.find_head import FindHead
from shared.usecases.ticks.reconcile import Reconcile, ReconcileReport
from tests.support.builders import DUE_AT
from tests.support.fakes.accepted_log import FakeAcceptedLog
from tests.support.usecases.world import World

LATER = DUE_AT + 15 * MINUTE_MS


def reconcile(
    world: World, accepted: FakeAcceptedLog | None = None, jobs: Any = None, **options: Any
) -> ReconcileReport:
    """One run; without a log of its own, with one that knows nothing."""
    run = Reconcile(
        world.store,
        jobs or world.jobs,
        accepted or FakeAcceptedLog(),
        world.ledger,
        FindHead(world.store),
        world.file,
        world.file_successor,
        world.clock,
        world.plan,
        world.lifecycle.settle,
    )
    return run.execute(**options)
