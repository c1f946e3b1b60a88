"""The translation of errors of the AWS SDK to the domain's errors. Only codes count: AWS changes the texts."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from shared.domain.errors import RequestRejectedError, ServiceError, ThrottledError, UnavailableError

_THROTTLED = {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"}
_TRANSIENT_IN_TRANSACTION = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
_PERMANENT = {
    "ValidationError",
    "ValidationException",
    "ItemCollectionSizeLimitExceeded",
    "ItemCollectionSizeLimitExceededException",
    "AccessDenied",
    "AccessDeniedException",
    "ResourceNotFound",
    "ResourceNotFoundException",
    "IdempotentParameterMismatchException",
}
"""The codes that no retry changes. Statements and reasons of transactions have the names without the suffix."""


class ConditionRefused(Exception):  # noqa: N818 - an answer of the store, not a failure
    """A condition failed. `items` has the existing item of each statement of a transaction."""

    def __init__(self, items: list[dict[str, Any] | None]) -> None:
        super().__init__("the condition was refused")
        self.items = items


def is_permanent(code: str | None) -> bool:
    """Whether the code of an error, a statement or a reason means that a retry cannot succeed."""
    return code in _PERMANENT


@contextmanager
def translated() -> Iterator[None]:
    """ConditionRefused for a failed condition; otherwise RequestRejectedError for a call that no retry can
    save, and UnavailableError for every other error."""
    try:
        yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == "ConditionalCheckFailedException":
            existing: Any = error.response.get("Item")
            raise ConditionRefused([existing]) from error
        if code == "TransactionCanceledException":
            raise _cancelled(error) from error
        raise _service_error(code, f"{error.operation_name}: {code}", error.response) from error
    except BotoCoreError as error:
        raise UnavailableError(type(error).__name__) from error


def _service_error(code: str, text: str, response: Mapping[str, Any]) -> ServiceError:
    if code in _THROTTLED:
        reasons = throttling_reasons(response)
        spares_indexes = bool(reasons) and not any(is_of_index(reason) for reason in reasons)
        return ThrottledError(text + _named(reasons), spares_indexes=spares_indexes)
    if is_permanent(code):
        return RequestRejectedError(f"{text}: {response['Error'].get('Message', '')}")
    return UnavailableError(text)


def throttling_reasons(response: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What was throttled, and why. ThrottlingException alone spells the field with a small letter."""
    return response.get("ThrottlingReasons") or response.get("throttlingReasons") or []


def is_of_index(reason: Mapping[str, Any]) -> bool:
    """Whether a reason names an index: DynamoDB then refuses the write of the item as well."""
    return str(reason.get("reason")).startswith("Index")


def _named(reasons: Iterable[Mapping[str, Any]]) -> str:
    named = [f"{reason.get('reason')} of {reason.get('resource')}" for reason in reasons]
    return f" ({'; '.join(named)})" if named else ""


def _cancelled(error: ClientError) -> Exception:
    """A transaction counts as refused only if a condition failed: after a conflict or a throttle, retry."""
    reasons: list[dict[str, Any]] = error.response.get("CancellationReasons", [])  # type: ignore[assignment]
    codes = {str(reason.get("Code")) for reason in reasons}
    if "ConditionalCheckFailed" in codes and not codes & _TRANSIENT_IN_TRANSACTION:
        return ConditionRefused(
            [
                reason.get("Item") or {} if reason.get("Code") == "ConditionalCheckFailed" else None
                for reason in reasons
            ]
        )
    permanent = [reason for reason in reasons if is_permanent(reason.get("Code"))]
    if permanent:
        causes = "; ".join(f"{reason['Code']}: {reason.get('Message', '')}" for reason in permanent)
        return RequestRejectedError(f"TransactWriteItems: {causes}")
    return UnavailableError(f"TransactWriteItems: {', '.join(sorted(codes))}")
