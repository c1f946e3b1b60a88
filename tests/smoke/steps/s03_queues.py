"""S3: SQS treats delays, message groups, visibilities and dead letters as the protocol needs."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from botocore.exceptions import ClientError

from tests.smoke.findings import Findings
from tests.smoke.probe import partial
from tests.smoke.world import World, until

GROUP = "smoke"
EMPTY_RECEIVES = 5
NOISY_IN_FLIGHT = 60


def run(world: World, findings: Findings) -> None:
    sqs = world.target.client("sqs")
    tags = {"punctual:stage": world.target.stage.name}
    with _queue(sqs, tags) as queue:
        _delays(sqs, queue, findings)
        if findings.can_show(
            "queue_limits", "a delay of 901 is refused", "a deduplication id is refused", "12 hours at most"
        ):
            _limits(sqs, queue, findings)
    _dead_letters(sqs, tags, findings)
    _partial_failure(world, findings)
    if findings.can_show("fair_queues", "a quiet tenant overtakes a noisy one"):
        with _queue(sqs, tags) as queue:
            _fairness(sqs, queue, world.size.fair_backlog, findings)


def _delays(sqs: Any, queue: str, findings: Findings) -> None:
    entries = [
        {"Id": f"d{delay}", "MessageBody": str(delay), "DelaySeconds": delay, "MessageGroupId": GROUP}
        for delay in (0, 1, 900)
    ]
    answer = sqs.send_message_batch(QueueUrl=queue, Entries=entries)
    sent_at = time.monotonic()
    accepted = len(answer.get("Successful", ())) == 3
    findings.check("delays of 0, 1 and 900 with a group are accepted", accepted, answer.get("Failed"))
    found = until(lambda: _received(sqs, queue, visible_in=600), _collecting(2), seconds=30, poll=0.1)
    bodies = {message["Body"] for message in found}
    findings.check("what is due arrives, and the message of 900 s does not", bodies == {"0", "1"}, bodies)
    findings.check("the message of 1 s waits for it", time.monotonic() - sent_at >= 1)
    groups = {message.get("Attributes", {}).get("MessageGroupId") for message in found}
    findings.check("the group is shown with each message", groups == {GROUP}, groups)


def _collecting(count: int) -> Callable[[list[Any]], bool]:
    """Gathers the answers of repeated receives in the first list."""
    gathered: list[Any] = []

    def enough(found: list[Any]) -> bool:
        gathered.extend(found)
        found[:] = gathered
        return len(gathered) >= count

    return enough


def _limits(sqs: Any, queue: str, findings: Findings) -> None:
    def refused(call: Callable[..., Any], **more: Any) -> bool:
        try:
            call(QueueUrl=queue, **more)
        except ClientError:
            return True
        return False

    findings.check("a delay of 901 is refused", refused(sqs.send_message, MessageBody="x", DelaySeconds=901))
    findings.check(
        "a deduplication id is refused",
        refused(sqs.send_message, MessageBody="x", MessageDeduplicationId="x"),
    )
    sqs.send_message(QueueUrl=queue, MessageBody="visible", MessageGroupId=GROUP)
    found = until(lambda: _received(sqs, queue, visible_in=30), bool, seconds=20)
    handle = found[0]["ReceiptHandle"] if found else ""
    too_long = refused(sqs.change_message_visibility, ReceiptHandle=handle, VisibilityTimeout=43_201)
    findings.check("12 hours at most", bool(found) and too_long)


def _dead_letters(sqs: Any, tags: dict[str, str], findings: Findings) -> None:
    with _queue(sqs, tags) as dead:
        arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 1})
        with _queue(sqs, tags, RedrivePolicy=policy) as main:
            sqs.send_message(QueueUrl=main, MessageBody="dead", MessageGroupId=GROUP)
            first = until(lambda: _received(sqs, main, visible_in=0), bool, seconds=20)
            findings.check("the message is received once", len(first) == 1, first)

            def moved() -> list[Any]:
                # A receive of the main queue is what moves the message.
                _received(sqs, main, visible_in=0)
                return _received(sqs, dead, visible_in=30)

            found = until(moved, bool, seconds=30)
            findings.check("it then moves to the dead-letter queue", len(found) == 1, found)
            if found and findings.can_show("group_in_dlq", "it keeps its group"):
                kept = found[0].get("Attributes", {}).get("MessageGroupId")
                findings.check("it keeps its group", kept == GROUP, kept)


def _partial_failure(world: World, findings: Findings) -> None:
    """A batch that fails in part: what failed comes back at the visibility that the function chose."""
    name = uuid4().hex[:8]
    world.target.client("sqs").send_message(QueueUrl=world.probe["PartialQueueUrl"], MessageBody=name)
    table = world.probe["CallsTable"]
    found = until(lambda: _receives(world, table, name), lambda seen: len(seen) >= 2, seconds=180)
    findings.check("a message that failed in part comes back once", len(found) == 2, found)
    if len(found) == 2:
        gap = (found[1] - found[0]) / 1000
        findings.figure("seconds until a failed message came back", round(gap, 1))
        # The queue's own visibility is a minute.
        findings.check("the chosen visibility holds", partial.SECONDS - 0.5 <= gap < 45, gap)


def _receives(world: World, table: str, name: str) -> list[int]:
    """The instants in ms at which the function received the message."""
    found = world.target.client("dynamodb").scan(
        TableName=table,
        ConsistentRead=True,
        FilterExpression="#path = :path",
        ExpressionAttributeNames={"#path": "path"},
        ExpressionAttributeValues={":path": {"S": f"/partial/{name}"}},
    )
    return sorted(int(item["at"]["N"]) for item in found["Items"])


def _fairness(sqs: Any, queue: str, backlog: int, findings: Findings) -> None:
    """A quiet tenant's messages come before most of a noisy tenant's backlog, while the latter has many in flight."""
    _send(sqs, queue, "noisy", backlog)
    in_flight = 0
    while in_flight < NOISY_IN_FLIGHT and (found := _received(sqs, queue, visible_in=600)):
        in_flight += len(found)
    _send(sqs, queue, "quiet", 10)
    order: list[str] = []
    empty = 0
    while empty < EMPTY_RECEIVES and order.count("quiet") < 10:
        found = _received(sqs, queue, visible_in=600)
        empty = 0 if found else empty + 1
        order += [message["Attributes"]["MessageGroupId"] for message in found]
    last = len(order) - 1 - order[::-1].index("quiet") if "quiet" in order else len(order)
    findings.figure("messages received until the quiet tenant's last", last + 1)
    findings.check("a quiet tenant overtakes a noisy one", last < (backlog - in_flight) / 2, last)


def _send(sqs: Any, queue: str, group: str, count: int) -> None:
    for first in range(0, count, 10):
        entries = [
            {"Id": str(number), "MessageBody": group, "MessageGroupId": group}
            for number in range(first, min(first + 10, count))
        ]
        sqs.send_message_batch(QueueUrl=queue, Entries=entries)


def _received(sqs: Any, queue: str, *, visible_in: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = sqs.receive_message(
        QueueUrl=queue,
        MaxNumberOfMessages=10,
        VisibilityTimeout=visible_in,
        WaitTimeSeconds=1,
        MessageSystemAttributeNames=["All"],
    ).get("Messages", [])
    return found


@contextmanager
def _queue(sqs: Any, tags: dict[str, str], **attributes: str) -> Iterator[str]:
    name = f"punctual-smoke-{uuid4().hex[:10]}"
    url = sqs.create_queue(QueueName=name, Attributes=attributes, tags=tags)["QueueUrl"]
    # SQS asks to wait a second before a new queue is used.
    time.sleep(1.0)
    try:
        yield url
    finally:
        sqs.delete_queue(QueueUrl=url)
