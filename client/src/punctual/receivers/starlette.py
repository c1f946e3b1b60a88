"""Endpoints of Starlette and FastAPI."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from punctual.receivers._asynchronous import handle_async
from punctual.receivers.receiver import Receiver
from punctual.receivers.replies import OK, Reply, too_large

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


def receives(receiver: Receiver) -> Callable[[Callable[..., Any]], Endpoint]:
    """Make an endpoint of a handler, which gets a ReceivedCall and the parameters of the path by name.

    A handler that is no coroutine function runs in a thread. It returns a Response, a Reply, or what
    `ReceivedCall.later` returned; any other value means success, and is not sent. An HTTPException is answered as
    ever, and the call is retried unless its status is a success.
    """

    def decorate(handler: Callable[..., Any]) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            body = await _body(request, receiver.max_body_bytes)
            if body is None:
                return _response(too_large(receiver.max_body_bytes))
            call = await run_in_threadpool(receiver.admit, request.headers, body)
            if isinstance(call, Reply):
                return _response(call)
            path = request.path_params
            if inspect.iscoroutinefunction(handler):

                async def run() -> Response | Reply:
                    return _made(await handler(call, **path))

                return _response(await handle_async(call, run, _status, run_in_threadpool, _sent))
            return _response(
                await run_in_threadpool(
                    receiver.handle, call, lambda: _made(handler(call, **path)), _status, _sent
                )
            )

        # No functools.wraps: FastAPI would read the parameters of the handler as those of a request.
        endpoint.__name__, endpoint.__doc__ = handler.__name__, handler.__doc__
        endpoint.__module__, endpoint.__qualname__ = handler.__module__, handler.__qualname__
        return endpoint

    return decorate


async def _body(request: Request, max_bytes: int) -> bytes | None:
    """The raw body; None if it is too large, without reading all of it."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            return None
    return bytes(body)


def _made(value: Any) -> Response | Reply:
    return value if isinstance(value, Response | Reply) else OK


def _status(made: Response | Reply) -> int:
    return made.status if isinstance(made, Reply) else made.status_code


def _sent(made: Response | Reply) -> bytes:
    """The body, unless it is a stream."""
    return made.text.encode() if isinstance(made, Reply) else bytes(getattr(made, "body", b""))


def _response(made: Response | Reply) -> Response:
    if isinstance(made, Response):
        return made
    return Response(made.text, made.status, made.all_headers)
