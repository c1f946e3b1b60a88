"""The message attribute of a wait: another release's form, or a hostile one, is no wait and spoils no message."""

from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.sqs.messages import encode_wakeup
from shared.adapters.sqs.traces import read_wakeup
from shared.adapters.sqs.waits import WAIT, read_wait, wait_attribute
from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.domain.dispatch.arrival import WaitSoFar
from shared.domain.executions.stages import WaitCause
from shared.names import QueueName
from tests.support.builders import wakeup
from tests.support.fakes.clock import one_by_one
from tests.support.fakes.sqs import Entry, FakeSqs
from tests.support.fakes.wakeup_queue import even

WAITED = WaitSoFar(visible_at=1_740_000_000_000, received_at=1_740_000_000_020).deferred(WaitCause.SLOW, 7)


def record(text: str | None) -> dict[str, Any]:
    attributes = {} if text is None else {WAIT: {"dataType": "String", "stringValue": text}}
    return {"body": encode_wakeup(wakeup()), "messageAttributes": attributes}


def text_of(wait: WaitSoFar) -> str:
    return str(wait_attribute(wait)[WAIT]["StringValue"])


def test_wait_is_part_of_the_request_to_the_queue_and_the_body_stays_as_it_was() -> None:
    taken: list[Entry] = []

    def take(_: str, entry: Entry) -> bool:
        taken.append(entry)
        return True

    client: Any = FakeSqs(take)
    urls = {queue: f"https://sqs.example.com/{queue}" for queue in QueueName}
    sent = replace(wakeup(), wait=WAITED)
    assert SqsWakeupQueue(client, urls, even, one_by_one).send([sent], sent.not_before) == []
    [entry] = taken
    assert entry["MessageBody"] == encode_wakeup(wakeup())
    assert entry["MessageAttributes"][WAIT]["StringValue"] == text_of(WAITED)


def test_wait_is_read_as_it_was_written() -> None:
    assert read_wakeup(record(text_of(WAITED))).wait == WAITED
    assert wait_attribute(None) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1-2",
        "1-2-3-4-5",
        "-1-2-3-4",
        "1-2-x-4",
        "1-2-3-" + "9" * 16,
        "\u0661-2-3-4",
        "1-2-3-4\n",
        "x" * 100_000,
    ],
)
def test_wait_of_another_form_is_unknown(text: str) -> None:
    assert read_wakeup(record(text)) == wakeup()


def test_message_without_attributes_has_no_wait() -> None:
    assert read_wait({"body": ""}) is None
    assert read_wait({"messageAttributes": None}) is None
    assert read_wait({"messageAttributes": {WAIT: {"dataType": "Binary", "binaryValue": "AA=="}}}) is None


def test_cause_of_a_newer_release_is_unknown_and_the_first_receive_stays() -> None:
    read = read_wakeup(record("1740000000000-1740000000020-99-7")).wait
    assert read is not None
    assert (read.received_at, read.cause) == (1_740_000_000_020, None)
