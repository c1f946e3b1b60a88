"""When a recurring job that is changed was active or paused, as far as its clients know for certain."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.simulation.evidence import Evidence, Order
from tests.simulation.habits import FIRST_VERSION, Change, Habits, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """From an answer that says so until something else is asked for."""

    from_at: int
    until: int
    known_at: int
    """From when its client could rely on it."""
    version: Version

    def instants(self, habits: Habits, skew_ms: int) -> Iterator[int]:
        """Those of its schedule, with room for clocks that differ."""
        until = min(self.until - skew_ms - 1, habits.end_at or self.until)
        for instant in self.version.rhythm.instants(self.version.since, until):
            if instant > self.from_at + skew_ms:
                yield instant


def windows(evidence: Evidence, order: Order) -> Iterator[Window]:
    """One from its creation on, and one from each answer that shows it active."""
    habits = order.habits
    assert habits is not None
    first = Change(verb="create", state="active", revision=1, shown=FIRST_VERSION, acked_at=order.acked_at)
    # Of the requests for a key of an owner, one has created the job.
    begun = [first] if order.own_key is None else []
    for change in [*begun, *habits.acked("resume", "update")]:
        if change.state != "active" or change.acked_at is None:
            continue
        ends = [stop.asked_at or 0 for stop in _stops(habits) if not _is_before(stop, change)]
        yield Window(
            from_at=(order.created_at or 0) if change is first else change.acked_at,
            until=min([*ends, order.cancel_asked_at or evidence.ended_at]),
            known_at=change.acked_at,
            version=habits.versions[change.shown],
        )


def paused_windows(evidence: Evidence, order: Order) -> Iterator[Window]:
    """One from each answer that shows it paused."""
    habits = order.habits
    assert habits is not None
    for change in habits.acked("pause", "update"):
        if change.state != "paused" or change.acked_at is None:
            continue
        others = habits.asked("resume", "update")
        ends = [other.asked_at or 0 for other in others if not _is_before(other, change)]
        yield Window(
            from_at=change.acked_at,
            until=min([*ends, order.cancel_asked_at or evidence.ended_at]),
            known_at=change.acked_at,
            version=habits.versions[change.shown],
        )


def _stops(habits: Habits) -> list[Change]:
    """What ends the present schedule. Another payload alone passes over nothing."""
    reschedules = [change for change in habits.asked("update") if change.rhythm is not None]
    return habits.asked("pause") + reschedules


def _is_before(stop: Change, change: Change) -> bool:
    """One that was asked for twice may have its effect once more after it was answered."""
    is_settled = stop.acked_at is not None and stop.tries == 1
    return stop is change or (is_settled and stop.revision <= change.revision)
