"""Creates all AWS clients, with timeouts and retries that fit into the timeout of a function."""

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
    """Create a low-level client: thread-safe, with its own connection pool."""
    return boto3.client(service, region_name=region, config=_CONFIG)  # type: ignore[call-overload]


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
