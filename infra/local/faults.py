"""Faults that the front door makes on request, for people who test their own clients."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random


class Fault(StrEnum):
    """What may happen to a request to the API."""

    THROTTLED = "throttled"
    """429, and the API never sees the request."""
    UNAVAILABLE = "unavailable"
    """503, and the API never sees the request."""
    LOST = "lost"
    """The API does what it is asked to, and the connection closes without an answer."""
    KILLED = "killed"
    """The worker of the API is killed while it may be at work on the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Draws at most one fault for each request."""

    shares: Mapping[Fault, float] = field(default_factory=dict)
    """The share of requests that each fault meets; at most 1 together."""
    random: Random = field(default_factory=Random)

    def draw(self) -> Fault | None:
        """Return the fault of the next request, or None for most requests."""
        drawn = self.random.random()
        for fault, share in self.shares.items():
            if drawn < share:
                return fault
            drawn -= share
        return None


def parse_faults(text: str) -> Faults:
    """Parse `throttled=0.1,lost=0.05`. ValueError, with a text for users, if it cannot be read."""
    shares: dict[Fault, float] = {}
    for part in text.split(","):
        name, _, share = part.strip().partition("=")
        try:
            shares[Fault(name)] = float(share)
        except ValueError:
            raise ValueError(
                f"{part.strip()!r} is no fault: write a list such as throttled=0.1,lost=0.05 of {', '.join(Fault)}"
            ) from None
    if not all(share >= 0 for share in shares.values()) or not sum(shares.values()) <= 1:
        raise ValueError("the shares of faults are from 0 to 1, and at most 1 together")
    return Faults(shares=shares)
