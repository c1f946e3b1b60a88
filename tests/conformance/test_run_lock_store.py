"""RunLockStore: one run lock for each job, changed by compare-and-swap."""

from itertools import product

import pytest

from shared.ports.jobs import RunLock
from tests.support.builders import TENANT, execution_id
from tests.support.conformance.labs import Lab

A, B = execution_id(1), execution_id(2)
TURNS = [RunLock(holder=holder, waiting=waiting) for holder, waiting in product((None, A, B), (None, A, B))]


def test_new_run_lock_has_no_holder(lab: Lab) -> None:
    assert lab.run_locks.read(TENANT, "job") == RunLock()


@pytest.mark.parametrize("before", TURNS)
def test_run_lock_changes_only_from_its_stored_value(lab: Lab, before: RunLock) -> None:
    assert lab.run_locks.swap(TENANT, "job", RunLock(), before)
    for seen in TURNS:
        after = RunLock(holder=B, waiting=A) if before != RunLock(holder=B, waiting=A) else RunLock(holder=A)
        assert lab.run_locks.swap(TENANT, "job", seen, after) == (seen == before)
        if seen == before:
            assert lab.run_locks.read(TENANT, "job") == after
            assert lab.run_locks.swap(TENANT, "job", after, before)


def test_jobs_and_tenants_are_kept_apart(lab: Lab) -> None:
    assert lab.run_locks.swap(TENANT, "job", RunLock(), RunLock(holder=A))
    assert lab.run_locks.read(TENANT, "job2") == RunLock()
    assert lab.run_locks.read("acme-2", "job") == RunLock()
    assert lab.run_locks.swap("acme-2", "job", RunLock(), RunLock(holder=B))
    assert lab.run_locks.read(TENANT, "job") == RunLock(holder=A)
