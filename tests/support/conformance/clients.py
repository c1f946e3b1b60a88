"""Clients of the engines."""

from typing import Any

import boto3
from botocore.config import Config
from moto.core.models import botocore_stubber

from tests.support.conformance.dynamo_lab import REGION


class Clients:
    """Makes each client once: that takes longer than most tests."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str | None], Any] = {}

    def __call__(self, service: str, endpoint: str | None) -> Any:
        """The client of a service; without an endpoint it speaks to AWS, which is for moto to catch."""
        if (service, endpoint) not in self._made:
            self._made[service, endpoint] = _make_client(service, endpoint)
        return self._made[service, endpoint]

    def close(self) -> None:
        """Leave no connection open."""
        for client in self._made.values():
            client.close()


def _make_client(service: str, endpoint: str | None) -> Any:
    """A client that asks once, so that a test sees the first answer, and knows no account of the user's."""
    session: Any = boto3.Session(aws_access_key_id="local", aws_secret_access_key="local", region_name=REGION)
    config = Config(retries={"total_max_attempts": 1}, max_pool_connections=32, proxies={})
    client = session.client(service, endpoint_url=endpoint, config=config)
    if endpoint is not None:
        # moto would look at each call, which takes longer than making it.
        client.meta.events.unregister("before-send", botocore_stubber)
    return client
