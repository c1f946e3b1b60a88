"""EventQueue: events that are delivered again after a delay, and dead ones with their reason."""

from dataclasses import replace

from shared.adapters.sqs.event_queue import MAX_BATCH_BYTES, MAX_REASON
from shared.domain.triggers.queued_event import DeadEvent, LaterEvent, QueuedEvent, Redeliveries
from tests.support.conformance.event_queues import EventQueues, SqsEventQueues
from tests.support.conformance.interference import answering, failure

COUNTS = Redeliveries(first_at=1_764_232_000_123, over_quota=3, unavailable=70, failed=1)
BODY = '{"detail-type": "paid", "detail": {"name": "Zoë \\u0000", "emoji": "🙂"}}'


def event(number: int = 0, body: str = BODY) -> QueuedEvent:
    return QueuedEvent(id=f"00000000-0000-0000-0000-{number:012}", body=body)


def later(number: int = 0, *, delay_seconds: int = 0, body: str = BODY) -> LaterEvent:
    return LaterEvent(
        event=event(number, body), redeliveries=COUNTS, delay_seconds=delay_seconds, account="111122223333"
    )


def dead(number: int = 0, reason: str = "data: too large") -> DeadEvent:
    return DeadEvent(event=event(number), reason=reason, first_at=COUNTS.first_at)


def test_event_comes_again_unchanged_with_its_redeliveries(event_queues: EventQueues) -> None:
    assert event_queues.queue.send_later([later()]) == {event().id}
    (received,) = event_queues.receive()
    assert (received.body, received.redeliveries) == (BODY, COUNTS)
    assert received.id != event().id


def test_event_of_no_account_comes_again(event_queues: EventQueues) -> None:
    assert event_queues.queue.send_later([replace(later(), account=None)]) == {event().id}
    assert [each.redeliveries for each in event_queues.receive()] == [COUNTS]


def test_event_comes_again_after_its_delay(event_queues: EventQueues) -> None:
    sent = [later(1, delay_seconds=1), later(2, delay_seconds=900)]
    assert event_queues.queue.send_later(sent) == {each.event.id for each in sent}
    assert event_queues.receive() == []
    event_queues.pass_seconds(1)
    assert len(event_queues.receive()) == 1
    assert event_queues.receive_dead() == []


def test_dead_event_has_its_reason_and_its_first_receipt(event_queues: EventQueues) -> None:
    assert event_queues.queue.send_dead([dead()]) == {event().id}
    (received,) = event_queues.receive_dead()
    assert (received.body, received.reason) == (BODY, "data: too large")
    assert received.first_at == COUNTS.first_at
    assert event_queues.receive() == []


def test_more_events_than_one_request_takes_are_all_sent(event_queues: EventQueues) -> None:
    assert len(event_queues.queue.send_later([later(number) for number in range(23)])) == 23
    assert len(event_queues.queue.send_dead([dead(number) for number in range(11)])) == 11
    assert len(event_queues.receive()) == 23
    assert len(event_queues.receive_dead()) == 11


def test_events_larger_than_one_request_together_are_all_sent(event_queues: EventQueues) -> None:
    half = "x" * (MAX_BATCH_BYTES // 2)
    sent = [later(number, body=half) for number in range(3)]
    assert len(event_queues.queue.send_later(sent)) == 3
    assert len(event_queues.receive()) == 3


def test_reason_of_any_form_is_sent(sqs_event_queues: SqsEventQueues) -> None:
    reasons = ["", "\x00\ud800é", "x" * 10_000]
    assert len(sqs_event_queues.queue.send_dead([dead(n, text) for n, text in enumerate(reasons)])) == 3
    found = sorted(each.reason for each in sqs_event_queues.receive_dead())
    assert found == ["?", "???", "x" * MAX_REASON]


def test_event_that_sqs_does_not_take_is_not_reported_as_sent(sqs_event_queues: SqsEventQueues) -> None:
    too_large = later(1, body="x" * (MAX_BATCH_BYTES + 1))
    assert sqs_event_queues.queue.send_later([too_large, later(2)]) == {event(2).id}
    with answering(sqs_event_queues.client, "SendMessageBatch", failure("ServiceUnavailable")):
        assert sqs_event_queues.queue.send_later([later(3)]) == set()
    with answering(sqs_event_queues.client, "SendMessageBatch", failure("ServiceUnavailable")):
        assert sqs_event_queues.queue.send_dead([dead(3)]) == set()


def test_event_whose_group_is_refused_is_sent_without_it(sqs_event_queues: SqsEventQueues) -> None:
    sent = replace(later(), account="no group", delay_seconds=0)
    assert sqs_event_queues.queue.send_later([sent, later(1)]) == {event().id, event(1).id}
    assert len(sqs_event_queues.receive()) == 2
