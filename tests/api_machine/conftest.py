"""Asserts of the machine's modules say what they compared; each test counts for itself what it meets."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__)
MODULES = [path.stem for path in HERE.parent.glob("*.py") if path != HERE]
pytest.register_assert_rewrite(*(f"tests.api_machine.{name}" for name in sorted(MODULES)))


@pytest.fixture(autouse=True)
def _without_the_log() -> Iterator[None]:
    """What matters of a history is its steps."""
    logging.disable()
    from tests.api_machine.sightings import SEEN

    SEEN.clear()
    yield
    logging.disable(logging.NOTSET)
