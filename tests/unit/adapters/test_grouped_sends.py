"""An executor's messages in groups, and what each single send learns."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import NoAnswerError
from shared.adapters.greenlets import in_greenlet, run
from shared.adapters.sqs.grouped_sends import GroupedSends
from tests.support.fakes.clock import VirtualClock


class Queue:
    """Accepts messages but those with a body in `refused`, once each; loses its answer to requests in `lost`."""

    delay_s = 0
    lost_after_ms = 0

    def __init__(self, *, refused: tuple[str, ...] = (), lost: int = 0) -> None:
        self.refused = list(refused)
        self.lost = lost
        self.clock = VirtualClock(0)
        self.delays: list[int] = []
        self.requests: list[tuple[str, list[str]]] = []

    def __call__(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        entries = params["Entries"]
        assert len({entry["Id"] for entry in entries}) == len(entries)
        self.requests.append((params["QueueUrl"], [entry["MessageBody"] for entry in entries]))
        self.delays += [entry["DelaySeconds"] for entry in entries]
        if self.lost:
            self.lost -= 1
            self.clock.time_ms += self.lost_after_ms
            raise NoAnswerError("lost")
        accepted = [entry for entry in entries if entry["MessageBody"] not in self.refused]
        self.refused.clear()
        return {"Successful": [{"Id": entry["Id"], "MessageId": entry["MessageBody"]} for entry in accepted]}


def sent(queue: Queue, *requests: tuple[str, tuple[str, ...]]) -> list[list[dict[str, str]]]:
    """The accepted entries of each request; all requests are made at the same time."""
    client = AwsClient(GroupedSends(queue, queue, queue.clock, lambda fault: None))

    async def all_of_them() -> list[dict[str, Any]]:
        made = (
            in_greenlet(
                partial(
                    client.send_message_batch,
                    QueueUrl=url,
                    Entries=[
                        {"Id": str(n), "MessageBody": body, "DelaySeconds": queue.delay_s}
                        for n, body in enumerate(bodies)
                    ],
                )
            )
            for url, bodies in requests
        )
        return await asyncio.gather(*made)

    return [answer["Successful"] for answer in run(all_of_them())]


def test_single_messages_of_one_moment_go_in_one_request() -> None:
    queue = Queue()
    answers = sent(queue, *(("bulk", (body,)) for body in "abc"))
    assert answers == [[{"Id": "0", "MessageId": body}] for body in "abc"]
    assert queue.requests == [("bulk", ["a", "b", "c"])]


def test_eleven_messages_take_two_requests() -> None:
    queue = Queue()
    sent(queue, *(("bulk", (body,)) for body in "abcdefghijk"))
    assert [len(bodies) for _, bodies in queue.requests] == [10, 1]


def test_queues_have_groups_of_their_own() -> None:
    queue = Queue()
    sent(queue, ("bulk", ("a",)), ("critical", ("b",)), ("bulk", ("c",)), ("critical", ("d",)))
    assert sorted(queue.requests) == [("bulk", ["a", "c"]), ("critical", ["b", "d"])]


def test_a_message_that_the_group_did_not_get_accepted_is_sent_alone() -> None:
    queue = Queue(refused=("b",))
    answers = sent(queue, ("bulk", ("a",)), ("bulk", ("b",)))
    assert answers == [[{"Id": "0", "MessageId": "a"}], [{"Id": "0", "MessageId": "b"}]]
    assert queue.requests == [("bulk", ["a", "b"]), ("bulk", ["b"])]


def test_after_a_lost_answer_every_message_is_sent_alone() -> None:
    queue = Queue(lost=1)
    answers = sent(queue, ("bulk", ("a",)), ("bulk", ("b",)))
    assert [len(answer) for answer in answers] == [1, 1]
    assert queue.requests == [("bulk", ["a", "b"]), ("bulk", ["a"]), ("bulk", ["b"])]


def test_requests_of_several_messages_pass_unchanged() -> None:
    queue = Queue()
    sent(queue, ("bulk", ("a", "b")), ("bulk", ("c",)))
    assert sorted(queue.requests) == [("bulk", ["a", "b"]), ("bulk", ["c"])]


def test_message_that_waited_for_its_group_is_delayed_by_so_much_less() -> None:
    queue = Queue(lost=1)
    queue.delay_s, queue.lost_after_ms = 5, 2_900
    sent(queue, ("bulk", ("a",)), ("bulk", ("b",)))
    assert queue.delays == [5, 5, 3, 3]


def test_delay_that_is_over_meanwhile_is_none() -> None:
    queue = Queue(lost=1)
    queue.delay_s, queue.lost_after_ms = 1, 2_900
    sent(queue, ("bulk", ("a",)), ("bulk", ("b",)))
    assert queue.delays == [1, 1, 0, 0]
