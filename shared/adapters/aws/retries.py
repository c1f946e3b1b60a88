"""Which calls are sent again, how often, and after which pause. boto3 is configured to the same rules."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.dataclass import dataclass
from shared.domain.backoff import retry_pause_ms

TRIES = 3
CONFLICT_TRIES = 4
FIRST_MS, LONGEST_MS = 100, 2_000
"""The bounds of the first pause and of all others, which double; full jitter is drawn from them."""
THROTTLES = frozenset(
    {
        "LimitExceededException",
        "PriorRequestNotComplete",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionInProgressException",
    }
)
_TRANSIENT = frozenset(
    {"RequestTimeout", "RequestTimeoutException", "InternalServerError", "InternalFailure"}
)
_TRANSIENT_STATUS = frozenset({500, 502, 503, 504})
EXPIRED = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "UnrecognizedClientException"}
)
SKEWED = frozenset(
    {"InvalidSignatureException", "RequestExpired", "RequestTimeTooSkewed", "SignatureDoesNotMatch"}
)


class Fault(Enum):
    """Why a call failed, by what another try needs."""

    PERMANENT = auto()
    TRANSIENT = auto()
    """No usable answer, or a fault inside AWS."""
    THROTTLED = auto()
    CONFLICT = auto()
    """A write that met a transaction and changed nothing."""
    UNSIGNED = auto()
    """Expired credentials, or a clock that differs too much: both are read anew for one more try."""


def fault_of(error: AwsError | NoAnswerError, status: int) -> Fault:
    """Classify a failed call by its code and its HTTP status."""
    if isinstance(error, NoAnswerError):
        return Fault.TRANSIENT
    if is_conflict(error.code, error.response):
        return Fault.CONFLICT
    if error.code in THROTTLES:
        # An update that an index throttled is written at once without its index entry, by the store.
        is_final = error.operation == "UpdateItem" and any(
            map(is_of_index, throttling_reasons(error.response))
        )
        return Fault.PERMANENT if is_final else Fault.THROTTLED
    if error.code in EXPIRED | SKEWED:
        return Fault.UNSIGNED
    is_transient = error.code in _TRANSIENT or status in _TRANSIENT_STATUS
    return Fault.TRANSIENT if is_transient else Fault.PERMANENT


def throttling_reasons(response: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What was throttled, and why. ThrottlingException alone spells the field with a small letter."""
    return response.get("ThrottlingReasons") or response.get("throttlingReasons") or []


def is_of_index(reason: Mapping[str, Any]) -> bool:
    """Whether a reason names an index: DynamoDB then refuses the write of the item as well."""
    return str(reason.get("reason")).startswith("Index")


def is_conflict(code: str | None, response: Mapping[str, Any]) -> bool:
    """Beside a conflict, a refused condition is no answer yet: it is judged by the next try."""
    reasons = {reason.get("Code") for reason in response.get("CancellationReasons") or ()}
    return code == "TransactionConflictException" or "TransactionConflict" in reasons


def pause_ms(fault: Fault, attempt: int, draw: float) -> int | None:
    """The pause in milliseconds after this attempt, counted from 1; None if the call is not sent again.

    `draw` is uniform in [0, 1).
    """
    match fault:
        case Fault.CONFLICT if attempt < CONFLICT_TRIES:
            return retry_pause_ms(draw)
        case Fault.TRANSIENT | Fault.THROTTLED if attempt < TRIES:
            return int(draw * min(FIRST_MS << (attempt - 1), LONGEST_MS))
        case Fault.UNSIGNED if attempt < TRIES:
            return 0
    return None


@dataclass(slots=True)
class RetryBudget:
    """A token bucket that ends retries while most calls fail, so that retries do not double an overload.

    A retry takes 5 tokens of 500, and gives them back if it succeeds. Each call that succeeds at once gives one.
    """

    tokens: int = 500

    def take(self) -> bool:
        if self.tokens < _COST:
            return False
        self.tokens -= _COST
        return True

    def succeeded(self, attempt: int) -> None:
        self.tokens = min(_CAPACITY, self.tokens + (_COST if attempt > 1 else 1))


_CAPACITY, _COST = 500, 5
