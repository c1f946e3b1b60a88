"""AWS clients: the one place where they are made, with deadlines and retries that fit inside a function's time."""

from typing import Any

import boto3
from botocore.config import Config

_CONFIG = Config(
    connect_timeout=2,
    read_timeout=5,
    retries={"mode": "standard", "total_max_attempts": 3},
    max_pool_connections=64,
)


def client(service: str, region: str) -> Any:
    """A low-level client: thread-safe, with its own pool of connections."""
    return boto3.client(service, region_name=region, config=_CONFIG)  # type: ignore[call-overload]


def function_environment(function_name: str) -> dict[str, str]:
    """The variables of a deployed function, with the caller's own credentials and region."""
    answer = boto3.client("lambda", config=_CONFIG).get_function_configuration(FunctionName=function_name)
    return dict(answer.get("Environment", {}).get("Variables", {}))
