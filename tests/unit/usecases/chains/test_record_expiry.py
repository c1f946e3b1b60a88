"""Records that locate executions outlive every retry that these executions may still make."""

from shared.domain.delivery.retry import MAX_RETRY_SPAN_SECONDS
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases import chains
from tests.support.usecases.chains import HOURS
from tests.support.usecases.redrives import failed_run
from tests.support.usecases.world import REQUEST, World


def least_expiry_s(world: World, ends_at: int) -> int:
    """The history of an execution whose last retry is a whole retry span after `ends_at`."""
    return world.retention.expires_at_s(ends_at) + MAX_RETRY_SPAN_SECONDS


def past_expiries(chain: chains.Chain) -> set[int]:
    return {past.expires_at_s for past in chain.world.table.past_chains.values()}


def test_chain_of_a_resumed_job_is_found_as_long_as_its_runs() -> None:
    chain = chains.due_now()
    chain.extend_lease(2)
    chain.pause()
    chain.world.clock.time_ms += HOURS
    chain.resume()
    assert min(past_expiries(chain)) >= least_expiry_s(chain.world, chain.world.clock.time_ms)


def test_chain_of_a_job_that_is_updated_while_paused_is_found_as_long_as_its_runs() -> None:
    chain = chains.due_now()
    chain.extend_lease(2)
    chain.pause()
    chain.update(timeout_ms=7_000)
    assert min(past_expiries(chain)) >= least_expiry_s(chain.world, chain.world.clock.time_ms)


def test_record_of_a_triggered_run_outlives_the_run() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    world.trigger_job.execute(world.tenant, job.id)
    assert min(world.table.extras.values()) >= least_expiry_s(world, DUE_AT)


def test_record_of_a_redriven_run_outlives_the_redrive() -> None:
    world = World(DUE_AT)
    world.recurring()
    world.redrive.execute(TENANT, str(failed_run(world).id))
    assert min(world.table.extras.values()) >= least_expiry_s(world, world.clock.time_ms)


def test_forwarding_records_of_a_moved_job_outlive_the_job() -> None:
    world = World()
    job = world.accept_one_off(After(600))
    later = NewJob(timing=After(86_400), request=REQUEST)
    moved = world.revise_job.execute(world.tenant, job, REQUEST, later, revision=job.revision)
    forwarding = world.table.executions[job.id]
    assert forwarding.execution.progress.moved_to == moved.id
    assert (forwarding.expires_at_s or 0) >= least_expiry_s(world, moved.id.dispatch_at)
