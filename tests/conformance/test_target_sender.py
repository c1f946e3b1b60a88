"""The sender of targets: what arrives in a queue is what the job says, once for each id where the queue is FIFO.

The fake, and the real adapter over the STS and SQS of moto and of ministack, which the laptop has.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol
from uuid import uuid4

import boto3
import pytest
import requests

from infra.local.clients import ACCOUNT as OF_MINISTACK
from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.http11 import HttpResponse
from shared.adapters.aws.sender import PooledSend, Send
from shared.adapters.aws.services import Endpoint
from shared.adapters.clock import SystemClock
from shared.adapters.greenlets import run
from shared.adapters.targets.role_credentials import RoleCredentials
from shared.adapters.targets.sender import AwsTargetSender
from shared.domain.delivery.aws_target import AwsTarget, TargetCall, TargetKind, split_arn
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.ports.delivery import TargetSender
from tests.support.builders import DUE_AT
from tests.support.fakes.clock import SeededEntropy, VirtualClock
from tests.support.fakes.targets import FakeTargets

REGION, ACCOUNT = "eu-west-1", "123456789012"
BODY = '{"n":1} & "ä" \r\n\t<b>'


class Queues(Protocol):
    """A sender of targets, and the queues behind it."""

    @property
    def targets(self) -> TargetSender: ...

    def create(self, name: str) -> str:
        """The ARN of a new queue."""
        ...

    def messages(self, arn: str) -> list[dict[str, Any]]:
        """Body, attributes and group of each message."""
        ...


class FakeQueues:
    def __init__(self) -> None:
        self.targets = FakeTargets(VirtualClock(DUE_AT))

    def create(self, name: str) -> str:
        return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"

    def messages(self, arn: str) -> list[dict[str, Any]]:
        return [
            {
                "body": each.body.decode(),
                "attributes": dict(each.attributes),
                "group": each.target.message_group_id,
            }
            for each in self.targets.queues.get(arn, [])
        ]


class SqsQueues:
    """The real adapter, over moto or over ministack."""

    def __init__(self, sqs: Any, send: Send, account: str) -> None:
        self._sqs, self._account = sqs, account
        own = Credentials("testing", "testing")
        roles = RoleCredentials.of(REGION, send, lambda: own, SystemClock())
        pattern = "arn:aws:iam::*:role/punctual/*"
        self.targets = AwsTargetSender(roles, pattern, send, SystemClock(), SeededEntropy())

    def create(self, name: str) -> str:
        attributes = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
        self._sqs.create_queue(QueueName=name, Attributes=attributes)
        return f"arn:aws:sqs:{REGION}:{self._account}:{name}"

    def messages(self, arn: str) -> list[dict[str, Any]]:
        url = self._sqs.get_queue_url(QueueName=split_arn(arn).name)["QueueUrl"]
        found = []
        while received := self._sqs.receive_message(
            QueueUrl=url,
            MessageAttributeNames=["All"],
            MessageSystemAttributeNames=["All"],
            MaxNumberOfMessages=10,
            VisibilityTimeout=60,
        ).get("Messages"):
            for each in received:
                self._sqs.delete_message(QueueUrl=url, ReceiptHandle=each["ReceiptHandle"])
                attributes = each.get("MessageAttributes", {}).items()
                found.append(
                    {
                        "body": each["Body"],
                        "attributes": {name: value["StringValue"] for name, value in attributes},
                        "group": each["Attributes"].get("MessageGroupId"),
                    }
                )
        return found


async def through_moto(
    endpoint: Endpoint, headers: Mapping[str, str], body: bytes, path: str = "/"
) -> HttpResponse:
    """Moto intercepts this library too, and no sockets."""
    answer = requests.post(f"https://{endpoint.host}{path}", headers=dict(headers), data=body, timeout=30)
    names = {name.lower(): value for name, value in answer.headers.items()}
    return HttpResponse(answer.status_code, names, answer.content)


def client(endpoint: str | None = None) -> Any:
    keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
    return boto3.client("sqs", region_name=REGION, endpoint_url=endpoint, **keys)  # type: ignore[call-overload]


@pytest.fixture(params=["fake", "moto", "ministack"])
def queues(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queues]:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    if request.param == "fake":
        yield FakeQueues()
    elif request.param == "moto":
        request.getfixturevalue("moto")
        yield SqsQueues(client(), through_moto, ACCOUNT)
    else:
        url, send = request.getfixturevalue("ministack"), PooledSend()
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        yield SqsQueues(client(url), send, OF_MINISTACK)
        run(send.close())


def named(suffix: str = "") -> str:
    return f"q-{uuid4().hex}{suffix}"


def call_to(arn: str, *, group: str | None = None, identity: str = "exe_1") -> TargetCall:
    return TargetCall(
        tenant_id="acme",
        target=AwsTarget(kind=TargetKind.SQS, arn=arn, message_group_id=group),
        body=BODY.encode(),
        role_arn=f"arn:aws:iam::{split_arn(arn).account}:role/punctual/acme",
        external_id="external",
        session_name="punctual-0-acme",
        deduplication_id=identity,
        attributes=(("Punctual-Execution", identity), ("traceparent", "00-a-b-01")),
    )


def send(queues: Queues, call: TargetCall) -> CallbackResponse:
    return run(queues.targets.send(call, timeout_seconds=20))


def test_message_arrives_unchanged_with_its_attributes(queues: Queues) -> None:
    arn = queues.create(named())
    answer = send(queues, call_to(arn))
    assert (answer.reason, answer.status) == (Reason.OK, 200)
    [message] = queues.messages(arn)
    assert message["body"] == BODY
    assert message["attributes"] == {"Punctual-Execution": "exe_1", "traceparent": "00-a-b-01"}


def test_message_of_a_standard_queue_is_sent_as_often_as_it_is_asked_for(queues: Queues) -> None:
    arn = queues.create(named())
    assert all(send(queues, call_to(arn)).succeeded for _ in range(2))
    assert len(queues.messages(arn)) == 2


def test_message_of_a_fifo_queue_is_taken_once_for_each_execution(queues: Queues) -> None:
    arn = queues.create(named(".fifo"))
    first, other = call_to(arn, group="g"), call_to(arn, group="g", identity="exe_2")
    assert all(send(queues, each).succeeded for each in (first, first, other))
    found = queues.messages(arn)
    assert [each["attributes"]["Punctual-Execution"] for each in found] == ["exe_1", "exe_2"]
    assert [each["group"] for each in found] == ["g", "g"]


def test_queue_that_does_not_exist_is_told_apart(queues: Queues) -> None:
    arn = queues.create(named()) + "-gone"
    if isinstance(queues, FakeQueues):
        queues.targets.gone.add(arn)
    answer = send(queues, call_to(arn))
    assert (answer.reason, answer.status) == (Reason.TARGET_NOT_FOUND, 400)


def test_many_messages_of_many_tenants_arrive_side_by_side(queues: Queues) -> None:
    arn = queues.create(named())
    calls = [
        replace(call_to(arn, identity=f"exe_{number}"), tenant_id=f"t{number % 3}") for number in range(40)
    ]

    async def batch() -> list[CallbackResponse]:
        return await asyncio.gather(*(queues.targets.send(each, timeout_seconds=30) for each in calls))

    assert all(each.succeeded for each in run(batch()))
    found = {each["attributes"]["Punctual-Execution"] for each in queues.messages(arn)}
    assert found == {f"exe_{number}" for number in range(40)}
