"""The same receiver in each framework, driven inside of this process."""

import asyncio
import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import httpx
from django.http import HttpResponse
from django.test import Client
from django.urls import clear_url_caches, path
from fastapi import FastAPI
from flask import Flask
from flask import Response as FlaskResponse
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from client.tests.support import django_project
from punctual.receivers import ReceivedCall, Receiver, aws_lambda, flask, starlette
from punctual.receivers import django as django_views

METHODS = ["GET", "POST"]


@dataclass(frozen=True)
class Got:
    """What the caller receives. `status` is 500 for an exception that left the application."""

    status: int
    headers: Mapping[str, str]
    text: str


Handler: TypeAlias = Callable[[ReceivedCall, str], Any]
"""Gets the call and a part of the path."""
Send: TypeAlias = Callable[[str, Mapping[str, str], bytes], Got]
"""Sends a request with a method, headers and a body."""


def _coroutine(handler: Handler) -> Callable[..., Any]:
    async def handle(call: ReceivedCall, kind: str) -> Any:
        return handler(call, kind)

    return handle


def _function(handler: Handler) -> Callable[..., Any]:
    def handle(call: ReceivedCall, kind: str) -> Any:
        return handler(call, kind)

    return handle


def _through_starlette(app: Any) -> Send:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)

    async def exchange(method: str, headers: Mapping[str, str], body: bytes) -> Got:
        async with httpx.AsyncClient(transport=transport, base_url="http://receiver.example") as client:
            got = await client.request(method, "/hooks/report", headers=dict(headers), content=body)
            return Got(got.status_code, got.headers, got.text)

    return lambda method, headers, body: asyncio.run(exchange(method, headers, body))


def in_starlette(receiver: Receiver, handler: Handler) -> Send:
    endpoint = starlette.receives(receiver)(_function(handler))
    return _through_starlette(Starlette(routes=[Route("/hooks/{kind}", endpoint, methods=METHODS)]))


def in_async_starlette(receiver: Receiver, handler: Handler) -> Send:
    endpoint = starlette.receives(receiver)(_coroutine(handler))
    return _through_starlette(Starlette(routes=[Route("/hooks/{kind}", endpoint, methods=METHODS)]))


def in_fastapi(receiver: Receiver, handler: Handler) -> Send:
    app = FastAPI()
    app.api_route("/hooks/{kind}", methods=METHODS)(starlette.receives(receiver)(_coroutine(handler)))
    return _through_starlette(app)


def in_flask(receiver: Receiver, handler: Handler) -> Send:
    app = Flask(__name__)
    app.route("/hooks/<kind>", methods=METHODS)(flask.receives(receiver)(_function(handler)))

    def send(method: str, headers: Mapping[str, str], body: bytes) -> Got:
        got = app.test_client().open("/hooks/report", method=method, headers=dict(headers), data=body)
        return Got(got.status_code, dict(got.headers), got.text)

    return send


def _through_django(view: Any) -> Send:
    django_project.URLS.urlpatterns = [path("hooks/<kind>", view)]  # type: ignore[attr-defined]
    clear_url_caches()
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)

    def send(method: str, headers: Mapping[str, str], body: bytes) -> Got:
        kind = next((each for name, each in headers.items() if name.lower() == "content-type"), "")
        got = client.generic(method, "/hooks/report", body, kind, headers=dict(headers))
        return Got(got.status_code, got.headers, got.content.decode())

    return send


def in_django(receiver: Receiver, handler: Handler) -> Send:
    return _through_django(django_views.receives(receiver)(_function(handler)))


def in_async_django(receiver: Receiver, handler: Handler) -> Send:
    return _through_django(django_views.receives(receiver)(_coroutine(handler)))


def in_atomic_django(receiver: Receiver, handler: Handler) -> Send:
    return _through_django(django_views.receives(receiver, atomic=True)(_function(handler)))


def function_url_event(method: str, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """As function URLs and HTTP APIs send it, payload version 2.0; bodies may come as base64."""
    return {
        "version": "2.0",
        "rawPath": "/hooks/report",
        "headers": {name.lower(): value for name, value in headers.items()},
        "requestContext": {"http": {"method": method, "path": "/hooks/report"}},
        "pathParameters": {"kind": "report"},
        "body": base64.b64encode(body).decode() if body else None,
        "isBase64Encoded": bool(body),
    }


def rest_api_event(method: str, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """As REST APIs send it, payload version 1.0, with binary media types for bodies that are no text."""
    try:
        text, is_base64 = body.decode(), False
    except UnicodeDecodeError:
        text, is_base64 = base64.b64encode(body).decode(), True
    return {
        "httpMethod": method,
        "path": "/hooks/report",
        "headers": dict(headers),
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "pathParameters": {"kind": "report"},
        "requestContext": {},
        "body": text or None,
        "isBase64Encoded": is_base64,
    }


def _in_lambda(
    receiver: Receiver, handler: Handler, event: Callable[[str, Mapping[str, str], bytes], dict[str, Any]]
) -> Send:
    lambda_handler = aws_lambda.receives(receiver)(_function(handler))

    def send(method: str, headers: Mapping[str, str], body: bytes) -> Got:
        try:
            got = lambda_handler(event(method, headers, body), object())
        except Exception:  # noqa: BLE001 - as the service answers whatever a function raises
            return Got(500, {}, "Internal Server Error")
        return Got(got["statusCode"], got.get("headers", {}), got.get("body", ""))

    return send


def in_function_url(receiver: Receiver, handler: Handler) -> Send:
    return _in_lambda(receiver, handler, function_url_event)


def in_rest_api(receiver: Receiver, handler: Handler) -> Send:
    return _in_lambda(receiver, handler, rest_api_event)


@dataclass(frozen=True)
class Framework:
    """How to serve a receiver, and how to make a response with a status."""

    serve: Callable[[Receiver, Handler], Send]
    respond: Callable[..., Any]
    """Gets a status and, if it matters, a body."""
    needs_django: bool = False


def _starlette_response(status: int, body: str = "own") -> Response:
    return Response(body, status)


def _lambda_response(status: int, body: str = "own") -> dict[str, Any]:
    return {"statusCode": status, "headers": {}, "body": body}


def _django_response(status: int, body: str = "own") -> HttpResponse:
    return HttpResponse(body, status=status)


FRAMEWORKS = {
    "starlette": Framework(in_starlette, _starlette_response),
    "starlette, async": Framework(in_async_starlette, _starlette_response),
    "fastapi": Framework(in_fastapi, _starlette_response),
    "flask": Framework(in_flask, lambda status, body="own": (body, status)),
    "flask, response": Framework(in_flask, lambda status, body="own": FlaskResponse(body, status)),
    "django": Framework(in_django, _django_response),
    "django, async": Framework(in_async_django, _django_response),
    "django, atomic": Framework(in_atomic_django, _django_response, needs_django=True),
    "lambda, function URL": Framework(in_function_url, _lambda_response),
    "lambda, REST API": Framework(in_rest_api, _lambda_response),
}
