"""What a call of AWS can end with, beside its answer. Both transports raise these errors and no others."""

from collections.abc import Mapping
from typing import Any


class AwsError(Exception):
    """AWS refused the call. `response` has `Error` with `Code` and `Message`, and the error's own fields."""

    def __init__(self, operation: str, response: Mapping[str, Any], status: int = 400) -> None:
        """`status` is that of HTTP, if it is known."""
        self.operation = operation
        self.status = status
        self.response = response
        super().__init__(f"{operation}: {self.code}")

    @property
    def code(self) -> str:
        code: str = self.response["Error"]["Code"]
        return code

    @property
    def log_fields(self) -> dict[str, str]:
        """What a log line of this error, or of an error that it caused, shows of it."""
        return {"aws_operation": self.operation, "aws_error": self.code}


class NoAnswerError(Exception):
    """No usable answer arrived. The call may have had its effect."""
