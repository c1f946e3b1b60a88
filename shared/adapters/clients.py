"""Creates all AWS clients, with timeouts and retries that fit into the timeout of a function."""

from collections.abc import Callable
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.clock import SystemEntropy
from shared.adapters.dynamodb.codec.errors import is_of_index, throttling_reasons
from shared.domain.backoff import retry_pause_ms
from shared.domain.errors import UnavailableError

_CONFIG = Config(
    connect_timeout=2,
    read_timeout=5,
    retries={"mode": "standard", "total_max_attempts": 3},
    max_pool_connections=64,
)
CONFLICT_TRIES = 4


def client(service: str, region: str) -> Any:
    """Create a low-level client: thread-safe, with its own connection pool."""
    made = boto3.client(service, region_name=region, config=_CONFIG)  # type: ignore[call-overload]
    if service == "dynamodb":
        retry_conflicts(made, SystemEntropy().draw)
        leave_throttled_indexes(made)
    return made


def leave_throttled_indexes(dynamodb: Any) -> None:
    """Do not repeat an update that an index throttled: the store writes it at once without its index entry."""

    def refuse(response: tuple[Any, dict[str, Any]] | None, **_event: Any) -> bool | None:
        reasons = throttling_reasons(response[1]) if response is not None else []
        return False if any(map(is_of_index, reasons)) else None

    # The first answer of a handler counts, and the SDK takes False for a refusal.
    dynamodb.meta.events.register_first("needs-retry.dynamodb.UpdateItem", refuse)


def retry_conflicts(dynamodb: Any, draw: Callable[[], float]) -> None:
    """Repeat writes that met a transaction; the SDK tries such a write once.

    A write in conflict changed nothing. The SDK sends the same client token again, so a transaction never
    happens twice.
    """

    def pause_seconds(
        attempts: int, response: tuple[Any, dict[str, Any]] | None, **_event: Any
    ) -> float | None:
        if response is None or attempts >= CONFLICT_TRIES or not _is_conflict(response[1]):
            return None
        return retry_pause_ms(draw()) / 1000

    dynamodb.meta.events.register_last("needs-retry.dynamodb", pause_seconds)


def _is_conflict(parsed: dict[str, Any]) -> bool:
    """Beside a conflict, a refused condition is no answer yet: it is judged by the next try."""
    reasons = {reason.get("Code") for reason in parsed.get("CancellationReasons", ())}
    return _code(parsed) == "TransactionConflictException" or "TransactionConflict" in reasons


def _code(parsed: dict[str, Any]) -> str | None:
    code: str | None = parsed.get("Error", {}).get("Code")
    return code


def function_environment(function_name: str, region: str | None) -> dict[str, str]:
    """Read the environment variables of a deployed function with the caller's credentials.

    The default region is that of the caller's AWS configuration. Raises UnavailableError, with a message for
    the operator, if the function, the region, the credentials or the permission is missing.
    """
    try:
        aws = boto3.client("lambda", region_name=region, config=_CONFIG)
        response = aws.get_function_configuration(FunctionName=function_name)
    except (BotoCoreError, ClientError, ValueError) as error:
        raise UnavailableError(f"could not read the settings of {function_name}: {error}") from error
    return dict(response.get("Environment", {}).get("Variables", {}))
