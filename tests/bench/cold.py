"""Processor time from the start of a process to the end of its first event, beside a naive set of imports.

Both run the same interpreter with bytecode present, and both make the same kind of first call on the emulator.
An executor gets a job that is due: a job that was called before would be refused, and no receiver called.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.sources import ROOT

STARTS = 6
"""The first one writes the bytecode, and does not count."""
_CONTEXT = (
    "from types import SimpleNamespace\n"
    "context = SimpleNamespace(function_name='f', memory_limit_in_mb=512, invoked_function_arn='arn:f',\n"
    "    aws_request_id='r', get_remaining_time_in_millis=lambda: 75_000)\n"
)
_PRODUCT = (
    "import json, os, sys, time\n"
    "sys.stdout = sys.stderr\n"
    "from functions.{function}.handler import handler\n"
    f"{_CONTEXT}"
    "handler(json.loads(os.environ['BENCH_EVENT']), context)\n"
    "print(time.process_time(), file=sys.__stdout__)\n"
)
_SAMPLED = "from tests.bench.sampled_start import main; main('{function}')"
_BARE = "import time; print(time.process_time())"
_NAIVE = (
    "import os, sys, time\n"
    "import boto3, pydantic, urllib3\n"
    "from aws_lambda_powertools import Logger, Metrics\n"
    "dynamodb, sqs = boto3.client('dynamodb'), boto3.client('sqs')\n"
    "{step}\n"
    "print(time.process_time())\n"
)
STEPS = {
    "executor": "dynamodb.update_item(TableName=os.environ['BENCH_TABLE'], Key={'pk': {'S': 'p'}, 'sk': {'S': 's'}},\n"
    "    UpdateExpression='SET a = :a', ExpressionAttributeValues={':a': {'N': '1'}}, ReturnValues='ALL_NEW')\n"
    "urllib3.PoolManager().request('POST', os.environ['BENCH_URL'], body=b'{}')",
    "watcher": "dynamodb.query(TableName=os.environ['BENCH_TABLE'], KeyConditionExpression='pk = :p',\n"
    "    ExpressionAttributeValues={':p': {'S': 'p'}})\n"
    "sqs.send_message(QueueUrl=os.environ['BENCH_QUEUE'], MessageBody='{}')",
    "api": "dynamodb.put_item(TableName=os.environ['BENCH_TABLE'], Item={'pk': {'S': 'p'}, 'sk': {'S': 'a'}})",
}


def cold_start(function: str, events: Sequence[dict[str, Any]], own: dict[str, str]) -> tuple[float, float]:
    """Microseconds of the product and of the naive set: medians of processes that start one after the other.

    Each start has an event of its own. `own` names the table, queue and URL of the naive set.
    """
    with TemporaryDirectory() as bytecode:
        variables = {**os.environ, **own, "PYTHONPYCACHEPREFIX": bytecode}
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        taken = [
            (
                _spent(_PRODUCT.format(function=function), variables | {"BENCH_EVENT": json.dumps(event)}),
                _spent(_NAIVE.format(step=STEPS[function]), variables),
            )
            for event in events
        ]
    product, naive = (statistics.median(each) * 1e6 for each in zip(*taken[1:], strict=True))
    return product, naive


def sampled_starts(function: str, events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What `sampled_start` says of the product's starts, and the seconds of Python's own start.

    The first one, which writes the bytecode, is left out.
    """
    with TemporaryDirectory() as bytecode:
        variables = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        taken = [
            json.loads(
                _output(
                    ["-c", _SAMPLED.format(function=function)],
                    variables | {"BENCH_EVENT": json.dumps(event)},
                )
            )
            | {"python": _spent(_BARE, variables)}
            for event in events
        ]
    return taken[1:]


def _spent(script: str, variables: dict[str, str]) -> float:
    return float(_output(["-c", script], variables))


def _output(arguments: Sequence[str], variables: dict[str, str]) -> str:
    """What a process of Python writes."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
