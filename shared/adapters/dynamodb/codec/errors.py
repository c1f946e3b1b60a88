"""The translation of errors of the AWS SDK to the domain's errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from shared.domain.errors import ThrottledError, UnavailableError

_THROTTLED = {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"}
_TRANSIENT_IN_TRANSACTION = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class ConditionRefused(Exception):  # noqa: N818 - an answer of the store, not a failure
    """A condition failed. `items` has the existing item of each statement of a transaction."""

    def __init__(self, items: list[dict[str, Any] | None]) -> None:
        super().__init__("the condition was refused")
        self.items = items


@contextmanager
def translated() -> Iterator[None]:
    """ConditionRefused for a failed condition; UnavailableError for every other error."""
    try:
        yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == "ConditionalCheckFailedException":
            existing: Any = error.response.get("Item")
            raise ConditionRefused([existing]) from error
        if code == "TransactionCanceledException":
            raise _cancelled(error) from error
        refusal = ThrottledError if code in _THROTTLED else UnavailableError
        raise refusal(f"{error.operation_name}: {code}") from error
    except BotoCoreError as error:
        raise UnavailableError(type(error).__name__) from error


def _cancelled(error: ClientError) -> Exception:
    """A transaction counts as refused only if a condition failed: after a conflict or a throttle, retry."""
    reasons: list[dict[str, Any]] = error.response.get("CancellationReasons", [])  # type: ignore[assignment]
    codes = {reason.get("Code") for reason in reasons}
    if codes & _TRANSIENT_IN_TRANSACTION or "ConditionalCheckFailed" not in codes:
        return UnavailableError(f"TransactWriteItems: {', '.join(sorted(str(code) for code in codes))}")
    refused = [
        reason.get("Item") or {} if reason.get("Code") == "ConditionalCheckFailed" else None
        for reason in reasons
    ]
    return ConditionRefused(refused)
