"""Nothing may be left open, and nothing may fail where no test looks."""

import gc
from collections.abc import Iterator

import pytest
import trustme


@pytest.fixture(scope="module", autouse=True)
def nothing_unclosed() -> Iterator[None]:
    """Provoke the warnings about unclosed sessions and transports here, where pytest turns them into errors."""
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def no_error_in_a_forgotten_task(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """asyncio only logs those."""
    yield
    assert not [record for record in caplog.get_records("call") if "never retrieved" in record.getMessage()]


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """A certificate authority of one's own."""
    return trustme.CA()
