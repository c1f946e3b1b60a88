"""JobHealthStore: the failures of each job since its last recovery, changed by compare-and-swap."""

import itertools

from shared.domain.executions.job_health import JobHealth
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, execution_id
from tests.support.conformance.labs import Lab

FAILING = JobHealth().after_failure(DUE_AT)
RECOVERED = FAILING.after_recovery(execution_id(1), DUE_AT + 5)


def swap(lab: Lab, before: JobHealth, after: JobHealth, job_id: str = "job") -> bool:
    return lab.job_health.swap(TENANT, job_id, before, after, EXPIRES_AT_S)


def test_job_without_an_item_is_healthy(lab: Lab) -> None:
    assert lab.job_health.read(TENANT, "job") == JobHealth()


def test_health_is_read_back_whole(lab: Lab) -> None:
    again = RECOVERED.after_failure(DUE_AT + 9).after_recovery(execution_id(2), DUE_AT + 9)
    states = [JobHealth(), FAILING, RECOVERED, RECOVERED.after_failure(DUE_AT + 9), again]
    for before, after in itertools.pairwise(states):
        assert swap(lab, before, after)
        assert lab.job_health.read(TENANT, "job") == after


def test_health_changes_only_from_its_stored_version(lab: Lab) -> None:
    assert not swap(lab, FAILING, RECOVERED)
    assert swap(lab, JobHealth(), FAILING)
    assert not swap(lab, JobHealth(), FAILING)
    assert swap(lab, FAILING, RECOVERED)
    for stale in (JobHealth(), FAILING):
        assert not swap(lab, stale, stale.after_failure(DUE_AT + 99))
    assert lab.job_health.read(TENANT, "job") == RECOVERED


def test_jobs_and_tenants_have_a_health_each(lab: Lab) -> None:
    assert swap(lab, JobHealth(), FAILING)
    assert lab.job_health.read(TENANT, "job2") == JobHealth()
    assert lab.job_health.read("acme-2", "job") == JobHealth()
    assert lab.job_health.swap("acme-2", "job", JobHealth(), FAILING, EXPIRES_AT_S)
    assert swap(lab, JobHealth(), FAILING, "job2")
    assert swap(lab, FAILING, RECOVERED)
    assert lab.job_health.read("acme-2", "job") == FAILING
