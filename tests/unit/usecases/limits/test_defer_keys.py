"""DEFER: of two messages for one execution the one that goes on is the one that does not end."""

from dataclasses import replace

import pytest

from shared.domain.dispatch.arrival import WaitSoFar
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.executions.stages import WaitCause
from shared.domain.limits.scopes import Deferral, WaitReason
from shared.usecases.limits.apply_backpressure import ReceivedMessage
from shared.usecases.limits.defer_keys import DeferKeys
from tests.support.builders import DUE_AT, wakeup
from tests.support.usecases.ports import FakePorts


def received(message: Wakeup) -> ReceivedMessage:
    wait = message.wait or WaitSoFar(visible_at=DUE_AT - 40, received_at=DUE_AT - 20)
    return ReceivedMessage(wakeup=message, visible_at=DUE_AT, receive_count=1, wait=wait)


@pytest.mark.parametrize("swept_first", [True, False])
def test_the_message_of_a_sweep_never_takes_the_place_of_one_that_does_not_end(swept_first: bool) -> None:
    ports = FakePorts(DUE_AT)
    original = wakeup(1)
    swept = replace(original, ends_at=DUE_AT + 1)
    pair = [received(each) for each in ([swept, original] if swept_first else [original, swept])]
    waits = {original.keys[0]: Deferral(reason=WaitReason.TENANT_RATE, wait_ms=2_000)}
    assert DeferKeys(queue=ports.queue, clock=ports.clock).execute(pair, waits) == set()
    (sent,) = ports.queue.messages
    assert (sent.wakeup.keys, sent.wakeup.ends_at) == (original.keys, None)


@pytest.mark.parametrize("reason", WaitReason)
def test_deferred_key_carries_its_first_receive_and_the_reason(reason: WaitReason) -> None:
    ports = FakePorts(DUE_AT)
    message = received(wakeup(1))
    waits = {message.wakeup.keys[0]: Deferral(reason=reason, wait_ms=2_000)}
    DeferKeys(queue=ports.queue, clock=ports.clock).execute([message], waits)
    (sent,) = ports.queue.messages
    assert sent.wakeup.wait == message.wait.deferred(WaitCause[reason.name], 2_000)
