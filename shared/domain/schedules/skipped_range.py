"""Instants of a schedule at which nothing ran, as the record of a jump tells of them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedRange:
    """Nominal instants that were passed over in one jump: how many, and the first and last of them."""

    count: int
    first_at: int
    last_at: int
    resumed_at: int
    """The nominal instant at which the chain went on."""
