"""Hooks on a client's events: injected faults, and records of requests."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import local
from typing import Any

from shared.domain.executions.execution import Execution
from shared.ports.executions import Claim, Claimer, ClaimRejected, WriteUnknown

Parsed = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Response:
    """The part of an HTTP response that botocore reads."""

    status_code: int


def failure(code: str, **fields: Any) -> Parsed:
    """An error response of AWS."""
    return {"Error": {"Code": code, "Message": "injected"}, "ResponseMetadata": {}, **fields}


@contextmanager
def answering(client: Any, operation: str, *answers: Parsed | Exception) -> Iterator[None]:
    """Return these responses instead of the engine's, one per call; later calls pass."""
    left = list(answers)

    def answer(**event: Any) -> tuple[Response, Parsed] | None:
        if not left:
            return None
        given = left.pop(0)
        if isinstance(given, Exception):
            raise given
        return Response(400 if "Error" in given else 200), given

    with _hooked(client, "before-call", operation, answer):
        yield


@contextmanager
def losing_answers(client: Any, operation: str, fault: Exception) -> Iterator[None]:
    """Let the engine act, and lose its response."""

    def lose(**event: Any) -> None:
        raise fault

    with _hooked(client, "after-call", operation, lose):
        yield


@contextmanager
def changing(client: Any, event: str, operation: str, change: Callable[[Parsed], None]) -> Iterator[None]:
    """Change parameters of requests to the engine, or parsed responses from it."""
    part = "params" if event == "before-parameter-build" else "parsed"
    with _hooked(client, event, operation, lambda **given: change(given[part])):
        yield


@contextmanager
def throttling_index(client: Any, attributes: Sequence[str]) -> Iterator[None]:
    """Refuse updates that change one of an index's key attributes, as DynamoDB does while the index is hot."""
    named = re.compile(rf"\b({'|'.join(attributes)})\b")
    reason = {"reason": "IndexWriteKeyRangeThroughputExceeded", "resource": "index/failed"}

    def refuse(params: Parsed, **event: Any) -> tuple[Response, Parsed] | None:
        if named.search(json.loads(params["body"])["UpdateExpression"]) is None:
            return None
        return Response(400), failure("ThrottlingException", throttlingReasons=[reason])

    with _hooked(client, "before-call", "UpdateItem", refuse):
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
    def hiding(self, client: Any) -> Iterator[None]:
        """Remove the items while the context is open."""
        with (
            changing(client, "after-call", "BatchExecuteStatement", self._hide),
            changing(client, "after-call", "UpdateItem", self._hide),
        ):
            yield

    def _hide(self, parsed: Parsed) -> None:
        if getattr(self._thread, "claims", False):
            parsed.pop("Item", None)
            for response in parsed.get("Responses", ()):
                response.get("Error", {}).pop("Item", None)


@dataclass(slots=True)
class Calls:
    """The recorded calls, in order, with their parameters."""

    made: list[tuple[str, Parsed]] = field(default_factory=list)

    def of(self, operation: str) -> list[Parsed]:
        """The parameters of one operation's calls."""
        return [params for name, params in self.made if name == operation]


@contextmanager
def watching(client: Any, operation: str = "*") -> Iterator[Calls]:
    """Record every call while the context is open."""
    calls = Calls()

    def note(params: Parsed, model: Any, **event: Any) -> None:
        calls.made.append((model.name, dict(params)))

    with _hooked(client, "before-parameter-build", operation, note):
        yield calls


@contextmanager
def _hooked(client: Any, event: str, operation: str, handler: Callable[..., Any]) -> Iterator[None]:
    name = f"{event}.{client.meta.service_model.service_id.hyphenize()}.{operation}"
    client.meta.events.register_last(name, handler)
    try:
        yield
    finally:
        client.meta.events.unregister(name, handler)
