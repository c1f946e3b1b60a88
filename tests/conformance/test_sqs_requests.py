"""The SQS adapter: what it asks of SQS, and what it makes of partial and whole failures."""

from threading import Barrier
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shared.adapters.sqs.wakeup_queue as wakeup_queue
from shared.adapters.aws.errors import NoAnswerError
from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.adapters.thread_pools import ThreadSpread
from shared.domain.dispatch.newer_message import NewerMessage
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.errors import UnavailableError
from shared.names import Lane, QueueName
from tests.support.builders import DUE_AT, execution_id, wakeup
from tests.support.conformance.clients import Clients
from tests.support.conformance.interference import (
    answering,
    changing_answers,
    failure,
    losing_answers,
    watching,
)
from tests.support.conformance.lanes import SqsLanes
from tests.support.fakes.clock import one_by_one
from tests.support.fakes.wakeup_queue import even

NOWHERE = "http://127.0.0.1:1"


class Unplugged:
    """The adapter without an engine: it answers as if every entry were accepted, and notes the requests."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.queue = SqsWakeupQueue(
            client, {lane: f"{NOWHERE}/000000000000/{lane}" for lane in QueueName}, even, one_by_one
        )

    def send(self, wakeups: list[Wakeup], *answers: Any) -> tuple[list[Wakeup], list[dict[str, Any]]]:
        """What came back unsent, and the requests that were made."""
        given = answers or [accepted(range(10))] * (len(wakeups) + 1)
        with watching(self.client) as calls, answering(self.client, "SendMessageBatch", *given):
            unsent = self.queue.send(wakeups, DUE_AT)
        return unsent, calls.of("SendMessageBatch")


def accepted(numbers: Any, failed: Any = ()) -> dict[str, Any]:
    return {
        "Successful": [{"Id": str(number), "MessageId": "m"} for number in numbers],
        "Failed": [{"Id": str(number), "SenderFault": False, "Code": "InternalError"} for number in failed],
    }


@pytest.fixture(scope="module")
def unplugged(clients: Clients) -> Unplugged:
    """See the class."""
    return Unplugged(clients("sqs", NOWHERE))


def test_messages_go_out_in_batches_of_ten_and_a_batch_has_one_lane(unplugged: Unplugged) -> None:
    lanes = [Lane.BULK] * 13 + [Lane.CRITICAL] * 10 + [Lane.BULK] * 8
    _, requests = unplugged.send([wakeup(number, lane=lane) for number, lane in enumerate(lanes)])
    sizes = {lane: [len(r["Entries"]) for r in requests if r["QueueUrl"].endswith(lane)] for lane in Lane}
    assert sizes == {Lane.BULK: [10, 10, 1], Lane.CRITICAL: [10], Lane.STANDARD: []}
    for request in requests:
        ids = [entry["Id"] for entry in request["Entries"]]
        assert len(set(ids)) == len(ids)


@settings(deadline=None)
@given(ahead_ms=st.integers(-(10**13), 10**13))
def test_no_delay_is_ever_outside_nought_to_nine_hundred_seconds(unplugged: Unplugged, ahead_ms: int) -> None:
    not_before = max(0, DUE_AT + ahead_ms)
    _, ((request),) = unplugged.send([wakeup(not_before=not_before)])
    (entry,) = request["Entries"]
    assert isinstance(entry["DelaySeconds"], int)
    assert 0 <= entry["DelaySeconds"] <= 900


@pytest.mark.parametrize(
    ("ahead_ms", "delay"),
    [
        (-1, 0),
        (0, 0),
        (799, 0),
        (800, 1),
        (1_000, 1),
        (1_799, 1),
        (899_900, 900),
        (900_000, 900),
        (901_000, 900),
    ],
)
def test_a_delay_is_whole_seconds_and_never_so_long_that_a_call_would_be_late(
    unplugged: Unplugged, ahead_ms: int, delay: int
) -> None:
    _, (request,) = unplugged.send([wakeup(not_before=DUE_AT + ahead_ms)])
    assert request["Entries"][0]["DelaySeconds"] == delay


@pytest.mark.parametrize("delay", [-1, 901])
def test_a_delay_that_sqs_would_refuse_and_emulators_accept_is_never_sent(
    unplugged: Unplugged, monkeypatch: pytest.MonkeyPatch, delay: int
) -> None:
    monkeypatch.setattr(wakeup_queue, "delay_seconds", lambda not_before, now_ms: delay)
    with watching(unplugged.client) as calls, pytest.raises(ValueError, match="900"):
        unplugged.queue.send([wakeup()], DUE_AT)
    assert calls.made == []


def test_the_message_group_is_the_tenant_and_nothing_is_deduplicated_by_sqs(unplugged: Unplugged) -> None:
    _, (request,) = unplugged.send([wakeup(1, tenant_id="acme"), wakeup(2, tenant_id="globex")])
    assert [entry["MessageGroupId"] for entry in request["Entries"]] == ["acme", "globex"]
    assert all("MessageDeduplicationId" not in entry for entry in request["Entries"])


def test_a_full_batch_is_far_below_the_limit_of_sqs(unplugged: Unplugged) -> None:
    keys = tuple(execution_id(number) for number in range(10))
    full = [wakeup(number, tenant_id="t" * 40, keys=keys, not_before=1 << 49) for number in range(10)]
    _, (request,) = unplugged.send(full)
    assert sum(len(entry["MessageBody"]) for entry in request["Entries"]) < 32 * 1024


def test_entries_that_failed_are_given_back(unplugged: Unplugged) -> None:
    sent = [wakeup(number) for number in range(10)]
    unsent, _ = unplugged.send(sent, accepted([0, 1, 3, 4, 5, 7, 8], failed=[2, 6, 9]))
    assert unsent == [sent[2], sent[6], sent[9]]


def test_entries_that_the_answer_does_not_mention_are_given_back(unplugged: Unplugged) -> None:
    sent = [wakeup(number) for number in range(3)]
    nothing: list[dict[str, Any]] = [{}, accepted([]), {"Failed": []}]
    for answer in nothing:
        unsent, _ = unplugged.send(sent, answer)
        assert unsent == sent


@pytest.mark.parametrize(
    "fault",
    [
        failure("ThrottlingException"),
        failure("AWS.SimpleQueueService.NonExistentQueue"),
        failure("InternalError"),
        NoAnswerError("nowhere"),
        NoAnswerError("nowhere"),
    ],
    ids=lambda fault: fault["Error"]["Code"] if isinstance(fault, dict) else type(fault).__name__,
)
def test_a_request_that_failed_gives_its_batch_back_and_no_other(unplugged: Unplugged, fault: Any) -> None:
    sent = [wakeup(number) for number in range(25)]
    unsent, requests = unplugged.send(sent, accepted(range(10)), fault, accepted(range(5)))
    assert unsent == sent[10:20]
    assert len(requests) == 3


def test_entries_that_sqs_calls_invalid_are_sent_once_more_without_their_group(unplugged: Unplugged) -> None:
    sent = [wakeup(number, not_before=DUE_AT + 60_000) for number in range(4)]
    invalid = {"Successful": [{"Id": "0", "MessageId": "m"}], "Failed": _invalid(1, 3)}
    invalid["Failed"].append({"Id": "2", "SenderFault": False, "Code": "InternalError"})
    unsent, (first, second) = unplugged.send(sent, invalid, {**accepted([1]), "Failed": _invalid(3)})
    assert unsent == [sent[2], sent[3]]
    again = [first["Entries"][number] for number in (1, 3)]
    assert second["QueueUrl"] == first["QueueUrl"]
    assert second["Entries"] == [
        {name: value for name, value in entry.items() if name != "MessageGroupId"} for entry in again
    ]


def _invalid(*numbers: int) -> list[dict[str, Any]]:
    return [
        {"Id": str(number), "SenderFault": True, "Code": "InvalidParameterValue", "Message": "no group"}
        for number in numbers
    ]


def test_the_wire_carries_keys_and_times_and_nothing_else(sqs: SqsLanes) -> None:
    sent = wakeup(tenant_id="acme", not_before=DUE_AT)
    sqs.queue.send([sent], DUE_AT)
    (received,) = sqs.receive_raw(Lane.STANDARD)
    assert received.group == "acme"
    assert received.body == (
        f'{{"v":2,"lane":"standard","tenant":"acme","keys":["{sent.keys[0]}"],"not_before":{DUE_AT}}}'
    )


def test_a_partial_failure_sends_the_rest_and_can_be_sent_again(sqs: SqsLanes) -> None:
    sent = [wakeup(number) for number in range(10)]
    with changing_answers(sqs.client, "SendMessageBatch", _fail_the_last_three):
        unsent = sqs.queue.send(sent, DUE_AT)
    assert unsent == sent[7:]
    assert sqs.queue.send(unsent, DUE_AT) == []
    assert set(sqs.receive(Lane.STANDARD)) == set(sent)


def _fail_the_last_three(parsed: dict[str, Any]) -> None:
    failed = parsed["Successful"][7:]
    del parsed["Successful"][7:]
    parsed["Failed"] = [{"Id": entry["Id"], "SenderFault": False, "Code": "x"} for entry in failed]


def test_a_send_whose_answer_was_lost_is_given_back_and_may_come_twice(sqs: SqsLanes) -> None:
    with losing_answers(sqs.client, "SendMessageBatch"):
        assert sqs.queue.send([wakeup()], DUE_AT) == [wakeup()]
    assert sqs.queue.send([wakeup()], DUE_AT) == []
    assert sqs.receive(Lane.STANDARD) == [wakeup(), wakeup()]


def test_the_fair_share_of_a_message_is_its_group(clients: Clients) -> None:
    client = clients("sqs", NOWHERE)
    urls = {queue: f"{NOWHERE}/000000000000/{queue}" for queue in QueueName}
    queue = SqsWakeupQueue(client, urls, lambda _: {"acme": 1, "heavy": 3}, one_by_one)
    sent = [wakeup(n, tenant_id=tenant) for n, tenant in enumerate(["acme", "heavy", "heavy", "heavy"])]
    with watching(client) as calls, answering(client, "SendMessageBatch", accepted(range(4))):
        assert queue.send(sent, DUE_AT) == []
    ((request),) = calls.of("SendMessageBatch")
    assert [entry["MessageGroupId"] for entry in request["Entries"]] == [
        "acme",
        "heavy.1",
        "heavy.2",
        "heavy.0",
    ]


def test_backlog_is_read_from_sqs_and_an_error_is_unavailable(sqs: SqsLanes) -> None:
    assert sqs.queue.visible(QueueName.BULK) == 0
    sqs.queue.send([wakeup(n, lane=Lane.BULK, not_before=0) for n in range(3)], sqs.now_ms())
    sqs.queue.send([wakeup(9, lane=Lane.BULK, not_before=sqs.now_ms() + 600_000)], sqs.now_ms())
    assert sqs.queue.visible(QueueName.BULK) == 3
    with answering(sqs.client, "GetQueueAttributes", failure("Throttling")), pytest.raises(UnavailableError):
        sqs.queue.visible(QueueName.BULK)


NEWER = NewerMessage(
    body='{"v":3,"anything":[1, 2]}',
    group="acme.1",
    attributes=(("colour", "String", "blue"), ("seal", "Binary", b"\x00\x01")),
    resends=2,
)


def test_newer_message_is_sent_again_unchanged_with_one_resend_more(unplugged: Unplugged) -> None:
    with watching(unplugged.client) as calls, answering(unplugged.client, "SendMessageBatch", accepted([0])):
        assert unplugged.queue.resend(QueueName.SLOW_BULK, NEWER)
    (request,) = calls.of("SendMessageBatch")
    assert request["QueueUrl"].endswith(QueueName.SLOW_BULK)
    (entry,) = request["Entries"]
    assert (entry["MessageBody"], entry["MessageGroupId"]) == (NEWER.body, NEWER.group)
    assert entry["DelaySeconds"] == 80
    assert entry["MessageAttributes"] == {
        "colour": {"DataType": "String", "StringValue": "blue"},
        "seal": {"DataType": "Binary", "BinaryValue": b"\x00\x01"},
        "punctual.resends": {"DataType": "Number", "StringValue": "3"},
    }


@pytest.mark.parametrize(
    "answer", [accepted([], [0]), failure("ServiceUnavailable"), NoAnswerError("nowhere")]
)
def test_newer_message_that_was_not_accepted_is_reported(unplugged: Unplugged, answer: Any) -> None:
    with answering(unplugged.client, "SendMessageBatch", answer):
        assert not unplugged.queue.resend(QueueName.BULK, NEWER)


def test_batches_of_one_send_are_under_way_together_and_come_back_in_order() -> None:
    """A watcher of many tenants sends a page in few round trips."""
    meeting = Barrier(4, timeout=30)

    class Slow:
        def send_message_batch(self, **request: Any) -> dict[str, Any]:
            meeting.wait()
            return accepted(range(1, len(request["Entries"])))

    urls = dict.fromkeys(QueueName, NOWHERE)
    client: Any = Slow()
    queue = SqsWakeupQueue(client, urls, even, ThreadSpread(4))
    wakeups = [wakeup(number, tenant_id=f"t{number}") for number in range(40)]
    assert queue.send(wakeups, DUE_AT) == wakeups[::10]
