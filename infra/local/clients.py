"""boto3 clients of the emulator, independent of the user's AWS configuration."""

from typing import Any

import boto3
from botocore.config import Config

ACCOUNT = "000000000000"
REGION = "us-east-1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}


class Clients:
    """Creates and caches clients for one endpoint; creating a client takes a tenth of a second."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self._session = boto3.Session(
            aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
            region_name=REGION,
        )
        self._clients: dict[str, Any] = {}

    def client(self, service: str) -> Any:
        """Return the client of a service. Without retries, so that a test sees the first response."""
        if service not in self._clients:
            self._clients[service] = self._session.client(
                service,  # type: ignore[call-overload]
                endpoint_url=self.endpoint,
                config=Config(
                    retries={"total_max_attempts": 1},
                    read_timeout=120,
                    connect_timeout=5,
                    max_pool_connections=32,
                    proxies={},
                    s3={"addressing_style": "path"},
                ),
            )
        return self._clients[service]
