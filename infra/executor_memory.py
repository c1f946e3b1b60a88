"""The memory of executors: the least that bears a full batch, and that of each lane.

Memory also sets the share of a processor, so that less memory stretches cold starts; see infra/sizing/batches.py.
"""

from dataclasses import dataclass, fields
from math import ceil

from infra.sizing import figures
from shared.names import EXECUTOR_BATCH, MAX_PAYLOAD_BYTES, QueueName

LEAST_MB, MOST_MB = 128, 10_240
"""What Lambda accepts."""
LEAST_EXECUTOR_MB = 512
KEYS_PER_MESSAGE = 10
CALLS_AT_ONCE = EXECUTOR_BATCH * KEYS_PER_MESSAGE
"""All calls of a batch run side by side."""
HEADERS_BYTES = 8 * 1024
"""Of a request, at most."""
RESPONSE_BYTES = (256 + 96) * 1024
"""Of a response with the overhead of its connection, at most."""
CACHES_MB = 140
"""All caches of a process, full; docs/design/capacity.md has each of them."""


def most_used_mb() -> int:
    """Memory of an executor with full caches, whose calls all have the longest body and the longest response."""
    request = figures.BODY_COPIES.value * (MAX_PAYLOAD_BYTES + HEADERS_BYTES)
    calls_mb = CALLS_AT_ONCE * (request + RESPONSE_BYTES) / 1024**2
    return ceil(figures.EXECUTOR_PROCESS_MB.value + CACHES_MB + calls_mb)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneMemory:
    """Memory in MB of the executors of single queues. None leaves a queue with the memory of all executors."""

    critical: int | None = None
    standard: int | None = None
    bulk: int | None = None
    slow_critical: int | None = None
    slow_standard: int | None = None
    slow_bulk: int | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for memory that Lambda refuses, or that a full batch could exhaust."""
        for each in fields(self):
            memory_mb = getattr(self, each.name)
            if memory_mb is not None:
                check_memory(f"lanes.{each.name}", memory_mb)

    def of(self, queue: QueueName) -> int | None:
        memory_mb: int | None = getattr(self, queue.name.lower())
        return memory_mb


def check_memory(function: str, memory_mb: object) -> None:
    """Raise ValueError outside Lambda's range, and for executors that a full batch could exhaust.

    `function` is `executor` for the executors of all lanes, or `lanes.` and the name of one.
    """
    if not isinstance(memory_mb, int) or not LEAST_MB <= memory_mb <= MOST_MB:
        raise ValueError(
            f"the memory of {function} is a whole number of MB from {LEAST_MB} to {MOST_MB:,}, not {memory_mb!r}"
        )
    if function.startswith(("executor", "lanes.")) and memory_mb < LEAST_EXECUTOR_MB:
        raise ValueError(
            f"the memory of {function} is at least {LEAST_EXECUTOR_MB} MB, not {memory_mb}: {CALLS_AT_ONCE} calls of a "
            f"batch with the longest bodies, and full caches, take up to {most_used_mb()} MB"
        )
