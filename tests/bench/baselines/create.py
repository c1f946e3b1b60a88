"""Take a job over HTTP: validate the body, write one item, answer."""

import json
from typing import Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, HttpUrl

from tests.bench.baselines.table import Plain


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")

    url: HttpUrl
    method: str = "POST"
    headers: dict[str, str] = {}
    json_: Any = None


class _Job(BaseModel):
    model_config = ConfigDict(extra="forbid")

    after_seconds: int
    request: _Request


def create(plain: Plain, body: str) -> str:
    """One PutItem a job."""
    job = _Job.model_validate_json(body)
    sk = uuid4().hex
    item = plain.row("due", sk, str(job.request.url), json.dumps(job.request.json_).encode())
    plain.dynamodb.put_item(TableName=plain.table, Item=item, ConditionExpression="attribute_not_exists(pk)")
    return json.dumps({"id": sk, "state": "pending"})


def create_batch(plain: Plain, bodies: list[str]) -> str:
    """25 puts a request: the best that DynamoDB allows without conditions."""
    jobs = [_Job.model_validate_json(body) for body in bodies]
    rows = [
        plain.row("due", uuid4().hex, str(job.request.url), json.dumps(job.request.json_).encode())
        for job in jobs
    ]
    for start in range(0, len(rows), 25):
        puts = [{"PutRequest": {"Item": row}} for row in rows[start : start + 25]]
        plain.dynamodb.batch_write_item(RequestItems={plain.table: puts})
    return json.dumps([{"id": row["sk"]["S"], "state": "pending"} for row in rows])
