"""New jobs are of the deployment's cell; everything that is derived from a job keeps the cell of the job."""

from shared.bootstrap.use_cases import UseCases, use_cases
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import cell_of
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After, Every
from tests.support.builders import in_state
from tests.support.settings import settings_of
from tests.support.usecases.world import REQUEST, World


def deployment(world: World, cell: str) -> UseCases:
    return use_cases(world.ports(), settings_of(world.plan, world.retention, cell=cell))


def test_new_jobs_are_of_the_cell_of_the_deployment() -> None:
    world = World()
    create = deployment(world, "7").jobs.create_job
    once = create.execute(world.tenant, NewJob(timing=After(3_600), request=REQUEST), None).job
    often = create.execute(world.tenant, NewJob(timing=Every(60), request=REQUEST), None).job
    assert isinstance(once, Execution)
    assert isinstance(often, Job)
    assert (once.id.cell, cell_of(once.job_id), cell_of(often.id)) == ("7", "7", "7")
    assert {key.cell for key in world.table.executions} == {"7"}


def test_triggered_and_redriven_executions_keep_the_cell_of_their_job() -> None:
    world = World()
    there, here = deployment(world, "7"), deployment(world, "0")
    job = there.jobs.create_job.execute(world.tenant, NewJob(timing=Every(60), request=REQUEST), None).job
    assert isinstance(job, Job)
    triggered = here.jobs.trigger_job.execute(world.tenant, job.id).execution
    row = world.table.executions[triggered.id]
    row.execution = in_state(triggered, State.FAILED)
    redriven = here.dead_letters.redrive_execution.execute(world.tenant.id, str(triggered.id)).execution
    assert (triggered.id.cell, redriven.id.cell) == ("7", "7")
