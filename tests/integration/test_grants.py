"""Every AWS call of the deployed functions, in all integration tests, is one that their roles allow."""

from pathlib import Path

import pytest

from infra.local.stack import LocalStack
from tests.crashes.grant_check import UNPLAYED
from tests.support.aws_calls import calls_listed_in
from tests.support.function_grants import SPECS, FunctionGrants

pytestmark = pytest.mark.integration

UNUSED: dict[str, str] = {}
"""Grants that neither a crash scenario nor an integration test is sure to use; `UNPLAYED` has the reasons."""


@pytest.fixture(scope="module")
def grants(stack: LocalStack) -> dict[str, FunctionGrants]:
    """By the name of each function."""
    return {
        name: FunctionGrants(SPECS[service], stack.environment(service))
        for service, name in stack.functions.items()
    }


@pytest.fixture(scope="module")
def used(calls: Path, grants: dict[str, FunctionGrants]) -> set[str]:
    return {
        grants[function].kind((action, resource)) for function, action, resource in calls_listed_in(calls)
    }


def test_calls_of_all_functions_are_listed(stack: LocalStack, calls: Path) -> None:
    """Each function reads or writes a table in its first invocation, apart from those that wait for messages."""
    stack.tick()
    listed = {function for function, _, _ in calls_listed_in(calls)}
    scheduled = {stack.functions[service] for service in ("watcher", "sweeper", "reconciler")}
    assert scheduled <= listed


def test_functions_make_no_call_that_their_roles_do_not_allow(
    calls: Path, grants: dict[str, FunctionGrants]
) -> None:
    found = calls_listed_in(calls)
    missing = {grants[function].missing((action, resource)) for function, action, resource in found}
    assert sorted(missing - {None}, key=str) == []


def test_grants_that_no_crash_scenario_uses_are_used_by_an_integration_test(
    request: pytest.FixtureRequest, used: set[str]
) -> None:
    folder = Path(__file__).parent
    collected = {item.path for item in request.session.items}
    if not collected >= {*folder.glob("test_*.py")}:
        pytest.skip("the calls of all integration tests are needed")
    assert sorted(UNPLAYED.keys() - used - UNUSED.keys()) == []
