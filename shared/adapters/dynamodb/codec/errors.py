"""The one place where errors of the AWS SDK become the domain's."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from shared.domain.errors import ThrottledError, UnavailableError

_THROTTLED = {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"}
_TRANSIENT_IN_TRANSACTION = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class ConditionRefused(Exception):  # noqa: N818 - an answer of the store, not a failure
    """A condition did not hold. `items` has what stands there, per statement of a transaction."""

    def __init__(self, items: list[dict[str, Any] | None]) -> None:
        super().__init__("the condition was refused")
        self.items = items


@contextmanager
def translated() -> Iterator[None]:
    """ConditionRefused for a refusal; UnavailableError for everything that another try may mend or that is not ours."""
    try:
        yield
    except ClientError as fault:
        code = fault.response["Error"]["Code"]
        if code == "ConditionalCheckFailedException":
            existing: Any = fault.response.get("Item")
            raise ConditionRefused([existing]) from fault
        if code == "TransactionCanceledException":
            raise _cancelled(fault) from fault
        refusal = ThrottledError if code in _THROTTLED else UnavailableError
        raise refusal(f"{fault.operation_name}: {code}") from fault
    except BotoCoreError as fault:
        raise UnavailableError(type(fault).__name__) from fault


def _cancelled(fault: ClientError) -> Exception:
    """A transaction is refused only if a condition of it was: a conflict or a throttle decides nothing."""
    reasons: list[dict[str, Any]] = fault.response.get("CancellationReasons", [])  # type: ignore[assignment]
    codes = {reason.get("Code") for reason in reasons}
    if codes & _TRANSIENT_IN_TRANSACTION or "ConditionalCheckFailed" not in codes:
        return UnavailableError(f"TransactWriteItems: {', '.join(sorted(str(code) for code in codes))}")
    refused = [
        reason.get("Item") or {} if reason.get("Code") == "ConditionalCheckFailed" else None
        for reason in reasons
    ]
    return ConditionRefused(refused)
