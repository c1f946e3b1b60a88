"""Reports the requests that AWS refused for lack of a permission.

Some callers go on without the answer, and others tell of a failure alone: the report shows every missing grant.
"""

from collections.abc import Callable
from typing import Any

from shared.adapters.aws.client import AwsCall, Params
from shared.adapters.aws.errors import AwsError

_DENIED = frozenset({"AccessDenied", "AccessDeniedException"})
"""Statements and SQS's older protocol have the name without the suffix."""


class ReportedDenials:
    """The calls of one service; `report` gets the operation and the code of each refusal."""

    def __init__(self, call: AwsCall, report: Callable[[str, str], None]) -> None:
        self._call = call
        self._report = report

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        try:
            answer = self._call(operation, params)
        except AwsError as error:
            self._judge(operation, [error.code])
            raise
        if operation == "BatchExecuteStatement":
            # A refused statement fails alone, in an answer that is a success.
            self._judge(operation, [each["Error"]["Code"] for each in answer["Responses"] if "Error" in each])
        return answer

    def _judge(self, operation: str, codes: list[str]) -> None:
        for code in sorted(_DENIED.intersection(codes)):
            self._report(operation, code)
