"""Queries: a tenant's definitions, the places of its executions in each order, and the rows of a bucket's shards."""

from dataclasses import replace
from functools import partial

import pytest

from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.jobs.job import JobState
from shared.domain.listings.position import BEGINNING, END, IndexPosition, PositionRange, due_position
from shared.names import FAILURE_PARTITIONS
from shared.ports.executions import Claim, Finish
from shared.ports.jobs import Payload
from shared.ports.listings import EntryFilter, TenantIndex
from tests.support.builders import (
    BUCKET,
    DUE_AT,
    EXPIRES_AT_S,
    OWNER,
    TENANT,
    execution_id,
    job,
    occurrence,
    one_off,
    with_changes,
)
from tests.support.conformance.labs import Lab

EVERYTHING = PositionRange()
OUTCOME = AttemptOutcome(attempt=1, started_at=DUE_AT, duration_ms=5, status=500, reason=Reason.HTTP_STATUS)


def positions(
    lab: Lab,
    index: TenantIndex = TenantIndex.DUE,
    span: PositionRange = EVERYTHING,
    *,
    tenant_id: str = TENANT,
    shards: int = 1,
    newest_first: bool = False,
    limit: int = 100,
) -> list[IndexPosition]:
    """What all the shards have, one after another."""
    found = lab.queries.index_pages(index, tenant_id, shards, span, newest_first=newest_first, limit=limit)
    return [place for stretch in found for place in stretch.positions]


def put(lab: Lab, *executions: Execution) -> list[IndexPosition]:
    """Their places, in order of time."""
    for execution in executions:
        assert lab.executions.put_if_absent(execution) is None
    return sorted(due_position(execution.id) for execution in executions)


def claimed(lab: Lab, execution: Execution) -> Execution:
    """The next attempt of an execution has begun."""
    (answer,) = lab.claimer.claim([Claim(execution_id=execution.id, owner=OWNER)], DUE_AT + 86_400_000)
    assert isinstance(answer, Execution)
    return answer


def retrying(lab: Lab, execution: Execution, next_attempt_at: int) -> Execution:
    """One that failed and waits for its next attempt."""
    lab.executions.put_if_absent(execution)
    running = claimed(lab, execution)
    finish = Finish(transition=Transition.RETRY, outcomes=(OUTCOME,), next_attempt_at=next_attempt_at)
    assert lab.executions.finish(running, finish) is None
    return execution


def ended(transition: Transition, reason: EndReason | None = None) -> Finish:
    return Finish(transition=transition, outcomes=(OUTCOME,), end_reason=reason, expires_at_s=EXPIRES_AT_S)


def test_executions_stand_in_order_of_the_instant_and_then_of_the_id(lab: Lab) -> None:
    wanted = put(
        lab,
        one_off(2),
        one_off(1),
        one_off(3, due_at=DUE_AT - 86_400_000),
        one_off(4, due_at=DUE_AT + 1, shard=7),
    )
    assert positions(lab) == wanted
    assert positions(lab, newest_first=True) == wanted[::-1]


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_span_ends_strictly_before_the_places_at_its_ends(lab: Lab, newest_first: bool, limit: int) -> None:
    wanted = put(lab, *(one_off(number, due_at=DUE_AT + number // 2) for number in range(7)))
    wanted = wanted[::-1] if newest_first else wanted
    found = positions(lab, limit=limit, newest_first=newest_first)
    while page := positions(
        lab,
        span=PositionRange(before=found[-1]) if newest_first else PositionRange(after=found[-1]),
        limit=limit,
        newest_first=newest_first,
    ):
        found += page
    assert found == wanted


def test_a_span_between_instants_holds_all_of_the_first_and_none_of_the_last(lab: Lab) -> None:
    all_places = put(lab, *(one_off(number, due_at=DUE_AT + number // 2) for number in range(6)))
    span = PositionRange(after=IndexPosition(at=DUE_AT), before=IndexPosition(at=DUE_AT + 2))
    assert positions(lab, span=span) == all_places[:4]


@pytest.mark.parametrize(
    "span",
    [
        PositionRange(after=IndexPosition(at=DUE_AT), before=IndexPosition(at=DUE_AT)),
        PositionRange(after=IndexPosition(at=DUE_AT + 1), before=IndexPosition(at=DUE_AT)),
        PositionRange(after=END, before=BEGINNING),
        PositionRange(after=due_position(execution_id()), before=due_position(execution_id())),
    ],
)
def test_an_empty_span_has_nothing(lab: Lab, span: PositionRange) -> None:
    put(lab, one_off())
    for index in TenantIndex:
        assert positions(lab, index, span) == []


def test_a_place_that_nothing_stands_at_is_gone_on_from(lab: Lab) -> None:
    first, last = put(lab, one_off(1), one_off(3))
    gone = due_position(execution_id(2))
    assert positions(lab, span=PositionRange(after=gone)) == [last]
    assert positions(lab, span=PositionRange(before=gone), newest_first=True) == [first]


def test_index_page_says_whether_its_shard_has_more(lab: Lab) -> None:
    put(lab, *(one_off(number, index_shard=number % 2) for number in range(4)), one_off(4, index_shard=0))
    pages_of = partial(lab.queries.index_pages, TenantIndex.ONE_OFF_JOBS, TENANT, newest_first=False)
    index_pages = pages_of(3, EVERYTHING, limit=2)
    assert [len(stretch.positions) for stretch in index_pages] == [2, 2, 0]
    assert index_pages[0].edge == index_pages[0].positions[-1]
    assert index_pages[2].edge is None
    both = pages_of(2, EVERYTHING, limit=9)
    assert all(stretch.edge is None for stretch in both)


def one_off_jobs(lab: Lab, only: EntryFilter, limit: int = 100) -> list[IndexPosition]:
    (page,) = lab.queries.index_pages(
        TenantIndex.ONE_OFF_JOBS, TENANT, 1, EVERYTHING, newest_first=False, limit=limit, only=only
    )
    return list(page.positions)


def test_index_of_one_off_jobs_leaves_out_runs_and_moved_and_other_jobs(lab: Lab) -> None:
    named = one_off(1, name="Über:nacht", tags=("eu", "billing"))
    plain = one_off(2)
    put(
        lab,
        named,
        plain,
        occurrence(job()),
        one_off(3, job_id=named.job_id, name="Über:nacht", tags=("eu",)),
        one_off(4, name="über", tags=("eu-west",)),
    )
    wanted = due_position(named.id)
    assert set(one_off_jobs(lab, EntryFilter())) == {
        due_position(each.id) for each in (named, plain, one_off(4))
    }
    assert one_off_jobs(lab, EntryFilter(tag="eu")) == [wanted]
    assert one_off_jobs(lab, EntryFilter(name_prefix="Über")) == [wanted]
    assert one_off_jobs(lab, EntryFilter(name_prefix="Über", tag="billing")) == [wanted]
    assert one_off_jobs(lab, EntryFilter(name_prefix="Über", tag="us")) == []


def test_index_page_ends_at_the_last_entry_that_its_filter_left_out(lab: Lab) -> None:
    first, second, _ = put(lab, one_off(1), one_off(2), one_off(3, tags=("eu",)))
    page_of = partial(
        lab.queries.index_pages,
        TenantIndex.ONE_OFF_JOBS,
        TENANT,
        1,
        newest_first=False,
        only=EntryFilter(tag="eu"),
    )
    (page,) = page_of(EVERYTHING, limit=2)
    assert (page.positions, page.edge) == ((), second)
    (rest,) = page_of(PositionRange(after=second), limit=2)
    assert (rest.positions, rest.edge) == ((due_position(execution_id(3)),), None)
    assert first < second


def test_many_shards_are_all_read(lab: Lab) -> None:
    wanted = put(lab, *(one_off(number, index_shard=number) for number in range(40)))
    assert sorted(positions(lab, shards=40)) == wanted


def test_a_tenant_has_its_own_executions_alone(lab: Lab) -> None:
    (own, _) = (put(lab, one_off(1)), put(lab, one_off(2, tenant_id="acme-2")))
    retrying(lab, one_off(3, tenant_id="acme-2"), DUE_AT + 1_000)
    assert positions(lab) == own
    assert positions(lab, TenantIndex.RETRY, shards=FAILURE_PARTITIONS) == []


def test_retry_stands_at_the_due_time_of_its_execution_and_leaves_at_the_end(lab: Lab) -> None:
    wanted = [due_position(execution_id(number)) for number in range(4)]
    made = [retrying(lab, one_off(number), DUE_AT + 5_000 - number) for number in range(4)]
    assert sorted(positions(lab, TenantIndex.RETRY, shards=FAILURE_PARTITIONS)) == wanted
    assert lab.executions.finish(claimed(lab, made[0]), ended(Transition.SUCCEED)) is None
    assert (
        lab.executions.finish(claimed(lab, made[1]), ended(Transition.FAIL, EndReason.NOT_RETRYABLE)) is None
    )
    assert (
        lab.executions.cancel(
            made[2].id, Transition.CANCEL, reason=EndReason.CANCELLED, expires_at_s=EXPIRES_AT_S
        )
        is None
    )
    assert positions(lab, TenantIndex.RETRY, shards=FAILURE_PARTITIONS) == [wanted[3]]
    assert positions(lab, TenantIndex.FAILED, shards=FAILURE_PARTITIONS) == [due_position(made[1].id)]


def test_later_retry_keeps_the_place_of_the_one_before(lab: Lab) -> None:
    execution = retrying(lab, one_off(), DUE_AT + 1_000)
    finish = Finish(transition=Transition.RETRY, outcomes=(OUTCOME,), next_attempt_at=DUE_AT + 60_000)
    assert lab.executions.finish(claimed(lab, execution), finish) is None
    assert positions(lab, TenantIndex.RETRY, shards=FAILURE_PARTITIONS) == [due_position(execution.id)]


def test_dead_letters_of_lost_workers_are_there_too(lab: Lab) -> None:
    lab.executions.put_if_absent(one_off())
    running = claimed(lab, one_off())
    assert running.progress.lease_until is not None
    assert lab.executions.give_up(
        running,
        reason=EndReason.WORKER_LOST,
        now_ms=running.progress.lease_until + 1,
        expires_at_s=EXPIRES_AT_S,
    )
    assert positions(lab, TenantIndex.FAILED, shards=FAILURE_PARTITIONS) == [due_position(running.id)]
    assert positions(lab, TenantIndex.RETRY, shards=FAILURE_PARTITIONS) == []


def test_instants_of_an_index_are_those_of_its_positions_up_to_a_bound(lab: Lab) -> None:
    made = put(lab, *(one_off(number, due_at=DUE_AT + number) for number in range(5)))
    span = PositionRange(after=made[0], before=END)
    whole = lab.queries.instants(TenantIndex.DUE, TENANT, 1, span, at_most=100)
    assert all(each.is_whole for each in whole)
    assert [at for each in whole for at in each.instants] == [position.at for position in made[1:]]
    assert [text for each in whole for text in each.id_texts] == [position.id_text for position in made[1:]]
    some = lab.queries.instants(TenantIndex.DUE, TENANT, 1, span, at_most=2)
    assert [each.instants for each in some if each.instants] == [(made[1].at, made[2].at)]
    assert [len(each.id_texts) for each in some if each.instants] == [2]
    assert [each.is_whole for each in some if each.instants] == [False]
    none = lab.queries.instants(
        TenantIndex.DUE, TENANT, 1, PositionRange(after=END, before=BEGINNING), at_most=9
    )
    assert all((each.instants, each.is_whole) == ((), True) for each in none)


def test_definitions_come_in_order_of_their_ids_page_by_page(lab: Lab) -> None:
    wanted = [job(number, tags=("nightly",), name=f"job {number}") for number in range(5)]
    for definition in (*wanted[::-1], job(7, tenant_id="acme-2")):
        lab.jobs.create(definition, occurrence(definition))
    lab.jobs.put_payload(Payload(TENANT, wanted[0].id, b"sealed", stored_at=0))
    for limit in (1, 2, 5, 100):
        found, after = list(lab.queries.definitions(TENANT, after=None, limit=limit).jobs), None
        page = lab.queries.definitions(TENANT, after=None, limit=limit)
        while (after := page.next_after) is not None:
            page = lab.queries.definitions(TENANT, after=after, limit=limit)
            assert len(page.jobs) <= limit
            found += page.jobs
        assert found == wanted


def test_definitions_behind_one_that_has_gone_are_found(lab: Lab) -> None:
    for number in (1, 3):
        lab.jobs.create(job(number), occurrence(job(number)))
    page = lab.queries.definitions(TENANT, after=job(2).id, limit=10)
    assert page.jobs == (job(3),)


def test_definitions_of_a_state_are_found_behind_those_of_others(lab: Lab) -> None:
    for number in range(6):
        lab.jobs.create(job(number), occurrence(job(number)))
    paused = with_changes(job(4), state=JobState.PAUSED, revision=2)
    assert lab.jobs.replace(job(4), paused)
    page = lab.queries.definitions(TENANT, after=None, limit=3, state=JobState.PAUSED)
    assert (page.jobs, page.next_after) == ((), job(2).id)
    page = lab.queries.definitions(TENANT, after=page.next_after, limit=4, state=JobState.PAUSED)
    assert (page.jobs, page.next_after) == ((paused,), None)
    assert lab.queries.definitions(TENANT, after=None, limit=10, state=JobState.DELETED).jobs == ()


def test_a_tenant_without_jobs_has_no_definitions(lab: Lab) -> None:
    page = lab.queries.definitions(TENANT, after=None, limit=10)
    assert (page.jobs, page.next_after) == ((), None)


def test_past_chains_before_a_revision(lab: Lab) -> None:
    definition = job()
    lab.jobs.create(definition, occurrence(definition))
    for revision in range(1, 5):
        after = replace(definition, revision=revision + 1, chain_revision=revision + 1)
        chain = definition.chain(DUE_AT + revision, EXPIRES_AT_S)
        assert lab.jobs.replace(definition, after, past=chain)
        definition = after
    for before, wanted in (
        (None, [4, 3, 2, 1]),
        (4, [3, 2, 1]),
        (2, [1]),
        (1, []),
        (0, []),
        (99, [4, 3, 2, 1]),
    ):
        found = lab.jobs.past_chains(TENANT, definition.id, limit=10, before=before)
        assert [chain.revision for chain in found] == wanted
    assert [c.revision for c in lab.jobs.past_chains(TENANT, definition.id, limit=2, before=4)] == [3, 2]


def test_the_rows_of_every_shard_are_read_page_by_page(lab: Lab) -> None:
    made = [one_off(number, shard=number % 3, due_at=DUE_AT + number) for number in range(9)]
    put(lab, *made, one_off(99, due_at=DUE_AT + 60_000))
    shards = lab.queries.rows(BUCKET, 3, after=None, limit=100)
    assert [[row.id for row in shard.rows] for shard in shards] == [
        [execution.id for execution in made[shard::3]] for shard in range(3)
    ]
    first = lab.queries.rows(BUCKET, 3, after=None, limit=2)
    assert [len(shard.rows) for shard in first] == [2, 2, 2]
    last = min(shard.last for shard in first if shard.last is not None)
    rest = lab.queries.rows(BUCKET, 3, after=last, limit=100)
    seen = [row.id for shard in rest for row in shard.rows]
    assert sorted(map(str, seen)) == sorted(str(execution.id) for execution in made[4:])
    assert [row.state for shard in rest for row in shard.rows] == [State.PENDING] * 5


def test_a_row_that_cannot_be_read_hides_no_other(lab: Lab) -> None:
    put(lab, one_off(1), one_off(2), one_off(3))
    lab.damage(execution_id(2))
    (shard,) = lab.queries.rows(BUCKET, 1, after=None, limit=100)
    assert [row.id for row in shard.rows] == [execution_id(1), execution_id(3)]
