"""Batches of puts when DynamoDB throttles, fails or loses answers: what is not known is never called written."""

from typing import Any

import pytest

from shared.adapters.aws.errors import NoAnswerError
from shared.ports.executions import WriteUnknown
from shared.ports.jobs import Payload
from tests.support.builders import one_off
from tests.support.conformance.clients import Clients
from tests.support.conformance.dynamo_lab import DynamoLab
from tests.support.conformance.interference import (
    answering,
    changing_answers,
    failure,
    losing_answers,
    watching,
)
from tests.support.conformance.tables import TableNames

WRITTEN: dict[str, Any] = {"TableName": "executions"}
MANY = [one_off(number) for number in range(1, 54)]
FAULTS = (
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
    "RequestLimitExceeded",
    "InternalServerError",
    "ConditionalCheckFailed",
    "a code that is yet to come",
)


def refused(code: str) -> dict[str, Any]:
    return {"Error": {"Code": code, "Message": "injected"}}


@pytest.fixture
def unplugged(clients: Clients) -> DynamoLab:
    """The adapters without an engine: nothing that is asked of it may pass the hooks."""
    names = TableNames(
        executions="executions",
        jobs="jobs",
        tenants="tenants",
        leases="leases",
        audit="audit",
        history="history",
    )
    return DynamoLab(clients("dynamodb", "http://127.0.0.1:1"), names)


def test_a_request_puts_25_and_no_statement_asks_for_anything_but_an_insert(unplugged: DynamoLab) -> None:
    answers = [{"Responses": [WRITTEN] * count} for count in (25, 25, 3)]
    with watching(unplugged.client) as calls, answering(unplugged.client, "*", *answers):
        assert unplugged.batch_batches.put_all_if_absent(MANY) == [None] * 53
    sizes = [len(call["Statements"]) for call in calls.of("BatchExecuteStatement")]
    assert (sizes, len(calls.made)) == ([25, 25, 3], 3)
    for call in calls.of("BatchExecuteStatement"):
        for statement in call["Statements"]:
            assert statement["Statement"].startswith('INSERT INTO "executions" VALUE {')
            assert statement["Statement"].count("?") == len(statement["Parameters"])
            assert len(statement["Statement"]) < 8_192, "as long as a statement may be"


@pytest.mark.parametrize("code", FAULTS)
def test_a_statement_that_failed_alone_is_put_again_alone(unplugged: DynamoLab, code: str) -> None:
    answers = [{"Responses": [WRITTEN, refused(code), WRITTEN]}, {"Responses": [WRITTEN]}]
    with watching(unplugged.client) as calls, answering(unplugged.client, "*", *answers):
        assert unplugged.batch_batches.put_all_if_absent(MANY[:3]) == [None] * 3
    first, second = calls.of("BatchExecuteStatement")
    assert second["Statements"] == first["Statements"][1:2]


@pytest.mark.parametrize("code", FAULTS)
def test_put_is_retried_after_a_jittered_pause(unplugged: DynamoLab, code: str) -> None:
    answers = [{"Responses": [refused(code)] * 2}, {"Responses": [refused(code)]}, {"Responses": [WRITTEN]}]
    answers[1]["Responses"].append(WRITTEN)
    with answering(unplugged.client, "*", *answers):
        unplugged.batch_batches.put_all_if_absent(MANY[:2])
    first, second = unplugged.pauses_ms
    assert 20 <= min(first, second) < max(first, second) <= 200


@pytest.mark.parametrize(
    "code", ["ValidationError", "AccessDenied", "ItemCollectionSizeLimitExceeded", "ResourceNotFound"]
)
def test_put_that_can_never_succeed_is_sent_once(unplugged: DynamoLab, code: str) -> None:
    answer = {"Responses": [WRITTEN, refused(code)]}
    with watching(unplugged.client) as calls, answering(unplugged.client, "*", answer):
        results = unplugged.batch_batches.put_all_if_absent(MANY[:2])
    assert results == [None, WriteUnknown(code, is_permanent=True)]
    assert len(calls.made) == 1


def test_request_that_can_never_succeed_undoes_no_other(unplugged: DynamoLab) -> None:
    answers = [{"Responses": [WRITTEN] * 25}, failure("ValidationException"), {"Responses": [WRITTEN] * 3}]
    with answering(unplugged.client, "*", *answers):
        results = unplugged.batch_batches.put_all_if_absent(MANY)
    assert [isinstance(each, WriteUnknown) and each.is_permanent for each in results] == (
        [False] * 25 + [True] * 25 + [False] * 3
    )


@pytest.mark.parametrize("code", FAULTS)
def test_put_that_keeps_failing_is_unknown_and_the_others_are_written(
    unplugged: DynamoLab, code: str
) -> None:
    answers = [{"Responses": [WRITTEN, refused(code)]}] + [{"Responses": [refused(code)]}] * 2
    with watching(unplugged.client) as calls, answering(unplugged.client, "*", *answers):
        assert unplugged.batch_batches.put_all_if_absent(MANY[:2]) == [None, WriteUnknown(code)]
    assert len(calls.made) == 3


@pytest.mark.parametrize(
    "fault",
    [
        failure("ThrottlingException"),
        failure("InternalServerError"),
        NoAnswerError("nowhere"),
        NoAnswerError("nowhere"),
    ],
)
def test_a_request_that_failed_as_a_whole_undoes_no_other(unplugged: DynamoLab, fault: Any) -> None:
    answers = [{"Responses": [WRITTEN] * 25}, fault, fault, fault, {"Responses": [WRITTEN] * 3}]
    with answering(unplugged.client, "*", *answers):
        answers = unplugged.batch_batches.put_all_if_absent(MANY)
    assert [answer is None for answer in answers] == [True] * 25 + [False] * 25 + [True] * 3
    assert all(isinstance(answer, WriteUnknown) for answer in answers[25:50])


def test_put_is_undecided_where_the_existing_item_cannot_be_read(unplugged: DynamoLab) -> None:
    answers = [{"Responses": [refused("DuplicateItem"), WRITTEN]}, failure("ThrottlingException")]
    with answering(unplugged.client, "*", *answers):
        first, second = unplugged.batch_batches.put_all_if_absent(MANY[:2])
    assert isinstance(first, WriteUnknown)
    assert second is None


def test_put_is_undecided_where_the_existing_item_is_gone_when_read(unplugged: DynamoLab) -> None:
    answers: list[Any] = [{"Responses": [refused("DuplicateItem")]}, {"Responses": {"executions": []}}]
    with answering(unplugged.client, "*", *answers):
        assert unplugged.batch_batches.put_all_if_absent(MANY[:1]) == [WriteUnknown("DuplicateItem")]


def test_an_answer_that_was_lost_is_found_out_by_the_next_try(engine_lab: DynamoLab) -> None:
    with losing_answers(engine_lab.client, "BatchExecuteStatement"):
        answers = engine_lab.batch_batches.put_all_if_absent(MANY[:2])
    assert [type(answer) for answer in answers] == [WriteUnknown, WriteUnknown]
    assert engine_lab.batch_batches.put_all_if_absent(MANY[:2]) == MANY[:2]


def test_an_error_that_hides_a_write_is_followed_by_what_was_written(engine_lab: DynamoLab) -> None:
    def hide(parsed: dict[str, Any]) -> None:
        parsed["Responses"][0] = refused("InternalServerError")

    with watching(engine_lab.client, "BatchExecuteStatement") as calls:
        with changing_answers(engine_lab.client, "BatchExecuteStatement", hide):
            answers = engine_lab.batch_batches.put_all_if_absent(MANY[:2])
        assert isinstance(answers[0], WriteUnknown)
        assert engine_lab.batch_batches.put_all_if_absent(MANY[:2]) == MANY[:2]
    assert len(calls.made) == 4


@pytest.mark.parametrize("way", ["put", "statement"])
def test_single_puts_fail_one_by_one_too(unplugged: DynamoLab, way: str) -> None:
    batches = unplugged.batches if way == "put" else unplugged.batch_batches
    with answering(unplugged.client, "*", *[failure("ThrottlingException")] * 5):
        answers = batches.put_all_if_absent(MANY[:2])
    assert [type(answer) for answer in answers] == [WriteUnknown, WriteUnknown]


def test_payloads_of_a_batch_go_25_to_a_request_and_only_what_failed_goes_again(unplugged: DynamoLab) -> None:
    payloads = [Payload("acme", f"job_{number}", b"sealed", 0, 1) for number in range(30)]
    stored = {"TableName": "jobs"}
    answers = [
        {"Responses": [stored] * 23 + [refused("DuplicateItem"), refused("ThrottlingError")]},
        {"Responses": [refused("ThrottlingError")]},
        {"Responses": [refused("ThrottlingError")]},
        {"Responses": [stored] * 4 + [refused("ValidationError")]},
    ]
    with watching(unplugged.client) as calls, answering(unplugged.client, "*", *answers):
        results = unplugged.batch_batches.put_payloads(payloads)
    sizes = [len(call["Statements"]) for call in calls.of("BatchExecuteStatement")]
    assert (sizes, len(calls.made)) == ([25, 1, 1, 5], 4)
    assert results == [
        *[None] * 24,
        WriteUnknown("ThrottlingError"),
        *[None] * 4,
        WriteUnknown("ValidationError", is_permanent=True),
    ]
    for call in calls.of("BatchExecuteStatement"):
        assert {each["Statement"][:20] for each in call["Statements"]} == {'INSERT INTO "jobs" V'}
