"""Options of all suites, and how their tests are split over parallel processes."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support.slowdown import Slowdown

ENGINES = ("fake", "moto", "ministack", "dynamodb-local")

# Hypothesis measures the time of each example by default, which fails on a busy machine.
settings.register_profile("suites", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suites")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run leave out the engines that need a process of their own."""
    parser.addoption(
        "--engines",
        default=",".join(ENGINES),
        help=f"implementations for the conformance suites, of {','.join(ENGINES)}",
    )


@pytest.fixture(scope="module")
def slowdown() -> Iterator[Slowdown]:
    """The slowdown of this machine, for tests that judge time."""
    measuring = Slowdown.start()
    yield measuring
    measuring.stop()
