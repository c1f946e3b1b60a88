"""Deletes what a killed conformance suite left in the account."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from botocore.exceptions import ClientError

from tests.smoke.judge.leftovers import KEY
from tests.support.conformance.aws_opt_in import NAME_PREFIX

KEY_DAYS = 7
_GONE = frozenset(
    {"ResourceNotFoundException", "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"}
)
"""AWS lists a deleted resource by its tags for some minutes more."""
_TABLE = re.compile(rf"arn:[^:]+:dynamodb:[^:]+:[^:]+:table/({NAME_PREFIX}[\w.-]+)")
_QUEUE = re.compile(rf"arn:[^:]+:sqs:[^:]+:[^:]+:({NAME_PREFIX}[\w-]+)")
_LOG = re.compile(rf"arn:[^:]+:logs:[^:]+:[^:]+:log-group:(/{NAME_PREFIX}[\w./-]+)")


def delete_throwaways(client: Callable[[str], Any], arns: Iterable[str]) -> None:
    """`arns` have the tag of the stage. Only those whose name or description is of the suites are deleted."""
    for arn in arns:
        try:
            _delete(client, arn)
        except ClientError as error:
            if error.response["Error"]["Code"] not in _GONE:
                raise


def _delete(client: Callable[[str], Any], arn: str) -> None:
    if found := _TABLE.match(arn):
        client("dynamodb").delete_table(TableName=found[1])
    elif found := _QUEUE.match(arn):
        sqs = client("sqs")
        sqs.delete_queue(QueueUrl=sqs.get_queue_url(QueueName=found[1])["QueueUrl"])
    elif found := _LOG.match(arn):
        client("logs").delete_log_group(logGroupName=found[1])
    elif KEY.match(arn):
        described = client("kms").describe_key(KeyId=arn)["KeyMetadata"]
        if described["Description"].startswith(NAME_PREFIX) and described["KeyState"] == "Enabled":
            client("kms").schedule_key_deletion(KeyId=arn, PendingWindowInDays=KEY_DAYS)
