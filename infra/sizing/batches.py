"""How long an executor works on a batch of messages."""

from math import floor

from infra.sizing import figures


def batch_seconds(
    jobs: float,
    *,
    callback_ms: float = figures.CALLBACK_MS.value,
    cpu_ms: float = figures.EXECUTOR_CPU_MS.value,
    memory_mb: int = int(figures.MB_OF_ONE_CORE.value),
) -> float:
    """The duration of a batch: its calls go side by side, and the batch lasts until the slowest has ended."""
    share = min(1.0, memory_mb / figures.MB_OF_ONE_CORE.value)
    waits_ms = figures.EXECUTOR_WAIT_MS.value + callback_ms * _slowest_of(jobs)
    writes_ms = 2 * figures.latency("batch_statement")
    return (waits_ms + writes_ms + jobs * cpu_ms / share) / 1000


def _slowest_of(calls: float) -> float:
    """The mean of the longest of so many exponential durations, as a multiple of their mean."""
    whole = floor(calls)
    return sum(1 / number for number in range(1, whole + 1)) + (calls - whole) / (whole + 1)
