"""Views of Flask."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, current_app, request

from punctual.receivers.receiver import Receiver
from punctual.receivers.replies import Reply, too_large

_CHUNK = 65_536


def receives(receiver: Receiver) -> Callable[[Callable[..., Any]], Callable[..., Response]]:
    """Make a view of a handler, which gets a ReceivedCall and the parameters of the path by name.

    The handler returns what a view returns, None, a Reply, or what `ReceivedCall.later` returned. What `abort`
    raises is answered as ever, and the call is retried. TypeError for a coroutine function.
    """

    def decorate(handler: Callable[..., Any]) -> Callable[..., Response]:
        if inspect.iscoroutinefunction(handler):
            # Flask ends the event loop with the view, and with it all that `later` has started.
            raise TypeError(
                "a receiver of Flask needs a function without async; use Starlette for coroutines"
            )

        @wraps(handler)
        def view(**path: Any) -> Response:
            body = _body(receiver.max_body_bytes)
            if body is None:
                return _response(too_large(receiver.max_body_bytes))
            call = receiver.admit(request.headers, body)
            if isinstance(call, Reply):
                return _response(call)
            return _response(receiver.handle(call, lambda: _made(handler(call, **path)), _status, _sent))

        return view

    return decorate


def _body(max_bytes: int) -> bytes | None:
    """The raw body; None if it is too large, without reading all of it."""
    body = bytearray()
    while chunk := request.stream.read(_CHUNK):
        body += chunk
        if len(body) > max_bytes:
            return None
    return bytes(body)


def _made(value: Any) -> Response | Reply:
    return value if isinstance(value, Reply) else current_app.make_response("" if value is None else value)


def _status(made: Response | Reply) -> int:
    return made.status if isinstance(made, Reply) else made.status_code


def _sent(made: Response | Reply) -> bytes:
    """The body, unless it is a stream."""
    if isinstance(made, Reply):
        return made.text.encode()
    return b"" if made.is_streamed or made.direct_passthrough else made.get_data()


def _response(made: Response | Reply) -> Response:
    return Response(made.text, made.status, made.all_headers) if isinstance(made, Reply) else made
