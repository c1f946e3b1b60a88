"""Throttles of DynamoDB are reported, however AWS tells of them, and every other failure is not."""

from typing import Any

import pytest

from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.throttles import ReportedThrottles

TABLE = "arn:aws:dynamodb:eu-west-1:111111111111:table/executions"
Reports = list[tuple[int, str, list[str]]]


def reports(operation: str, answer: dict[str, Any] | Exception) -> Reports:
    """What is reported of one call; the caller gets its answer or its error."""
    found: Reports = []

    def call(operation: str, params: Any) -> dict[str, Any]:
        if isinstance(answer, Exception):
            raise answer
        return answer

    reported = ReportedThrottles(call, lambda *report: found.append(report))
    if isinstance(answer, Exception):
        with pytest.raises(type(answer)):
            reported(operation, {})
    else:
        assert reported(operation, {}) is answer
    return found


def refusal(code: str, **fields: Any) -> AwsError:
    return AwsError("Query", {"Error": {"Code": code, "Message": ""}, **fields})


@pytest.mark.parametrize(
    "code", ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"]
)
def test_throttled_request_is_reported_once(code: str) -> None:
    assert reports("Query", refusal(code)) == [(1, "Query", [])]


@pytest.mark.parametrize("field", ["ThrottlingReasons", "throttlingReasons"])
def test_throttled_tables_and_indexes_are_named_once(field: str) -> None:
    reason = {"reason": "TableWriteKeyRangeThroughputExceeded", "resource": TABLE}
    error = refusal("ThrottlingException", **{field: [reason, reason]})
    assert reports("PutItem", error) == [(1, "PutItem", [TABLE])]


def test_transaction_of_which_one_action_is_throttled_is_reported() -> None:
    reasons = [{"Code": "None"}, {"Code": "ThrottlingError"}]
    error = refusal("TransactionCanceledException", CancellationReasons=reasons)
    assert reports("TransactWriteItems", error) == [(1, "TransactWriteItems", [])]


def test_throttled_statements_of_a_batch_are_all_reported() -> None:
    codes = ["ThrottlingError", "ProvisionedThroughputExceeded", "ConditionalCheckFailed"]
    responses: list[dict[str, Any]] = [{"Error": {"Code": code}} for code in codes]
    answer = {"Responses": [{"Item": {}}, *responses]}
    assert reports("BatchExecuteStatement", answer) == [(2, "BatchExecuteStatement", [])]


@pytest.mark.parametrize(
    ("operation", "answer"),
    [
        ("Query", {"Items": []}),
        ("BatchGetItem", {"Responses": {"table": [{"Error": {"S": "a column"}}]}}),
        ("BatchExecuteStatement", {"Responses": [{"Item": {}}, {"Error": {"Code": "DuplicateItem"}}]}),
        ("PutItem", refusal("ConditionalCheckFailedException")),
        (
            "TransactWriteItems",
            refusal("TransactionCanceledException", CancellationReasons=[{"Code": "None"}]),
        ),
        ("Query", NoAnswerError("timeout")),
    ],
)
def test_answer_or_failure_of_another_kind_is_no_throttle(operation: str, answer: Any) -> None:
    assert reports(operation, answer) == []
