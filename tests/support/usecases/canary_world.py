"""A deployment in memory with a canary: the prober calls its API, and its executors call the receiver."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from shared.domain.bucket import MINUTE_MS, ShardRange
from shared.domain.canary import ProbePath
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.errors import UnavailableError
from shared.names import CanarySecret
from shared.usecases.canary.cached_secret import CachedSecret
from shared.usecases.canary.receive_probe import ReceiveProbe
from shared.usecases.canary.send_probe import SendProbe
from tests.support.api.api_world import ApiWorld, Request
from tests.support.builders import DUE_AT
from tests.support.usecases.lanes import Lanes

RECEIVER_URL = "https://abc.lambda-url.eu-west-1.on.aws/"
START = DUE_AT // (3 * MINUTE_MS) * 3 * MINUTE_MS
"""The first minute of a cycle."""
Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


def url_event(
    headers: Mapping[str, str], body: str | None, *, method: str = "POST", is_base64: bool = False
) -> dict[str, Any]:
    """The event of a function URL, in payload version 2.0: names of headers are in lower case."""
    return {
        "version": "2.0",
        "requestContext": {"http": {"method": method, "path": "/", "sourceIp": "192.0.2.1"}},
        "headers": {name.lower(): value for name, value in headers.items()},
        **({} if body is None else {"body": body}),
        "isBase64Encoded": is_base64,
    }


@dataclass
class ApiAsClient:
    """The public API over the fakes. A test can take it down."""

    api: ApiWorld
    is_down: bool = False
    sent: list[dict[str, str]] = field(default_factory=list)

    def create_job(self, api_key: str, idempotency_key: str, document: Mapping[str, Any]) -> int:
        if self.is_down:
            raise UnavailableError("the API did not answer: TimeoutError")
        headers = {
            "authorization": f"Bearer {api_key}",
            "content-type": "application/json",
            "idempotency-key": idempotency_key,
        }
        self.sent.append(headers)
        request = Request(method="POST", path="/v1/jobs", headers=headers, body=orjson.dumps(document))
        return self.api.handle(request).status


class CanaryWorld:
    """Time begins with a cycle; each minute has a tick of the prober and of the watchers."""

    def __init__(self) -> None:
        self.api = ApiWorld(now_ms=START, answer_to=self._answer)
        self.world = self.api.world
        self.world.cases.canary.provision.execute()
        self.world.parameters.reads = 0
        self.client = ApiAsClient(self.api)
        self.calls: list[Callback] = []
        self.statuses: list[int] = []
        self.lost: set[ProbePath] = set()
        """Calls on these paths do not arrive."""
        self._lanes = Lanes(self.world)
        self.receive_event: Handler | None = None
        """The entry point of the receiver."""

    def prober(self) -> SendProbe:
        """The use case of a new process."""
        return SendProbe(self.client, self._secret(CanarySecret.API_KEY), self.world.clock, RECEIVER_URL)

    def receiver(self) -> ReceiveProbe:
        """The use case of a new process."""
        return ReceiveProbe(self._secret(CanarySecret.SIGNING_SECRET), self.world.clock)

    def minute(self, tick: Callable[[], Any]) -> None:
        """One minute: the prober's tick comes twenty seconds after its begin."""
        clock = self.world.clock
        end_ms = (clock.time_ms // MINUTE_MS + 1) * MINUTE_MS
        self._lanes.until(end_ms - 40_000)
        tick()
        self.world.watch.execute(ShardRange(index=0, of=1))
        self._lanes.until(end_ms)

    def _secret(self, secret: CanarySecret) -> CachedSecret:
        stage = self.world.settings.stage
        return CachedSecret(self.world.parameters, secret.parameter(stage), self.world.clock)

    def _answer(self, callback: Callback) -> CallbackResponse:
        assert callback.url == RECEIVER_URL
        assert self.receive_event is not None
        self.calls.append(callback)
        if ProbePath(json.loads(callback.body)["canary"]) in self.lost:
            return CallbackResponse(reason=Reason.CONNECT_FAILED, duration_ms=5)
        event = url_event(dict(callback.headers), callback.body.decode())
        status = self.receive_event(event, None)["statusCode"]
        self.statuses.append(status)
        reason = Reason.OK if status == 200 else Reason.HTTP_STATUS
        return CallbackResponse(reason=reason, duration_ms=5, status=status)
