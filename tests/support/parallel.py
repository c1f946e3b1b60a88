"""How the tests are split over parallel processes: which of them share one process, and which of them start first."""

from pathlib import PurePosixPath
from zlib import crc32

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

ONE_PROCESS = ("tests/integration", "tests/infra", "tests/console")
"""Folders whose fixtures are expensive: a running laptop stack, a synthesis of the stacks, a browser."""
TWO_PROCESSES = ("tests/conformance",)
"""Folders that start engines: each process that runs such tests starts all of them."""
TEST_BY_TEST = ("tests/models",)
"""Folders of few and long tests that share nothing."""
LONGEST_FIRST = (
    "tests/integration",
    "tests/simulation/test_simulation.py",
    "tests/crashes/test_crashes.py",
    "tests/api_machine/test_api_machine.py",
    "tests/contract",
    "tests/console",
    "tests/infra",
    "tests/conformance",
    "tests/delivery/test_canaries.py",
    "tests/simulation",
    "tests/models",
    "tests/property",
    "tests/unit/usecases",
)
"""A long group that started last would keep the other processes waiting."""


def group_of(nodeid: str) -> str:
    """The name of the group whose tests run in one process, one after the other; by default a file."""
    file = nodeid.partition("::")[0]
    folder = "/".join(PurePosixPath(file).parts[:2])
    if folder in ONE_PROCESS:
        return folder
    if folder in TWO_PROCESSES:
        return f"{folder} {crc32(file.encode()) % 2}"
    return nodeid if folder in TEST_BY_TEST else file


def rank(nodeid: str) -> int:
    """The place of a test's group in the order of starts."""
    starts = (number for number, start in enumerate(LONGEST_FIRST) if nodeid.startswith(start))
    return next(starts, len(LONGEST_FIRST))


class GroupScheduling(LoadScopeScheduling):
    """Hands out whole groups, in the order in which the tests were collected."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)
