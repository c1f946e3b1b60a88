"""Clients of the engines, over both transports."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import boto3
from botocore.awsrequest import AWSPreparedRequest
from botocore.compat import HTTPHeaders
from botocore.config import Config
from moto.core.models import botocore_stubber

from shared.adapters import greenlets
from shared.adapters.aws.boto_call import BotoCall
from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.http11 import HttpResponse
from shared.adapters.aws.http_call import HttpCall
from shared.adapters.aws.retries import RetryBudget
from shared.adapters.aws.sender import PooledSend
from shared.adapters.aws.services import SERVICES, Endpoint
from shared.adapters.aws.signer import Signer
from shared.adapters.clock import SystemClock, SystemEntropy
from shared.names import Transport
from tests.support.conformance.aws_account import AwsAccount
from tests.support.conformance.dynamo_lab import REGION

NO_RETRIES = 0


class GroupOfOne:
    """Sends each member at once as a group of its own, so that each suite sees what statements do."""

    def __init__(
        self,
        commit: Callable[[Mapping[Any, Any]], Mapping[Any, Any]],
        size: int,
        failed: Callable[[str], None],
    ) -> None:
        self._commit = commit

    def join(self, key: Any, member: Any) -> Any:
        """The answer of the group."""
        return self._commit({key: member}).get(key)


class Clients:
    """Makes each client once, because making a client takes longer than most tests.

    No client repeats a call: a test sees the first answer. Those of AWS alone have the user's credentials.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[str, str | None, Transport], AwsClient] = {}
        self._sdk: list[Any] = []
        self._send = PooledSend()

    def __call__(
        self, service: str, engine: str | AwsAccount | None, transport: Transport = Transport.HTTP
    ) -> AwsClient:
        """The client of a service of AWS or at an endpoint; without either moto answers, in this process."""
        endpoint = engine.prefix if isinstance(engine, AwsAccount) else engine
        key = service, endpoint, transport
        if key not in self._made:
            self._made[key] = (
                engine.transport(service, transport, self._send_from_any_thread)
                if isinstance(engine, AwsAccount)
                else AwsClient(
                    self._boto_call(service, endpoint)
                    if transport is Transport.BOTO3
                    else self._http_call(service, endpoint)
                )
            )
        return self._made[key]

    def close(self) -> None:
        """Close all connections."""
        for client in self._sdk:
            client.close()
        greenlets.run(self._send.close())

    def _boto_call(self, service: str, endpoint: str | None) -> BotoCall:
        session: Any = boto3.Session(
            aws_access_key_id="local", aws_secret_access_key="local", region_name=REGION
        )
        config = Config(retries={"total_max_attempts": 1}, max_pool_connections=32, proxies={})
        client = session.client(service, endpoint_url=endpoint, config=config)
        self._sdk.append(client)
        if endpoint is not None:
            # moto would look at each call, which takes longer than making it.
            client.meta.events.unregister("before-send", botocore_stubber)
        return BotoCall(client)

    def _http_call(self, service: str, endpoint: str | None) -> HttpCall:
        url = endpoint or f"https://{service}.{REGION}.amazonaws.com"
        at = Endpoint.at(url)
        return HttpCall(
            service=SERVICES[service],
            endpoint=at,
            signer=Signer(service, REGION, at.host, SERVICES[service].content_type),
            send=_send_to_moto if endpoint is None else self._send_from_any_thread,
            credentials=lambda: Credentials("local", "local"),
            clock=SystemClock(),
            entropy=SystemEntropy(),
            budget=RetryBudget(tokens=NO_RETRIES),
        )

    async def _send_from_any_thread(
        self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes, path: str = "/"
    ) -> HttpResponse:
        try:
            return await self._send(endpoint, headers, body, path)
        finally:
            if threading.current_thread() is not threading.main_thread():
                # The connections of a loop end with its thread.
                await self._send.close()


async def _send_to_moto(
    endpoint: Endpoint, headers: Mapping[str, str], body: bytes, path: str = "/"
) -> HttpResponse:
    url = f"https://{endpoint.host}{path}"
    answer = botocore_stubber(
        "before-send",
        AWSPreparedRequest("POST", url, HTTPHeaders.from_dict(headers), body, stream_output=False),
    )
    assert answer is not None, "moto is not active"
    return HttpResponse(answer.status_code, answer.headers, answer.content)
