"""The own transport: checks, signatures, credentials and retries of one call."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from botocore.exceptions import CredentialRetrievalError

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.credentials import Credentials, credentials_source
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.http_call import HttpCall
from shared.adapters.aws.retries import TRIES, RetryBudget
from shared.adapters.aws.sender import PooledSend
from shared.adapters.clock import SystemClock, SystemEntropy
from shared.adapters.dynamodb.codec.errors import is_permanent
from tests.support.aws_server import (
    AwsServer,
    answer,
    error,
)
from tests.support.fakes.clock import VirtualClock

REGION = "eu-central-1"
PUT = {"TableName": "executions", "Item": {"pk": {"S": "p"}}}
KEYS = Credentials("AKID", "secret", "token")


def test_credentials_that_expire_are_read_anew(http: HttpCall, server: AwsServer) -> None:
    given = iter([KEYS, Credentials("RENEWED", "secret", "renewed")])
    http.credentials = lambda: next(given)
    server.script.append(error("ExpiredTokenException"))
    http("PutItem", PUT)
    expired, renewed = (request.headers for request in server.received)
    assert (expired["x-amz-security-token"], renewed["x-amz-security-token"]) == ("token", "renewed")
    assert "Credential=RENEWED/" in renewed["authorization"]


def test_call_without_repeats_tries_once_but_for_its_signature(http: HttpCall, server: AwsServer) -> None:
    http.repeats = False
    server.script.append(error("ThrottlingException"))
    with pytest.raises(AwsError, match="ThrottlingException"):
        http("PutItem", PUT)
    server.script.append(error("ExpiredTokenException"))
    assert http("PutItem", PUT) == {}
    assert len(server.received) == 3


def test_credentials_that_stay_expired_are_reported(http: HttpCall, server: AwsServer) -> None:
    server.script.extend([error("ExpiredTokenException")] * 9)
    with pytest.raises(AwsError, match="ExpiredTokenException"):
        http("PutItem", PUT)
    assert len(server.received) == 2


def test_credentials_that_expire_after_a_throttle_are_read_anew(http: HttpCall, server: AwsServer) -> None:
    server.script.extend([error("ThrottlingException"), error("ExpiredTokenException")])
    assert http("PutItem", PUT) == {}


@pytest.mark.parametrize("date", [None, "yesterday"])
def test_refused_clock_without_a_readable_date_is_reported(
    http: HttpCall, server: AwsServer, date: str | None
) -> None:
    headers = {"Date": date} if date else {}
    server.script.extend([error("RequestTimeTooSkewed", 403, headers=headers)] * 9)
    with pytest.raises(AwsError, match="RequestTimeTooSkewed"):
        http("PutItem", PUT)


def test_text_that_is_no_unicode_is_refused_as_aws_refuses_it(http: HttpCall, server: AwsServer) -> None:
    with pytest.raises(AwsError) as refused:
        http("PutItem", {"Item": {"pk": {"S": "\ud800"}}})
    assert is_permanent(refused.value.code)
    assert server.received == []


def test_credentials_that_the_sdk_cannot_renew_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Expired:
        def get_frozen_credentials(self) -> None:
            raise CredentialRetrievalError(provider="sso", error_msg="expired")

    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    monkeypatch.setattr("botocore.session.Session.get_credentials", lambda _: Expired())
    with pytest.raises(NoAnswerError, match="CredentialRetrievalError"):
        credentials_source()()


def test_clock_that_is_off_is_set_by_the_date_of_the_refusal(http: HttpCall, server: AwsServer) -> None:
    aws = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    http.clock = VirtualClock(int(aws.timestamp() - 20 * 60) * 1000)
    refusal = error("InvalidSignatureException", 403, headers={"Date": format_datetime(aws, usegmt=True)})
    server.script.append(refusal)
    for _ in range(2):
        http("PutItem", PUT)
    dates = [request.headers["x-amz-date"] for request in server.received]
    assert dates == ["20260301T114000Z", "20260301T120000Z", "20260301T120000Z"]


def test_wrong_checksum_is_no_answer(http: HttpCall, server: AwsServer) -> None:
    wrong = answer({"Item": {}}, headers={"x-amz-crc32": "1"})
    server.script.extend([wrong, answer({"Item": {"pk": {"S": "x"}}})])
    assert http("GetItem", {})["Item"] == {"pk": {"S": "x"}}
    server.script.extend([wrong] * 9)
    with pytest.raises(NoAnswerError, match="checksum"):
        http("GetItem", {})


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b'"text"'])
def test_answer_that_is_no_object_of_json_is_none(http: HttpCall, server: AwsServer, body: bytes) -> None:
    server.script.extend([answer(body)] * 9)
    with pytest.raises(NoAnswerError):
        http("PutItem", PUT)


def test_binary_members_of_an_answer_are_bytes(server: AwsServer, send: PooledSend) -> None:
    kms = AwsClient(HttpCall.to("kms", REGION, send, credentials_source(), SystemClock(), SystemEntropy()))
    server.script.append(answer({"Plaintext": "AP8="}))
    assert kms.decrypt(CiphertextBlob=b"\x01\x02")["Plaintext"] == b"\x00\xff"
    (request,) = server.received
    assert request.body == {"CiphertextBlob": "AQI="}
    assert request.headers["x-amz-target"] == "TrentService.Decrypt"
    assert request.headers["content-type"] == "application/x-amz-json-1.1"


def test_error_of_sqs_has_the_code_of_its_older_protocol(server: AwsServer, send: PooledSend) -> None:
    sqs = AwsClient(HttpCall.to("sqs", REGION, send, credentials_source(), SystemClock(), SystemEntropy()))
    older = {"x-amzn-query-error": "AWS.SimpleQueueService.NonExistentQueue;Sender"}
    server.script.append(error("QueueDoesNotExist", headers=older))
    with pytest.raises(AwsError) as refused:
        sqs.send_message_batch(QueueUrl="https://queue", Entries=[])
    assert refused.value.code == "AWS.SimpleQueueService.NonExistentQueue"


def test_retries_end_while_most_calls_fail_and_come_back_with_successes(
    http: HttpCall, server: AwsServer
) -> None:
    http.budget = RetryBudget(tokens=10)
    server.script.extend([error("ThrottlingException")] * 6)
    for _ in range(4):
        with pytest.raises(AwsError):
            http("PutItem", PUT)
    # Three tries, and then one each: the budget was for two retries.
    assert len(server.received) == TRIES + 3
    for _ in range(5):
        http("PutItem", PUT)
    server.script.append(error("ThrottlingException"))
    assert http("PutItem", PUT) == {}


def test_pauses_grow_and_are_jittered(http: HttpCall, server: AwsServer, pauses: list[float]) -> None:
    for _ in range(30):
        server.script.extend([error("ThrottlingException")] * 2)
        http("PutItem", PUT)
    first, second = pauses[::2], pauses[1::2]
    assert max(first) <= 0.1 < max(second) <= 0.2
    assert len(set(pauses)) > len(pauses) // 2
