"""Find a job for its tenant: foreign and unknown ids are answered alike."""

import pytest

from shared.domain.errors import NotFoundError, UnavailableError
from shared.domain.executions.states import State
from tests.support.builders import DUE_AT, TENANT, execution_id, in_state, one_off
from tests.support.usecases.world import World


@pytest.mark.parametrize("state", sorted(set(State) - {State.MOVED}))
def test_a_one_off_job_is_its_execution_in_whatever_state(state: State) -> None:
    world = World(DUE_AT)
    execution = world.put(in_state(one_off(), state))
    assert world.find_job.execute(TENANT, execution.job_id) == execution


def test_moved_one_off_job_is_found_as_its_new_execution() -> None:
    world = World(DUE_AT)
    moved = world.put(in_state(one_off(), State.MOVED))
    with pytest.raises(NotFoundError):
        world.find_job.execute(TENANT, moved.job_id)
    assert moved.progress.moved_to is not None
    target = world.put(one_off(id=moved.progress.moved_to, job_id=moved.job_id))
    assert world.find_job.execute(TENANT, moved.job_id) == target


def test_a_recurring_job_is_its_definition() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    assert world.find_job.execute(TENANT, job.id) == job


def test_foreign_and_unknown_ids_are_told_apart_by_nothing() -> None:
    world = World(DUE_AT)
    foreign = [world.put(one_off(tenant_id="other")).job_id, world.recurring(tenant_id="other").id]
    unknown = [one_off(9).job_id, "job_r" + "0" * 27, str(execution_id()), "", "x" * 10_000]
    refusals = []
    for job_id in foreign + unknown:
        with pytest.raises(NotFoundError) as refused:
            world.find_job.execute(TENANT, job_id)
        refusals.append(str(refused.value))
    assert len(set(refusals)) == 1


@pytest.mark.parametrize("step", ["store.get", "jobs.get"])
def test_a_store_that_does_not_answer_is_no_absence(step: str) -> None:
    world = World(DUE_AT)
    job, execution = world.recurring(), world.put(one_off())
    world.steps.fail(step)
    with pytest.raises(UnavailableError):
        world.find_job.execute(TENANT, job.id if step == "jobs.get" else execution.job_id)
