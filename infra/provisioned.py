"""Capacity of the executions table: a maximum on demand, or provisioned units in place of on demand.

Autoscaling acts after two minutes above its target, and DynamoDB then takes minutes to add units. The load of a
scheduler jumps at full minutes and hours, so the minimum has to bear the busiest minute alone. Burst credits of
300 seconds are not guaranteed, and nothing here counts on them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import NamedTuple

LEAST_PERCENT, MOST_PERCENT = 20, 90
"""Target utilisations that DynamoDB accepts."""


class UnitsPerSecond(NamedTuple):
    """What a table or an index takes, or bears."""

    reads: int
    writes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MaximumUnits:
    """Of the executions table on demand, and of each of its indexes. DynamoDB throttles above them."""

    reads: int
    writes: int

    def check(self, needed: UnitsPerSecond) -> None:
        """Raise ValueError if the busiest minute of the stage would be throttled."""
        for kind, least in zip(UnitsPerSecond._fields, needed, strict=True):
            given = getattr(self, kind)
            if given < least:
                raise ValueError(
                    f"capacity.maximum.{kind} is at least {least} for the busiest minute of the stage, not {given}: "
                    "give more, or lower jobs_per_second or due_in_one_minute"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Autoscaled:
    """Units per second of reads or writes: `minimum` is the reserve, which is paid for while it is idle."""

    minimum: int
    maximum: int
    target_percent: int = 70
    """Utilisation above which autoscaling adds units, up to `maximum`."""

    def __post_init__(self) -> None:
        """Raise ValueError for values that DynamoDB refuses."""
        for each in fields(self):
            value: object = getattr(self, each.name)
            if type(value) is not int:
                raise ValueError(
                    f"{each.name} is a whole number, such as {_EXAMPLES[each.name]}, not {value!r}"
                )
        if self.minimum < 1:
            raise ValueError(f"minimum is at least 1 unit per second, not {self.minimum}")
        if self.maximum < self.minimum:
            raise ValueError(f"maximum is at least the minimum of {self.minimum} units, not {self.maximum}")
        if not LEAST_PERCENT <= self.target_percent <= MOST_PERCENT:
            raise ValueError(
                f"target_percent is from {LEAST_PERCENT} to {MOST_PERCENT}, such as 70, not {self.target_percent}"
            )


_EXAMPLES = {"minimum": 3_000, "maximum": 6_000, "target_percent": 70}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvisionedUnits:
    """Of a table or an index."""

    reads: Autoscaled
    writes: Autoscaled

    @property
    def at_least(self) -> UnitsPerSecond:
        """What the table or index bears before autoscaling has followed the load."""
        return UnitsPerSecond(reads=self.reads.minimum, writes=self.writes.minimum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provisioned:
    """Of the executions table and its indexes. A throttled index throttles the writes of its table.

    The other tables stay on demand: they are idle, or busy for seconds, such as after a deployment.
    """

    executions: ProvisionedUnits
    by_tenant: ProvisionedUnits
    failed: ProvisionedUnits

    @property
    def by_name(self) -> Mapping[str, ProvisionedUnits]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def check(self, reserves: Mapping[str, UnitsPerSecond]) -> None:
        """Raise ValueError if a minimum is less than the units that the stage's busiest minute takes."""
        for name, units in self.by_name.items():
            for kind, least, given in zip(
                UnitsPerSecond._fields, reserves[name], units.at_least, strict=True
            ):
                if given < least:
                    raise ValueError(
                        f"the {kind} of {name} need a minimum of {least} units for the rates of the stage, not "
                        f"{given}, because autoscaling follows minutes later: give {least}, lower "
                        "jobs_per_second or due_in_one_minute, or remove capacity.provisioned to bill on demand"
                    )
