"""When a unit of the archive is passed, and when a pass may seal it."""

from shared.dataclass import dataclass
from shared.domain.archive.unit import DAY_MS, HOUR_MS, SEALED_AFTER_MS, ArchiveUnit
from shared.domain.bucket import WRITER_LIFE_MS

FIRST_PASS_MS = 2 * HOUR_MS
"""From the end of the hour: the latest first pass. It comes earlier once nothing of the unit is open."""
QUIET_MS = WRITER_LIFE_MS + 60_000
"""A writer that has counted its put has made it, or never makes it, after this time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitState:
    """A unit that is not sealed, or that is sealed and not yet compared with the index of tenants."""

    unit: ArchiveUnit
    version: int
    """Raised by each change: the token of the compare-and-swap, and of the lease."""
    next_pass_at: int
    sealable_from: int
    """A pass that begins earlier does not seal the unit."""
    passes: int = 0
    counter: int | None = None
    """The counter of puts into the hour, as the latest pass saw it; None: no put was counted."""
    counter_since: int | None = None
    """When a pass first saw that counter."""
    sealed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a pass read of the executions table."""

    unended: int = 0
    unreadable: int = 0
    open_shards: int = 0
    """Shards of the unit that the sweepers still list."""

    @property
    def has_all_ends(self) -> bool:
        """Whether every row that the pass read has ended."""
        return not self.unended and not self.unreadable


def sealable_from(unit: ArchiveUnit, now_ms: int) -> int:
    """For a unit that is listed now. One that is listed late, or opened again, may be sealed at once."""
    return max(unit.end_ms + SEALED_AFTER_MS, now_ms)


def is_due(state: UnitState, now_ms: int, *, has_open_shards: bool) -> bool:
    """Whether a pass of the unit begins now."""
    if state.sealed:
        return False
    is_early = state.passes == 0 and not has_open_shards
    return is_early or now_ms >= state.next_pass_at


def is_quiet(state: UnitState, counter: int | None, now_ms: int) -> bool:
    """Whether each put that was counted before `now_ms` has been made by then, or never is.

    A writer counts before its put. It may die right after the put, so that its second count never comes.
    """
    if counter is None:
        return True
    since = state.counter_since if state.counter == counter else None
    return since is not None and now_ms - since >= QUIET_MS


def next_pass_at(state: UnitState, reading: Reading, now_ms: int, *, is_quiet: bool) -> int:
    """When a unit is passed again whose pass began at `now_ms` and did not seal it."""
    if now_ms >= state.sealable_from:
        return now_ms + (QUIET_MS if reading.has_all_ends and not is_quiet else DAY_MS)
    if reading.has_all_ends and not reading.open_shards:
        return state.sealable_from
    return min(now_ms + DAY_MS, state.sealable_from)
