"""The API keeps to its OpenAPI document, whatever it is asked, and one tenant never sees what is another's.

Schemathesis derives the requests from the document: its examples, each boundary of each schema and what lies just
beyond, chance, and sequences along its links. All of its checks run, but for two that our own replace, and ours.
CONTRACT_SCALE=20 makes a run that many times as long, CONTRACT_SEED another one.
"""

import os
from functools import cache

import pytest

from functions.api.http.route import Route
from functions.api.routes import every_route
from tests.support.contract.neighbours import NAMES, Neighbours, neighbours
from tests.support.contract.runs import Broken, broken_by, quiet

SCALE = int(os.environ.get("CONTRACT_SCALE", "1"))
JOBS = ("Jobs", "Executions")
RUNS: dict[str, tuple[str, str, int, tuple[str, ...]]] = {
    "examples": (NAMES[0], "examples", 5, ()),
    "coverage": (NAMES[0], "coverage", 10 * SCALE, ()),
    "fuzzing": (NAMES[0], "fuzzing", 15 * SCALE, ()),
    "sequences about jobs": (NAMES[0], "stateful", 100 * SCALE, JOBS),
    "sequences of the other tenant": (NAMES[1], "stateful", 100 * SCALE, ()),
}
"""By name: as which tenant, the phase, how many examples of it, and of which chapters."""


@cache
def run(name: str) -> tuple[Neighbours, list[Broken]]:
    """What a run found, and the deployment that it was made on."""
    tenant, phase, examples, tags = RUNS[name]
    with quiet():
        near = neighbours(tenant)
        return near, broken_by(near, phase, examples, tags)


@pytest.mark.parametrize("name", RUNS)
def test_api_answers_only_as_the_openapi_document_says(name: str) -> None:
    near, broken = run(name)
    assert near.statuses
    assert broken == [], "\n".join(str(each) for each in broken)


def test_every_operation_has_answered_in_every_way_that_it_is_for() -> None:
    """Nothing was tried that was only ever refused."""
    reached: dict[str, set[int]] = {}
    for name in RUNS:
        for operation, statuses in run(name)[0].statuses.items():
            reached.setdefault(operation, set()).update(statuses)
    missed = {
        route.operation: _successes(route) - reached.get(route.operation, set()) for route in every_route()
    }
    assert {operation: statuses for operation, statuses in missed.items() if statuses} == {}


def _successes(route: Route) -> set[int]:
    return {route.success, *([202] if route.later else []), *([200] if route.dry_run else [])}
