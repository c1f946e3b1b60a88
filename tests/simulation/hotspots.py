"""What DynamoDB throttles for ten minutes: a table, an index with the writes to it, or the key of one shard."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from shared.domain.bucket import MINUTE_MS
from shared.domain.ids import ExecutionId, parse_execution_id

HOT_MS = 10 * MINUTE_MS
MOST = 2
"""A run has no more of them, so that its load gets on."""
_EXECUTIONS = "executions"
_TABLES = {
    "ExecutionStore": _EXECUTIONS,
    "Claimer": _EXECUTIONS,
    "OneOffStore": _EXECUTIONS,
    "OneOffBatches": _EXECUTIONS,
}
"""Every other port has a table of its own."""
_DEAD_LETTER_INDEX = {"failed", "finish", "give_up", "mark_redriven"}
"""A hot index throttles the writes of its table that change it."""
_SCANS = {"scan", "read_shard"}
BATCHES = {"Claimer"}
"""Each statement of a batch has a key of its own, and is throttled by itself."""


def shard_key(execution_id: ExecutionId) -> str:
    """The partition key of an execution."""
    return f"{execution_id.bucket}#{execution_id.shard}"


def places_of(port: str, method: str, args: Sequence[Any], about: Iterable[str]) -> Iterator[str]:
    """The table, the index and the keys that a call touches."""
    table = _TABLES.get(port, port)
    yield table
    if table != _EXECUTIONS or port in BATCHES:
        return
    if method in _DEAD_LETTER_INDEX:
        yield "index of dead letters"
    if method in _SCANS:
        yield f"{args[0]}#{args[1]}"
    for text in about:
        if text.startswith("exe_"):
            yield shard_key(parse_execution_id(text))


@dataclass(slots=True)
class Hotspots:
    """By place: until when it is throttled."""

    until_ms: dict[str, int] = field(default_factory=dict)

    def heat(self, places: Sequence[str], rng: Random, now_ms: int) -> None:
        """Throttle one of the places from now on, if there are not too many."""
        if len(self.until_ms) < MOST:
            self.until_ms[rng.choice(places)] = now_ms + HOT_MS

    def throttles(self, places: Iterable[str], now_ms: int) -> bool:
        """Whether any of the places is hot."""
        return any(now_ms < self.until_ms.get(place, 0) for place in places)

    @property
    def last_ms(self) -> int:
        """When the last of them is over."""
        return max(self.until_ms.values(), default=0)
