"""The sender of targets: what each service beside SQS gets, and what a repeated message does there.

The fake, and the real adapter over moto and over ministack, which the laptop has. moto runs no function.
"""

import io
import json
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol
from uuid import uuid4

import boto3
import pytest

from infra.local.clients import ACCOUNT as OF_MINISTACK
from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.sender import PooledSend, Send
from shared.adapters.clock import SystemClock
from shared.adapters.greenlets import run
from shared.adapters.targets.role_credentials import RoleCredentials
from shared.adapters.targets.sender import AwsTargetSender
from shared.domain.delivery.aws_target import AwsTarget, InvocationType, TargetCall, TargetKind
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.ports.delivery import TargetSender
from tests.conformance.test_target_sender import ACCOUNT, REGION, through_moto
from tests.support.builders import DUE_AT
from tests.support.fakes.clock import SeededEntropy, VirtualClock
from tests.support.fakes.targets import FakeTargets

BODY = '{"n":1.50,"t":"& ä"}'
ATTRIBUTES = (("Punctual-Execution", "exe_1"), ("Punctual-Attempt", "1"))
ORIGIN = {"execution": "exe_1", "attempt": "1"}
WAIT_SECONDS = 20
FUNCTION = """
def handler(event, context):
    if event.get("fails"):
        raise ValueError("as asked for")
    custom = context.client_context.custom if context.client_context else {}
    return {"event": event, "execution": custom.get("Punctual-Execution")}
"""


class Services(Protocol):
    """A sender of targets, and the services behind it."""

    @property
    def targets(self) -> TargetSender: ...

    def queue_behind(self, kind: TargetKind) -> tuple[str, str]:
        """The ARN of a new topic or bus, and the queue in which its messages arrive."""
        ...

    def messages(self, queue: str) -> list[str]: ...

    def machine(self) -> str:
        """The ARN of a new state machine."""
        ...

    def executions(self, machine: str) -> list[tuple[str, str]]:
        """Name and input of each execution."""
        ...

    def function(self) -> str:
        """The ARN of a new function, which answers with what it got."""
        ...


class FakeServices:
    def __init__(self) -> None:
        self.targets = FakeTargets(VirtualClock(DUE_AT))

    def queue_behind(self, kind: TargetKind) -> tuple[str, str]:
        service, rest = ("sns", "t") if kind is TargetKind.SNS else ("events", "event-bus/b")
        arn = f"arn:aws:{service}:{REGION}:{ACCOUNT}:{rest}"
        return arn, arn

    def messages(self, queue: str) -> list[str]:
        return [received(each) for each in self.targets.queues.get(queue, [])]

    def machine(self) -> str:
        return f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:m"

    def executions(self, machine: str) -> list[tuple[str, str]]:
        return [(each.deduplication_id, each.body.decode()) for each in self.targets.queues.get(machine, [])]

    def function(self) -> str:
        def answer(call: TargetCall) -> CallbackResponse:
            event = json.loads(received(call))
            if call.target.invocation_type is InvocationType.EVENT:
                return CallbackResponse(reason=Reason.OK, duration_ms=5, status=202)
            if event.get("fails"):
                body = b'{"errorMessage": "as asked for"}'
                return CallbackResponse(reason=Reason.FUNCTION_FAILED, duration_ms=5, status=200, body=body)
            got = {"event": event, "execution": dict(call.attributes)["Punctual-Execution"]}
            return CallbackResponse(
                reason=Reason.OK, duration_ms=5, status=200, body=json.dumps(got).encode()[: call.kept_bytes]
            )

        self.targets.answer_to = answer
        return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:f"


def received(call: TargetCall) -> str:
    """The body as its consumer sees it."""
    if call.target.kind is TargetKind.LAMBDA:
        return json.dumps({"punctual": ORIGIN, **json.loads(call.body)})
    if call.target.kind is TargetKind.EVENTBRIDGE:
        detail = {"punctual": ORIGIN, **json.loads(call.body)}
        return json.dumps(
            {"source": call.target.source, "detail-type": call.target.detail_type, "detail": detail}
        )
    return call.body.decode()


class AwsServices:
    """The real adapter, over moto or over ministack."""

    def __init__(self, endpoint: str | None, send: Send, account: str) -> None:
        self._endpoint, self._account = endpoint, account
        own = Credentials("testing", "testing")
        roles = RoleCredentials.of(REGION, send, lambda: own, SystemClock())
        pattern = "arn:aws:iam::*:role/punctual/*"
        self.targets = AwsTargetSender(roles, pattern, send, SystemClock(), SeededEntropy())

    def _client(self, service: str) -> Any:
        keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
        return boto3.client(service, region_name=REGION, endpoint_url=self._endpoint, **keys)  # type: ignore[call-overload]

    def queue_behind(self, kind: TargetKind) -> tuple[str, str]:
        name = f"q-{uuid4().hex}"
        url = self._client("sqs").create_queue(QueueName=name)["QueueUrl"]
        queue = f"arn:aws:sqs:{REGION}:{self._account}:{name}"
        if kind is TargetKind.SNS:
            sns = self._client("sns")
            arn = sns.create_topic(Name=name)["TopicArn"]
            sns.subscribe(
                TopicArn=arn, Protocol="sqs", Endpoint=queue, Attributes={"RawMessageDelivery": "true"}
            )
            return arn, url
        events = self._client("events")
        arn = events.create_event_bus(Name=name)["EventBusArn"]
        pattern = json.dumps({"source": ["com.example"], "detail-type": ["Day closed"]})
        events.put_rule(Name=name, EventBusName=name, EventPattern=pattern, State="ENABLED")
        if self._endpoint is not None:
            # moto delivers events only with a library that is not installed here.
            events.put_targets(Rule=name, EventBusName=name, Targets=[{"Id": "q", "Arn": queue}])
        return arn, url

    def messages(self, queue: str) -> list[str]:
        sqs, found = self._client("sqs"), []
        while received := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=1).get(
            "Messages"
        ):
            for each in received:
                sqs.delete_message(QueueUrl=queue, ReceiptHandle=each["ReceiptHandle"])
                found.append(each["Body"])
        return found

    def machine(self) -> str:
        definition = json.dumps({"StartAt": "a", "States": {"a": {"Type": "Pass", "End": True}}})
        role = f"arn:aws:iam::{self._account}:role/m"
        made = self._client("stepfunctions").create_state_machine(
            name=f"m-{uuid4().hex}", definition=definition, roleArn=role
        )
        arn: str = made["stateMachineArn"]
        return arn

    def executions(self, machine: str) -> list[tuple[str, str]]:
        states = self._client("stepfunctions")
        found = states.list_executions(stateMachineArn=machine)["executions"]
        described = [states.describe_execution(executionArn=each["executionArn"]) for each in found]
        return [(each["name"], each["input"]) for each in described]

    def function(self) -> str:
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("index.py", FUNCTION)
        functions, name = self._client("lambda"), f"f-{uuid4().hex}"
        functions.create_function(
            FunctionName=name,
            Runtime="python3.11",
            Role=f"arn:aws:iam::{self._account}:role/f",
            Handler="index.handler",
            Code={"ZipFile": code.getvalue()},
        )
        ends_at = time.monotonic() + WAIT_SECONDS
        while functions.get_function(FunctionName=name)["Configuration"].get("State") == "Pending":
            assert time.monotonic() < ends_at
            time.sleep(0.1)
        return f"arn:aws:lambda:{REGION}:{self._account}:function:{name}"


@pytest.fixture
def services(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    if request.param == "fake":
        yield FakeServices()
    elif request.param == "moto":
        request.getfixturevalue("moto")
        yield AwsServices(None, through_moto, ACCOUNT)
    else:
        url, send = request.getfixturevalue("ministack"), PooledSend()
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        yield AwsServices(url, send, OF_MINISTACK)
        run(send.close())


def call_to(kind: TargetKind, arn: str, body: str = BODY, **members: Any) -> TargetCall:
    return TargetCall(
        tenant_id="acme",
        target=AwsTarget(kind=kind, arn=arn, **members),
        body=body.encode(),
        role_arn=f"arn:aws:iam::{arn.split(':')[4]}:role/punctual/acme",
        external_id="external",
        session_name="punctual-0-acme",
        deduplication_id="exe_1",
        attributes=ATTRIBUTES,
        kept_bytes=5_000,
    )


def send(services: Services, call: TargetCall) -> CallbackResponse:
    return run(services.targets.send(call, timeout_seconds=20))


def test_message_of_a_topic_reaches_its_subscribers_unchanged(services: Services) -> None:
    arn, queue = services.queue_behind(TargetKind.SNS)
    answer = send(services, call_to(TargetKind.SNS, arn))
    assert (answer.reason, answer.status) == (Reason.OK, 200)
    assert services.messages(queue) == [BODY]


def test_topic_that_does_not_exist_is_told_apart(services: Services) -> None:
    arn, _ = services.queue_behind(TargetKind.SNS)
    if isinstance(services, FakeServices):
        services.targets.gone.add(f"{arn}-gone")
    assert send(services, call_to(TargetKind.SNS, f"{arn}-gone")).reason is Reason.TARGET_NOT_FOUND


def test_event_reaches_the_rules_of_its_bus_with_the_execution_in_its_detail(services: Services) -> None:
    arn, queue = services.queue_behind(TargetKind.EVENTBRIDGE)
    event = {"source": "com.example", "detail_type": "Day closed"}
    answer = send(services, call_to(TargetKind.EVENTBRIDGE, arn, **event))
    assert (answer.reason, answer.status) == (Reason.OK, 200)
    [message] = map(json.loads, services.messages(queue))
    assert (message["source"], message["detail-type"]) == ("com.example", "Day closed")
    assert message["detail"] == {"punctual": ORIGIN, "n": 1.5, "t": "& ä"}


def test_event_for_a_bus_that_does_not_exist_is_accepted_and_lost(services: Services) -> None:
    """As EventBridge itself answers."""
    arn, queue = services.queue_behind(TargetKind.EVENTBRIDGE)
    if isinstance(services, FakeServices):
        services.targets.gone.add(f"{arn}-gone")
    event = {"source": "com.example", "detail_type": "Day closed"}
    answer = send(services, call_to(TargetKind.EVENTBRIDGE, f"{arn}-gone", **event))
    assert (answer.reason, answer.status) == (Reason.OK, 200)
    assert services.messages(queue) == []


def test_execution_of_a_state_machine_starts_once_for_all_attempts(services: Services) -> None:
    machine = services.machine()
    first = call_to(TargetKind.STEP_FUNCTIONS, machine)
    for call in (first, first, replace(first, body=b'{"other":1}')):
        answer = send(services, call)
        assert (answer.reason, answer.status) == (Reason.OK, 200)
    assert services.executions(machine) == [("exe_1", BODY)]


def test_function_that_is_waited_for_answers_and_knows_the_execution(services: Services) -> None:
    waits = {"invocation_type": InvocationType.REQUEST_RESPONSE}
    arn = services.function()
    answer = send(services, call_to(TargetKind.LAMBDA, arn, **waits))
    assert (answer.reason, answer.status) == (Reason.OK, 200)
    got = json.loads(answer.body)
    assert got["event"] == {"punctual": ORIGIN, "n": 1.5, "t": "& ä"}
    failed = send(services, call_to(TargetKind.LAMBDA, arn, '{"fails":true}', **waits))
    assert (failed.reason, failed.status) == (Reason.FUNCTION_FAILED, 200)
    assert b"as asked for" in failed.body


def test_function_that_is_not_waited_for_is_a_success_once_the_event_is_queued(services: Services) -> None:
    queued = call_to(TargetKind.LAMBDA, services.function(), invocation_type=InvocationType.EVENT)
    answer = send(services, queued)
    assert (answer.reason, answer.status, answer.body) == (Reason.OK, 202, b"")


def test_function_that_does_not_exist_is_told_apart(services: Services) -> None:
    arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:gone"
    if isinstance(services, FakeServices):
        services.targets.gone.add(arn)
    call = call_to(TargetKind.LAMBDA, arn, invocation_type=InvocationType.EVENT)
    assert send(services, call).reason is Reason.TARGET_NOT_FOUND
