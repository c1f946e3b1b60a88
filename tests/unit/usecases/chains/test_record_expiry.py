"""Records outlive their due time, and those that locate executions every retry that these may still make."""

from collections.abc import Callable

import pytest

from shared.domain.delivery.retry import MAX_RETRY_SPAN_SECONDS
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Rate
from shared.domain.schedules.timing import After
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases import chains
from tests.support.usecases.chains import HOURS, Chain
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


def resume_later(chain: Chain) -> None:
    chain.pause()
    chain.resume()


def update_while_paused(chain: Chain) -> None:
    chain.pause()
    chain.update(timeout_ms=7_000)


def update_at_once(chain: Chain) -> None:
    chain.update(timeout_ms=7_000)


@pytest.mark.parametrize("change", [resume_later, update_while_paused, update_at_once])
@pytest.mark.parametrize("archive_days", [400, 0])
def test_past_chain_is_found_for_as_long_as_the_archive_has_its_runs(
    change: Callable[[Chain], None], archive_days: int
) -> None:
    """A run enters the archive until 13 days after its hour, and stays for `archive_days` from then on."""
    chain = Chain(world := World(DUE_AT, archive_days=archive_days), world.recurring())
    chain.work()
    change(chain)
    (expires_at_s,) = past_expiries(chain)
    assert expires_at_s == world.retention.outlives_records_s(DUE_AT) + archive_days * 86_400
    assert expires_at_s > DUE_AT // 1000 + (13 + archive_days) * 86_400


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


def test_forwarding_record_of_a_job_that_is_moved_nearer_outlives_its_former_time() -> None:
    world = World()
    job = world.accept_one_off(After(60 * 86_400))
    nearer = NewJob(timing=After(600), request=REQUEST)
    world.revise_job.execute(world.tenant, job, REQUEST, nearer, revision=job.revision)
    forwarding = world.table.executions[job.id]
    assert forwarding.execution.progress.moved_to is not None
    assert (forwarding.expires_at_s or 0) >= least_expiry_s(world, job.id.dispatch_at)


@pytest.mark.parametrize("change", [Chain.pause, lambda chain: chain.update(timeout_ms=7_000)])
def test_tombstone_of_a_run_that_is_months_ahead_outlives_the_time_of_that_run(
    change: Callable[[Chain], object],
) -> None:
    """The archive reads the tombstone after its hour, and no stalled writer files the run beside an expired one."""
    yearly = Rate(interval_ms=365 * 24 * HOURS, anchor=DUE_AT)
    world = World(DUE_AT - 60 * 24 * HOURS)
    chain = Chain(world, world.recurring(schedule=yearly, chain_from=DUE_AT))
    change(chain)
    (tombstone,) = [row for row in world.table.executions.values() if row.execution.progress.ends_chain]
    assert tombstone.execution.id.dispatch_at == DUE_AT
    assert (tombstone.expires_at_s or 0) >= least_expiry_s(world, DUE_AT)


def test_tombstone_at_a_free_key_outlives_the_time_of_that_run() -> None:
    """The run before it has started, and has not filed it yet."""
    yearly = Rate(interval_ms=365 * 24 * HOURS, anchor=DUE_AT)
    chain = Chain(world := World(DUE_AT), world.recurring(schedule=yearly, chain_from=DUE_AT))
    chain.run_head()
    chain.pause()
    (tombstone,) = [row for row in world.table.executions.values() if row.execution.progress.ends_chain]
    next_at = DUE_AT + 365 * 24 * HOURS
    assert tombstone.execution.id.dispatch_at == next_at
    assert (tombstone.expires_at_s or 0) >= least_expiry_s(world, next_at)


def test_record_of_a_redrive_that_was_undone_before_its_time_outlives_that_time() -> None:
    world = World(DUE_AT)
    world.recurring()
    failed = failed_run(world)
    later_at = world.clock.time_ms + 3 * 24 * HOURS
    undone = world.redrive.file_cancelled(failed, world.redrive.next_id(failed, later_at))
    expires_at_s = world.table.executions[undone.id].expires_at_s
    assert expires_at_s == world.retention.expires_at_s(undone.id.dispatch_at)
