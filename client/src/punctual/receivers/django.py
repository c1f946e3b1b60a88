"""Views of Django."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connections, transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from punctual.receivers._asynchronous import handle_async
from punctual.receivers.received import ReceivedCall
from punctual.receivers.receiver import Receiver, answer_of
from punctual.receivers.replies import OK, Accepted, Reply, too_large
from punctual.receivers.seen.django import DjangoSeen


def receives(
    receiver: Receiver, *, atomic: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a view of a handler, which gets a ReceivedCall and the parameters of the path by name.

    The handler returns an HttpResponse, a Reply, or what `ReceivedCall.later` returned; any other value means
    success, and is not sent. A coroutine function becomes an asynchronous view. The view is exempt from the check
    of CSRF tokens, which the signature replaces.

    `atomic` commits the work and the record that the call is done in one transaction, so that the work is done
    exactly once; an exception and a response that is no 2xx roll both back. It needs a DjangoSeen in the database of
    the work, and a handler without `async`: TypeError otherwise. `ATOMIC_REQUESTS` does not apply to the view,
    because its transaction would end after the call was recorded as done.
    """
    if atomic and not isinstance(receiver.seen, DjangoSeen):
        raise TypeError("atomic=True needs a receiver with seen=DjangoSeen()")

    def decorate(handler: Callable[..., Any]) -> Callable[..., Any]:
        if not inspect.iscoroutinefunction(handler):
            return _exempt(_view(receiver, handler, atomic=atomic), handler)
        if atomic:
            raise TypeError(
                "atomic=True needs a handler without async, because Django has no such transactions"
            )
        return _exempt(_async_view(receiver, handler), handler)

    return decorate


def _view(receiver: Receiver, handler: Callable[..., Any], *, atomic: bool) -> Callable[..., HttpResponse]:
    def view(request: HttpRequest, **path: Any) -> HttpResponse:
        call = _admit(receiver, request)
        if isinstance(call, Reply):
            return _response(call)

        def run() -> HttpResponse | Reply:
            if atomic:
                return _in_transaction(receiver.seen, call, lambda: _made(handler(call, **path)))
            return _made(handler(call, **path))

        return _response(receiver.handle(call, run, _status, _sent))

    return view


def _async_view(receiver: Receiver, handler: Callable[..., Any]) -> Callable[..., Any]:
    async def view(request: HttpRequest, **path: Any) -> HttpResponse:
        call = await _in_thread(_admit, receiver, request)
        if isinstance(call, Reply):
            return _response(call)

        async def run() -> HttpResponse | Reply:
            return _made(await handler(call, **path))

        return _response(await handle_async(call, run, _status, _in_thread, _sent))

    return view


def _in_transaction(
    seen: Any, call: ReceivedCall, run: Callable[[], HttpResponse | Reply]
) -> HttpResponse | Reply:
    with transaction.atomic(using=seen.using):
        made = run()
        if not 200 <= _status(made) < 300:
            transaction.set_rollback(True, using=seen.using)
        elif call.claim is not None and not isinstance(made, Accepted):
            call.claim.finish(answer_of(call, _sent(made)))
    return made


async def _in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    return await sync_to_async(function)(*arguments)


def _exempt(view: Callable[..., Any], handler: Callable[..., Any]) -> Callable[..., Any]:
    made = csrf_exempt(wraps(handler)(view))
    for alias in connections:
        made = transaction.non_atomic_requests(using=alias)(made)
    return made  # type: ignore[no-any-return]  # Django has no types


def _admit(receiver: Receiver, request: HttpRequest) -> ReceivedCall | Reply:
    if int(request.META.get("CONTENT_LENGTH") or 0) > receiver.max_body_bytes:
        return too_large(receiver.max_body_bytes)
    return receiver.admit(request.headers, request.body)


def _made(value: Any) -> HttpResponse | Reply:
    return value if isinstance(value, HttpResponse | Reply) else OK


def _status(made: HttpResponse | Reply) -> int:
    return made.status if isinstance(made, Reply) else int(made.status_code)


def _sent(made: HttpResponse | Reply) -> bytes:
    """The body, unless it is a stream."""
    if isinstance(made, Reply):
        return made.text.encode()
    return b"" if made.streaming else bytes(made.content)


def _response(made: HttpResponse | Reply) -> HttpResponse:
    if isinstance(made, Reply):
        return HttpResponse(made.text, status=made.status, headers=made.all_headers)
    return made
