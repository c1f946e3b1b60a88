"""Runs of the reconciler."""

from dataclasses import replace
from typing import Any

from shared.bootstrap.ticks import TickUseCases
from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import MINUTE_MS
from shared.domain.errors import UnavailableError
from shared.usecases.ticks.collect_payloads import HOUR_MS, HOURS
from shared.usecases.ticks.reconcile_report import ReconcileReport
from tests.support.builders import DUE_AT
from tests.support.fakes.accepted_log import FakeAcceptedLog
from tests.support.usecases.world import World

LATER = DUE_AT + 15 * MINUTE_MS


class Unreachable:
    """A store that does not answer one of its questions, as long as it is `down`."""

    def __init__(self, inner: Any, question: str) -> None:
        self._inner, self._question = inner, question
        self.down = True

    def __getattr__(self, name: str) -> Any:
        if self.down and name == self._question:
            raise UnavailableError("throttled")
        return getattr(self._inner, name)


def ticks(world: World, accepted: Any = None, **ports: Any) -> TickUseCases:
    """The use cases of ticks; by default with an empty log of acknowledgements."""
    changed = world.ports()
    changed.accepted_log = accepted or FakeAcceptedLog()
    for name, port in ports.items():
        setattr(changed, name, port)
    return use_cases(changed, world.settings).ticks


def reconcile_definitions(world: World, jobs: Any = None, **options: Any) -> ReconcileReport:
    """One run over the definitions."""
    return ticks(world, jobs=jobs or world.jobs).reconcile_definitions.execute(**options)


def collected_in_a_day(world: World) -> int:
    """How many large requests the runs of a day give an expiry; each is looked at in one hour of the day."""
    collected = 0
    for _ in range(HOURS):
        world.clock.time_ms += HOUR_MS
        collected += reconcile_definitions(world).payloads_collected
    return collected


def reconcile_minutes(world: World, accepted: Any = None, **options: Any) -> ReconcileReport:
    """One run over the minutes that have settled."""
    return ticks(world, accepted).reconcile_minutes.execute(**options)


def account_from(world: World, checked_until: int) -> None:
    """Let the next run account for instants from this one on, as if an earlier run had come that far."""
    ticks(world).reconcile_definitions.execute(has_time=lambda: False)
    by_segment = world.reconcile_progress.by_segment
    for segment, progress in by_segment.items():
        by_segment[segment] = replace(progress, checked_until=checked_until)
