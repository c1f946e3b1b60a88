"""Handlers of AWS Lambda, behind a function URL or API Gateway (HTTP APIs, and REST APIs with proxy integration)."""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, TypeAlias

from punctual.receivers.long_work import in_thread
from punctual.receivers.received import ReceivedCall
from punctual.receivers.receiver import Receiver
from punctual.receivers.replies import OK, Reply

Event: TypeAlias = Mapping[str, Any]
LambdaHandler: TypeAlias = Callable[[Event, Any], dict[str, Any]]


def receives(receiver: Receiver) -> Callable[[Callable[..., Any]], LambdaHandler]:
    """Make a Lambda handler of a handler, which gets a ReceivedCall and the parameters of the path by name.

    The handler returns a response with a `statusCode`, a Reply, or `call.accepted()`; any other value means success,
    and is not sent. `call.later` is refused, because Lambda freezes a function that has answered: pass
    `call.ticket()` to an asynchronous invocation of a function that resumes it.

    A REST API changes bodies that are no text, unless `*/*` is one of its binary media types.
    """

    def decorate(handler: Callable[..., Any]) -> LambdaHandler:
        @wraps(handler)
        def lambda_handler(event: Event, _context: Any) -> dict[str, Any]:
            try:
                body = body_of(event)
            except ValueError:
                return _response(Reply(400, "the body of the event is no base64"))
            call = receiver.admit(headers_of(event), body)
            if isinstance(call, Reply):
                return _response(call)
            ours, path = _without_threads(call), event.get("pathParameters") or {}
            return _response(receiver.handle(ours, lambda: _made(handler(ours, **path)), _status, _sent))

        return lambda_handler

    return decorate


def body_of(event: Event) -> bytes:
    """The raw body; ValueError if it is malformed base64."""
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(body).encode()
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise ValueError("the body is no base64") from error


def headers_of(event: Event) -> list[tuple[str, str]]:
    """Names and values of all headers, of either payload version."""
    several: Mapping[str, list[str]] = event.get("multiValueHeaders") or {}
    if several:
        return [(name, value) for name, values in several.items() for value in values]
    single: Mapping[str, str] = event.get("headers") or {}
    return list(single.items())


def _without_threads(call: ReceivedCall) -> ReceivedCall:
    if call.long_work is None or call.long_work.start is not in_thread:
        return call
    return ReceivedCall(call, call.claim, replace(call.long_work, start=_refuse))


def _refuse(_run: Callable[[], None]) -> None:
    raise RuntimeError(
        "Lambda freezes a function that has answered: pass call.ticket() to an asynchronous invocation, "
        "and return call.accepted()"
    )


def _made(value: Any) -> dict[str, Any] | Reply:
    return value if isinstance(value, Reply) or (isinstance(value, dict) and "statusCode" in value) else OK


def _status(made: dict[str, Any] | Reply) -> int:
    return made.status if isinstance(made, Reply) else int(made["statusCode"])


def _sent(made: dict[str, Any] | Reply) -> bytes:
    if isinstance(made, Reply):
        return made.text.encode()
    body = made.get("body")
    return body.encode() if isinstance(body, str) and not made.get("isBase64Encoded") else b""


def _response(made: dict[str, Any] | Reply) -> dict[str, Any]:
    if not isinstance(made, Reply):
        return made
    return {"statusCode": made.status, "headers": made.all_headers, "body": made.text}
