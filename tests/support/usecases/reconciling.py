"""A run of the reconciler."""

from typing import Any

from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import MINUTE_MS
from shared.usecases.ticks.reconcile import ReconcileReport
from tests.support.builders import DUE_AT
from tests.support.fakes.accepted_log import FakeAcceptedLog
from tests.support.usecases.world import World

LATER = DUE_AT + 15 * MINUTE_MS


def reconcile(
    world: World, accepted: FakeAcceptedLog | None = None, jobs: Any = None, **options: Any
) -> ReconcileReport:
    """One run; by default with an empty log of acknowledgements."""
    ports = world.ports()
    ports.accepted_log = accepted or FakeAcceptedLog()
    ports.jobs = jobs or ports.jobs
    return use_cases(ports, world.settings).ticks.reconcile.execute(**options)
