"""CREATE many jobs at once: each is accepted or refused by itself, in few calls, by the steps of FILE."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.bucket import KEPT_OPEN_MS, MINUTE_MS, ShardCounts
from shared.domain.errors import (
    CallbackUrlNotAllowedError,
    IdentityConflictError,
    QuotaExceededError,
    RequestRejectedError,
    ScheduleInPastError,
    UnavailableError,
)
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Once
from shared.domain.schedules.timing import After, Every
from shared.domain.tenancy.quota import Quota
from shared.names import Lane
from shared.usecases.jobs.create_job import CreatedJob
from tests.support.builders import one_off, with_changes
from tests.support.fakes.one_off_batches import Fault
from tests.support.usecases.creating import LARGE, PAST, create, executions, kinds, new
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import EARLY, REQUEST, World


def test_every_job_stands_as_it_was_asked_for_and_in_order() -> None:
    world = World()
    made = executions(create(world, [new(After(3_600 + n), name=f"n{n}", tags=("a",)) for n in range(100)]))
    assert [each.name for each in made] == [f"n{n}" for n in range(100)]
    assert [each.nominal_at for each in made] == [EARLY + (3_600 + n) * 1_000 for n in range(100)]
    assert [world.standing(each.id) for each in made] == made
    assert [world.open_request.execute(world.tenant, each) for each in made] == [REQUEST] * 100


def test_job_of_a_batch_equals_the_job_created_alone() -> None:
    """But for its identity."""
    fields: dict[str, Any] = {
        "lane": Lane.BULK,
        "timeout_seconds": 7,
        "start_deadline_seconds": 9,
        "jitter_ms": 2_000,
    }
    worlds = World(), World()
    (mine,) = executions(create(worlds[0], [new(After(3_600), **fields)]))
    alone = worlds[1].accept_one_off(After(3_600), **fields)
    assert with_changes(alone, request=b"") == with_changes(mine, request=b"")


FIRST_FILING = ["shard_counts.read", "shard_counts.begin"]


def test_a_batch_takes_one_put_and_one_send_whatever_its_length() -> None:
    world = World()
    create(world, [new(After(30))] * 100)
    assert world.steps.taken == ["budgets.take", *FIRST_FILING, "batches.put_all_if_absent", "queue.send"]


def test_wakeups_of_near_jobs_are_packed_by_second_and_lane() -> None:
    world = World()
    lanes = [Lane.STANDARD] * 25 + [Lane.BULK] * 5
    made = executions(create(world, [new(After(30), lane=lane) for lane in lanes]))
    assert [len(message.wakeup.keys) for message in world.queue.messages] == [5, 10, 10, 5]
    assert sorted(map(str, world.sent())) == sorted(str(each.id) for each in made)
    assert {each.state for each in made} == {State.QUEUED}


def test_wakeup_of_a_far_job_is_left_to_the_watchers() -> None:
    world = World()
    near, far = executions(create(world, [new(After(30)), new(After(3_600))]))
    assert (near.state, far.state) == (State.QUEUED, State.PENDING)
    assert world.sent() == [near.id]


def test_every_job_is_called_once() -> None:
    world = World()
    made = executions(create(world, [new(After(n % 7)) for n in range(40)]))
    Lanes(world).until(EARLY + 20_000)
    called = [dict(call.callback.headers)["webhook-id"] for call in world.sender.calls]
    assert sorted(called) == sorted(str(each.id) for each in made)


def test_a_bad_one_sinks_no_other() -> None:
    world = World()
    http = new(After(60), request=replace(REQUEST, url="http://receiver.example/"))
    outcomes = create(world, [new(After(60)), new(PAST), None, http, new(Every(60)), new(After(61))])
    assert kinds(outcomes) == [
        CreatedJob,
        ScheduleInPastError,
        type(None),
        CallbackUrlNotAllowedError,
        CreatedJob,
        CreatedJob,
    ]
    assert len(world.table.executions) == 3


def test_a_batch_without_a_good_one_leaves_nothing_behind() -> None:
    world = World()
    assert kinds(create(world, [new(PAST), None], "k")) == [ScheduleInPastError, type(None)]
    assert world.steps.taken == ["idempotency.find"]


def test_recurring_jobs_begin_their_chains() -> None:
    world = World()
    outcomes = create(world, [new(Every(60), name="a"), new(After(30)), new(Every(60), name="b")])
    jobs = [outcome.job for outcome in outcomes if isinstance(outcome, CreatedJob)]
    assert [isinstance(job, Job) for job in jobs] == [True, False, True]
    for job in jobs[::2]:
        assert isinstance(job, Job)
        assert world.table.jobs[world.tenant.id, job.id] == job
        assert [each.nominal_at for each in world.occurrences(job).values()] == [job.chain_from]


def test_large_requests_stand_apart_and_are_written_first() -> None:
    world = World()
    outcomes = create(world, [new(After(3_600), request=LARGE), new(After(3_600))])
    apart, within = executions(outcomes)
    assert (apart.call.payload_id, apart.call.request, within.call.payload_id) == (apart.job_id, b"", None)
    assert world.steps.taken == [
        "budgets.take",
        "batches.put_payloads",
        *FIRST_FILING,
        "batches.put_all_if_absent",
    ]


def test_jobs_spread_over_the_shards() -> None:
    world = World(counts=ShardCounts(normal=4, quarter=4, midnight=4))
    made = executions(create(world, [new(After(3_600))] * 60))
    assert {each.id.shard for each in made} == {0, 1, 2, 3}


@pytest.mark.parametrize("fault", [Fault.NOT_WRITTEN, Fault.WRITTEN])
def test_undecided_put_is_not_acknowledged_and_the_other_jobs_are(fault: Fault) -> None:
    world = World()
    world.one_off_batches.faults = {1: fault, 3: fault}
    outcomes = create(world, [new(After(1))] * 5)
    assert [isinstance(each, UnavailableError) for each in outcomes] == [False, True, False, True, False]
    assert len(world.sent()) == 3


def test_job_whose_wakeup_was_not_sent_is_not_acknowledged_and_the_other_jobs_are() -> None:
    """A whole message fails, with all the jobs in it."""
    world = World()
    refused: list[object] = []
    world.steps.before("queue.send", lambda: refused.extend(_refuse_one(world)))
    outcomes = create(world, [new(After(30 + n // 4)) for n in range(12)])
    failed = [number for number, each in enumerate(outcomes) if isinstance(each, UnavailableError)]
    assert len(failed) == 4
    assert len({number // 4 for number in failed}) == 1
    assert len(world.table.executions) == 12
    assert len(world.sent()) == 8


def _refuse_one(world: World) -> list[object]:
    key = next(iter(world.table.executions))
    world.queue.fail_once(key)
    return [key]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.NOT_WRITTEN, UnavailableError),
        (Fault.WRITTEN, UnavailableError),
        (Fault.REJECTED, RequestRejectedError),
    ],
)
def test_a_payload_that_could_not_be_written_takes_only_its_own_job_with_it(
    fault: Fault, error: type[Exception]
) -> None:
    world = World()
    world.one_off_batches.payload_faults = {1: fault, 2: fault}
    large = [new(After(30), request=LARGE), new(After(30), request=LARGE), new(Every(60), request=LARGE)]
    outcomes = create(world, [*large, new(After(30))])
    assert kinds(outcomes) == [CreatedJob, error, error, CreatedJob]
    assert (len(world.table.executions), world.table.jobs) == (2, {})


def test_large_requests_of_all_jobs_are_stored_at_once_and_each_reaches_its_receiver() -> None:
    world = World()
    bodies = [f"{number:04d}".encode() * 600 for number in range(100)]
    wanted = [new(After(30), request=replace(REQUEST, body=body)) for body in bodies]
    wanted[50] = replace(wanted[50], timing=Every(60))
    assert kinds(create(world, wanted)) == [CreatedJob] * 100
    assert [step for step in world.steps.taken if "payload" in step] == ["batches.put_payloads"]
    Lanes(world).until(EARLY + 61_000)
    assert sorted(call.callback.body for call in world.sender.calls) == bodies


def test_a_definition_that_could_not_be_written_takes_only_its_own_job_with_it() -> None:
    world = World()
    world.steps.fail("jobs.create")
    outcomes = create(world, [new(Every(60)), new(After(30)), new(Every(60))])
    assert kinds(outcomes) == [UnavailableError, CreatedJob, CreatedJob]


def test_puts_that_took_so_long_that_the_scan_may_have_passed_are_sent_for() -> None:
    world = World()
    due_at = (EARLY // MINUTE_MS + 10) * MINUTE_MS
    world.steps.after("batches.put_all_if_absent", lambda: setattr(world.clock, "time_ms", due_at - 120_000))
    made = executions(create(world, [new(Once(at=due_at))] * 3))
    assert {each.state for each in made} == {State.PENDING}
    assert sorted(map(str, world.sent())) == sorted(str(each.id) for each in made)


def test_closed_bucket_is_reopened_once_for_all_jobs_of_a_batch() -> None:
    world = World((EARLY // MINUTE_MS) * MINUTE_MS + 30_000)
    create(world, [new(Once(at=world.clock.time_ms - 45_000))] * 10)
    assert world.steps.taken == [
        "budgets.take",
        *FIRST_FILING,
        "ledger.open_until",
        "ledger.reopen",
        "batches.put_all_if_absent",
        "queue.send",
    ]


def stalled(world: World) -> None:
    """The writer stands still until it can no longer rely on its first reopening, and the next one fails."""
    world.clock.time_ms += KEPT_OPEN_MS
    world.steps.fail("ledger.reopen")


@pytest.mark.parametrize(("step", "written"), [(1, 1), (2, 3)])
def test_a_bucket_that_could_not_be_reopened_takes_only_its_own_jobs_with_it(step: int, written: int) -> None:
    world = World((EARLY // MINUTE_MS) * MINUTE_MS + 30_000)
    late = new(Once(at=world.clock.time_ms - 45_000))
    if step == 2:
        world.steps.after("batches.put_all_if_absent", lambda: stalled(world))
    else:
        world.steps.fail("ledger.reopen")
    outcomes = create(world, [late, new(After(60)), late])
    assert kinds(outcomes) == [UnavailableError, CreatedJob, UnavailableError]
    assert len(world.table.executions) == written


def test_different_request_under_the_id_is_a_conflict_of_that_job_alone() -> None:
    world = World()
    world.steps.crash_after("idempotency.claim")
    with pytest.raises(Crash):
        create(world, [new(After(60))] * 2, "k")
    record = world.idempotency.find(world.tenant.id, "k", EARLY)
    taken = record.batch[0].id
    standing = world.put(one_off(id=taken, fingerprint=b"another request!"))
    assert kinds(create(world, [new(After(60))] * 2, "k")) == [IdentityConflictError, CreatedJob]
    assert world.standing(standing.id) == standing


def test_quotas_are_asked_for_each_and_only_what_is_too_much_is_refused() -> None:
    world = World()
    tenant = replace(world.tenant, quotas={Quota.DUE_PER_MINUTE: 3, Quota.PAYLOAD_BYTES: 100})
    soon, later = new(Once(at=EARLY + 3_600_000)), new(Once(at=EARLY + 7_200_000))
    outcomes = world.create_jobs.execute(
        tenant, [soon] * 5 + [later, new(After(1), request=LARGE)], spelling=b""
    )
    assert kinds(outcomes) == [CreatedJob] * 3 + [QuotaExceededError] * 2 + [CreatedJob, QuotaExceededError]
    refused = [outcome.quota for outcome in outcomes if isinstance(outcome, QuotaExceededError)]
    assert refused == [Quota.DUE_PER_MINUTE] * 2 + [Quota.PAYLOAD_BYTES]
    assert len(world.table.executions) == 4


def test_a_batch_for_one_minute_leases_its_quota_in_one_go() -> None:
    world = World()
    create(world, [new(Once(at=EARLY + 3_600_000))] * 100)
    assert world.budgets.writes == 1


@pytest.mark.parametrize("standing", [0, 2])
def test_recurring_jobs_of_a_batch_do_not_pass_their_quota_together(standing: int) -> None:
    world = World()
    tenant = replace(world.tenant, quotas={Quota.RECURRING_JOBS: 4})
    for number in range(standing):
        world.recurring(number)
    outcomes = world.create_jobs.execute(tenant, [new(Every(60))] * 6, spelling=b"")
    assert kinds(outcomes) == [CreatedJob] * (4 - standing) + [QuotaExceededError] * (2 + standing)
