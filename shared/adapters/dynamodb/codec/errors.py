"""The translation of AWS's errors to the domain's errors. Only codes count: AWS changes the texts."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.retries import is_of_index, throttling_reasons
from shared.domain.errors import RequestRejectedError, ServiceError, ThrottledError, UnavailableError

_THROTTLED = {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"}
_THROTTLED_STATEMENT = {"ProvisionedThroughputExceeded", "ThrottlingError", "RequestLimitExceeded"}
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


def is_throttled(code: str | None) -> bool:
    """Whether the code of a statement means that the statement was throttled."""
    return code in _THROTTLED_STATEMENT


@contextmanager
def translated() -> Iterator[None]:
    """ConditionRefused for a failed condition; otherwise RequestRejectedError for a call that no retry can
    save, and UnavailableError for every other error."""
    try:
        yield
    except AwsError as error:
        if error.code == "ConditionalCheckFailedException":
            raise ConditionRefused([error.response.get("Item")]) from error
        if error.code == "TransactionCanceledException":
            raise _cancelled(error) from error
        raise _service_error(error.code, str(error), error.response) from error
    except NoAnswerError as error:
        raise UnavailableError(str(error)) from error


def _service_error(code: str, text: str, response: Mapping[str, Any]) -> ServiceError:
    if code in _THROTTLED:
        reasons = throttling_reasons(response)
        spares_indexes = bool(reasons) and not any(is_of_index(reason) for reason in reasons)
        return ThrottledError(text + _named(reasons), spares_indexes=spares_indexes)
    if is_permanent(code):
        return RequestRejectedError(f"{text}: {response['Error'].get('Message', '')}")
    return UnavailableError(text)


def _named(reasons: Iterable[Mapping[str, Any]]) -> str:
    named = [f"{reason.get('reason')} of {reason.get('resource')}" for reason in reasons]
    return f" ({'; '.join(named)})" if named else ""


def _cancelled(error: AwsError) -> Exception:
    """A transaction counts as refused only if a condition failed: after a conflict or a throttle, retry."""
    reasons: list[dict[str, Any]] = error.response.get("CancellationReasons", [])
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
