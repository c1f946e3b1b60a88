"""Time and randomness come through ports: only the adapter of the clock may touch the system's."""

from collections.abc import Iterator
from pathlib import Path

from tests.support.sources import called, imported, modules

CLOCK_ADAPTER = Path("shared/adapters/clock.py")
OBSERVABILITY = Path("shared/observability.py")
"""Metrics carry the time at which their line is written, and no decision rests on it."""
HTTP_ADAPTER = Path("shared/adapters/http")
RANDOMNESS = {"random", "secrets", "uuid"}
CLOCKS = {
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "datetime.date.today",
    "time.time",
    "time.time_ns",
    "time.gmtime",
    "time.localtime",
    "time.sleep",
    "os.urandom",
    "os.getrandom",
}
STOPWATCHES = {
    "time.monotonic",
    "time.monotonic_ns",
    "time.perf_counter",
    "time.perf_counter_ns",
    "asyncio.sleep",
}
"""These measure how long a call takes. Only the HTTP adapter needs them."""


def offences(module: Path) -> Iterator[str]:
    """Every use of a clock, a stopwatch or a random source that the module may not have."""
    names = set(called(module))
    yield from names & CLOCKS
    yield from {name for name in imported(module) if name.split(".")[0] in RANDOMNESS}
    if HTTP_ADAPTER not in module.parents:
        yield from names & STOPWATCHES


def test_only_the_clock_adapter_reads_the_time_or_draws_random_numbers() -> None:
    offenders = [
        f"{module}: {name}"
        for module in modules()
        if module not in (CLOCK_ADAPTER, OBSERVABILITY)
        for name in sorted(offences(module))
    ]
    assert offenders == []


def test_the_scan_finds_every_use_in_the_clock_adapter_itself() -> None:
    assert {"time.time_ns", "asyncio.sleep", "random", "secrets"} <= set(offences(CLOCK_ADAPTER))
