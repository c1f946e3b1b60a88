"""Find what is due and push it to SQS: a projected query, and one message for each row."""

import json
from collections.abc import Iterator
from typing import Any

from tests.bench.baselines.table import Plain


def dispatch(plain: Plain, pk: str) -> int:
    """Send every row of a partition in batches of ten; how many."""
    sent = 0
    batch: list[dict[str, Any]] = []
    for row in _rows(plain, pk):
        body = json.dumps({"pk": pk, "sk": row["sk"]["S"], "tenant": row["tenant"]["S"]})
        batch.append({"Id": str(len(batch)), "MessageBody": body, "DelaySeconds": 30})
        if len(batch) == 10:
            plain.sqs.send_message_batch(QueueUrl=plain.queue, Entries=batch)
            sent += 10
            batch = []
    if batch:
        plain.sqs.send_message_batch(QueueUrl=plain.queue, Entries=batch)
    return sent + len(batch)


def dispatch_in_packs(plain: Plain, pk: str) -> int:
    """The same with ten rows in each message: the best that SQS allows."""
    rows = [row["sk"]["S"] for row in _rows(plain, pk)]
    packs = [json.dumps({"pk": pk, "sks": rows[start : start + 10]}) for start in range(0, len(rows), 10)]
    for start in range(0, len(packs), 10):
        batch = [
            {"Id": str(number), "MessageBody": body, "DelaySeconds": 30}
            for number, body in enumerate(packs[start : start + 10])
        ]
        plain.sqs.send_message_batch(QueueUrl=plain.queue, Entries=batch)
    return len(rows)


def _rows(plain: Plain, pk: str) -> Iterator[dict[str, Any]]:
    start: dict[str, Any] = {}
    while True:
        page = plain.dynamodb.query(
            TableName=plain.table,
            KeyConditionExpression="pk = :pk",
            ProjectionExpression="sk, tenant, #s",
            ExpressionAttributeNames={"#s": "state"},
            ExpressionAttributeValues={":pk": {"S": pk}},
            ConsistentRead=True,
            Limit=100,
            **start,
        )
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
