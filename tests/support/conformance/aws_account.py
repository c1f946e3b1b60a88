"""AWS itself as an engine: throw-away resources in an account that the environment has to name.

The suites create tables, queues, a key and log groups there, with a name and a tag of their own, and delete them at
the end. A key can only be scheduled for deletion, in seven days.
"""

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import boto3
from botocore.config import Config
from moto.core.models import botocore_stubber

from shared.adapters.aws.boto_call import BotoCall
from shared.adapters.aws.client import AwsClient, Params
from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.http_call import HttpCall
from shared.adapters.aws.retries import RetryBudget
from shared.adapters.aws.sender import Send
from shared.adapters.clock import SystemClock, SystemEntropy
from shared.names import Transport
from tests.support.conformance.aws_opt_in import NAME_PREFIX, OPT_IN, TAG, RefusedError, opted_in
from tests.support.conformance.tables import TableNames, create_tables, delete_tables

KEY_DAYS = 7
"""The least that KMS accepts."""
INDEX_SECONDS = 0.5
"""DynamoDB updates indexes after their table, as a rule within milliseconds."""
LOG_SECONDS = 60.0
"""A log line can be read some seconds after it was accepted."""
RECEIVE_TRIES = 6
"""Receives without a message after which a queue counts as empty."""
_CONFIG = Config(retries={"mode": "standard", "max_attempts": 8}, max_pool_connections=32)
_ONE_TRY = Config(retries={"total_max_attempts": 1}, max_pool_connections=32)


@dataclass(slots=True)
class AwsAccount:
    """The account of the credentials, or an emulator behind AWS_ENDPOINT_URL."""

    account: str
    region: str
    session: Any
    prefix: str = field(default_factory=lambda: f"{NAME_PREFIX}{uuid4().hex[:10]}")
    tag: str = "conformance"
    _key_id: str = ""
    _sdk: dict[str, Any] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(cls) -> "AwsAccount":
        """The account that the environment names and whose credentials it has; RefusedError for another one."""
        account = opted_in(os.environ)
        session: Any = boto3.Session()
        if session.region_name is None:
            raise RefusedError("the engine aws needs a region: set AWS_DEFAULT_REGION")
        found = cls(account, session.region_name, session, tag=os.environ.get(TAG, "conformance"))
        owner = found.sdk("sts").get_caller_identity()["Account"]
        if owner != account:
            raise RefusedError(f"{OPT_IN} is {account}, and the credentials belong to {owner}")
        return found

    @property
    def tags(self) -> list[dict[str, str]]:
        return [{"Key": "punctual:stage", "Value": self.tag}]

    def sdk(self, service: str) -> Any:
        """A client that repeats, for the resources themselves."""
        with self._lock:
            if service not in self._sdk:
                self._sdk[service] = self._client(service, _CONFIG)
            return self._sdk[service]

    def transport(self, service: str, kind: Transport, send: Send) -> AwsClient:
        """A client for a suite: it sees the first answer."""
        if kind is Transport.BOTO3:
            call: Any = BotoCall(self._client(service, _ONE_TRY))
        else:
            call = HttpCall.to(service, self.region, send, self._credentials, SystemClock(), SystemEntropy())
            call.budget = RetryBudget(tokens=0)
        return AwsClient(SettledIndexes(call) if service == "dynamodb" else call)

    @contextmanager
    def tables(self) -> Iterator[TableNames]:
        """The six tables, once all of them and their indexes are active."""
        dynamodb = self.sdk("dynamodb")
        names = create_tables(dynamodb, prefix=f"{self.prefix}-", Tags=self.tags)
        try:
            for name in names:
                # The waiter asks for the state of the table; an index of a new table is active with it.
                dynamodb.get_waiter("table_exists").wait(
                    TableName=name, WaiterConfig={"Delay": 2, "MaxAttempts": 150}
                )
            yield names
        finally:
            delete_tables(dynamodb, names)

    @contextmanager
    def queues(self, lanes: Mapping[Any, str]) -> Iterator[dict[Any, str]]:
        """A queue for each lane, by names that no queue had before."""
        sqs, urls = self.sdk("sqs"), {}
        try:
            for lane, name in lanes.items():
                tags = {tag["Key"]: tag["Value"] for tag in self.tags}
                urls[lane] = sqs.create_queue(QueueName=f"{self.prefix}-{name}", tags=tags)["QueueUrl"]
            # SQS asks to wait a second before a new queue is used.
            time.sleep(1.0)
            yield urls
        finally:
            for url in urls.values():
                sqs.delete_queue(QueueUrl=url)

    def key(self) -> str:
        """One key for all tests, because a key costs money from its creation on."""
        if not self._key_id:
            tags = [{"TagKey": tag["Key"], "TagValue": tag["Value"]} for tag in self.tags]
            made = self.sdk("kms").create_key(Description=self.prefix, Tags=tags)
            self._key_id = made["KeyMetadata"]["KeyId"]
        return self._key_id

    @contextmanager
    def log_group(self) -> Iterator[str]:
        """A log group that does not exist yet, which the caller creates."""
        logs, name = self.sdk("logs"), f"/{self.prefix}/{uuid4().hex[:10]}"
        logs.create_log_group(logGroupName=name, tags={tag["Key"]: tag["Value"] for tag in self.tags})
        try:
            yield name
        finally:
            logs.delete_log_group(logGroupName=name)

    def close(self) -> None:
        """Schedule the key for deletion: it costs nothing from then on."""
        if self._key_id:
            self.sdk("kms").schedule_key_deletion(KeyId=self._key_id, PendingWindowInDays=KEY_DAYS)

    def _client(self, service: str, config: Config) -> Any:
        client = self.session.client(service, region_name=self.region, config=config)
        # moto looks at each call of the process while another engine's tests need it.
        client.meta.events.unregister("before-send", botocore_stubber)
        return client

    def _credentials(self) -> Credentials:
        found = self.session.get_credentials()
        if found is None:
            raise RefusedError("the engine aws needs credentials: set AWS_PROFILE or AWS_ACCESS_KEY_ID")
        frozen = found.get_frozen_credentials()
        return Credentials(frozen.access_key, frozen.secret_key, frozen.token)


@dataclass(slots=True)
class SettledIndexes:
    """Waits before the first read of an index after writes: the suites judge what a read finds in the end."""

    call: Any
    seconds: float = INDEX_SECONDS
    written: bool = False

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        if operation in ("Query", "Scan") and "IndexName" in params and self.written:
            time.sleep(self.seconds)
            self.written = False
        if operation not in ("Query", "Scan", "GetItem", "BatchGetItem"):
            self.written = True
        answer: dict[str, Any] = self.call(operation, params)
        return answer
