"""A tenant whose receiver fails: jobs that became dead letters."""

from dataclasses import dataclass
from typing import Any

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from tests.support.api.request_factory import ask
from tests.support.console.visit import Console

UNAVAILABLE = CallbackResponse(
    reason=Reason.HTTP_STATUS, duration_ms=298, status=503, body=b"no upstream", connect_ms=43, head_ms=290
)
MENDED = CallbackResponse(reason=Reason.OK, duration_ms=12, status=200, connect_ms=2, head_ms=10)
SECRET = "order-4711"


@dataclass
class Receiver:
    """Answers every call."""

    response: CallbackResponse = UNAVAILABLE

    def __call__(self, callback: Callback) -> CallbackResponse:
        return self.response


def fail(console: Console, *names: str) -> Receiver:
    """Create a job of each name that has run once, and failed."""
    receiver = Receiver()
    console.api.world.sender.answer_to = receiver
    for name in names:
        asked(
            console,
            "POST",
            "/v1/jobs",
            {
                "name": name,
                "schedule": {"delay_seconds": 0},
                "request": {"url": "https://hooks.northwind.example/report", "json": {"order": SECRET}},
                "retry": {"max_attempts": 1},
            },
        )
    console.pass_time(5)
    return receiver


def asked(console: Console, method: str, path: str, document: Any = None, key: str | None = None) -> Any:
    """What the API answers to a client of the tenant."""
    return console.api.do(lambda: ask(console.api.api, key or console.day.key, method, path, document)).json
