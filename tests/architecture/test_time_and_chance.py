"""Time and randomness come through ports: only the adapter of the clock may touch the system's."""

from pathlib import Path

import pytest

from tests.support.sources import called, imported, modules

THE_CLOCK = Path("shared/adapters/clock.py")
THE_SENDER = Path("shared/adapters/http")
CHANCE = {"random", "secrets", "uuid"}
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
"""For how long a call takes, which nobody compares with an instant."""


@pytest.mark.parametrize("module", [each for each in modules() if each != THE_CLOCK], ids=str)
def test_no_other_module_reads_a_clock_or_draws_lots(module: Path) -> None:
    names = set(called(module))
    assert not names & CLOCKS
    assert not {name.split(".")[0] for name in imported(module)} & CHANCE
    if THE_SENDER not in module.parents:
        assert not names & STOPWATCHES


def test_the_scan_sees_what_it_is_for() -> None:
    assert {"time.time_ns", "asyncio.sleep"} <= set(called(THE_CLOCK))
    assert set(imported(THE_CLOCK)) >= {"random", "secrets"}
