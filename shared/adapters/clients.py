"""AWS clients: the one place where they are made, with deadlines and retries that fit inside a function's time."""

from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared.domain.errors import UnavailableError

_CONFIG = Config(
    connect_timeout=2,
    read_timeout=5,
    retries={"mode": "standard", "total_max_attempts": 3},
    max_pool_connections=64,
)


def client(service: str, region: str) -> Any:
    """A low-level client: thread-safe, with its own pool of connections."""
    return boto3.client(service, region_name=region, config=_CONFIG)  # type: ignore[call-overload]


def function_environment(function_name: str, region: str | None) -> dict[str, str]:
    """The variables of a deployed function, by the caller's own credentials.

    Without a region it is that of the caller's AWS configuration. UnavailableError, in words for whoever runs the
    command, where there is no such function, or no region, no credentials or no permission to ask.
    """
    try:
        aws = boto3.client("lambda", region_name=region, config=_CONFIG)
        response = aws.get_function_configuration(FunctionName=function_name)
    except (BotoCoreError, ClientError, ValueError) as error:
        raise UnavailableError(f"could not read the settings of {function_name}: {error}") from error
    return dict(response.get("Environment", {}).get("Variables", {}))
