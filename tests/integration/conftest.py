"""The deployed laptop stack, once for all integration tests: real processes, real HTTP on both ends."""

from collections.abc import Iterator

import pytest

from infra.local.api import Api
from infra.local.receiver import Receiver
from infra.local.stack import LocalStack, Tenant, local_stack


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """A stack of its own, with warm functions and nothing stored."""
    with local_stack(tmp_path_factory.mktemp("stack") / "local", fresh=True) as running:
        yield running


@pytest.fixture(scope="session")
def tenant(stack: LocalStack) -> Tenant:
    """A tenant that all tests share; use names or paths of your own in it."""
    return stack.create_tenant("acme")


@pytest.fixture(scope="session")
def api(stack: LocalStack, tenant: Tenant) -> Api:
    """The API with the tenant's key."""
    return stack.api(tenant.api_key)


@pytest.fixture
def receiver(tenant: Tenant) -> Iterator[Receiver]:
    """A receiver of the test's own, which judges signatures by the tenant's secret."""
    with Receiver(secret=tenant.signing_secret) as running:
        yield running
