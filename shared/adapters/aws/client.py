"""The operations of one service as methods, spelled as boto3 spells them: `client.update_item(Key=...)`."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

Params = Mapping[str, Any]


class AwsCall(Protocol):
    """Calls one operation of one service."""

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        """The answer; AwsError if AWS refused, NoAnswerError if no usable answer came.

        Binary values are bytes in calls. In items that are returned they are bytes or text in base64.
        """
        ...


class AwsClient:
    """One service behind a transport."""

    def __init__(self, call: AwsCall) -> None:
        self.call = call

    def __getattr__(self, method: str) -> Callable[..., dict[str, Any]]:
        operation = "".join(word.capitalize() for word in method.split("_"))

        def call(**params: Any) -> dict[str, Any]:
            return self.call(operation, params)

        setattr(self, method, call)
        return call
