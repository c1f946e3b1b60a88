"""Refusals for lack of a permission are reported, however AWS tells of them, and every other failure is not."""

from typing import Any

import pytest

from shared.adapters.aws.denials import ReportedDenials
from shared.adapters.aws.errors import AwsError, NoAnswerError


def reports(operation: str, answer: dict[str, Any] | Exception) -> list[tuple[str, str]]:
    """What is reported of one call; the caller gets its answer or its error."""
    found: list[tuple[str, str]] = []

    def call(operation: str, params: Any) -> dict[str, Any]:
        if isinstance(answer, Exception):
            raise answer
        return answer

    reported = ReportedDenials(call, lambda *report: found.append(report))
    if isinstance(answer, Exception):
        with pytest.raises(type(answer)):
            reported(operation, {})
    else:
        assert reported(operation, {}) is answer
    return found


@pytest.mark.parametrize("code", ["AccessDenied", "AccessDeniedException"])
def test_denied_request_is_reported_with_its_operation(code: str) -> None:
    refusal = AwsError("SendMessageBatch", {"Error": {"Code": code, "Message": ""}})
    assert reports("SendMessageBatch", refusal) == [("SendMessageBatch", code)]


def test_denied_statements_of_an_answer_are_reported_once() -> None:
    answer = {"Responses": [{}, {"Error": {"Code": "AccessDenied"}}, {"Error": {"Code": "AccessDenied"}}]}
    assert reports("BatchExecuteStatement", answer) == [("BatchExecuteStatement", "AccessDenied")]


@pytest.mark.parametrize(
    "answer",
    [
        {"Responses": [{"Error": {"Code": "ConditionalCheckFailed"}}]},
        AwsError(
            "BatchExecuteStatement", {"Error": {"Code": "ValidationException", "Message": "AccessDenied"}}
        ),
        NoAnswerError("AccessDenied"),
    ],
)
def test_call_that_failed_otherwise_is_not_reported(answer: dict[str, Any] | Exception) -> None:
    assert reports("BatchExecuteStatement", answer) == []
