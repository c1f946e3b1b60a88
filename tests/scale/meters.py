"""Meters: what each resource was asked for in each second of virtual time."""

from collections import defaultdict
from dataclasses import dataclass, field

from infra.sizing import figures

INDEXES = ("by_tenant", "failed")
"""Groups of keys that belong to an index: DynamoDB gives an index a throughput of its own."""


@dataclass(slots=True)
class Load:
    """Units by second, of one resource."""

    by_second: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    total: float = 0

    def add(self, now_ms: float, units: float) -> None:
        self.by_second[int(now_ms) // 1000] += units
        self.total += units

    def peak(self, from_s: int = 0, until_s: int = 1 << 60) -> float:
        """The largest second of an interval."""
        return max(
            (units for second, units in self.by_second.items() if from_s <= second < until_s), default=0
        )

    def mean(self, from_s: int, until_s: int) -> float:
        """Units a second of an interval."""
        inside = sum(units for second, units in self.by_second.items() if from_s <= second < until_s)
        return inside / (until_s - from_s)

    def most_in(self, seconds: int, from_s: int, until_s: int) -> float:
        """The largest mean of so many seconds that follow one another."""
        starts = range(from_s, max(from_s + 1, until_s - seconds + 1))
        return max(
            sum(self.by_second.get(start + n, 0) for n in range(seconds)) / seconds for start in starts
        )


@dataclass(slots=True)
class KeyLoad:
    """Units of one key: those of the present second, and the largest second since the measurement began."""

    second: int = 0
    units: float = 0
    peak: float = 0
    total: float = 0

    def add(self, now_ms: float, units: float) -> None:
        self.units = self.at(now_ms) + units
        self.total += units
        self.second = int(now_ms) // 1000
        self.peak = max(self.peak, self.units)

    def at(self, now_ms: float) -> float:
        """The units of the present second so far."""
        return self.units if self.second == int(now_ms) // 1000 else 0.0


@dataclass(frozen=True, slots=True)
class Key:
    """A partition key of a table or an index. `group` names all keys of the same kind."""

    group: str
    name: str = ""


@dataclass(slots=True)
class Meters:
    """`scales` multiplies the units of keys that the whole deployment shares and a slice only asks in part."""

    scales: dict[str, float] = field(default_factory=dict)
    writes: dict[Key, KeyLoad] = field(default_factory=lambda: defaultdict(KeyLoad))
    reads: dict[Key, KeyLoad] = field(default_factory=lambda: defaultdict(KeyLoad))
    tables: dict[str, Load] = field(default_factory=lambda: defaultdict(Load))
    """Units of a table or an index, as `writes executions`."""
    counts: dict[str, Load] = field(default_factory=lambda: defaultdict(Load))
    throttled: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """Refused requests by group of keys."""

    def write(self, table: str, key: Key, units: float, now_ms: float) -> bool:
        """False if the key has no capacity left in this second: DynamoDB throttles the request."""
        return self._spend(self.writes, "writes", table, key, units, now_ms, figures.KEY_WRITES.value)

    def read(self, table: str, key: Key, units: float, now_ms: float) -> bool:
        """False if the key has no capacity left in this second."""
        return self._spend(self.reads, "reads", table, key, units, now_ms, figures.KEY_READS.value)

    def _spend(
        self,
        loads: dict[Key, KeyLoad],
        kind: str,
        table: str,
        key: Key,
        units: float,
        now_ms: float,
        limit: float,
    ) -> bool:
        load, scaled = loads[key], units * self.scales.get(key.group, 1)
        # A request that begins below the limit is served whole.
        if load.at(now_ms) >= limit:
            self.throttled[key.group] += 1
            return False
        load.add(now_ms, scaled)
        name = f"{table}, index {key.group}" if key.group in INDEXES else table
        self.tables[f"{kind} {name}"].add(now_ms, units)
        return True

    def begin(self) -> None:
        """The measurement begins: forget the peaks of the warm-up."""
        for load in (*self.writes.values(), *self.reads.values()):
            load.peak = load.total = 0
        self.throttled.clear()

    def hottest(self, kind: str, group: str) -> float:
        """Units of the hottest second of any key of a group; `kind` is writes or reads."""
        loads = self.writes if kind == "writes" else self.reads
        return max((load.peak for key, load in loads.items() if key.group == group), default=0)

    def busiest(self, kind: str, group: str) -> float:
        """Units since the measurement began, of the busiest key of a group."""
        loads = self.writes if kind == "writes" else self.reads
        return max((load.total for key, load in loads.items() if key.group == group), default=0)

    def groups(self, kind: str) -> list[str]:
        return sorted({key.group for key in (self.writes if kind == "writes" else self.reads)})
