"""A range of skipped instants, as recorded when a chain jumps ahead."""

from shared.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedRange:
    """The number of nominal instants skipped in one jump, and the first and last of them."""

    count: int
    first_at: int
    last_at: int
    resumed_at: int
    """The nominal instant at which the chain continued."""
