"""The fake of the Sender: it keeps the port's promises too. The real one has a suite of its own, over real sockets."""

import asyncio

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from tests.support.builders import DUE_AT
from tests.support.fakes.clock import VirtualClock
from tests.support.fakes.sender import Call, ScriptedSender, in_turn

CALLBACK = Callback(
    tenant_id="acme",
    method="POST",
    url="https://hooks.example.com/",
    headers=(("webhook-signature", "v1,x"),),
)
BUSY = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=40, status=503)
FINE = CallbackResponse(reason=Reason.OK, duration_ms=7, status=200)


def send(sender: ScriptedSender, timeout_seconds: float = 30) -> CallbackResponse:
    return asyncio.run(sender.send(CALLBACK, timeout_seconds=timeout_seconds))


def test_receivers_are_content_unless_the_script_says_otherwise() -> None:
    assert send(ScriptedSender(VirtualClock(DUE_AT))).succeeded


def test_answers_come_in_turn_and_take_their_time() -> None:
    clock = VirtualClock(DUE_AT)
    sender = ScriptedSender(clock, in_turn(BUSY, FINE))
    assert [send(sender) for _ in range(3)] == [BUSY, FINE, FINE]
    assert clock.now_ms() == DUE_AT + 40 + 7 + 7
    assert sender.calls[1] == Call(callback=CALLBACK, at=DUE_AT + 40, timeout_seconds=30)


def test_no_answer_takes_longer_than_the_deadline() -> None:
    clock = VirtualClock(DUE_AT)
    slow = CallbackResponse(reason=Reason.OK, duration_ms=5_000, status=200)
    answer = send(ScriptedSender(clock, in_turn(slow)), timeout_seconds=2)
    assert (answer.reason, answer.status, answer.duration_ms) == (Reason.TIMEOUT, None, 2_000)
    assert clock.now_ms() == DUE_AT + 2_000
