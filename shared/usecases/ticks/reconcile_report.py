"""The findings of a reconciler, and the rule by which it leaves recent minutes alone."""

from dataclasses import field, fields

from shared.dataclass import dataclass
from shared.domain.bucket import MINUTE_MS

SETTLE_MINUTES = 10
"""The age at which a minute is checked: its logs have arrived, and the sweeper has made a first pass."""
FIRST_MINUTES = 15
"""How far the first run of a deployment looks back."""


@dataclass(slots=True)
class ReconcileReport:
    """`missing_executions` must be empty: each was acknowledged or is due by its schedule, but has no record."""

    jobs: int = 0
    accepted: int = 0
    executions: int = 0
    missing_executions: list[str] = field(default_factory=list)
    chains_repaired: list[str] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    """Jobs with a change that was left unfinished, and has been completed."""
    double_completed: list[str] = field(default_factory=list)
    outdated: int = 0
    """Jobs whose chains were computed with older time zone rules."""
    recomputed: int = 0
    """How many of the outdated jobs were recomputed."""
    payloads_collected: int = 0
    """Large requests that no job names, and that have got an expiry."""
    unreadable: list[str] = field(default_factory=list)
    """The keys of rows that cannot be read."""
    unavailable: int = 0
    """Checks that failed because a store did not respond; a later run repeats them."""

    def add(self, other: "ReconcileReport") -> None:
        """Add the counts and findings of another report."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


def settled_through(now_ms: int) -> int:
    """The last minute whose logs have arrived."""
    return now_ms // MINUTE_MS - SETTLE_MINUTES
