"""Calls of AWS's JSON services: serialise, sign, send, check, repeat."""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from typing import Any

import orjson

from shared.adapters.aws.client import Params
from shared.adapters.aws.credentials import CredentialSource
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.http11 import HttpResponse
from shared.adapters.aws.retries import Fault, RetryBudget, fault_of, pause_ms
from shared.adapters.aws.sender import Send
from shared.adapters.aws.services import SERVICES, Endpoint, Service, endpoint_of
from shared.adapters.aws.signer import Signer
from shared.adapters.greenlets import finish, has_loop, wait_for
from shared.dataclass import dataclass
from shared.ports.runtime import Clock, Entropy

CLIENT_TOKEN_BITS = 120
_TOKEN = "ClientRequestToken"  # noqa: S105 - the name of a parameter
_WITH_TOKEN = frozenset({"TransactWriteItems", "ExecuteTransaction"})


@dataclass(slots=True)
class HttpCall:
    """One service over signed requests, without the SDK and its start."""

    service: Service
    endpoint: Endpoint
    signer: Signer
    send: Send
    credentials: CredentialSource
    clock: Clock
    entropy: Entropy
    budget: RetryBudget = field(default_factory=RetryBudget)
    skew_s: float = 0.0
    """How far AWS's clock is ahead of this one, once AWS has refused a signature for it."""
    repeats: bool = True
    """False where the caller has another way to go on. A refused signature is still made anew once."""

    @classmethod
    def to(
        cls, name: str, region: str, send: Send, credentials: CredentialSource, clock: Clock, entropy: Entropy
    ) -> "HttpCall":
        """The service of this name in a region."""
        service, endpoint = SERVICES[name], endpoint_of(name, region)
        signer = Signer(service.name, region, endpoint.host, service.content_type)
        return cls(service, endpoint, signer, send, credentials, clock, entropy)

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        call = self.call(operation, params)
        return wait_for(call) if has_loop() else finish(call)

    async def call(self, operation: str, params: Params) -> dict[str, Any]:
        """The same for callers on the event loop."""
        if operation in _WITH_TOKEN and _TOKEN not in params:
            # The same token in every try: a transaction whose answer was lost does not happen twice.
            params = {**params, _TOKEN: f"{self.entropy.bits(CLIENT_TOKEN_BITS):x}"}
        body = self.serialised(operation, params)
        attempt, is_renewed = 0, False
        while True:
            attempt += 1
            status = 0
            try:
                answer = await self.exchange(operation, body)
                status = answer.status
                read = self.read(operation, answer)
            except (AwsError, NoAnswerError) as error:
                fault = fault_of(error, status)
                pause = pause_ms(fault, attempt, self.entropy.draw())
                is_last = is_renewed if fault is Fault.UNSIGNED else not self.repeats
                if pause is None or is_last or not self.budget.take():
                    raise
                if fault is Fault.UNSIGNED:
                    is_renewed = True
                    self._set_clock(answer)
            else:
                self.budget.succeeded(attempt)
                return read
            await self.clock.sleep_ms(pause)

    def serialised(self, operation: str, params: Params) -> bytes:
        """The body of all tries. A service of another protocol has its own `serialised`, `exchange` and `read`."""
        try:
            return orjson.dumps(params, default=_encoded)
        except orjson.JSONEncodeError as error:
            # Such as half a surrogate pair, which AWS would refuse.
            refusal = {"Code": "ValidationException", "Message": f"no JSON: {error}"}
            raise AwsError(operation, {"Error": refusal}) from error

    async def exchange(self, operation: str, body: bytes) -> HttpResponse:
        """Sign and send one try."""
        headers = self.signer.headers(
            f"{self.service.target}.{operation}", body, self.credentials(), self.now_s()
        )
        return await self.send(self.endpoint, headers, body)

    def now_s(self) -> float:
        """The time of signatures."""
        return self.clock.now_ms() / 1000 + self.skew_s

    def read(self, operation: str, answer: HttpResponse) -> dict[str, Any]:
        """The members of an answer; AwsError for a refusal, NoAnswerError for what is no answer."""
        checksum = answer.headers.get("x-amz-crc32")
        if checksum is not None and checksum != str(zlib.crc32(answer.body)):
            raise NoAnswerError("the answer's checksum is wrong")
        try:
            read: Any = orjson.loads(answer.body) if answer.body else {}
        except orjson.JSONDecodeError as error:
            if answer.status < 300:
                raise NoAnswerError("the answer is no JSON") from error
            read = {}
        if not isinstance(read, dict):
            raise NoAnswerError("the answer is no JSON object")
        if answer.status != 200:
            raise AwsError(operation, error_of(answer, read), answer.status)
        for member in self.service.blobs.get(operation, ()):
            read[member] = b64decode(read[member])
        return read

    def _set_clock(self, answer: HttpResponse) -> None:
        """Sign by AWS's clock from here on: a Lambda clock that stood still is minutes behind."""
        with suppress(KeyError, ValueError):
            # Imported late: clocks seldom differ.
            from email.utils import parsedate_to_datetime

            aws = parsedate_to_datetime(answer.headers["date"])
            self.skew_s = aws.timestamp() - self.clock.now_ms() / 1000


def _encoded(value: object) -> str | dict[str, Any]:
    """Bytes in base64, and mappings that are no dict."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


def error_of(answer: HttpResponse, read: dict[str, Any]) -> dict[str, Any]:
    """The error as boto3 gives it: `Error` with `Code` and `Message`, and the error's own fields.

    SQS names the code of its older protocol in a header, and boto3 prefers that one.
    """
    code = str(
        read.get("__type") or read.get("code") or answer.headers.get("x-amzn-errortype") or answer.status
    )
    older = answer.headers.get("x-amzn-query-error")
    code = older.split(";")[0] if older else code.split("#")[-1].split(":")[0]
    own = {name: value for name, value in read.items() if name not in ("__type", "message", "Message")}
    return {**own, "Error": {"Code": code, "Message": read.get("message") or read.get("Message") or ""}}
