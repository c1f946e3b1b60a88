"""The fake of SQS refuses what AWS refuses, whatever emulators let pass; and the adapter never asks for it."""

from typing import Any

import pytest

from shared.adapters.aws.errors import AwsError
from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.names import QueueName
from tests.support.builders import DUE_AT, wakeup
from tests.support.fakes.clock import one_by_one
from tests.support.fakes.sqs import MAX_BATCH_BYTES, Entry, FakeSqs
from tests.support.fakes.wakeup_queue import even

QUEUE = "https://sqs.example.com/standard"


def entry(number: int = 0, **fields: Any) -> dict[str, Any]:
    return {"Id": str(number), "MessageBody": "{}", "DelaySeconds": 0, "MessageGroupId": "acme"} | fields


def taking() -> FakeSqs:
    return FakeSqs(lambda _queue_url, _entry: True)


@pytest.mark.parametrize("delay", [0, 1, 899, 900])
def test_a_delay_of_whole_seconds_up_to_a_quarter_of_an_hour_is_taken(delay: int) -> None:
    sqs = taking()
    answer = sqs.send_message_batch(QueueUrl=QUEUE, Entries=[entry(DelaySeconds=delay)])
    assert [one["Id"] for one in answer["Successful"]] == ["0"]
    assert (sqs.violations, "Failed" in answer) == ([], False)


@pytest.mark.parametrize(
    "fault",
    [
        {"DelaySeconds": -1},
        {"DelaySeconds": 901},
        {"DelaySeconds": 0.5},
        {"DelaySeconds": "5"},
        {"MessageBody": ""},
        {"MessageDeduplicationId": "x"},
        {"Id": "a b"},
        {"Id": ""},
        {"Id": "x" * 81},
        {"MessageGroupId": ""},
        {"MessageGroupId": "a b"},
        {"MessageGroupId": "x" * 129},
        {"MessageAttributes": {"name": {"DataType": "String", "StringValue": ""}}},
    ],
    ids=str,
)
def test_an_entry_that_breaks_a_rule_fails_by_itself_and_is_remembered(fault: dict[str, Any]) -> None:
    sqs = taking()
    answer = sqs.send_message_batch(QueueUrl=QUEUE, Entries=[entry(7), entry(**fault)])
    assert [one["Id"] for one in answer["Successful"]] == ["7"]
    assert [one["SenderFault"] for one in answer["Failed"]] == [True]
    assert len(sqs.violations) == 1


def test_ten_entries_are_a_batch_and_eleven_are_none() -> None:
    sqs = taking()
    assert len(sqs.send_message_batch(QueueUrl=QUEUE, Entries=entries(10))["Successful"]) == 10
    refuses(sqs, entries(11), "TooManyEntriesInBatchRequest")


def test_a_batch_holds_a_mebibyte_in_all_and_not_a_byte_more() -> None:
    sqs = taking()
    half = "x" * (MAX_BATCH_BYTES // 2)
    sqs.send_message_batch(QueueUrl=QUEUE, Entries=[entry(0, MessageBody=half), entry(1, MessageBody=half)])
    assert sqs.violations == []
    refuses(sqs, [entry(0, MessageBody=half), entry(1, MessageBody=f"{half}x")], "BatchRequestTooLong")


def test_bytes_are_counted_and_not_characters() -> None:
    refuses(taking(), [entry(MessageBody="ü" * (MAX_BATCH_BYTES // 2 + 1))], "BatchRequestTooLong")


def test_an_empty_batch_and_two_entries_of_one_id_are_refused() -> None:
    refuses(taking(), [], "EmptyBatchRequest")
    refuses(taking(), [entry(1), entry(1)], "BatchEntryIdsNotDistinct")


def test_a_batch_may_fail_in_part_through_no_fault_of_the_sender() -> None:
    sqs = FakeSqs(lambda _queue_url, one: one["Id"] != "1")
    answer = sqs.send_message_batch(QueueUrl=QUEUE, Entries=entries(3))
    assert [one["Id"] for one in answer["Successful"]] == ["0", "2"]
    assert [(one["Id"], one["SenderFault"]) for one in answer["Failed"]] == [("1", False)]
    assert sqs.violations == []


def test_the_adapter_keeps_every_rule_and_gives_back_what_failed() -> None:
    taken: list[Entry] = []

    def every_third_fails(_queue_url: str, one: Entry) -> bool:
        taken.append(one)
        return len(taken) % 3 != 0

    sqs = FakeSqs(every_third_fails)
    client: Any = sqs
    queue = SqsWakeupQueue(client, dict.fromkeys(QueueName, QUEUE), even, one_by_one)
    sent = [wakeup(number, not_before=DUE_AT + number * 100_000) for number in range(25)]
    assert queue.send(sent, DUE_AT) == [
        sent[2],
        sent[5],
        sent[8],
        sent[11],
        sent[14],
        sent[17],
        sent[20],
        sent[23],
    ]
    assert sqs.violations == []


def entries(count: int) -> list[dict[str, Any]]:
    return [entry(number) for number in range(count)]


def refuses(sqs: FakeSqs, batch: list[dict[str, Any]], code: str) -> None:
    with pytest.raises(AwsError, match=code):
        sqs.send_message_batch(QueueUrl=QUEUE, Entries=batch)
    assert len(sqs.violations) == 1
