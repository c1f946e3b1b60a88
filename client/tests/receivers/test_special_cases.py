"""What is special in Starlette, FastAPI, Flask and Lambda."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable, Iterator
from io import RawIOBase
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from flask import Flask, abort
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route
from werkzeug.test import EnvironBuilder, run_wsgi_app

from client.tests.support.calls import EXECUTION, NEW, clock, headers_of
from client.tests.support.frameworks import function_url_event, rest_api_event
from client.tests.support.long_work import API, eventually
from punctual.receivers import LongWork, MemorySeen, ReceivedCall, Receiver, aws_lambda, flask, starlette
from punctual.receivers._claims import Claim
from punctual.receivers._dedupe import Done, Running


@pytest.fixture
def receiver() -> Receiver:
    return Receiver(NEW, seen=MemorySeen(), clock=clock, long_work=LongWork(api_url=API))


def other(receiver: Receiver) -> Running | Done | None:
    """What another worker gets for the call."""
    assert receiver.seen is not None
    return Claim(receiver.seen, EXECUTION, "other", clock).take(30)


def client_of(receiver: Receiver, handler: Callable[..., Any]) -> httpx.AsyncClient:
    app = Starlette(routes=[Route("/", starlette.receives(receiver)(handler), methods=["POST"])])
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://receiver.example"
    )


# --- Starlette and FastAPI


def test_copies_at_once_are_handled_once_and_answered_409(receiver: Receiver) -> None:
    async def scenario() -> list[int]:
        may_end = asyncio.Event()

        async def handle(_: ReceivedCall) -> None:
            await may_end.wait()

        async with client_of(receiver, handle) as client:
            sent = [asyncio.create_task(client.post("/", headers=headers_of(b""))) for _ in range(4)]
            answered: set[Any] = set()
            while len(answered) < 3:
                answered |= (await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED))[0]
                await asyncio.sleep(0.001)
            may_end.set()
            return sorted([(await each).status_code for each in sent])

    assert asyncio.run(scenario()) == [200, 409, 409, 409]


def test_cancelled_handler_releases_its_claim(receiver: Receiver) -> None:
    async def scenario() -> None:
        began = asyncio.Event()

        async def handle(_: ReceivedCall) -> None:
            began.set()
            await asyncio.Event().wait()

        async with client_of(receiver, handle) as client:
            task = asyncio.create_task(client.post("/", headers=headers_of(b"")))
            await began.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(scenario())
    eventually(lambda: other(receiver) is None)


def test_exception_with_a_status_is_answered_as_ever(receiver: Receiver) -> None:
    async def handle(_: ReceivedCall) -> None:
        raise HTTPException(503, "the warehouse is closed")

    async def scenario() -> httpx.Response:
        async with client_of(receiver, handle) as client:
            return await client.post("/", headers=headers_of(b""))

    answer = asyncio.run(scenario())
    assert (answer.status_code, answer.text) == (503, "the warehouse is closed")
    assert other(receiver) is None


def test_body_without_a_length_is_read_up_to_the_limit(receiver: Receiver) -> None:
    taken: list[int] = []

    async def endless() -> AsyncIterator[bytes]:
        for number in range(1_000_000):
            taken.append(number)
            yield b"x" * 65_536

    async def scenario() -> int:
        async with client_of(receiver, lambda _: None) as client:
            return (await client.post("/", headers=headers_of(b""), content=endless())).status_code

    assert asyncio.run(scenario()) == 413
    assert len(taken) < 10


def test_reference_of_fastapi_shows_no_parameters_of_the_handler(receiver: Receiver) -> None:
    app = FastAPI()

    @app.post("/hooks/report")
    @starlette.receives(receiver)
    async def report(call: ReceivedCall) -> None:
        """Write the report."""

    operation = app.openapi()["paths"]["/hooks/report"]["post"]
    assert (operation["summary"], operation["description"]) == ("Report", "Write the report.")
    assert "parameters" not in operation and "requestBody" not in operation


# --- Flask


def test_abort_of_flask_is_answered_as_ever(receiver: Receiver) -> None:
    app = Flask(__name__)

    @app.post("/")
    @flask.receives(receiver)
    def handle(_: ReceivedCall) -> None:
        abort(503)

    assert app.test_client().post("/", headers=headers_of(b"")).status_code == 503
    assert other(receiver) is None


def test_body_of_flask_is_read_up_to_the_limit(receiver: Receiver) -> None:
    class Endless(RawIOBase):
        """A body of any length; counts what is read of it."""

        read_bytes = 0

        def read(self, size: int = -1) -> bytes:
            self.read_bytes += size
            return b"x" * size

    app = Flask(__name__)
    app.post("/")(flask.receives(receiver)(lambda _: None))
    environ = EnvironBuilder(method="POST", headers=headers_of(b"").items()).get_environ()
    stream = Endless()
    environ |= {"wsgi.input": stream, "wsgi.input_terminated": True}
    _, status, _ = run_wsgi_app(app, environ)
    assert status.startswith("413")
    assert stream.read_bytes < 10 * 65_536


def test_flask_needs_a_function_without_async(receiver: Receiver) -> None:
    async def handle(_: ReceivedCall) -> None: ...

    with pytest.raises(TypeError, match="Starlette"):
        flask.receives(receiver)(handle)


# --- Lambda


def lambda_of(receiver: Receiver, handler: Callable[..., Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    made = aws_lambda.receives(receiver)(handler)
    return lambda event: made(event, object())


def events() -> Iterator[tuple[str, dict[str, Any]]]:
    """One call, in every form in which Lambda may get it."""
    body = '{"straße": 1}'.encode()
    headers = headers_of(body)
    yield "function URL, base64", function_url_event("POST", headers, body)
    yield (
        "function URL, text",
        function_url_event("POST", headers, body)
        | {
            "body": body.decode(),
            "isBase64Encoded": False,
        },
    )
    yield "REST API", rest_api_event("POST", headers, body)
    yield (
        "REST API, base64",
        rest_api_event("POST", headers, body)
        | {
            "body": base64.b64encode(body).decode(),
            "isBase64Encoded": True,
        },
    )
    yield "REST API, single headers", rest_api_event("POST", headers, body) | {"multiValueHeaders": None}
    yield "no parameters", function_url_event("POST", headers, body) | {"pathParameters": None}


@pytest.mark.parametrize("event", [each[1] for each in events()], ids=[each[0] for each in events()])
def test_every_form_of_an_event_is_the_same_call(receiver: Receiver, event: dict[str, Any]) -> None:
    calls: list[Any] = []
    answer = lambda_of(receiver, lambda call, **_: calls.append(call.json()))(event)
    assert answer["statusCode"] == 200
    assert calls == [{"straße": 1}]


def test_event_with_a_header_that_occurs_twice_is_refused(receiver: Receiver) -> None:
    event = rest_api_event("POST", headers_of(b"{}"), b"{}")
    event["multiValueHeaders"]["webhook-id"] *= 2
    answer = lambda_of(receiver, pytest.fail)(event)
    assert answer["statusCode"] == 401


@pytest.mark.parametrize("event", [{}, {"headers": None, "body": None}, {"body": "", "headers": {}}])
def test_event_without_headers_is_refused(receiver: Receiver, event: dict[str, Any]) -> None:
    assert lambda_of(receiver, pytest.fail)(event)["statusCode"] == 401


@pytest.mark.parametrize("body", ["!", "a", "e30", "e30=é"])
def test_event_with_malformed_base64_is_refused(receiver: Receiver, body: str) -> None:
    event = function_url_event("POST", headers_of(b"{}"), b"{}") | {"body": body}
    assert lambda_of(receiver, pytest.fail)(event)["statusCode"] == 400


def test_lambda_refuses_work_after_its_answer_and_names_the_way(receiver: Receiver) -> None:
    call_later = lambda_of(receiver, lambda call, **_: call.later(print))
    with pytest.raises(RuntimeError, match=r"call\.ticket"):
        call_later(function_url_event("POST", headers_of(b"{}"), b"{}"))
    assert other(receiver) is None


def test_lambda_hands_its_work_over_with_a_ticket(receiver: Receiver) -> None:
    invoked: list[str] = []

    def handle(call: ReceivedCall, **_: str) -> Any:
        invoked.append(call.ticket())
        return call.accepted()

    answer = lambda_of(receiver, handle)(function_url_event("POST", headers_of(b"{}"), b"{}"))
    assert (answer["statusCode"], answer["headers"]["X-Punctual-Async"]) == (202, "true")
    assert receiver.resume(invoked[0]).execution_id == EXECUTION


# --- the receiver itself


def test_secrets_may_be_read_for_each_call() -> None:
    active = ["whsec_" + "A" * 32]
    receiver = Receiver(lambda: active, seen=None, clock=clock)
    assert getattr(receiver.admit(headers_of(b""), b""), "status", 0) == 401
    active.append(NEW)
    assert isinstance(receiver.admit(headers_of(b""), b""), ReceivedCall)


def test_receiver_without_a_store_hands_every_copy_to_the_handler() -> None:
    receiver, calls = Receiver(NEW, seen=None, clock=clock), []
    handle = lambda_of(receiver, lambda call, **_: calls.append(call.id))
    for _ in range(2):
        assert handle(function_url_event("POST", headers_of(b"{}"), b"{}"))["statusCode"] == 200
    assert calls == [EXECUTION, EXECUTION]


def test_refused_request_is_logged_without_its_values(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.admit({**headers_of(b""), "webhook-id": "forged\nid"}, b"")
    assert "webhook-id" in caplog.text and "forged" not in caplog.text
