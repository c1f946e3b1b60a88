"""Hooks on a client's events: injected faults, and records of requests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

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
def hiding_items(client: Any) -> Iterator[None]:
    """Remove the existing item from every refused condition of a single write or a statement."""

    def hide(parsed: Parsed) -> None:
        for response in parsed.get("Responses", ()):
            response.get("Error", {}).pop("Item", None)

    with (
        changing(client, "after-call", "BatchExecuteStatement", hide),
        changing(client, "after-call", "UpdateItem", lambda parsed: parsed.pop("Item", None)),
    ):
        yield


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
