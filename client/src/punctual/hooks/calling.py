"""Makes one call to a receiver, whose bytes are exactly those that were asked for."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import h11

from punctual._config import is_loopback
from punctual.errors import PunctualError
from punctual.hooks.target import Target
from punctual.hooks.wire import Channel, RawHeaders, WireError


class CallError(PunctualError):
    """The receiver gave no whole answer."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request, with all of its headers."""

    method: bytes
    request_target: bytes
    """The path with its query."""
    headers: RawHeaders = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer whose body is still to come."""

    status: int
    reason: bytes
    headers: RawHeaders = field(repr=False)
    _channel: Channel = field(repr=False)
    _name: str = field(repr=False)

    async def chunks(self) -> AsyncIterator[bytes]:
        """The parts of the body, as they arrive; CallError if it breaks off."""
        try:
            async for chunk in self._channel.chunks():
                yield chunk
        except (OSError, WireError):
            raise CallError(f"the answer of {self._name} broke off") from None

    async def start_of_body(self, max_bytes: int) -> bytes:
        """At most so many bytes of the body; CallError as for `chunks`."""
        found = bytearray()
        async for chunk in self.chunks():
            found += chunk
            if len(found) >= max_bytes:
                break
        return bytes(found[:max_bytes])


@dataclass(frozen=True, slots=True)
class CallResult:
    """The answer to a single call."""

    status: int
    headers: RawHeaders = field(repr=False)
    start_of_body: bytes = field(repr=False)
    seconds: float


async def make_call(
    target: Target, request: Outgoing, *, max_seconds: float, max_bytes: int, monotonic: Callable[[], float]
) -> CallResult:
    """Make a call, and read at most `max_bytes` of its answer. CallError as for `answered`, or if it takes longer."""
    began = monotonic()

    async def call() -> CallResult:
        async with answered(target, request) as answer:
            body = await answer.start_of_body(max_bytes)
            return CallResult(answer.status, answer.headers, body, monotonic() - began)

    try:
        return await asyncio.wait_for(call(), max_seconds)
    except asyncio.TimeoutError:
        raise CallError(f"{target.authority} gave no whole answer in {max_seconds:g} s") from None


@asynccontextmanager
async def answered(target: Target, request: Outgoing) -> AsyncIterator[Answer]:
    """Make a call on a connection of its own, which is open inside of the context.

    CallError without a connection or an answer. Redirects are not followed.
    """
    name = target.authority
    reader, writer = await _connected(target)
    try:
        channel = Channel(h11.CLIENT, reader, writer)
        try:
            head = await _head(channel, request)
        except OSError as error:
            raise CallError(f"{name} closed the connection without an answer ({_cause(error)})") from None
        except WireError as error:
            raise CallError(f"{name} gave no answer that can be read: {error}") from None
        except h11.LocalProtocolError:
            # Its text can have the value of a header.
            raise CallError("the request cannot be sent: a header is malformed") from None
        yield Answer(head.status_code, head.reason, head.headers.raw_items(), channel, name)
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)  # The transport closes now.


async def _head(channel: Channel, request: Outgoing) -> h11.Response:
    # A receiver may answer and close before it has read the body: then its answer is read all the same.
    with suppress(ConnectionError):
        await channel.send(
            h11.Request(method=request.method, target=request.request_target, headers=request.headers)
        )
        if request.body:
            await channel.send(h11.Data(data=request.body))
        await channel.send(h11.EndOfMessage())
    while not isinstance(event := await channel.receive(), h11.Response):
        pass
    return event


async def _connected(target: Target) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    context = ssl.create_default_context() if target.scheme == "https" else None
    try:
        reader, writer = await asyncio.open_connection(target.host, target.port, ssl=context)
    except OSError as error:
        raise CallError(f"no connection to {target.authority} ({_cause(error)})") from None
    # A name such as localhost leads where the resolver of this machine says.
    if not (target.is_remote_allowed or is_loopback(writer.get_extra_info("peername")[0])):
        writer.transport.abort()
        raise CallError(f"{target.host} leads to another machine: add --allow-remote to call it")
    return reader, writer


def _cause(error: OSError) -> str:
    return error.strerror or type(error).__name__
