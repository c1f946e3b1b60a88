"""The deployed laptop stack, once for all integration tests: real processes, real HTTP on both ends."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local import emulator
from infra.local.api import Api
from infra.local.emulator_env import environment
from infra.local.receiver import Receiver
from infra.local.stack import LocalStack, Tenant, local_stack
from infra.local.state_dir import LocalStackError
from shared.domain.tenancy.tenant import OPERATOR
from tests.support import aws_calls

LAST = "test_grants.py"
"""Judges the AWS calls that the functions made in all other tests."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests last that judge the others' calls."""
    items.sort(key=lambda item: item.path == Path(__file__).with_name(LAST))


@pytest.fixture(scope="package")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the functions' import path, in which each of their processes lists its AWS calls."""
    folder = tmp_path_factory.mktemp("calls")
    shutil.copy(aws_calls.__file__, folder / "sitecustomize.py")
    return folder


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory, calls: Path) -> Iterator[LocalStack]:
    """A stack of its own, with warm functions and nothing stored."""

    def listening(*, port: int, state: Path, tmp: Path) -> dict[str, str]:
        return environment(port=port, state=state, tmp=tmp) | {"PYTHONPATH": str(calls)}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emulator, "environment", listening)
        with local_stack(tmp_path_factory.mktemp("stack") / "local", fresh=True) as running:
            yield running


@pytest.fixture(scope="package")
def operator(stack: LocalStack) -> Api:
    """The API for operators, whose tenant another test may have created."""
    try:
        created = stack.admin("create-operator")
    except LocalStackError:
        created = stack.admin("create-key", OPERATOR, "--scopes", "admin")
    return stack.api(created["api_key"])


@pytest.fixture(scope="package")
def tenant(stack: LocalStack) -> Tenant:
    """A tenant that all tests share; use names or paths of your own in it."""
    return stack.create_tenant("acme")


@pytest.fixture(scope="package")
def api(stack: LocalStack, tenant: Tenant) -> Api:
    """The API with the tenant's key."""
    return stack.api(tenant.api_key)


@pytest.fixture
def receiver(tenant: Tenant) -> Iterator[Receiver]:
    """A receiver of the test's own, which judges signatures by the tenant's secret."""
    with Receiver(secret=tenant.signing_secret) as running:
        yield running
