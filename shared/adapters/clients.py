"""Makes the clients of AWS's services, with timeouts and retries that fit into the timeout of a function."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.credentials import credentials_source
from shared.adapters.aws.http_call import HttpCall
from shared.adapters.aws.sender import PooledSend
from shared.domain.errors import UnavailableError
from shared.names import Transport
from shared.ports.runtime import Clock, Entropy

_FOR_THE_SDK = ("AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT")
_PROXIES = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def transport_for(chosen: Transport, region: str, environment: Mapping[str, str]) -> Transport:
    """The chosen transport, or the SDK where region or environment ask for what it alone knows.

    A machine behind a proxy needs no setting for that, and no call leaves it by another way.
    """
    if "-iso" in region or any(environment.get(name, "").lower() == "true" for name in _FOR_THE_SDK):
        return Transport.BOTO3
    is_local = urlsplit(environment.get("AWS_ENDPOINT_URL", "")).hostname in _LOOPBACK
    is_behind_proxy = any(environment.get(name) for name in _PROXIES)
    return Transport.BOTO3 if is_behind_proxy and not is_local else chosen


class Clients:
    """The clients of one process, all over one transport."""

    def __init__(self, transport: Transport, region: str, clock: Clock, entropy: Entropy) -> None:
        self._transport = transport
        self._region = region
        self._clock = clock
        self._entropy = entropy
        self._send = PooledSend()

    def __call__(self, service: str) -> Any:
        """The client of a service, called as a low-level client of boto3 is. Credentials are looked up now."""
        if self._transport is Transport.BOTO3:
            from shared.adapters.aws.boto_call import BotoCall

            return AwsClient(BotoCall.to(service, self._region, self._entropy))
        call = HttpCall.to(
            service, self._region, self._send, credentials_source(), self._clock, self._entropy
        )
        return AwsClient(call)


def function_environment(function_name: str, region: str | None) -> dict[str, str]:
    """Read the environment variables of a deployed function with the caller's credentials.

    The default region is that of the caller's AWS configuration. Raises UnavailableError, with a message for
    the operator, if the function, the region, the credentials or the permission is missing.
    """
    # Imported late: only the operator's command reads them.
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    from shared.adapters.aws.boto_call import CONFIG

    try:
        aws = boto3.client("lambda", region_name=region, config=CONFIG)
        response = aws.get_function_configuration(FunctionName=function_name)
    except (BotoCoreError, ClientError, ValueError) as error:
        raise UnavailableError(f"could not read the settings of {function_name}: {error}") from error
    return dict(response.get("Environment", {}).get("Variables", {}))
