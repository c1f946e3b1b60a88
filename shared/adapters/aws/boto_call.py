"""Calls through boto3: the fallback, and the standard to which the own transport is held.

Imported only where it is chosen: the SDK takes longer to start than everything else of a function.
"""

from collections.abc import Mapping
from typing import Any

import boto3
from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.http11 import ANSWER_SECONDS, CONNECT_SECONDS
from shared.adapters.aws.retries import CONFLICT_TRIES, TRIES, is_conflict, is_of_index, throttling_reasons
from shared.adapters.aws.sender import CONNECTIONS
from shared.domain.backoff import retry_pause_ms
from shared.ports.runtime import Entropy

CONFIG = Config(
    connect_timeout=CONNECT_SECONDS,
    read_timeout=ANSWER_SECONDS,
    retries={"mode": "standard", "total_max_attempts": TRIES},
    max_pool_connections=CONNECTIONS,
)


class BotoCall:
    """One service over a low-level client of boto3, which is thread-safe and has its own connection pool."""

    def __init__(self, client: Any) -> None:
        self.client = client

    @classmethod
    def to(cls, service: str, region: str, entropy: Entropy) -> "BotoCall":
        """The service of this name in a region, with the retries of `retries.py`."""
        client = boto3.client(service, region_name=region, config=CONFIG)  # type: ignore[call-overload]
        if service == "dynamodb":
            _retry_conflicts(client, entropy)
            _leave_throttled_indexes(client)
        return cls(client)

    def __call__(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = getattr(self.client, xform_name(operation))(**params)
        except ClientError as error:
            raise AwsError(operation, error.response) from error
        except BotoCoreError as error:
            raise NoAnswerError(type(error).__name__) from error
        return answer


def _leave_throttled_indexes(dynamodb: Any) -> None:
    """Do not repeat an update that an index throttled: the store writes it at once without its index entry."""

    def refuse(response: tuple[Any, dict[str, Any]] | None, **_event: Any) -> bool | None:
        reasons = throttling_reasons(response[1]) if response is not None else []
        return False if any(map(is_of_index, reasons)) else None

    # The first answer of a handler counts, and the SDK takes False for a refusal.
    dynamodb.meta.events.register_first("needs-retry.dynamodb.UpdateItem", refuse)


def _retry_conflicts(dynamodb: Any, entropy: Entropy) -> None:
    """Repeat writes that met a transaction; the SDK tries such a write once.

    The SDK sends the same client token again, so a transaction never happens twice.
    """

    def pause_seconds(
        attempts: int, response: tuple[Any, dict[str, Any]] | None, **_event: Any
    ) -> float | None:
        if response is None or attempts >= CONFLICT_TRIES:
            return None
        parsed = response[1]
        if not is_conflict(parsed.get("Error", {}).get("Code"), parsed):
            return None
        return retry_pause_ms(entropy.draw()) / 1000

    dynamodb.meta.events.register_last("needs-retry.dynamodb", pause_seconds)
