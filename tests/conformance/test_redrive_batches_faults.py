"""Batches of redrives when DynamoDB throttles, fails or hides items: no mark is called written or refused by guess."""

from typing import Any

import pytest

from shared.adapters.dynamodb.codec.items import execution_item
from shared.domain.errors import UnavailableError
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.states import State
from shared.ports.executions import WriteUnknown
from tests.support.builders import EXPIRES_AT_S, in_state, one_off, with_changes
from tests.support.conformance.clients import Clients
from tests.support.conformance.dynamo_lab import REGION, DynamoLab
from tests.support.conformance.interference import answering, changing_calls, failure, watching
from tests.support.conformance.tables import TableNames

WRITTEN: dict[str, Any] = {"TableName": "executions"}
MARK = RedrivenBy(execution=one_off(900).id, task="rdr_1")
MANY = [(one_off(number).id, MARK) for number in range(1, 54)]
DEAD = with_changes(in_state(one_off(1), State.FAILED), attempt=1, redriven_by=MARK)
STORED = execution_item(DEAD, REGION, EXPIRES_AT_S)


def refused(code: str, **fields: Any) -> dict[str, Any]:
    return {"Error": {"Code": code, "Message": "injected", **fields}}


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


def test_request_marks_25_executions_and_changes_one_attribute(unplugged: DynamoLab) -> None:
    answers = [{"Responses": [WRITTEN] * count} for count in (25, 25, 3)]
    with watching(unplugged.client) as calls, answering(unplugged.client, "*", *answers):
        assert unplugged.redrive_batches.mark_all(MANY) == [None] * 53
    assert [len(call["Statements"]) for call in calls.of("BatchExecuteStatement")] == [25, 25, 3]
    for call in calls.of("BatchExecuteStatement"):
        for statement in call["Statements"]:
            assert statement["Statement"].startswith('UPDATE "executions" SET rd=? WHERE pk=? AND sk=? AND ')
            assert statement["Statement"].endswith(" AND rd IS MISSING")
            assert statement["Statement"].count("?") == len(statement["Parameters"])
            assert statement["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"


@pytest.mark.parametrize("code", ["ThrottlingError", "TransactionConflict", "a code that is yet to come"])
def test_mark_that_failed_alone_is_written_again_alone_after_a_pause(unplugged: DynamoLab, code: str) -> None:
    answers = [{"Responses": [WRITTEN, refused(code), WRITTEN]}, {"Responses": [WRITTEN]}]
    with watching(unplugged.client) as calls, answering(unplugged.client, "*", *answers):
        assert unplugged.redrive_batches.mark_all(MANY[:3]) == [None] * 3
    first, second = calls.of("BatchExecuteStatement")
    assert second["Statements"] == first["Statements"][1:2]
    assert len(unplugged.pauses_ms) == 1


def test_mark_that_keeps_failing_is_unknown_and_the_others_are_written(unplugged: DynamoLab) -> None:
    answers = [{"Responses": [WRITTEN, refused("ThrottlingError")]}]
    answers += [{"Responses": [refused("ThrottlingError")]}] * 2
    with answering(unplugged.client, "*", *answers):
        first, second = unplugged.redrive_batches.mark_all(MANY[:2])
    assert first is None
    assert isinstance(second, WriteUnknown)


def test_request_of_marks_that_failed_as_a_whole_leaves_the_others_written(unplugged: DynamoLab) -> None:
    fault = failure("ThrottlingException")
    answers = [{"Responses": [WRITTEN] * 25}, *[fault] * 3, {"Responses": [WRITTEN] * 3}]
    with answering(unplugged.client, "*", *answers):
        results = unplugged.redrive_batches.mark_all(MANY)
    assert [result is None for result in results] == [True] * 25 + [False] * 25 + [True] * 3


def test_retried_mark_that_had_been_written_is_shown(unplugged: DynamoLab) -> None:
    answers = [
        {"Responses": [refused("InternalServerError")]},
        {"Responses": [refused("ConditionalCheckFailed", Item=STORED)]},
    ]
    with answering(unplugged.client, "*", *answers):
        assert unplugged.redrive_batches.mark_all(MANY[:1]) == [DEAD]


def test_refused_mark_without_an_item_is_read_before_it_counts(unplugged: DynamoLab) -> None:
    answers: list[Any] = [{"Responses": [refused("ConditionalCheckFailed")]}, {"Item": STORED}]
    with watching(unplugged.client) as calls, answering(unplugged.client, "*", *answers):
        assert unplugged.redrive_batches.mark_all(MANY[:1]) == [DEAD]
    assert calls.of("GetItem")[0]["ConsistentRead"]


def test_refused_mark_whose_item_cannot_be_read_is_unknown(unplugged: DynamoLab) -> None:
    refusal = {"Responses": [refused("ConditionalCheckFailed")]}
    hidden: list[Any] = [refusal, failure("ThrottlingException")]
    with answering(unplugged.client, "*", *hidden * 3):
        (result,) = unplugged.redrive_batches.mark_all(MANY[:1])
    assert isinstance(result, WriteUnknown)


def test_unprocessed_records_are_written_again(unplugged: DynamoLab) -> None:
    notes = [(one_off(number), EXPIRES_AT_S) for number in range(1, 54)]
    with watching(unplugged.client) as calls:
        unprocessed: dict[str, Any] = {}

        def leave(params: dict[str, Any]) -> None:
            unprocessed.setdefault("jobs", params["RequestItems"]["jobs"][:2])

        answers: list[Any] = [{"UnprocessedItems": unprocessed}, *[{"UnprocessedItems": {}}] * 3]
        with (
            changing_calls(unplugged.client, "BatchWriteItem", leave),
            answering(unplugged.client, "*", *answers),
        ):
            unplugged.redrive_batches.note_all_beside(notes)
    sizes = [len(call["RequestItems"]["jobs"]) for call in calls.of("BatchWriteItem")]
    assert sizes == [25, 2, 25, 3]
    assert len(unplugged.pauses_ms) == 1


def test_records_that_stay_unprocessed_are_reported(unplugged: DynamoLab) -> None:
    left = {"jobs": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"S": "b"}}}}]}
    with (
        answering(unplugged.client, "*", *[{"UnprocessedItems": left}] * 5),
        pytest.raises(UnavailableError),
    ):
        unplugged.redrive_batches.note_all_beside([(one_off(1), EXPIRES_AT_S)])
