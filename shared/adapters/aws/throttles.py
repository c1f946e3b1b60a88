"""Reports the requests that DynamoDB throttled for all of their tries, and the statements that it throttled.

CloudWatch's own counts have no data while nothing is throttled, and an alarm on a metric of DynamoDB then keeps
its state.
"""

from collections.abc import Callable, Mapping
from typing import Any

from shared.adapters.aws.client import AwsCall, Params
from shared.adapters.aws.errors import AwsError
from shared.adapters.aws.retries import throttling_reasons

_THROTTLED = frozenset(
    {
        "ProvisionedThroughputExceeded",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingError",
        "ThrottlingException",
    }
)
"""Statements and reasons of transactions have names of their own."""


class ReportedThrottles:
    """The calls of DynamoDB; `report` gets the number of throttles, the operation and the throttled resources."""

    def __init__(self, call: AwsCall, report: Callable[[int, str, list[str]], None]) -> None:
        self._call = call
        self._report = report

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        try:
            answer = self._call(operation, params)
        except AwsError as error:
            reasons = error.response.get("CancellationReasons") or ()
            if error.code in _THROTTLED or _count(reasons):
                named = {str(reason.get("resource")) for reason in throttling_reasons(error.response)}
                self._report(1, operation, sorted(named))
            raise
        if throttled := _count(response.get("Error") or {} for response in _statements(operation, answer)):
            self._report(throttled, operation, [])
        return answer


def _statements(operation: str, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A throttled statement fails alone, in an answer that is a success."""
    responses: list[dict[str, Any]] = answer["Responses"] if operation == "BatchExecuteStatement" else []
    return responses


def _count(errors: Any) -> int:
    return sum(error.get("Code") in _THROTTLED for error in errors)
