"""Clients of the engines."""

from typing import Any

import boto3
from botocore.config import Config
from moto.core.models import botocore_stubber

from tests.support.conformance.dynamo_lab import REGION


class Clients:
    """Makes each client once, because making a client takes longer than most tests."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str | None], Any] = {}

    def __call__(self, service: str, endpoint: str | None) -> Any:
        """The client of a service; without an endpoint it calls AWS, which moto intercepts."""
        if (service, endpoint) not in self._made:
            self._made[service, endpoint] = _make_client(service, endpoint)
        return self._made[service, endpoint]

    def close(self) -> None:
        """Close all connections."""
        for client in self._made.values():
            client.close()


def _make_client(service: str, endpoint: str | None) -> Any:
    """A client without retries and without the user's credentials: a test sees the first response."""
    session: Any = boto3.Session(aws_access_key_id="local", aws_secret_access_key="local", region_name=REGION)
    config = Config(retries={"total_max_attempts": 1}, max_pool_connections=32, proxies={})
    client = session.client(service, endpoint_url=endpoint, config=config)
    if endpoint is not None:
        # moto would look at each call, which takes longer than making it.
        client.meta.events.unregister("before-send", botocore_stubber)
    return client
