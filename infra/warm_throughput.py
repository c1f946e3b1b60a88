"""Capacity that an on-demand table has before any load has warmed it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """Read and write units per second of an on-demand table or index. A new one bears the defaults."""

    reads: int = 12_000
    writes: int = 4_000

    def __post_init__(self) -> None:
        """Raise ValueError below the values that DynamoDB gives to every on-demand table."""
        if self.reads < 12_000 or self.writes < 4_000:
            raise ValueError(
                f"warm throughput is at least 12000 reads and 4000 writes, not {self.reads} and {self.writes}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmThroughput:
    """What the executions table and its indexes bear from the first second, before any load has warmed them."""

    executions: Units
    by_tenant: Units = Units()
    failed: Units = Units()
