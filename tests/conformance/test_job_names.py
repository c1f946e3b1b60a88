"""JobNames: the names of recurring jobs by their ids."""

from tests.support.builders import TENANT, job, occurrence, with_changes
from tests.support.conformance.labs import Lab

JOBS = [job(number, name=f"job {number}") for number in range(3)]
IDS = [each.id for each in JOBS]


def test_names_are_those_of_the_jobs_that_are_asked_for(lab: Lab) -> None:
    for each in JOBS:
        assert lab.jobs.create(each, occurrence(each)) is None
    assert lab.job_names.of(TENANT, IDS[:2]) == {IDS[0]: "job 0", IDS[1]: "job 1"}


def test_job_without_a_name_and_an_unknown_job_are_left_out(lab: Lab) -> None:
    nameless = job(7, name=None)
    assert lab.jobs.create(nameless, occurrence(nameless)) is None
    assert lab.job_names.of(TENANT, [nameless.id, IDS[0]]) == {}


def test_name_is_the_present_one(lab: Lab) -> None:
    before = JOBS[0]
    assert lab.jobs.create(before, occurrence(before)) is None
    assert lab.jobs.replace(before, with_changes(before, name="renamed", revision=2))
    assert lab.job_names.of(TENANT, [before.id]) == {before.id: "renamed"}


def test_names_of_another_tenants_jobs_are_not_read(lab: Lab) -> None:
    assert lab.jobs.create(JOBS[0], occurrence(JOBS[0])) is None
    assert lab.job_names.of("acme-2", IDS) == {}


def test_hundred_jobs_are_read_at_once(lab: Lab) -> None:
    jobs = [job(number, name="same") for number in range(100)]
    for each in jobs[::9]:
        assert lab.jobs.create(each, occurrence(each)) is None
    assert lab.job_names.of(TENANT, [each.id for each in jobs]) == {each.id: "same" for each in jobs[::9]}
