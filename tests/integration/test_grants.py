"""Every AWS call of the deployed functions, in all integration tests, is one that their roles allow."""

from pathlib import Path

import pytest

from infra.local.stack import LocalStack
from tests.crashes.grant_check import USED_IN_INTEGRATION
from tests.support.aws_calls import calls_listed_in
from tests.support.function_grants import SPECS, FunctionGrants

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def grants(stack: LocalStack) -> dict[str, FunctionGrants]:
    """By the name of each function."""
    return {
        name: FunctionGrants(SPECS[service], stack.environment(service))
        for service, name in stack.functions.items()
    }


def test_calls_of_all_functions_are_listed(stack: LocalStack, calls: Path) -> None:
    """Each scheduled function reads a table in each of its invocations."""
    stack.tick()
    listed = {function for function, _, _ in calls_listed_in(calls)}
    scheduled = {stack.functions[service] for service in ("watcher", "sweeper", "redriver", "reconciler")}
    assert scheduled <= listed


def test_functions_make_no_call_that_their_roles_do_not_allow(
    calls: Path, grants: dict[str, FunctionGrants]
) -> None:
    found = calls_listed_in(calls)
    missing = {grants[function].missing((action, resource)) for function, action, resource in found}
    assert sorted(missing - {None}, key=str) == []


def test_grants_that_no_crash_scenario_uses_are_used_here(
    request: pytest.FixtureRequest, calls: Path, grants: dict[str, FunctionGrants]
) -> None:
    if Path(__file__).with_name("test_accounts.py") not in {item.path for item in request.session.items}:
        pytest.skip("the calls of test_accounts.py are needed")
    used = {
        grants[function].kind((action, resource)) for function, action, resource in calls_listed_in(calls)
    }
    assert sorted(USED_IN_INTEGRATION.keys() - used) == []
