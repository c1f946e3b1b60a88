"""Calls of a service that few invocations need, through the SDK."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from shared.adapters.aws.client import AwsCall

CONNECT_SECONDS = 5
TRIES = 3


class LateSdkCall:
    """The SDK is imported, and its client made, with the first call."""

    def __init__(self, service: str, region: str, *, answer_seconds: float, tries: int = TRIES) -> None:
        self._service = service
        self._region = region
        self._answer_seconds = answer_seconds
        self._tries = tries

    def __call__(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        return self._call(operation, params)

    @cached_property
    def _call(self) -> AwsCall:
        import boto3
        from botocore.config import Config

        from shared.adapters.aws.boto_call import BotoCall

        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=self._answer_seconds,
            retries={"mode": "standard", "total_max_attempts": self._tries},
        )
        client = boto3.client(self._service, region_name=self._region, config=config)  # type: ignore[call-overload]
        return BotoCall(client)
