"""CREATE many jobs with an Idempotency-Key: a replay files the very same batch again; no job twice, none lost."""

from collections import Counter
from dataclasses import replace

import pytest

from shared.domain.errors import (
    IdempotencyKeyReusedError,
    IdentityConflictError,
    InvalidStateError,
    PunctualError,
    QuotaExceededError,
    ScheduleInPastError,
    UnavailableError,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import DEFAULT_CELL, job_id_text, recurring_job_id
from shared.domain.jobs.new_job import encode_new_job
from shared.domain.schedules.schedule import Once
from shared.domain.schedules.timing import After, Every
from shared.domain.tenancy.quota import Quota
from shared.ports.jobs import AssignedId
from shared.usecases.jobs.create_job import CreatedJob
from tests.support.builders import ONE_SHARD, with_changes
from tests.support.fakes.one_off_batches import Died, Fault
from tests.support.usecases.creating import LARGE, PAST, create, executions, kinds, new
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import EARLY, World

WANTED = [
    new(After(30)),
    new(After(30), request=LARGE),
    new(After(3_600)),
    new(PAST),
    new(Every(3_600)),
    None,
    new(Once(at=EARLY - 45_000)),
    new(After(31)),
]
ONE_OFFS = [0, 1, 2, 6, 7]
DUE_SOON = 4
"""So many of them are due within a minute."""


def ids(world: World) -> Counter[str]:
    """The jobs of all executions that stand."""
    return Counter(row.execution.job_id for row in world.table.executions.values())


def moments() -> list[int]:
    """Before and after each port call of a batch that meets no fault."""
    world = World()
    create(world, WANTED, "k")
    return list(range(2 * len(world.steps.taken)))


def check_that_all_happens_once(world: World, outcomes: list[object]) -> None:
    assert [type(each) for each in outcomes] == [
        CreatedJob,
        CreatedJob,
        CreatedJob,
        ScheduleInPastError,
        CreatedJob,
        type(None),
        CreatedJob,
        CreatedJob,
    ]
    assert sorted(ids(world).values()) == [1] * 6
    Lanes(world).until(world.clock.time_ms + 60_000)
    called = Counter(dict(call.callback.headers)["X-Job-Id"] for call in world.sender.calls)
    assert sorted(called.values()) == [1] * DUE_SOON
    jobs = [each.job for each in outcomes if isinstance(each, CreatedJob)]
    assert {each.job_id for each in jobs if isinstance(each, Execution)} >= set(called)


@pytest.mark.parametrize("moment", moments())
@pytest.mark.parametrize("later_ms", [0, 10_000])
def test_a_crash_at_any_moment_is_healed_by_the_replay(moment: int, later_ms: int) -> None:
    world = World()
    world.steps.at_each = lambda now, _: die() if now == moment else None
    with pytest.raises(Crash):
        create(world, WANTED, "k")
    world.steps.calm()
    world.clock.time_ms += later_ms
    check_that_all_happens_once(world, list(create(world, WANTED, "k")))


@pytest.mark.parametrize("position", range(len(ONE_OFFS)))
def test_a_crash_between_two_puts_is_healed_by_the_replay(position: int) -> None:
    world = World()
    world.one_off_batches.faults = {position: Fault.DIES}
    with pytest.raises(Died):
        create(world, WANTED, "k")
    world.clock.time_ms += 40_000
    check_that_all_happens_once(world, list(create(world, WANTED, "k")))


@pytest.mark.parametrize("moment", moments())
def test_a_fault_or_a_lost_answer_at_any_moment_is_healed_by_the_replay(moment: int) -> None:
    world = World()

    def fail(now: int, _: str) -> None:
        if now == moment:
            raise UnavailableError("injected")

    world.steps.at_each = fail
    try:
        first = create(world, WANTED, "k")
    except UnavailableError:
        first = []
    world.steps.calm()
    accepted = [each.job for each in first if isinstance(each, CreatedJob)]
    outcomes = create(world, WANTED, "k")
    again = [each.job for each in outcomes if isinstance(each, CreatedJob)]
    assert {_id(each) for each in accepted} <= {_id(each) for each in again}, "what was acknowledged stands"
    check_that_all_happens_once(world, list(outcomes))


def _id(job: object) -> str:
    return job.job_id if isinstance(job, Execution) else job.id  # type: ignore[attr-defined]


@pytest.mark.parametrize("fault", [Fault.NOT_WRITTEN, Fault.WRITTEN])
@pytest.mark.parametrize("positions", [{0}, {4}, {0, 2, 4}, {0, 1, 2, 3, 4}])
def test_puts_that_failed_in_part_are_healed_by_the_replay(fault: Fault, positions: set[int]) -> None:
    world = World()
    world.one_off_batches.faults = dict.fromkeys(positions, fault)
    first = create(world, WANTED, "k")
    failed = [ONE_OFFS.index(n) for n, each in enumerate(first) if isinstance(each, UnavailableError)]
    assert set(failed) == positions
    check_that_all_happens_once(world, list(create(world, WANTED, "k")))


def test_a_replay_answers_with_the_same_jobs_and_writes_nothing() -> None:
    world = World()
    first = create(world, WANTED, "k")
    before = {key: row.execution for key, row in world.table.executions.items()}
    world.clock.time_ms += 3_000
    again = create(world, WANTED, "k")
    jobs = [[each.job for each in outcomes if isinstance(each, CreatedJob)] for outcomes in (first, again)]
    assert jobs[0] == jobs[1]
    assert [each.replayed for each in again if isinstance(each, CreatedJob)] == [True] * 6
    assert {key: row.execution for key, row in world.table.executions.items()} == before


def test_a_replay_after_all_has_run_answers_with_the_outcomes_and_runs_nothing() -> None:
    """Though the instants asked for have long become ones that would be refused."""
    world = World()
    wanted = [new(Once(at=EARLY + 5_000)), new(PAST), new(After(0))]
    create(world, wanted, "k")
    Lanes(world).until(EARLY + 60_000)
    world.clock.time_ms += 6 * 86_400_000
    again = create(world, wanted, "k")
    states = [each.job.state for each in again if isinstance(each, CreatedJob)]
    assert states == [State.SUCCEEDED] * 2 == [State.SUCCEEDED] * len(world.sender.calls)
    Lanes(world).until(world.clock.time_ms + 60_000)
    assert len(world.sender.calls) == 2


def test_a_cancelled_job_is_not_brought_back() -> None:
    world = World()
    made = executions(create(world, [new(After(3_600))] * 3, "k"))
    world.cancel_job.execute(world.tenant.id, made[1].job_id)
    again = executions(create(world, [new(After(3_600))] * 3, "k"))
    assert [each.state for each in again] == [State.PENDING, State.CANCELLED, State.PENDING]


def test_a_replay_names_the_same_keys_though_the_shards_have_grown_since() -> None:
    world = World()
    world.steps.crash_after("idempotency.claim")
    with pytest.raises(Crash):
        create(world, [new(After(3_600))] * 20, "k")
    record = world.idempotency.find(world.tenant.id, "k", world.clock.time_ms)
    grown = World(counts=replace(ONE_SHARD, normal=64, quarter=64, midnight=64))
    draft = replace(world.create_jobs.draft, plan=grown.plan)
    create_jobs = replace(world.create_jobs, draft=draft)
    again = create_jobs.execute(world.tenant, [new(After(3_600))] * 20, spelling=b"body", idempotency_key="k")
    assert [each.job_id for each in executions(again)] == [job_id_text(choice.id) for choice in record.batch]
    assert {each.id.shard for each in executions(again)} == {0}


def test_replay_keeps_a_quota_error_after_the_quota_was_raised() -> None:
    world = World()
    tenant = replace(world.tenant, quotas={Quota.TAGS: 1})
    wanted = [new(After(60)), new(After(60), tags=("a", "b"))]
    for asking in (tenant, world.tenant):
        first, second = world.create_jobs.execute(asking, wanted, spelling=b"body", idempotency_key="k")
        assert isinstance(first, CreatedJob)
        assert isinstance(second, QuotaExceededError)
        assert second.quota == Quota.TAGS
    assert len(world.table.executions) == 1


def test_a_replay_asks_no_quota_again() -> None:
    world = World()
    tenant = replace(world.tenant, quotas={Quota.DUE_PER_MINUTE: 2})
    for _ in range(3):
        outcomes = world.create_jobs.execute(
            tenant, [new(After(60))] * 2, spelling=b"body", idempotency_key="k"
        )
        assert kinds(outcomes) == [CreatedJob] * 2


def test_replay_refuses_a_refused_job_that_would_now_be_accepted() -> None:
    """As after a change of the rules: there is no identity for it in the record."""
    world = World()
    create(world, [new(After(60)), None], "k")
    outcomes = create(world, [new(After(60)), new(After(60))], "k")
    assert kinds(outcomes) == [CreatedJob, InvalidStateError]


def test_replay_leaves_an_accepted_job_that_would_now_be_refused() -> None:
    world = World()
    create(world, [new(After(60)), new(After(60))], "k")
    assert kinds(create(world, [new(After(60)), None], "k")) == [CreatedJob, type(None)]
    assert len(world.table.executions) == 2


def test_the_same_key_with_another_batch_is_refused() -> None:
    world = World()
    create(world, [new(After(60))], "k", b"one")
    for wanted in ([new(After(60))], [new(After(60))] * 2, [None]):
        with pytest.raises(IdempotencyKeyReusedError):
            create(world, wanted, "k", b"two")
    assert len(world.table.executions) == 1


def test_no_batch_can_be_spelled_like_a_job() -> None:
    world = World()
    world.accept(After(60), "k")
    with pytest.raises(IdempotencyKeyReusedError):
        create(world, [new(After(60))], "k", encode_new_job(new(After(60))))


def test_a_job_that_was_moved_is_answered_where_it_stands_now() -> None:
    world = World()
    wanted = [new(After(3_600))] * 3
    moved, gone, rest = executions(create(world, wanted, "k"))
    here = world.put(replace(moved, id=replace(moved.id, dispatch_at=EARLY + 7_200_000), revision=2))
    for old, target in ((moved, here.id), (gone, replace(gone.id, dispatch_at=EARLY + 9_000_000))):
        world.table.executions[old.id].execution = with_changes(old, state=State.MOVED, moved_to=target)
    first, second, third = create(world, wanted, "k")
    assert isinstance(first, CreatedJob)
    assert first.job == here
    assert isinstance(second, IdentityConflictError), "it has expired where it went"
    assert isinstance(third, CreatedJob)
    assert third.job == rest


def test_jobs_and_batches_do_not_share_keys() -> None:
    world = World()
    world.accept(After(60), "single")
    create(world, [new(After(60))], "batch")
    with pytest.raises(IdempotencyKeyReusedError):
        create(world, [new(After(60))], "single")
    with pytest.raises(IdempotencyKeyReusedError):
        world.accept(After(60), "batch")
    assert len(world.table.executions) == 2


def test_two_requests_at_once_agree_on_one_batch() -> None:
    world = World()
    others: list[list[object]] = []
    world.steps.after("idempotency.find", lambda: others.append(list(create(world, WANTED, "k"))))
    mine = create(world, WANTED, "k")
    assert [_known(each) for each in mine] == [_known(each) for each in others[0]]
    assert sorted(ids(world).values()) == [1] * 6


def _known(outcome: object) -> object:
    return _id(outcome.job) if isinstance(outcome, CreatedJob) else type(outcome)


def test_without_a_key_each_request_makes_jobs_of_its_own() -> None:
    world = World()
    first, second = (executions(create(world, [new(After(60))] * 3)) for _ in range(2))
    assert not {each.id for each in first} & {each.id for each in second}
    assert world.steps.count("idempotency.claim") == 0


def test_a_record_with_an_identity_of_another_kind_is_a_conflict_of_that_job_alone() -> None:
    world = World()
    create(world, [new(After(60)), new(After(60))], "k")
    record = world.idempotency.find(world.tenant.id, "k", world.clock.time_ms)
    forged = replace(
        record, batch=(AssignedId(id=recurring_job_id(0, 0, cell=DEFAULT_CELL), due_at=0), record.batch[1])
    )
    world.idempotency.claim(world.tenant.id, "forged", forged, world.clock.time_ms)
    first, second = create(world, [new(After(60)), new(After(60))], "forged")
    assert isinstance(first, PunctualError)
    assert isinstance(second, CreatedJob)
