"""What limits, breakers and the slow path promise of the calls that came."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from tests.crashes.arrivals import Arrival

ADMITTED_FOR_MS = 2_500
"""So long after it was let through may a call begin."""
OPEN_MS = 5_000
"""For so long a breaker is open when it opens for the first time."""
REMEMBERED_MS = 540_000
"""So long at least is a destination in trouble remembered of which nothing more is heard."""
SLOW_PATH = "slow"


@dataclass(slots=True, kw_only=True)
class Limits:
    """What holds in a run. None: no limit."""

    concurrency: int | None = None
    calls_per_second: int | None = None
    destination_concurrency: int | None = None
    opened: dict[str, int] = field(default_factory=dict)
    """Destinations whose breakers everybody knows to have opened then."""
    slow: dict[str, int] = field(default_factory=dict)
    """Destinations that everybody has known to be slow since then."""


def limit_faults(limits: Limits, arrivals: list[Arrival]) -> Iterator[str]:
    """A limit that was exceeded, by the calls of one batch or of a few seconds."""
    yield from _crowd_faults(limits.concurrency, Counter(call.batch for call in arrivals), "its tenant")
    for destination in {call.destination for call in arrivals}:
        crowds = Counter(call.batch for call in arrivals if call.destination == destination)
        yield from _crowd_faults(limits.destination_concurrency, crowds, destination)
    if limits.calls_per_second is not None:
        yield from _rate_faults(limits.calls_per_second, sorted(call.began_at for call in arrivals))
    for destination, at in limits.opened.items():
        since = [call for call in arrivals if call.destination == destination and call.began_at > at]
        yield from _breaker_faults(destination, at, since)
    for destination, at in limits.slow.items():
        since = [call for call in arrivals if call.destination == destination and call.began_at > at]
        # Whoever hears that it is quick again says so to all.
        if since and not since[0].queue.startswith(SLOW_PATH):
            yield f"slow: {since[0]} did not come on the slow path"


def _crowd_faults(limit: int | None, crowds: Counter[int], whose: str) -> Iterator[str]:
    for batch, calls in crowds.items():
        if limit is not None and calls > limit:
            yield f"limit: {whose} may have {limit} calls at once, batch {batch} made {calls}"


def _rate_faults(rate: int, began: list[int]) -> Iterator[str]:
    """Counted by the seconds in which the calls of a span may have been let through."""
    for first, since in enumerate(began):
        for last in range(first, len(began)):
            seconds = began[last] // 1000 - (since - ADMITTED_FOR_MS) // 1000 + 1
            if last - first + 1 > rate * seconds:
                yield f"limit: {last - first + 1} calls in {began[last] - since} ms at {rate} a second"
                return


def _breaker_faults(destination: str, at: int, since: list[Arrival]) -> Iterator[str]:
    """Nobody calls while it is open; then one calls at a time, until one has been answered, or all is forgotten."""
    heard_at = at
    for _, calls in groupby(sorted(since, key=lambda call: call.began_at), key=lambda call: call.batch):
        batch = list(calls)
        if batch[0].began_at > heard_at + REMEMBERED_MS:
            return
        heard_at = batch[-1].began_at
        if batch[0].began_at < at + OPEN_MS:
            yield f"breaker: {destination} was called at {batch[0].began_at}, its breaker opened at {at}"
        if len(batch) > 1:
            yield f"breaker: {destination}, open since {at}, was probed by {len(batch)} calls at {heard_at}"
        if any(call.status < 500 for call in batch):
            return
