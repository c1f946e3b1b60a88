"""Both transports to AWS over a server on a real socket."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from shared.adapters import greenlets
from shared.adapters.aws.boto_call import BotoCall
from shared.adapters.aws.client import AwsClient, Params
from shared.adapters.aws.credentials import credentials_source
from shared.adapters.aws.http_call import HttpCall
from shared.adapters.aws.sender import PooledSend
from shared.adapters.clock import SystemClock, SystemEntropy
from tests.support.aws_server import (
    AwsServer,
    serving,
)

REGION = "eu-central-1"


@dataclass(slots=True)
class RestlessClock:
    """Notes pauses in seconds in place of making them."""

    pauses: list[float]

    def now_ms(self) -> int:
        return SystemClock().now_ms()

    async def sleep_ms(self, duration_ms: int) -> None:
        self.pauses.append(duration_ms / 1000)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsServer]:
    with serving() as made:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{made.port}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
        yield made


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def send() -> Iterator[PooledSend]:
    made = PooledSend()
    yield made
    greenlets.run(made.close())


class LoopCall(HttpCall):
    """Makes every call on an event loop, as executors do."""

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        call = self.call(operation, params)
        return greenlets.wait_for(call) if greenlets.has_loop() else greenlets.run(call)


KINDS = (HttpCall, LoopCall)


@pytest.fixture(params=KINDS)
def http(
    request: pytest.FixtureRequest, server: AwsServer, send: PooledSend, pauses: list[float]
) -> HttpCall:
    kind: type[HttpCall] = request.param
    return kind.to("dynamodb", REGION, send, credentials_source(), RestlessClock(pauses), SystemEntropy())


@pytest.fixture(params=[*KINDS, BotoCall])
def dynamodb(
    request: pytest.FixtureRequest,
    server: AwsServer,
    send: PooledSend,
    pauses: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[AwsClient]:
    """DynamoDB over both transports, whose pauses are recorded in place of being made."""
    kind: type[HttpCall | BotoCall] = request.param
    if issubclass(kind, HttpCall):
        clock = RestlessClock(pauses)
        yield AwsClient(kind.to("dynamodb", REGION, send, credentials_source(), clock, SystemEntropy()))
        return
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=pauses.append))
    call = BotoCall.to("dynamodb", REGION, SystemEntropy())
    yield AwsClient(call)
    call.client.close()
