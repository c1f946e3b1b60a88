"""OneOffBatches: many puts at once, each of which stands for itself."""

from dataclasses import replace

from shared.domain.executions.states import State
from shared.domain.ids import DEFAULT_CELL, recurring_job_id
from shared.names import LIVE_SEGMENTS
from shared.ports.executions import OneOffBatches, WriteUnknown
from shared.ports.jobs import AssignedId, IdempotencyRecord, OverQuota, Payload
from tests.support.builders import (
    DUE_AT,
    EXPIRES_AT_S,
    TENANT,
    expiry_for,
    in_every_state,
    one_off,
    with_changes,
)
from tests.support.conformance.labs import Lab

Putting = tuple[Lab, OneOffBatches]
MANY = 60


def test_empty_batch_writes_no_execution(putting: Putting) -> None:
    lab, batches = putting
    assert batches.put_all_if_absent([]) == []
    assert lab.executions.get(one_off().id) is None


def test_batch_of_more_than_two_requests_is_written_whole(putting: Putting) -> None:
    lab, batches = putting
    wanted = [
        one_off(number, shard=number % 7, tags=("a", f"t{number}"), name="ü'\"{?}", request=bytes(range(256)))
        for number in range(1, MANY + 1)
    ]
    assert batches.put_all_if_absent(wanted) == [None] * MANY
    assert [lab.executions.get(each.id) for each in wanted] == wanted
    assert {lab.expiry(each.id) for each in wanted} == {None}


def test_every_field_of_an_execution_is_read_back(putting: Putting) -> None:
    lab, batches = putting
    wanted = [
        one_off(1, payload_id="job_x", request=b""),
        one_off(2, start_deadline_at=DUE_AT + 60_000),
        one_off(3, nominal_at=DUE_AT - 500, name="jittered"),
        one_off(4, state=State.QUEUED, request=bytes(3_000)),
        one_off(5, signing_secret="billing"),
    ]
    assert batches.put_all_if_absent(wanted) == [None] * 5
    assert [lab.executions.get(each.id) for each in wanted] == wanted


def test_existing_execution_is_returned_and_the_rest_of_the_batch_is_written(putting: Putting) -> None:
    lab, batches = putting
    standing = one_off(2, fingerprint=b"the first writer")
    lab.executions.put_if_absent(standing)
    wanted = [one_off(number) for number in (1, 2, 3)]
    assert batches.put_all_if_absent(wanted) == [None, standing, None]
    assert [lab.executions.get(each.id) for each in wanted] == [wanted[0], standing, wanted[2]]


def test_no_state_is_ever_put_back_to_its_beginning(putting: Putting) -> None:
    lab, batches = putting
    standing = in_every_state()
    for execution in standing:
        lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    before = lab.contents()
    assert batches.put_all_if_absent([one_off(id=each.id) for each in standing]) == standing
    assert lab.contents() == before
    assert lab.expiry(standing[list(State).index(State.SUCCEEDED)].id) == EXPIRES_AT_S


def test_putting_a_batch_again_changes_nothing(putting: Putting) -> None:
    lab, batches = putting
    wanted = [one_off(number) for number in range(1, 31)]
    batches.put_all_if_absent(wanted)
    before = lab.contents()
    assert batches.put_all_if_absent([with_changes(each, state=State.QUEUED) for each in wanted]) == wanted
    assert lab.contents() == before


def test_unreadable_item_is_undecided_not_overwritten_and_blocks_no_other_put(putting: Putting) -> None:
    lab, batches = putting
    wanted = [one_off(number) for number in range(1, 6)]
    for execution in wanted[1:4]:
        lab.executions.put_if_absent(execution)
    lab.make_newer(wanted[1].id)
    lab.damage(wanted[3].id)
    answers = batches.put_all_if_absent(wanted)
    assert [type(answer) for answer in answers] == [
        type(None),
        WriteUnknown,
        type(wanted[2]),
        WriteUnknown,
        type(None),
    ]
    assert answers[2] == wanted[2]
    before = lab.contents()
    batches.put_all_if_absent(wanted)
    assert lab.contents() == before


def test_the_record_of_a_batch_is_read_back_whole(lab: Lab) -> None:
    chosen = [AssignedId(id=one_off(number).id, due_at=DUE_AT + number) for number in range(97)]
    record: IdempotencyRecord[None] = IdempotencyRecord(
        fingerprint=bytes(16),
        id=None,
        created_at=DUE_AT,
        due_at=DUE_AT,
        expires_at=DUE_AT * 2,
        batch=(
            *chosen,
            OverQuota("due_per_minute"),
            None,
            AssignedId(id=recurring_job_id(DUE_AT, 1, cell=DEFAULT_CELL), due_at=0),
        ),
    )
    assert lab.idempotency.claim(TENANT, "key", record, DUE_AT) == record
    assert lab.idempotency.find(TENANT, "key", DUE_AT) == record
    assert lab.idempotency.claim(TENANT, "key", replace(record, batch=()), DUE_AT) == record


def test_payloads_of_a_batch_are_written_whole_with_their_expiries(putting: Putting) -> None:
    lab, batches = putting
    payloads = [
        Payload(TENANT, f"job_{number}", bytes(range(256)) * 11, number, EXPIRES_AT_S if number % 2 else None)
        for number in range(1, MANY + 1)
    ]
    assert batches.put_payloads(payloads) == [None] * MANY
    for each in payloads:
        assert lab.jobs.get_payload(TENANT, each.payload_id) == each.sealed
        assert lab.payload_expiry(TENANT, each.payload_id) == each.expires_at_s
    pages = [lab.live_items.page(segment, after=None, limit=100)[0] for segment in range(LIVE_SEGMENTS)]
    assert len([item for page in pages for item in page]) == MANY // 2
    assert batches.put_payloads([]) == []


def test_payload_that_a_batch_stores_again_stays_as_it_is(putting: Putting) -> None:
    lab, batches = putting
    first = Payload(TENANT, "job_1", b"sealed", stored_at=1, expires_at_s=EXPIRES_AT_S)
    lab.jobs.put_payload(first)
    assert lab.jobs.keep_payload(TENANT, "job_1", EXPIRES_AT_S + 100)
    again = [Payload(TENANT, f"job_{number}", b"again", 2, EXPIRES_AT_S) for number in (1, 2)]
    assert batches.put_payloads(again) == [None, None]
    assert [lab.jobs.get_payload(TENANT, f"job_{number}") for number in (1, 2)] == [b"sealed", b"again"]
    assert lab.payload_expiry(TENANT, "job_1") == EXPIRES_AT_S + 100
