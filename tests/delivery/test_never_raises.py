"""The sender: every failure is an answer, and every call can be cancelled."""

import asyncio
import errno
import ssl
import threading
from typing import Any, NamedTuple

import pytest

from shared.adapters.http import sender as sender_module
from shared.adapters.http.connection import Connection
from shared.domain.delivery.callback import Reason
from tests.support.delivery.names import always
from tests.support.delivery.sending import LONG, OK_HEAD, SHORT, post, run, sending
from tests.support.fakes.receiver import Peer, Receiver, replies, reply, silent


@pytest.mark.parametrize(
    "bad",
    [
        {"url": ""},
        {"url": "/relative"},
        {"url": "https://"},
        {"url": "https:///x"},
        {"url": "http://[::1"},
        {"url": "http://127.0.0.1:99999/"},
        {"url": "http://127.0.0.1:x/"},
        {"url": "ftp://127.0.0.1/"},
        {"url": "ws://127.0.0.1/"},
        {"url": "tcp://127.0.0.1/"},
        {"url": "http://127.0.0.1:0/"},
        {"url": "http://127.0.0.1:/"},
        {"url": "http://127.1:1024/"},
        {"url": "http://0x7f000001:1024/"},
        {"url": "http://user@127.0.0.1:1024/"},
        {"url": "http://user:secret@127.0.0.1:1024/"},
        {"url": "http://127.0.0.1:1024\\@localhost/"},
        {"url": "http://localhost.:1024/"},
        {"url": "http://local%68ost:1024/"},
        {"url": "http://[::1%25lo]:1024/"},
        {"url": "http://[::1:1024/"},
        {"url": "HTTP://127.0.0.1:1024/"},
        {"url": "{listener}#fragment"},
        {"url": "{listener}ä"},
        {"url": "{listener} "},
        {"url": "{listener}\r\nX: y"},
        {"url": "{listener}\x00"},
        {"method": "GE T"},
        {"method": "GET\r\nX: y\r\n"},
        {"method": ""},
        {"headers": (("X", "a\r\nY: b"),)},
        {"headers": (("X\r\nY", "a"),)},
        {"headers": (("X", "a\nY: b"),)},
        {"headers": (("X", "a\0"),)},
        {"headers": (("X", "ä"),)},
        {"headers": (("X: y", "a"),)},
        {"headers": (("", "a"),)},
        {"headers": (("Content-Length", "many"),)},
        {"headers": (("content-length", "2"),)},
        {"headers": (("Transfer-Encoding", "chunked"),)},
        {"headers": (("HOST", "elsewhere.test"),)},
        {"headers": (("Connection", "close"),)},
        {"headers": (("Expect", "100-continue"),)},
    ],
)
def test_an_unreadable_request_is_an_answer_and_sends_nothing(bad: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with Receiver(silent()) as receiver, sending() as sender:
            changed = {**bad}
            changed["url"] = bad.get("url", "{listener}").replace("{listener}", receiver.url())
            answer = await sender.send(post(**changed), timeout_seconds=SHORT)
            assert (answer.reason, answer.status) == (Reason.REQUEST_UNREADABLE, None)
            assert receiver.requests == []

    run(scenario)


class Step(NamedTuple):
    owner: Any
    name: str


LOOK_UP = Step(threading.Thread, "start")
ENCODE = Step(sender_module, "encode_request")
TRUST = Step(ssl, "create_default_context")
EXCHANGE = Step(Connection, "exchange")


@pytest.mark.parametrize(
    ("step", "error", "reason"),
    [
        (LOOK_UP, RuntimeError("can't start new thread"), Reason.UNAVAILABLE),
        (ENCODE, MemoryError(), Reason.UNAVAILABLE),
        (TRUST, MemoryError(), Reason.UNAVAILABLE),
        (TRUST, OSError(errno.EMFILE, "too many open files"), Reason.UNAVAILABLE),
        (EXCHANGE, MemoryError(), Reason.PROTOCOL_ERROR),
        (EXCHANGE, OSError(errno.EMSGSIZE, "too many messages"), Reason.PROTOCOL_ERROR),
    ],
)
def test_lack_of_resources_refunds_the_attempt_only_before_the_request_is_sent(
    step: Step, error: Exception, reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    async def scenario() -> None:
        async with Receiver(silent()) as receiver, sending(look_up=always("127.0.0.1")) as sender:
            scheme = "https" if step is TRUST else "http"
            call = post(receiver.url(host="open.test", scheme=scheme))
            with monkeypatch.context() as patch:
                patch.setattr(*step, fail)
                answer = await sender.send(call, timeout_seconds=LONG)
            assert (answer.reason, receiver.requests) == (reason, [])

    run(scenario)


@pytest.mark.parametrize(
    "head", [None, OK_HEAD + b"Content-Length: 9\r\n\r\n", b"HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\n"]
)
def test_cancellation_passes_through_and_leaves_the_sender_usable(head: bytes | None) -> None:
    async def answers_once_cancelled(peer: Peer) -> None:
        await peer.request()
        if peer.number > 1:
            await peer.send(reply())
            return
        if head is not None:
            await peer.send(head)
        await asyncio.Event().wait()

    async def scenario() -> None:
        async with Receiver(answers_once_cancelled) as receiver, sending(limit=1) as sender:
            call = asyncio.create_task(sender.send(post(receiver.url()), timeout_seconds=LONG))
            while not receiver.requests:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.01)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert call.cancelled()
            assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).reason is Reason.OK

    run(scenario)


def test_a_closed_sender_opens_again_and_closing_twice_is_harmless() -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending() as sender:
            await sender.close()
            assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).succeeded
            await sender.close()
            await sender.close()
            assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).succeeded
            assert receiver.connections == 2

    run(scenario)
