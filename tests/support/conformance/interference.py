"""Faults injected between the adapters and a transport, and records of calls; the same for every transport."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from threading import local
from typing import Any

from shared.adapters.aws.client import AwsCall, AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.domain.executions.execution import Execution
from shared.ports.executions import Claim, Claimer, ClaimRejected, WriteUnknown

Parsed = dict[str, Any]
Around = Callable[[str, Parsed, AwsCall], Parsed]
LOST = NoAnswerError("the connection broke")


def failure(code: str, **fields: Any) -> Parsed:
    """An error response of AWS."""
    return {"Error": {"Code": code, "Message": "injected"}, **fields}


@contextmanager
def answering(client: AwsClient, operation: str, *answers: Parsed | Exception) -> Iterator[None]:
    """Give these answers instead of the engine's, one per call; later calls pass."""
    left = list(answers)

    def answer(name: str, params: Parsed, call: AwsCall) -> Parsed:
        if not left:
            return call(name, params)
        given = left.pop(0)
        if isinstance(given, Exception):
            raise given
        if "Error" in given:
            raise AwsError(name, given)
        return given

    with around(client, operation, answer):
        yield


@contextmanager
def losing_answers(client: AwsClient, operation: str) -> Iterator[None]:
    """Let the engine act, and lose its response."""

    def lose(name: str, params: Parsed, call: AwsCall) -> Parsed:
        call(name, params)
        raise LOST

    with around(client, operation, lose):
        yield


@contextmanager
def changing_calls(client: AwsClient, operation: str, change: Callable[[Parsed], None]) -> Iterator[None]:
    """Change parameters of calls to the engine."""

    def changed(name: str, params: Parsed, call: AwsCall) -> Parsed:
        given = deepcopy(params)
        change(given)
        return call(name, given)

    with around(client, operation, changed):
        yield


@contextmanager
def changing_answers(client: AwsClient, operation: str, change: Callable[[Parsed], None]) -> Iterator[None]:
    """Change answers from the engine, and the fields of its errors."""

    def changed(name: str, params: Parsed, call: AwsCall) -> Parsed:
        try:
            answer = call(name, params)
        except AwsError as error:
            fields = dict(error.response)
            change(fields)
            raise AwsError(name, fields) from error
        change(answer)
        return answer

    with around(client, operation, changed):
        yield


@contextmanager
def throttling_index(client: AwsClient, attributes: Sequence[str]) -> Iterator[None]:
    """Refuse updates that change one of an index's key attributes, as DynamoDB does while the index is hot."""
    named = re.compile(rf"\b({'|'.join(attributes)})\b")
    reason = {"reason": "IndexWriteKeyRangeThroughputExceeded", "resource": "index/failed"}

    def refuse(name: str, params: Parsed, call: AwsCall) -> Parsed:
        if named.search(params["UpdateExpression"]) is None:
            return call(name, params)
        raise AwsError(name, failure("ThrottlingException", throttlingReasons=[reason]))

    with around(client, "UpdateItem", refuse):
        yield


class ClaimerWithoutItems:
    """A claimer whose refused conditions show no item; other requests of the client are left alone."""

    def __init__(self, claimer: Claimer) -> None:
        self._claimer = claimer
        self._thread = local()

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[Execution | ClaimRejected | WriteUnknown]:
        self._thread.claims = True
        try:
            return self._claimer.claim(claims, now_ms)
        finally:
            self._thread.claims = False

    @contextmanager
    def hiding(self, client: AwsClient) -> Iterator[None]:
        """Remove the items while the context is open."""
        with (
            changing_answers(client, "BatchExecuteStatement", self._hide),
            changing_answers(client, "UpdateItem", self._hide),
        ):
            yield

    def _hide(self, answer: Parsed) -> None:
        if getattr(self._thread, "claims", False):
            answer.pop("Item", None)
            for response in answer.get("Responses", ()):
                response.get("Error", {}).pop("Item", None)


@dataclass(slots=True)
class Calls:
    """The recorded calls, in order, with their parameters."""

    made: list[tuple[str, Parsed]] = field(default_factory=list)

    def of(self, operation: str) -> list[Parsed]:
        """The parameters of one operation's calls."""
        return [params for name, params in self.made if name == operation]


@contextmanager
def watching(client: AwsClient, operation: str = "*") -> Iterator[Calls]:
    """Record every call while the context is open."""
    calls = Calls()

    def note(name: str, params: Parsed, call: AwsCall) -> Parsed:
        calls.made.append((name, dict(params)))
        return call(name, params)

    with around(client, operation, note):
        yield calls


@dataclass(slots=True)
class _Steps:
    """A transport behind steps. The step that came first sees each call first."""

    transport: AwsCall
    steps: list[tuple[str, Around]] = field(default_factory=list)

    def __call__(self, operation: str, params: Mapping[str, Any]) -> Parsed:
        return self._from(0, operation, params)

    def _from(self, number: int, operation: str, params: Mapping[str, Any]) -> Parsed:
        if number == len(self.steps):
            return self.transport(operation, params)
        chosen, step = self.steps[number]

        def call(operation: str, params: Mapping[str, Any]) -> Parsed:
            return self._from(number + 1, operation, params)

        return step(operation, dict(params), call) if chosen in ("*", operation) else call(operation, params)


@contextmanager
def around(client: AwsClient, operation: str, step: Around) -> Iterator[None]:
    """Put a step between the client and its transport, for one operation or for all (`*`)."""
    if not isinstance(client.call, _Steps):
        client.call = _Steps(client.call)
    added = operation, step
    client.call.steps.append(added)
    try:
        yield
    finally:
        client.call.steps.remove(added)
