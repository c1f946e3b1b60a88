"""How long an executor works on a batch of messages, and how long it takes to start."""

from math import floor, sqrt

from infra.sizing import figures


def batch_seconds(
    jobs: float,
    *,
    callback_ms: float = figures.CALLBACK_MS.value,
    cpu_ms: float = figures.EXECUTOR_CPU_MS.value,
    memory_mb: int = int(figures.MB_OF_ONE_CORE.value),
    wait_ms: float = figures.EXECUTOR_WAIT_MS.value,
    writes_ms: float = 2 * figures.latency("batch_statement"),
) -> float:
    """The duration of a batch: its calls go side by side, and the batch lasts until the slowest has ended.

    `writes_ms` are its claims and its last outcome.
    """
    share = core_share(memory_mb)
    waits_ms = wait_ms + callback_ms * _slowest_of(jobs)
    return (waits_ms + writes_ms + jobs * cpu_ms / share) / 1000


def deviation_seconds(jobs: int, callback_ms: float) -> float:
    """The standard deviation of the duration of a batch, which is that of its slowest call."""
    return callback_ms * sqrt(sum(1 / number**2 for number in range(1, jobs + 1))) / 1_000


def cold_start_seconds(memory_mb: int) -> float:
    """From an invocation without an idle sandbox until a new executor has done its first job."""
    cpu_ms = figures.EXECUTOR_START_CPU_MS.value
    return (figures.latency("cold_start") - cpu_ms + cpu_ms / core_share(memory_mb)) / 1_000


def core_share(memory_mb: int) -> float:
    """The part of one processor that Lambda gives. The loop of a function uses no second one."""
    return min(1.0, memory_mb / figures.MB_OF_ONE_CORE.value)


def _slowest_of(calls: float) -> float:
    """The mean of the longest of so many exponential durations, as a multiple of their mean."""
    whole = floor(calls)
    return sum(1 / number for number in range(1, whole + 1)) + (calls - whole) / (whole + 1)
