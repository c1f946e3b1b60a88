"""Options of all suites, their split over parallel processes, and the measure of a busy machine."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer

from tests.support.parallel import GroupScheduling, rank
from tests.support.slowdown import Slowdown

ENGINES = "fake,moto,ministack,dynamodb-local"

# Hypothesis limits the time of each example by default, which fails on a busy machine.
settings.register_profile("suites", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suites")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run leave out the engines that need processes of their own."""
    parser.addoption(
        "--engines",
        default=ENGINES,
        metavar="NAMES",
        help=f"run the conformance suites on these implementations (default: {ENGINES})",
    )


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> GroupScheduling | None:
    """Keep tests together that share an expensive fixture, unless the command line asks for another `--dist`."""
    return GroupScheduling(config, log) if config.getvalue("dist") == "load" else None


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes after their parameter: gzip writes the time, so that two processes would collect different names."""
    return argname if isinstance(val, bytes) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In a run of parallel processes, start the longest groups first."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: rank(item.nodeid))


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """The fields in which two values differ: pytest shows them only for methods of the standard library."""
    if op != "==" or not is_dataclass(left) or type(left) is not type(right):
        return None
    pairs = [(each.name, getattr(left, each.name), getattr(right, each.name)) for each in fields(left)]
    differing = [f"  {name}: {one!r} != {other!r}" for name, one, other in pairs if one != other]
    return [f"two of {type(left).__name__} differ:", *differing]


@pytest.fixture(scope="module")
def slowdown() -> Iterator[Slowdown]:
    """The slowdown of this machine, for tests that judge time."""
    measuring = Slowdown.start()
    yield measuring
    measuring.stop()
