"""TurnStore: one turn for each job, changed by whoever has seen it as it stands."""

from itertools import product

import pytest

from shared.ports.jobs import Turn
from tests.builders import TENANT, execution_id
from tests.conformance.labs import Lab

A, B = execution_id(1), execution_id(2)
TURNS = [Turn(holder=holder, waiting=waiting) for holder, waiting in product((None, A, B), (None, A, B))]


def test_nobody_has_it_at_first(lab: Lab) -> None:
    assert lab.turns.read(TENANT, "job") == Turn()


@pytest.mark.parametrize("before", TURNS)
def test_it_is_changed_from_what_stands_there_and_from_nothing_else(lab: Lab, before: Turn) -> None:
    assert lab.turns.swap(TENANT, "job", Turn(), before)
    for seen in TURNS:
        after = Turn(holder=B, waiting=A) if before != Turn(holder=B, waiting=A) else Turn(holder=A)
        assert lab.turns.swap(TENANT, "job", seen, after) == (seen == before)
        if seen == before:
            assert lab.turns.read(TENANT, "job") == after
            assert lab.turns.swap(TENANT, "job", after, before)


def test_jobs_and_tenants_are_kept_apart(lab: Lab) -> None:
    assert lab.turns.swap(TENANT, "job", Turn(), Turn(holder=A))
    assert lab.turns.read(TENANT, "job2") == Turn()
    assert lab.turns.read("acme-2", "job") == Turn()
    assert lab.turns.swap("acme-2", "job", Turn(), Turn(holder=B))
    assert lab.turns.read(TENANT, "job") == Turn(holder=A)
