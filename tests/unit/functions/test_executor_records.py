"""SQS records in, partial batch response out: what is not listed is deleted, so nothing unfinished is left out."""

from dataclasses import replace
from typing import Any

import pytest

from functions.executor.records import batch_response, deliveries
from shared.adapters.sqs.messages import encode_wakeup
from shared.domain.delivery.trace import Trace
from shared.domain.dispatch.newer_message import NewerMessage
from shared.usecases.attempts.batch_report import BatchReport, Delivery, SettledMessage, Verdict
from tests.support.builders import DUE_AT, execution_id, wakeup

WAKEUP = wakeup(keys=(execution_id(1), execution_id(2)))


def record(body: str = encode_wakeup(WAKEUP), message_id: str = "m1") -> dict[str, Any]:
    return {
        "messageId": message_id,
        "receiptHandle": "handle",
        "body": body,
        "attributes": {"SentTimestamp": str(DUE_AT), "ApproximateReceiveCount": "3"},
        "eventSourceARN": "arn",
    }


def test_a_record_is_read_with_what_the_queue_knows_of_it() -> None:
    assert deliveries([record()]) == [
        Delivery(message_id="m1", sent_at=DUE_AT, receive_count=3, wakeup=WAKEUP)
    ]


def test_time_of_the_first_receive_is_read_where_the_queue_reports_it() -> None:
    sent = record()
    sent["attributes"]["ApproximateFirstReceiveTimestamp"] = str(DUE_AT + 40)
    assert [each.first_received_at for each in deliveries([sent, record()])] == [DUE_AT + 40, None]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{}",
        "null",
        "not json",
        encode_wakeup(WAKEUP).replace('"v":2', '"v":3'),
        encode_wakeup(WAKEUP).replace('"v":2,', ""),
        encode_wakeup(WAKEUP).replace("exe_1", "exe_2"),
        encode_wakeup(WAKEUP).replace('"v":2', '"v":2,"url":"https://x/"'),
        encode_wakeup(WAKEUP).replace("standard", "fast"),
    ],
)
def test_unreadable_record_has_its_reason_and_the_others_are_whole(body: str) -> None:
    bad, good = deliveries([record(body, "bad"), record()])
    assert (bad.message_id, bad.wakeup) == ("bad", None)
    assert bad.error
    assert good.wakeup == WAKEUP


def test_record_of_a_newer_version_is_kept_as_it_was_sent() -> None:
    body = encode_wakeup(WAKEUP).replace('"v":2', '"v":3')
    sent = record(body)
    sent["attributes"]["MessageGroupId"] = "acme.3"
    sent["messageAttributes"] = {
        "colour": {"dataType": "String", "stringValue": "blue"},
        "seal": {"dataType": "Binary", "binaryValue": "AAE="},
        "punctual.resends": {"dataType": "Number", "stringValue": "4"},
    }
    newer = NewerMessage(
        body=body,
        group="acme.3",
        attributes=(("colour", "String", "blue"), ("seal", "Binary", b"\x00\x01")),
        resends=4,
    )
    read = deliveries([record(), record("{}"), sent, record(body)])
    assert [one.newer for one in read] == [None, None, newer, NewerMessage(body=body)]


@pytest.mark.parametrize("text", ["", "-1", "many", "1.5"])
def test_malformed_number_of_resends_counts_as_none(text: str) -> None:
    sent = record(encode_wakeup(WAKEUP).replace('"v":2', '"v":3'))
    sent["messageAttributes"] = {"punctual.resends": {"dataType": "Number", "stringValue": text}}
    (delivery,) = deliveries([sent])
    assert delivery.newer is not None
    assert delivery.newer.resends == 0


def test_exactly_the_returned_messages_are_listed() -> None:
    members = deliveries([record(message_id=name) for name in ("a", "b", "c")])
    verdicts = [Verdict.DONE, Verdict.RETURN, Verdict.RETURN]
    settled = [
        SettledMessage(delivery=each, verdict=verdict)
        for each, verdict in zip(members, verdicts, strict=True)
    ]
    assert batch_response(BatchReport(settled=settled)) == {
        "batchItemFailures": [{"itemIdentifier": "b"}, {"itemIdentifier": "c"}]
    }


def test_a_batch_that_is_done_lists_nothing() -> None:
    assert batch_response(BatchReport()) == {"batchItemFailures": []}


TRACE = Trace("0af7651916cd43dd8448eb211c80319c", is_sampled=True)


@pytest.mark.parametrize(
    ("text", "traces"),
    [
        (f",{TRACE.id}-1", (None, TRACE)),
        (f"{TRACE.id}-0,{TRACE.id}-1", (Trace(TRACE.id), TRACE)),
        (",", ()),
        ("", ()),
        (f"{TRACE.id}-1", ()),
        (f"{TRACE.id}-1,{TRACE.id}-1,{TRACE.id}-1", ()),
        (f",{TRACE.id}-1-later", ()),
        (f",{'0' * 32}-1", ()),
        ("s3cr3t" * 50_000, ()),
    ],
)
def test_traces_of_a_message_are_read_and_those_of_another_form_are_ignored(
    text: str, traces: tuple[Trace | None, ...]
) -> None:
    sent = record()
    sent["messageAttributes"] = {"punctual.traces": {"dataType": "String", "stringValue": text}}
    (delivery,) = deliveries([sent])
    assert delivery.wakeup == replace(WAKEUP, traces=traces)
