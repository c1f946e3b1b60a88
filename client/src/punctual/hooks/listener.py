"""The server of `punctual listen`: shows each call, and forwards its bytes to a receiver."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

import h11

from punctual._config import is_loopback
from punctual.hooks.arrival import Arrival, Outcome, Source, arrival_of
from punctual.hooks.calling import Answer, CallError, Outgoing, answered
from punctual.hooks.faults import Fault, FaultDraw
from punctual.hooks.target import Target
from punctual.hooks.wire import LINGER_SECONDS, OF_THE_CONNECTION, Channel, ClosedError, RawHeaders, WireError

FORBIDDEN, BAD_GATEWAY, UNAVAILABLE, GATEWAY_TIMEOUT = 403, 502, 503, 504
_FRAMING = frozenset((b"content-length", b"transfer-encoding"))


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call, and all calls together, may take."""

    body_bytes: int = 1024 * 1024
    """Five times the largest body of Punctual."""
    calls: int = 100
    """Calls at the same time; further ones get 503 and are repeated by Punctual."""
    request_seconds: float = 30.0
    """How long a call may take to arrive."""
    answer_seconds: float = 90.0
    """How long the receiver may take. The longest `timeout_seconds` of a job is 60."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the listener has from the process."""

    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    show: Callable[[Arrival, Outcome], None]
    """Is given every call, once it is answered."""
    note: Callable[[str], None]
    """Is told of requests that are no calls."""


class Listener:
    """Forwards calls to a target, each on a connection of its own.

    Method, path, headers and body stay as they came, but for `Host` and other headers of the connection.
    """

    def __init__(
        self,
        target: Target,
        around: Surroundings,
        *,
        secrets: Sequence[str] = (),
        faults: FaultDraw,
        limits: Limits | None = None,
    ) -> None:
        self._target = target
        self._around = around
        self._secrets = tuple(secrets)
        self._faults = faults
        self._limits = limits or Limits()
        self._at_work = 0

    async def serve(self, host: str, port: int, *, ready: Callable[[int], None], stop: asyncio.Event) -> None:
        """Listen until `stop` is set; `ready` is given the port. OSError if the port is not available."""
        tasks: set[asyncio.Task[None]] = set()

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            if task is not None:
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            with suppress(asyncio.CancelledError):
                await self._handle(reader, writer)

        server = await asyncio.start_server(handle, host, port)
        try:
            ready(server.sockets[0].getsockname()[1])
            await stop.wait()
        finally:
            server.close()
            if tasks:
                # Answers on their way get a moment to arrive.
                await asyncio.wait(tasks, timeout=LINGER_SECONDS)
            for task in list(tasks):
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0)  # The transports that were aborted close now.

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        channel = Channel(h11.SERVER, reader, writer)
        try:
            if self._at_work >= self._limits.calls:
                self._around.note(f"a call was answered with 503: {self._limits.calls} others are at work")
                await channel.answer(UNAVAILABLE, "punctual listen: too many calls", [(b"Retry-After", b"1")])
            else:
                await self._counted(channel)
            await channel.finish()
        except OSError:
            pass  # The caller is gone.
        finally:
            channel.abort()

    async def _counted(self, channel: Channel) -> None:
        self._at_work += 1
        try:
            await self._call(channel)
        finally:
            self._at_work -= 1

    async def _call(self, channel: Channel) -> None:
        try:
            request, body = await asyncio.wait_for(self._request(channel), self._limits.request_seconds)
        except asyncio.TimeoutError:
            self._around.note("a request did not arrive in time")
            return
        except ClosedError:
            return
        except WireError as error:
            self._around.note(f"a request was refused with {error.status}: {error}")
            await channel.answer(error.status, f"punctual listen: {error}")
            return
        began = self._around.monotonic()
        raw = request.headers.raw_items()
        arrival = arrival_of(
            request.method, request.target, raw, body, secrets=self._secrets, arrived_at=self._around.now()
        )
        source, status, detail = await _Reply(channel, self._around, self._faults.next()).give(
            self._target, self._limits.answer_seconds, request, body
        )
        outcome = Outcome(source, status, self._around.monotonic() - began, detail)
        self._around.show(arrival, outcome)

    async def _request(self, channel: Channel) -> tuple[h11.Request, bytes]:
        request = await channel.receive()
        if not isinstance(request, h11.Request):
            raise WireError("this is no request")
        return request, await channel.body(self._limits.body_bytes)


Given = tuple[Source, int, str | None]
"""Who answered, with which status, and what went wrong."""


class _Reply:
    """The answer to one call."""

    def __init__(self, channel: Channel, around: Surroundings, fault: Fault) -> None:
        self._channel = channel
        self._around = around
        self._fault = fault
        self._status: int | None = None
        """The status that was sent."""

    async def give(self, target: Target, max_seconds: float, request: h11.Request, body: bytes) -> Given:
        """Answer as the fault says, or else as the receiver does."""
        if self._fault.status is not None:
            return await self._own(self._fault.status, "a fault of --fail", Source.INJECTED)
        try:
            _check_caller(target, request)
            outgoing = _forwarded(target, request, body)
        except ValueError as error:
            return await self._own(FORBIDDEN, str(error), Source.LISTENER)
        try:
            seconds = max_seconds + self._fault.delay_seconds
            return await asyncio.wait_for(self._relay(target, outgoing), seconds)
        except asyncio.TimeoutError:
            return await self._failed(
                GATEWAY_TIMEOUT, f"no answer of {target.authority} in {max_seconds:g} s"
            )
        except CallError as error:
            return await self._failed(BAD_GATEWAY, str(error))

    async def _relay(self, target: Target, outgoing: Outgoing) -> Given:
        async with answered(target, outgoing) as answer:
            await self._delay()
            try:
                await self._pass_on(answer)
            except OSError:
                return Source.RECEIVER, answer.status, "the caller did not wait for the answer"
            return Source.RECEIVER, answer.status, None

    async def _pass_on(self, answer: Answer) -> None:
        self._status = answer.status
        await self._channel.send(
            h11.Response(status_code=answer.status, reason=answer.reason, headers=_relayed(answer.headers))
        )
        async for chunk in answer.chunks():
            await self._channel.send(h11.Data(data=chunk))
        await self._channel.send(h11.EndOfMessage())

    async def _failed(self, status: int, detail: str) -> Given:
        """The receiver gave no whole answer: say so, or end the answer in the middle, as the receiver did."""
        if self._status is None:
            return await self._own(status, detail, Source.LISTENER)
        return Source.RECEIVER, self._status, detail

    async def _own(self, status: int, detail: str, source: Source) -> Given:
        if source is Source.INJECTED:
            await self._delay()
        given = source, status, None if source is Source.INJECTED else detail
        with suppress(OSError):
            await self._channel.answer(status, f"punctual listen: {detail}")
        return given

    async def _delay(self) -> None:
        if self._fault.delay_seconds:
            await self._around.sleep(self._fault.delay_seconds)


def _check_caller(target: Target, request: h11.Request) -> None:
    """ValueError for a request that a web page has made a browser send here.

    Such a page comes here by a name of its own, which is in `Host`, or sends to 127.0.0.1, and then `Origin` or
    `Sec-Fetch-Site` tells. A call of Punctual has neither of these two, unless its job sets it.
    """
    if target.is_remote_allowed:
        return
    if not all(is_loopback(_host_of(b"//" + value)) for value in _values(request, b"host")):
        raise ValueError("the header Host names another machine: add --allow-remote to take such calls")
    origins = _values(request, b"origin")
    if not all(is_loopback(_host_of(value)) for value in origins):
        raise ValueError("a web page of another site sends this: add --allow-remote to take such calls")
    sites = _values(request, b"sec-fetch-site")
    if not origins and any(value.strip().lower() == b"cross-site" for value in sites):
        raise ValueError("a web page of another site asks for this: add --allow-remote to take such calls")


def _values(request: h11.Request, name: bytes) -> list[bytes]:
    return [value for each, value in request.headers if each == name]


def _host_of(value: bytes) -> str:
    try:
        return urlsplit(value.decode("latin-1")).hostname or ""
    except ValueError:
        return ""


def _forwarded(target: Target, request: h11.Request, body: bytes) -> Outgoing:
    """The same request for the target; ValueError if it names no path."""
    given = request.headers.raw_items()
    is_chunked = any(name.lower() == b"transfer-encoding" for name, _ in given)
    dropped = OF_THE_CONNECTION | (_FRAMING if is_chunked else frozenset())
    kept = [(name, value) for name, value in given if name.lower() not in dropped]
    if is_chunked:
        kept.append((b"Content-Length", str(len(body)).encode()))
    return Outgoing(
        method=request.method,
        request_target=target.joined(request.target),
        headers=[(b"Host", target.authority.encode()), *kept, (b"Connection", b"close")],
        body=body,
    )


def _relayed(headers: RawHeaders) -> RawHeaders:
    kept = [(name, value) for name, value in headers if name.lower() not in OF_THE_CONNECTION]
    return [*kept, (b"Connection", b"close")]
