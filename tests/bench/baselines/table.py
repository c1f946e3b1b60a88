"""A table and a queue of the baselines' own, on the same engine as the product's."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import boto3
from botocore.config import Config

from infra.local.clients import REGION


@dataclass(frozen=True, slots=True)
class Plain:
    """Clients with pools as large as the product's."""

    dynamodb: Any
    sqs: Any
    table: str
    queue: str

    @classmethod
    def create(cls) -> "Plain":
        config = Config(max_pool_connections=64, retries={"mode": "standard", "total_max_attempts": 3})
        dynamodb = boto3.client("dynamodb", region_name=REGION, config=config)
        sqs = boto3.client("sqs", region_name=REGION, config=config)
        table = f"plain-{uuid4().hex[:8]}"
        dynamodb.create_table(
            TableName=table,
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        return cls(dynamodb, sqs, table, sqs.create_queue(QueueName=table)["QueueUrl"])

    def fill(self, pk: str, count: int, url: str, body: bytes) -> list[str]:
        """Rows of one partition, due now; their sort keys."""
        keys = [f"{number:06}#{uuid4().hex}" for number in range(count)]
        for start in range(0, count, 25):
            puts = [
                {"PutRequest": {"Item": self.row(pk, key, url, body)}} for key in keys[start : start + 25]
            ]
            self.dynamodb.batch_write_item(RequestItems={self.table: puts})
        return keys

    @staticmethod
    def row(pk: str, sk: str, url: str, body: bytes) -> dict[str, Any]:
        """A job as one item."""
        return {
            "pk": {"S": pk},
            "sk": {"S": sk},
            "state": {"S": "pending"},
            "attempts": {"N": "0"},
            "tenant": {"S": "acme"},
            "url": {"S": url},
            "method": {"S": "POST"},
            "body": {"B": body},
        }
