"""Targets beside queues: what each service is asked for, with which rights, and what its answers mean."""

import asyncio
import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as SdkCredentials

from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.http11 import HttpResponse
from shared.adapters.aws.services import Endpoint
from shared.adapters.aws.sigv4 import UnsignedRequest, signature_headers
from shared.adapters.targets.answers import TargetAnswer
from shared.adapters.targets.role_credentials import RoleCredentials
from shared.adapters.targets.sender import SERVICES, AwsTargetSender
from shared.domain.delivery.aws_target import AwsTarget, InvocationType, TargetCall, TargetKind
from shared.domain.delivery.callback import STORED_BODY_BYTES, CallbackResponse, Reason
from tests.support.builders import DUE_AT
from tests.support.fakes.clock import SeededEntropy, VirtualClock
from tests.unit.adapters.test_target_sender import OWN, session

ACCOUNT = "eu-west-1:111122223333"
FUNCTION = AwsTarget(
    kind=TargetKind.LAMBDA,
    arn=f"arn:aws:lambda:{ACCOUNT}:function:close:live",
    invocation_type=InvocationType.REQUEST_RESPONSE,
)
QUEUED = replace(FUNCTION, invocation_type=InvocationType.EVENT)
TOPIC = AwsTarget(kind=TargetKind.SNS, arn=f"arn:aws:sns:{ACCOUNT}:orders")
BUS = AwsTarget(
    kind=TargetKind.EVENTBRIDGE,
    arn=f"arn:aws:events:{ACCOUNT}:event-bus/orders",
    source="com.example.orders",
    detail_type="Day closed",
)
MACHINE = AwsTarget(kind=TargetKind.STEP_FUNCTIONS, arn=f"arn:aws:states:{ACCOUNT}:stateMachine:close")
ALL = (FUNCTION, QUEUED, TOPIC, BUS, MACHINE)
CALL = TargetCall(
    tenant_id="acme",
    target=MACHINE,
    body='{"n":1.0,"t":"ä"}'.encode(),
    role_arn="arn:aws:iam::111122223333:role/punctual/acme",
    external_id="external",
    session_name="punctual-0-acme",
    deduplication_id="exe_1",
    attributes=(("Punctual-Execution", "exe_1"), ("Punctual-Scheduled-At", "2027"), ("traceparent", "00-a")),
)
ORIGIN = {"execution": "exe_1", "scheduled_at": "2027", "traceparent": "00-a"}
PUBLISHED = HttpResponse(
    200, {}, b"<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>"
)
PUT = HttpResponse(200, {}, b'{"FailedEntryCount":0,"Entries":[{"EventId":"1"}]}')
STARTED = HttpResponse(200, {}, b'{"executionArn":"arn:1","startDate":1.7E9}')
SUCCESSES = {
    TargetKind.LAMBDA: HttpResponse(200, {}, b'{"done":true}'),
    TargetKind.SNS: PUBLISHED,
    TargetKind.EVENTBRIDGE: PUT,
    TargetKind.STEP_FUNCTIONS: STARTED,
}


@dataclass
class Aws:
    """Answers requests as it is told, and keeps them."""

    answer: Any
    asked: list[tuple[Endpoint, Mapping[str, str], bytes, str]] = field(default_factory=list)

    async def __call__(
        self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes, path: str = "/"
    ) -> HttpResponse:
        if endpoint.name.startswith("sts."):
            self.asked.append((endpoint, headers, body, path))
            return session()
        self.asked.append((endpoint, headers, body, path))
        found = self.answer(len(self.asked)) if callable(self.answer) else self.answer
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, HttpResponse)
        return found

    @property
    def message(self) -> tuple[Endpoint, Mapping[str, str], bytes, str]:
        [message] = [each for each in self.asked if not each[0].name.startswith("sts.")]
        return message

    @property
    def policy(self) -> list[dict[str, Any]]:
        form = dict(parse_qsl(self.asked[0][2].decode()))
        assert len(form["Policy"]) < 2_048
        found: list[dict[str, Any]] = json.loads(form["Policy"])["Statement"]
        return found


@pytest.fixture(autouse=True)
def _no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("", "_LAMBDA", "_SNS", "_EVENTBRIDGE", "_SFN", "_STS"):
        monkeypatch.delenv(f"AWS_ENDPOINT_URL{name}", raising=False)


def send(aws: Aws, target: AwsTarget, **changes: Any) -> CallbackResponse:
    clock = VirtualClock(DUE_AT)
    roles = RoleCredentials.of("eu-central-1", aws, lambda: OWN, clock)
    made = AwsTargetSender(roles, "arn:aws:iam::*:role/punctual/*", aws, clock, SeededEntropy())
    return asyncio.run(made.send(replace(CALL, target=target, **changes), timeout_seconds=5))


def json_error(code: str, status: int = 400) -> HttpResponse:
    return HttpResponse(status, {}, json.dumps({"__type": f"com.amazonaws#{code}", "message": "no"}).encode())


def xml_error(code: str, status: int = 400) -> HttpResponse:
    text = f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>no</Message></Error></ErrorResponse>"
    return HttpResponse(status, {}, text.encode())


def rest_error(code: str, status: int) -> HttpResponse:
    headers = {"x-amzn-errortype": f"{code}:http://internal.amazon.com/"}
    return HttpResponse(status, headers, b'{"Type":"User","Message":"no"}')


def failed_entry(code: str) -> HttpResponse:
    entry = {"ErrorCode": code, "ErrorMessage": "no"}
    return HttpResponse(200, {}, json.dumps({"FailedEntryCount": 1, "Entries": [entry]}).encode())


def test_sender_has_a_service_for_each_kind_of_target() -> None:
    assert set(SERVICES) == set(TargetKind)


@pytest.mark.parametrize("target", ALL, ids=lambda each: each.kind)
def test_message_is_signed_by_the_session_in_the_region_of_its_target(target: AwsTarget) -> None:
    aws = Aws(SUCCESSES[target.kind])
    assert send(aws, target).succeeded
    endpoint, headers, _, _ = aws.message
    service = target.arn.split(":")[2]
    assert endpoint.host == f"{service}.eu-west-1.amazonaws.com"
    assert "Credential=ASIA1/" in headers["Authorization"]
    assert f"/eu-west-1/{service}/aws4_request" in headers["Authorization"]
    assert "own" not in str(headers).lower()


@pytest.mark.parametrize(
    ("target", "rights"),
    [
        (FUNCTION, [{"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": FUNCTION.arn}]),
        (BUS, [{"Effect": "Allow", "Action": "events:PutEvents", "Resource": BUS.arn}]),
        (
            replace(MACHINE, arn=f"{MACHINE.arn}:live"),
            [
                {
                    "Effect": "Allow",
                    "Action": "states:StartExecution",
                    "Resource": MACHINE.arn,
                    "Condition": {"ForAnyValue:StringEquals": {"states:StateMachineQualifier": ["live"]}},
                }
            ],
        ),
        (MACHINE, [{"Effect": "Allow", "Action": "states:StartExecution", "Resource": MACHINE.arn}]),
        (TOPIC, [{"Effect": "Allow", "Action": "sns:Publish", "Resource": TOPIC.arn}]),
    ],
)
def test_session_has_rights_for_this_target_alone(target: AwsTarget, rights: list[dict[str, Any]]) -> None:
    aws = Aws(SUCCESSES[target.kind])
    assert send(aws, target).succeeded
    keys = [each for each in aws.policy if "kms:Decrypt" in each["Action"]]
    assert [each for each in aws.policy if each not in keys] == rights
    service = target.arn.split(":")[2]
    encrypted = target.kind in (TargetKind.SNS, TargetKind.STEP_FUNCTIONS)
    conditions = [each["Condition"]["StringEquals"]["kms:ViaService"] for each in keys]
    assert conditions == ([f"{service}.eu-west-1.amazonaws.com"] if encrypted else [])


@pytest.mark.parametrize(("target", "kind"), [(FUNCTION, "RequestResponse"), (QUEUED, "Event")])
def test_function_gets_the_execution_in_its_payload_and_in_the_client_context(
    target: AwsTarget, kind: str
) -> None:
    aws = Aws(HttpResponse(202 if kind == "Event" else 200, {}, b""))
    got = send(aws, target)
    endpoint, headers, body, path = aws.message
    assert (got.reason, got.status) == (Reason.OK, 202 if kind == "Event" else 200)
    assert path == (
        "/2015-03-31/functions/arn%3Aaws%3Alambda%3Aeu-west-1%3A111122223333%3Afunction%3Aclose%3Alive/invocations"
    )
    assert headers["X-Amz-Invocation-Type"] == kind
    context = json.loads(b64decode(headers["X-Amz-Client-Context"]))
    assert context == {"custom": dict(CALL.attributes)}
    assert json.loads(body) == {"punctual": ORIGIN, "n": 1.0, "t": "ä"}
    assert body.endswith(',"n":1.0,"t":"ä"}'.encode())
    assert endpoint.is_tls


def test_invocation_has_the_signature_of_the_sdk() -> None:
    aws = Aws(SUCCESSES[TargetKind.LAMBDA])
    assert send(aws, FUNCTION).succeeded
    endpoint, headers, body, path = aws.message
    unsigned = {
        name: value
        for name, value in headers.items()
        if name not in ("Authorization", "X-Amz-Date", "X-Amz-Security-Token")
    }
    request = AWSRequest("POST", f"https://{endpoint.host}{path}", headers=unsigned, data=body)
    at = datetime.fromtimestamp(DUE_AT // 1000, UTC).replace(tzinfo=None)
    with patch("botocore.auth.get_current_datetime", return_value=at):
        SigV4Auth(SdkCredentials("ASIA1", "secret/1&", "token1=="), "lambda", "eu-west-1").add_auth(request)
    assert dict(request.headers.items()) == dict(headers)


def test_topic_gets_a_form_with_the_attributes_of_the_message() -> None:
    aws = Aws(PUBLISHED)
    assert send(aws, TOPIC).succeeded
    form = dict(parse_qsl(aws.message[2].decode()))
    assert form.pop("Message") == '{"n":1.0,"t":"ä"}'
    assert {name: form.pop(name) for name in ("Action", "Version", "TopicArn")} == {
        "Action": "Publish",
        "Version": "2010-03-31",
        "TopicArn": TOPIC.arn,
    }
    names = [form[f"MessageAttributes.entry.{number}.Name"] for number in (1, 2, 3)]
    values = [form[f"MessageAttributes.entry.{number}.Value.StringValue"] for number in (1, 2, 3)]
    assert tuple(zip(names, values, strict=True)) == CALL.attributes
    assert len(form) == 9


def test_fifo_topic_gets_a_group_and_the_id_of_the_execution() -> None:
    aws = Aws(PUBLISHED)
    assert send(aws, replace(TOPIC, arn=f"{TOPIC.arn}.fifo", message_group_id="g")).succeeded
    form = dict(parse_qsl(aws.message[2].decode()))
    assert (form["MessageGroupId"], form["MessageDeduplicationId"]) == ("g", "exe_1")


def test_bus_gets_one_event_whose_detail_names_the_execution() -> None:
    aws = Aws(PUT)
    assert send(aws, BUS).succeeded
    _, headers, body, _ = aws.message
    assert headers["X-Amz-Target"] == "AWSEvents.PutEvents"
    [entry] = json.loads(body)["Entries"]
    assert json.loads(entry.pop("Detail")) == {"punctual": ORIGIN, "n": 1.0, "t": "ä"}
    assert entry == {"EventBusName": BUS.arn, "Source": "com.example.orders", "DetailType": "Day closed"}


def test_state_machine_gets_an_execution_with_the_id_of_the_own_one_as_its_name() -> None:
    aws = Aws(STARTED)
    assert send(aws, MACHINE).succeeded
    _, headers, body, _ = aws.message
    assert headers["X-Amz-Target"] == "AWSStepFunctions.StartExecution"
    assert json.loads(body) == {
        "stateMachineArn": MACHINE.arn,
        "name": "exe_1",
        "input": '{"n":1.0,"t":"ä"}',
    }


@pytest.mark.parametrize("own", [b"{}", b" { } ", b'{\n "a": 1\n}\n'])
def test_member_of_the_origin_fits_into_every_object(own: bytes) -> None:
    aws = Aws(SUCCESSES[TargetKind.LAMBDA])
    assert send(aws, FUNCTION, body=own).succeeded
    assert json.loads(aws.message[2]) == {"punctual": ORIGIN, **json.loads(own)}


@pytest.mark.parametrize(
    ("target", "answer", "reason", "status"),
    [
        (FUNCTION, rest_error("ResourceNotFoundException", 404), Reason.TARGET_NOT_FOUND, 404),
        (FUNCTION, rest_error("AccessDeniedException", 403), Reason.TARGET_ACCESS_DENIED, 403),
        (FUNCTION, rest_error("KMSAccessDeniedException", 502), Reason.TARGET_ACCESS_DENIED, 502),
        (FUNCTION, rest_error("TooManyRequestsException", 429), Reason.TARGET_THROTTLED, 429),
        (FUNCTION, rest_error("EC2ThrottledException", 502), Reason.TARGET_THROTTLED, 502),
        (FUNCTION, rest_error("RequestTooLargeException", 413), Reason.TARGET_REFUSED, 413),
        (FUNCTION, rest_error("InvalidRequestContentException", 400), Reason.TARGET_REFUSED, 400),
        (FUNCTION, rest_error("ServiceException", 500), Reason.TARGET_FAILED, 500),
        (FUNCTION, rest_error("ResourceConflictException", 409), Reason.TARGET_FAILED, 409),
        (FUNCTION, rest_error("InvalidSignatureException", 403), Reason.UNAVAILABLE, None),
        (FUNCTION, rest_error("ExpiredTokenException", 403), Reason.UNAVAILABLE, None),
        (FUNCTION, rest_error("UnrecognizedClientException", 403), Reason.ROLE_REFUSED, 403),
        (FUNCTION, HttpResponse(503, {}, b"busy"), Reason.TARGET_FAILED, 503),
        (TOPIC, xml_error("NotFound", 404), Reason.TARGET_NOT_FOUND, 404),
        (TOPIC, xml_error("AuthorizationError", 403), Reason.TARGET_ACCESS_DENIED, 403),
        (TOPIC, xml_error("KMSAccessDenied"), Reason.TARGET_ACCESS_DENIED, 400),
        (TOPIC, xml_error("KMSThrottling"), Reason.TARGET_THROTTLED, 400),
        (TOPIC, xml_error("Throttling"), Reason.TARGET_THROTTLED, 400),
        (TOPIC, xml_error("InvalidParameter"), Reason.TARGET_REFUSED, 400),
        (TOPIC, xml_error("InternalError", 500), Reason.TARGET_FAILED, 500),
        (TOPIC, xml_error("SignatureDoesNotMatch", 403), Reason.UNAVAILABLE, None),
        (TOPIC, xml_error("ExpiredToken", 403), Reason.UNAVAILABLE, None),
        (TOPIC, xml_error("InvalidClientTokenId", 403), Reason.ROLE_REFUSED, 403),
        (TOPIC, HttpResponse(200, {}, b"<html></html>"), Reason.CONNECT_FAILED, None),
        (BUS, failed_entry("AccessDeniedException"), Reason.TARGET_ACCESS_DENIED, 200),
        (BUS, failed_entry("NotAuthorizedForSourceException"), Reason.TARGET_ACCESS_DENIED, 200),
        (BUS, failed_entry("ThrottlingException"), Reason.TARGET_THROTTLED, 200),
        (BUS, failed_entry("MalformedDetail"), Reason.TARGET_REFUSED, 200),
        (BUS, failed_entry("InternalFailure"), Reason.TARGET_FAILED, 200),
        (BUS, failed_entry("SomethingNew"), Reason.TARGET_FAILED, 200),
        (BUS, HttpResponse(200, {}, b'{"FailedEntryCount":1,"Entries":[]}'), Reason.CONNECT_FAILED, None),
        (BUS, HttpResponse(200, {}, b'{"FailedEntryCount":0,"Entries":[{}]}'), Reason.TARGET_FAILED, 200),
        (BUS, json_error("AccessDeniedException"), Reason.TARGET_ACCESS_DENIED, 400),
        (BUS, json_error("InternalException", 500), Reason.TARGET_FAILED, 500),
        (MACHINE, json_error("ExecutionAlreadyExists"), Reason.OK, 200),
        (MACHINE, json_error("StateMachineDoesNotExist"), Reason.TARGET_NOT_FOUND, 400),
        (MACHINE, json_error("StateMachineDeleting"), Reason.TARGET_NOT_FOUND, 400),
        (MACHINE, json_error("ExecutionLimitExceeded"), Reason.TARGET_THROTTLED, 400),
        (MACHINE, json_error("InvalidExecutionInput"), Reason.TARGET_REFUSED, 400),
        (MACHINE, json_error("ValidationException"), Reason.TARGET_REFUSED, 400),
        (MACHINE, json_error("KmsAccessDeniedException"), Reason.TARGET_ACCESS_DENIED, 400),
        (MACHINE, json_error("KmsThrottlingException"), Reason.TARGET_THROTTLED, 400),
        (MACHINE, json_error("IncompleteSignature"), Reason.UNAVAILABLE, None),
    ],
)
def test_answer_of_a_service_becomes_a_reason(
    target: AwsTarget, answer: HttpResponse, reason: Reason, status: int | None
) -> None:
    got = send(Aws(answer), target)
    assert (got.reason, got.status) == (reason, status)
    assert got.refunds == (reason is Reason.UNAVAILABLE)
    assert got.body == b"" or target is FUNCTION


def test_throttled_function_says_how_long_to_wait() -> None:
    busy = rest_error("TooManyRequestsException", 429)
    got = send(Aws(HttpResponse(429, {**busy.headers, "retry-after": "17"}, busy.body)), FUNCTION)
    assert (got.reason, got.retry_after_seconds) == (Reason.TARGET_THROTTLED, 17)
    late = HttpResponse(429, {**busy.headers, "retry-after": "soon"}, busy.body)
    assert send(Aws(late), FUNCTION).retry_after_seconds is None
    assert send(Aws(busy), FUNCTION).retry_after_seconds is None


@pytest.mark.parametrize("target", ALL, ids=lambda each: each.kind)
def test_lost_answer_of_a_service_is_no_second_message(target: AwsTarget) -> None:
    aws = Aws(NoAnswerError("the connection ended"))
    assert send(aws, target).reason is Reason.CONNECT_FAILED
    assert aws.message


def test_function_that_ends_with_an_error_is_a_failed_attempt_with_the_beginning_of_its_answer() -> None:
    error = b'{"errorMessage":"' + b"x" * 10_000 + b'"}'
    got = send(Aws(HttpResponse(200, {"x-amz-function-error": "Unhandled"}, error)), FUNCTION, kept_bytes=9)
    assert (got.reason, got.status, got.succeeded) == (Reason.FUNCTION_FAILED, 200, False)
    assert got.body == error[:STORED_BODY_BYTES]


def test_answer_of_a_function_is_kept_where_a_task_hands_it_on_and_dropped_elsewhere() -> None:
    answer = HttpResponse(200, {}, b'{"done":true}')
    assert send(Aws(answer), FUNCTION, kept_bytes=5_000).body == b'{"done":true}'
    assert send(Aws(answer), FUNCTION, kept_bytes=3).body == b'{"d'
    assert send(Aws(answer), FUNCTION).body == b""


@pytest.mark.parametrize("target", [FUNCTION, TOPIC], ids=lambda each: each.kind)
def test_signature_that_a_service_refuses_for_the_clock_is_made_anew_once(target: AwsTarget) -> None:
    refusal = rest_error if target is FUNCTION else xml_error
    skewed = refusal("RequestTimeTooSkewed", 403)
    late = HttpResponse(403, {**skewed.headers, "date": "Fri, 01 Jan 2027 00:00:00 GMT"}, skewed.body)
    aws = Aws(lambda number: late if number < 3 else SUCCESSES[target.kind])
    assert send(aws, target).succeeded
    assert [headers["X-Amz-Date"] for _, headers, _, _ in aws.asked][2] == "20270101T000000Z"


def test_texts_of_requests_and_answers_have_no_payload_and_no_secret() -> None:
    unsigned = UnsignedRequest(method="POST", path="/a", headers={"X-Token": "s3cret"}, body=b"s3cret")
    added = signature_headers(unsigned, "lambda", "eu-west-1", Credentials("a", "s3cret", "t"), 0)
    shown = (
        repr(unsigned)
        + repr(added)
        + repr(TargetAnswer(body=b"s3cret"))
        + repr(replace(CALL, body=b"s3cret"))
    )
    assert "/a" in shown
    assert "s3cret" not in shown


def test_error_of_a_service_shows_its_code_and_nothing_of_its_answer() -> None:
    with pytest.raises(AwsError, match="PutEvents: MalformedDetail") as raised:
        SERVICES[TargetKind.EVENTBRIDGE].read(json.loads(failed_entry("MalformedDetail").body))
    assert raised.value.response["Error"]["Message"] == "no"
    assert str(raised.value) == "PutEvents: MalformedDetail"
