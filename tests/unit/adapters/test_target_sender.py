"""The sender of targets: its requests of STS and SQS, what their answers mean, and what it remembers."""

import asyncio
import json
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

import pytest

from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.http11 import HttpResponse
from shared.adapters.aws.services import Endpoint
from shared.adapters.targets import role_credentials
from shared.adapters.targets.role_credentials import DENIED_MS, MAX_KNOWN, SPARE_MS, RoleCredentials
from shared.adapters.targets.sender import AT_ONCE, AwsTargetSender
from shared.domain.delivery.aws_target import AwsTarget, TargetCall, TargetKind
from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.builders import DUE_AT
from tests.support.fakes.clock import SeededEntropy, VirtualClock

QUEUE = "arn:aws:sqs:eu-west-1:111122223333:orders"
ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
CALL = TargetCall(
    tenant_id="acme",
    target=AwsTarget(kind=TargetKind.SQS, arn=QUEUE),
    body='{"n":1} & "ä"'.encode(),
    role_arn=ROLE,
    external_id="external",
    session_name="punctual-0-acme",
    deduplication_id="exe_1",
    attributes=(("Punctual-Execution", "exe_1"),),
)
OWN = Credentials("AKIAOWN", "own-secret", "own-token")
HOUR_MS = 3_600_000 - DUE_AT % 1_000
"""To a whole second, as STS tells the end of a session."""


def session(number: int = 1, ends_at: int = DUE_AT + HOUR_MS) -> HttpResponse:
    ends = datetime.fromtimestamp(ends_at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    text = (
        '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>'
        f"<AccessKeyId>ASIA{number}</AccessKeyId><SecretAccessKey>secret/{number}&amp;</SecretAccessKey>"
        f"<SessionToken>token{number}==</SessionToken><Expiration>{ends}</Expiration>"
        "</Credentials></AssumeRoleResult></AssumeRoleResponse>"
    )
    return HttpResponse(200, {}, text.encode())


def refused(code: str, status: int = 403) -> HttpResponse:
    text = f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>no</Message></Error></ErrorResponse>"
    return HttpResponse(status, {}, text.encode())


def sqs_error(code: str, status: int = 400, *, older: str | None = None) -> HttpResponse:
    headers = {"x-amzn-query-error": f"{older};Sender"} if older else {}
    body = json.dumps({"__type": f"com.amazonaws.sqs#{code}", "message": "no"})
    return HttpResponse(status, headers, body.encode())


SENT = HttpResponse(200, {}, b'{"MessageId": "1", "MD5OfMessageBody": "0"}')


@dataclass
class Aws:
    """Answers requests as it is told, and keeps them."""

    sts: Any = field(default_factory=session)
    sqs: Any = SENT
    asked: list[tuple[Endpoint, Mapping[str, str], bytes]] = field(default_factory=list)
    seconds: float = 0.0
    at_once: int = 0
    most_at_once: int = 0

    async def __call__(
        self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes, path: str = "/"
    ) -> HttpResponse:
        assert path == "/"
        self.asked.append((endpoint, headers, body))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.at_once -= 1
        answer = self.sts if endpoint.name.startswith("sts.") else self.sqs
        found = answer(len(self.asked)) if callable(answer) else answer
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, HttpResponse)
        return found

    def to(self, service: str) -> list[tuple[Mapping[str, str], bytes]]:
        return [
            (headers, body)
            for endpoint, headers, body in self.asked
            if endpoint.name.startswith(f"{service}.")
        ]

    @property
    def message(self) -> Any:
        [(_, body)] = self.to("sqs")
        return json.loads(body)


@pytest.fixture(autouse=True)
def _no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SQS", "AWS_ENDPOINT_URL_STS"):
        monkeypatch.delenv(name, raising=False)


def sender(
    aws: Aws, clock: VirtualClock | None = None, allowed: str | None = "arn:aws:iam::*:role/punctual/*"
) -> AwsTargetSender:
    clock = clock or VirtualClock(DUE_AT)
    roles = RoleCredentials.of("eu-central-1", aws, lambda: OWN, clock)
    return AwsTargetSender(roles, allowed, aws, clock, SeededEntropy())


def send(aws: Aws, call: TargetCall = CALL, seconds: float = 5.0) -> CallbackResponse:
    return asyncio.run(sender(aws).send(call, timeout_seconds=seconds))


def test_role_is_assumed_in_the_region_of_the_deployment_with_rights_for_this_queue_alone() -> None:
    aws = Aws()
    assert send(aws).succeeded
    endpoint = aws.asked[0][0]
    [(headers, body)] = aws.to("sts")
    form = dict(parse_qsl(body.decode()))
    policy = json.loads(form.pop("Policy"))
    assert (endpoint.host, endpoint.is_tls) == ("sts.eu-central-1.amazonaws.com", True)
    assert form == {
        "Action": "AssumeRole",
        "Version": "2011-06-15",
        "RoleArn": ROLE,
        "RoleSessionName": "punctual-0-acme",
        "ExternalId": "external",
        "DurationSeconds": "3600",
    }
    assert policy["Statement"] == [
        {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": QUEUE},
        {
            "Effect": "Allow",
            "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
            "Resource": "*",
            "Condition": {"StringEquals": {"kms:ViaService": "sqs.eu-west-1.amazonaws.com"}},
        },
    ]
    assert len(json.dumps(policy, separators=(",", ":"))) < 2_048
    assert "Credential=AKIAOWN/" in headers["Authorization"]
    assert headers["X-Amz-Security-Token"] == "own-token"
    assert "X-Amz-Target" not in headers


def test_message_is_signed_by_the_session_and_never_by_the_executor() -> None:
    aws = Aws()
    assert send(aws).succeeded
    endpoint = aws.asked[1][0]
    [(headers, _)] = aws.to("sqs")
    assert endpoint.host == "sqs.eu-west-1.amazonaws.com"
    assert "Credential=ASIA1/" in headers["Authorization"]
    assert headers["X-Amz-Security-Token"] == "token1=="
    assert "own" not in str(headers).lower()
    assert aws.message == {
        "QueueUrl": "https://sqs.eu-west-1.amazonaws.com/111122223333/orders",
        "MessageBody": '{"n":1} & "ä"',
        "MessageAttributes": {"Punctual-Execution": {"DataType": "String", "StringValue": "exe_1"}},
    }


def test_fifo_message_has_a_group_and_the_id_of_its_execution() -> None:
    aws = Aws()
    target = AwsTarget(kind=TargetKind.SQS, arn=f"{QUEUE}.fifo", message_group_id="g")
    assert send(aws, replace(CALL, target=target)).succeeded
    assert (aws.message["MessageGroupId"], aws.message["MessageDeduplicationId"]) == ("g", "exe_1")


@pytest.mark.parametrize(
    ("answer", "reason", "status"),
    [
        (SENT, Reason.OK, 200),
        (
            sqs_error("QueueDoesNotExist", older="AWS.SimpleQueueService.NonExistentQueue"),
            Reason.TARGET_NOT_FOUND,
            400,
        ),
        (sqs_error("QueueDoesNotExist"), Reason.TARGET_NOT_FOUND, 400),
        (sqs_error("AccessDeniedException", 403, older="AccessDenied"), Reason.TARGET_ACCESS_DENIED, 403),
        (sqs_error("KmsAccessDenied", older="KMS.AccessDeniedException"), Reason.TARGET_ACCESS_DENIED, 400),
        (sqs_error("KmsDisabled"), Reason.TARGET_ACCESS_DENIED, 400),
        (sqs_error("KmsInvalidKeyUsage"), Reason.TARGET_ACCESS_DENIED, 400),
        (sqs_error("NotAuthorized"), Reason.TARGET_ACCESS_DENIED, 400),
        (sqs_error("RequestThrottled", 403), Reason.TARGET_THROTTLED, 403),
        (sqs_error("ThrottlingException"), Reason.TARGET_THROTTLED, 400),
        (sqs_error("KmsThrottled"), Reason.TARGET_THROTTLED, 400),
        (sqs_error("Anything", 429), Reason.TARGET_THROTTLED, 429),
        (sqs_error("InvalidParameterValue"), Reason.TARGET_REFUSED, 400),
        (sqs_error("InvalidMessageContents"), Reason.TARGET_REFUSED, 400),
        (
            sqs_error("MissingRequiredParameterException", older="MissingParameter"),
            Reason.TARGET_REFUSED,
            400,
        ),
        (sqs_error("UnsupportedOperation"), Reason.TARGET_REFUSED, 400),
        (sqs_error("RequestTimeout"), Reason.TARGET_FAILED, 400),
        (sqs_error("RequestAbortedException"), Reason.TARGET_FAILED, 400),
        (sqs_error("SomethingNew", 418), Reason.TARGET_FAILED, 418),
        (HttpResponse(400, {}, b"<html>no</html>"), Reason.TARGET_FAILED, 400),
        (sqs_error("InvalidParameterValue", 500), Reason.TARGET_FAILED, 500),
        (sqs_error("SignatureDoesNotMatch", 403), Reason.UNAVAILABLE, None),
        (sqs_error("InvalidSignatureException", 403), Reason.UNAVAILABLE, None),
        (sqs_error("RequestExpired"), Reason.UNAVAILABLE, None),
        (sqs_error("RequestTimeTooSkewed", 403), Reason.UNAVAILABLE, None),
        (sqs_error("IncompleteSignature"), Reason.UNAVAILABLE, None),
        (sqs_error("InternalError", 500), Reason.TARGET_FAILED, 500),
        (HttpResponse(503, {}, b"<html>busy</html>"), Reason.TARGET_FAILED, 503),
        (sqs_error("ExpiredToken", 403), Reason.UNAVAILABLE, None),
        (sqs_error("InvalidClientTokenId", 403), Reason.ROLE_REFUSED, 403),
        (NoAnswerError("no connection within 2 s"), Reason.CONNECT_FAILED, None),
        (HttpResponse(200, {}, b"no json"), Reason.CONNECT_FAILED, None),
    ],
)
def test_answer_of_the_queue_becomes_a_reason(answer: Any, reason: Reason, status: int | None) -> None:
    got = send(Aws(sqs=answer))
    assert (got.reason, got.status) == (reason, status)
    assert got.refunds == (reason is Reason.UNAVAILABLE)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (refused("AccessDenied"), Reason.ROLE_REFUSED),
        (refused("ValidationError", 400), Reason.ROLE_REFUSED),
        (refused("PackedPolicyTooLarge", 400), Reason.ROLE_REFUSED),
        (refused("RegionDisabledException"), Reason.ROLE_REFUSED),
        (refused("Throttling", 400), Reason.UNAVAILABLE),
        (refused("ExpiredToken"), Reason.UNAVAILABLE),
        (refused("InternalFailure", 500), Reason.UNAVAILABLE),
        (HttpResponse(503, {}, b"busy"), Reason.UNAVAILABLE),
        (NoAnswerError("silent"), Reason.UNAVAILABLE),
        (HttpResponse(200, {}, b"<nothing/>"), Reason.UNAVAILABLE),
        (HttpResponse(200, {}, session().body.replace(b"20", b"xx")), Reason.UNAVAILABLE),
    ],
)
def test_answer_of_sts_becomes_a_reason_and_nothing_is_sent(answer: Any, reason: Reason) -> None:
    aws = Aws(sts=answer)
    got = send(aws)
    assert (got.reason, got.status, aws.to("sqs")) == (reason, None, [])
    assert got.refunds == (reason is Reason.UNAVAILABLE)


def test_lost_answer_is_no_second_message() -> None:
    aws = Aws(sqs=NoAnswerError("the connection ended"))
    assert send(aws).reason is Reason.CONNECT_FAILED
    assert len(aws.to("sqs")) == 1


def test_slow_queue_is_a_timeout_and_a_slow_sts_costs_no_attempt() -> None:
    assert send(Aws(seconds=0.1), seconds=0.05).reason is Reason.UNAVAILABLE
    assert send(Aws(seconds=0.1), seconds=0.15).reason is Reason.TIMEOUT


def test_session_is_used_again_until_five_minutes_before_its_end() -> None:
    clock, aws = VirtualClock(DUE_AT), Aws()
    made = sender(aws, clock)

    def send_again() -> int:
        assert asyncio.run(made.send(CALL, timeout_seconds=5)).succeeded
        return len(aws.to("sts"))

    assert send_again() == 1
    clock.time_ms = DUE_AT + HOUR_MS - SPARE_MS - 1
    assert send_again() == 1
    clock.time_ms += 1
    assert send_again() == 2


def test_sessions_of_tenants_roles_and_queues_are_never_shared() -> None:
    aws = Aws(sts=lambda number: session(number))
    made = sender(aws)
    others = (
        replace(CALL, tenant_id="globex", session_name="punctual-0-globex", external_id="other"),
        replace(CALL, role_arn=f"{ROLE}2"),
        replace(CALL, target=replace(CALL.target, arn=f"{QUEUE}2")),
    )
    for call in (CALL, *others, CALL):
        assert asyncio.run(made.send(call, timeout_seconds=5)).succeeded
    assert len(aws.to("sts")) == 4


def test_calls_of_a_batch_share_one_session_and_a_bounded_number_runs_at_once() -> None:
    aws = Aws(seconds=0.02)
    made = sender(aws)

    async def batch() -> list[CallbackResponse]:
        return await asyncio.gather(*(made.send(CALL, timeout_seconds=5) for _ in range(100)))

    assert all(each.succeeded for each in asyncio.run(batch()))
    assert (len(aws.to("sts")), len(aws.to("sqs"))) == (1, 100)
    assert aws.most_at_once <= AT_ONCE


def test_slow_calls_of_one_tenant_take_no_place_from_another_tenant_of_the_batch() -> None:
    """A batch has at most `AT_ONCE` keys, and 90 of them may wait for functions of one tenant."""
    aws = Aws()

    async def slow_for_one(
        endpoint: Endpoint, headers: Mapping[str, str], body: bytes, path: str = "/"
    ) -> HttpResponse:
        if b"slow" in body:
            await asyncio.sleep(2)
        return await aws(endpoint, headers, body)

    made = sender(aws)
    made.send_request = slow_for_one
    quick = replace(CALL, tenant_id="globex")

    async def batch() -> list[CallbackResponse]:
        slow = [
            asyncio.create_task(made.send(replace(CALL, body=b"slow"), timeout_seconds=5)) for _ in range(90)
        ]
        await asyncio.sleep(0.05)
        answers = await asyncio.gather(*(made.send(quick, timeout_seconds=0.5) for _ in range(10)))
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        return answers

    assert [each.reason for each in asyncio.run(batch())] == [Reason.OK] * 10


def test_caller_that_gives_up_does_not_end_the_session_that_others_wait_for() -> None:
    aws = Aws(seconds=0.05)
    made = sender(aws)

    async def both() -> tuple[CallbackResponse, CallbackResponse]:
        return await asyncio.gather(made.send(CALL, timeout_seconds=0.01), made.send(CALL, timeout_seconds=5))

    hasty, patient = asyncio.run(both())
    assert (hasty.reason, patient.reason) == (Reason.UNAVAILABLE, Reason.OK)
    assert len(aws.to("sts")) == 1


@pytest.mark.parametrize(
    ("code", "reason"),
    [("ExpiredToken", Reason.UNAVAILABLE), ("UnrecognizedClientException", Reason.ROLE_REFUSED)],
)
def test_session_that_is_not_accepted_is_replaced_at_the_next_attempt(code: str, reason: Reason) -> None:
    """Punctual's own cache or clock is at fault where it has expired, so that costs no attempt."""
    aws = Aws(sqs=lambda number: sqs_error(code, 403) if number < 4 else SENT)
    made = sender(aws)
    first = asyncio.run(made.send(CALL, timeout_seconds=5))
    second = asyncio.run(made.send(CALL, timeout_seconds=5))
    assert (first.reason, second.reason) == (reason, Reason.OK)
    assert len(aws.to("sts")) == 2


def test_session_that_is_denied_is_replaced_once_it_is_a_minute_old() -> None:
    """A revocation is a denial to all sessions that are older than it."""
    clock, revoked_at = VirtualClock(DUE_AT), DUE_AT + 600_000
    aws = Aws(sts=lambda _: session(1 if clock.now_ms() < revoked_at else 2))

    def queue(_: int) -> HttpResponse:
        is_old = "Credential=ASIA1/" in aws.to("sqs")[-1][0]["Authorization"]
        return sqs_error("AccessDenied", 403) if is_old and clock.now_ms() >= revoked_at else SENT

    aws.sqs = queue
    made = sender(aws, clock)

    def sent() -> Reason:
        return asyncio.run(made.send(CALL, timeout_seconds=5)).reason

    assert sent() is Reason.OK
    clock.time_ms = revoked_at
    assert [sent() for _ in range(3)] == [Reason.TARGET_ACCESS_DENIED, Reason.OK, Reason.OK]
    assert len(aws.to("sts")) == 2


def test_queue_that_denies_every_attempt_costs_a_session_a_minute() -> None:
    clock, aws = VirtualClock(DUE_AT), Aws(sqs=sqs_error("AccessDenied", 403))
    made = sender(aws, clock)
    for _ in range(121):
        assert asyncio.run(made.send(CALL, timeout_seconds=5)).reason is Reason.TARGET_ACCESS_DENIED
        clock.time_ms += DENIED_MS // 60
    assert len(aws.to("sts")) == 2


def test_clock_that_sqs_refuses_is_set_and_the_message_goes_out() -> None:
    skewed = sqs_error("RequestTimeTooSkewed", 403)
    late = HttpResponse(403, {"date": "Fri, 01 Jan 2027 00:00:00 GMT"}, skewed.body)
    aws = Aws(sqs=lambda number: late if number < 3 else SENT)
    assert send(aws).succeeded
    assert [headers["X-Amz-Date"] for headers, _ in aws.to("sqs")][1] == "20270101T000000Z"


@pytest.mark.parametrize("allowed", [None, "arn:aws:iam::*:role/other/*"])
def test_role_that_the_stage_no_longer_allows_costs_no_attempt(allowed: str | None) -> None:
    aws = Aws(sts=refused("AccessDenied"))
    got = asyncio.run(sender(aws, allowed=allowed).send(CALL, timeout_seconds=5))
    assert (got.reason, got.refunds, aws.asked) == (Reason.UNAVAILABLE, True, [])


def test_tenant_with_ever_more_queues_takes_a_part_of_the_calls_of_sts_alone() -> None:
    aws, clock = Aws(), VirtualClock(DUE_AT)
    made = sender(aws, clock)
    calls = [
        replace(CALL, target=replace(CALL.target, arn=f"{QUEUE}-{number}"))
        for number in range(role_credentials.BURST + 2)
    ]

    async def responses(sent: list[TargetCall]) -> list[CallbackResponse]:
        return [await made.send(call, timeout_seconds=5) for call in sent]

    got = asyncio.run(responses(calls))
    assert [each.refunds for each in got] == [False] * role_credentials.BURST + [True] * 2
    assert len(aws.to("sts")) == role_credentials.BURST
    [other] = asyncio.run(responses([replace(CALL, tenant_id="globex")]))
    assert other.succeeded
    clock.time_ms += role_credentials.SESSION_MS
    assert [each.succeeded for each in asyncio.run(responses(calls[-2:]))] == [True, False]


def test_role_that_sts_refuses_is_asked_for_again_after_half_a_minute() -> None:
    aws, clock = Aws(sts=refused("AccessDenied")), VirtualClock(DUE_AT)
    made = sender(aws, clock)

    async def asked(call: TargetCall) -> int:
        before = len(aws.to("sts"))
        assert (await made.send(call, timeout_seconds=5)).reason is Reason.ROLE_REFUSED
        return len(aws.to("sts")) - before

    elsewhere = replace(CALL, target=replace(CALL.target, arn=f"{QUEUE}-2"))
    assert [asyncio.run(asked(call)) for call in (CALL, CALL, elsewhere)] == [1, 0, 0]
    clock.time_ms += role_credentials.REFUSED_MS
    assert asyncio.run(asked(CALL)) == 1
    aws.sts = session()
    clock.time_ms += role_credentials.REFUSED_MS
    assert asyncio.run(made.send(CALL, timeout_seconds=5)).succeeded


def test_tenant_with_ever_more_queues_evicts_only_its_own_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(role_credentials, "BURST", 2 * MAX_KNOWN)
    aws = Aws()
    made = sender(aws)
    small = [replace(CALL, tenant_id=f"small-{number}") for number in range(3)]
    large = [
        replace(CALL, tenant_id="large", target=replace(CALL.target, arn=f"{QUEUE}-{number}"))
        for number in range(MAX_KNOWN)
    ]

    async def send_all(calls: list[TargetCall]) -> int:
        before = len(aws.to("sts"))
        for call in calls:
            assert (await made.send(call, timeout_seconds=5)).succeeded
        return len(aws.to("sts")) - before

    async def sessions() -> list[int]:
        return [await send_all(each) for each in (small, large, small, large[3:], large[:3])]

    assert asyncio.run(sessions()) == [3, MAX_KNOWN, 0, 0, 3]


def test_sessions_of_many_tenants_are_bounded() -> None:
    aws = Aws()
    made = sender(aws)
    tenants = [replace(CALL, tenant_id=f"t{number}") for number in range(MAX_KNOWN + 1)]

    async def sessions() -> int:
        for call in (*tenants, tenants[-1], tenants[0]):
            assert (await made.send(call, timeout_seconds=5)).succeeded
        return len(aws.to("sts"))

    assert asyncio.run(sessions()) == MAX_KNOWN + 2


def test_text_of_a_call_has_no_message_and_no_external_id() -> None:
    shown = repr(replace(CALL, body=b"a-secret", external_id="b-secret"))
    assert ROLE in shown
    assert "secret" not in shown


def test_text_of_a_session_has_no_secrets() -> None:
    aws = Aws()
    made = sender(aws)
    assert asyncio.run(made.send(CALL, timeout_seconds=5)).succeeded
    assert "ASIA1" in repr(vars(made.roles._known))
    for shown in (
        repr(vars(made.roles._known)),
        repr(session()),
        repr(Credentials("a", "secret/1", "token1==")),
    ):
        assert not [each for each in ("secret/1", "token1==", "own-secret", "own-token") if each in shown]


def test_error_of_sts_shows_its_code_and_nothing_of_its_answer() -> None:
    answer = refused("AccessDenied").body.replace(b">no<", b">a-secret<")
    aws = Aws(sts=HttpResponse(403, {}, answer))
    call = replace(CALL, body=b"b-secret", external_id="c-secret")
    with pytest.raises(Exception, match="role_refused") as raised:
        made = sender(aws)
        asyncio.run(made.roles.session(call, [], made.allowed_roles))
    cause = raised.value.__cause__
    assert isinstance(cause, AwsError)
    assert cause.response["Error"]["Message"] == "a-secret"
    shown = "".join(traceback.format_exception(raised.value)) + repr(cause) + str(cause.log_fields)
    assert "AssumeRole: AccessDenied" in shown
    assert "secret" not in shown


def test_error_of_a_queue_shows_its_code_and_nothing_of_its_answer() -> None:
    error = AwsError(
        "SendMessage", {"Error": {"Code": "Denied", "Message": "a-secret"}, "x": "b-secret"}, 403
    )
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(error.log_fields)
    assert "SendMessage: Denied" in shown
    assert "secret" not in shown
