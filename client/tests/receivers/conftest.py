"""Each store of seen calls, a call, and workers that claim it."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest

from client.tests.support.stores import STORES, Clock
from punctual.receivers._claims import Claim
from punctual.receivers.seen.store import Seen


@pytest.fixture(params=STORES, scope="module")
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    with STORES[request.param](tmp_path_factory.mktemp("seen")) as opened:
        yield opened


@pytest.fixture
def call_id() -> str:
    """A new one, because the store is that of other tests, too."""
    return f"exe_{uuid4().hex}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def worker(store: Seen, call_id: str, clock: Clock) -> Callable[[str], Claim]:
    return lambda owner: Claim(store, call_id, owner, clock)
