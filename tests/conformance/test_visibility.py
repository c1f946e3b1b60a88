"""Putting a received message back for a while."""

import time

from shared.adapters.aws.errors import NoAnswerError
from shared.adapters.sqs.visibility import MAX_VISIBILITY_SECONDS, SqsVisibility
from shared.names import Lane, QueueName
from tests.support.builders import DUE_AT, wakeup
from tests.support.conformance.interference import answering, failure, watching
from tests.support.conformance.lanes import SqsLanes


def received(sqs: SqsLanes) -> str:
    sqs.queue.send([wakeup()], DUE_AT)
    (message,) = sqs.receive_raw(Lane.STANDARD)
    return message.receipt_handle


def put_back(sqs: SqsLanes, handle: str, seconds: int) -> bool:
    return SqsVisibility(sqs.client, sqs.queue_urls)(QueueName.STANDARD, handle, seconds)


def test_a_message_that_is_put_back_for_no_time_comes_again_at_once(sqs: SqsLanes) -> None:
    assert put_back(sqs, received(sqs), 0)
    assert sqs.receive(Lane.STANDARD) == [wakeup()]


def test_a_message_comes_again_when_its_time_has_passed(sqs: SqsLanes) -> None:
    assert put_back(sqs, received(sqs), 1)
    assert sqs.receive(Lane.STANDARD) == []
    time.sleep(1.1)
    assert sqs.receive(Lane.STANDARD) == [wakeup()]


def test_times_that_sqs_would_refuse_are_never_asked_for(sqs: SqsLanes) -> None:
    handle = received(sqs)
    with watching(sqs.client) as calls:
        for seconds in (MAX_VISIBILITY_SECONDS + 1, 10**9, -5):
            assert put_back(sqs, handle, seconds)
    asked = [call["VisibilityTimeout"] for call in calls.of("ChangeMessageVisibility")]
    assert asked == [MAX_VISIBILITY_SECONDS, MAX_VISIBILITY_SECONDS, 0]


def test_a_fault_is_said_and_not_raised(sqs: SqsLanes) -> None:
    handle = received(sqs)
    nowhere = NoAnswerError("nowhere")
    for fault in (failure("ReceiptHandleIsInvalid"), failure("ThrottlingException"), nowhere):
        with answering(sqs.client, "ChangeMessageVisibility", fault):
            assert not put_back(sqs, handle, 5)


def test_a_handle_that_nobody_was_given_is_a_fault(sqs: SqsLanes) -> None:
    assert not put_back(sqs, "nobody was given this", 5)
