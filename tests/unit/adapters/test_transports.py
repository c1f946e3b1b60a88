"""The transports to AWS on real sockets: what both repeat, and what the own one does with faults of a network."""

import asyncio
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
import trustme
from botocore.exceptions import CredentialRetrievalError

from shared.adapters import greenlets
from shared.adapters.aws.boto_call import BotoCall
from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.credentials import Credentials, credentials_source
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.http_call import HttpCall
from shared.adapters.aws.retries import CONFLICT_TRIES, TRIES, RetryBudget
from shared.adapters.aws.sender import PooledSend
from shared.adapters.aws.services import SERVICES, Endpoint, endpoint_of
from shared.adapters.clients import transport_for
from shared.adapters.clock import SystemClock, SystemEntropy
from shared.adapters.dynamodb.codec.errors import is_permanent
from shared.adapters.greenlets import GreenletSpread
from shared.names import Transport
from tests.support.aws_server import (
    AwsServer,
    answer,
    chunked,
    error,
    half,
    hang_up,
    raw,
    serving,
    then_close,
)
from tests.support.fakes.clock import VirtualClock

REGION = "eu-central-1"
PUT = {"TableName": "executions", "Item": {"pk": {"S": "p"}}}
TRANSACTION = [{"Put": PUT}, {"Put": PUT}]
CONFLICT = error("TransactionConflictException")
KEYS = Credentials("AKID", "secret", "token")


@dataclass(slots=True)
class RestlessClock:
    """Notes pauses in seconds in place of making them."""

    pauses: list[float]
    ahead_ms: int = 0

    def now_ms(self) -> int:
        return SystemClock().now_ms() + self.ahead_ms

    async def sleep_ms(self, duration_ms: int) -> None:
        self.pauses.append(duration_ms / 1000)


def cancelled(*codes: str) -> Any:
    return error(
        "TransactionCanceledException", fields={"CancellationReasons": [{"Code": code} for code in codes]}
    )


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsServer]:
    with serving() as made:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{made.port}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
        yield made


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def send() -> Iterator[PooledSend]:
    made = PooledSend()
    yield made
    greenlets.run(made.close())


@pytest.fixture
def http(server: AwsServer, send: PooledSend, pauses: list[float]) -> HttpCall:
    clock = RestlessClock(pauses)
    return HttpCall.to("dynamodb", REGION, send, credentials_source(), clock, SystemEntropy())


@pytest.fixture(params=list(Transport))
def dynamodb(
    request: pytest.FixtureRequest, server: AwsServer, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> Iterator[AwsClient]:
    """DynamoDB over both transports, whose pauses are recorded in place of being made."""
    if request.param is Transport.HTTP:
        yield AwsClient(request.getfixturevalue("http"))
        return
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=pauses.append))
    call = BotoCall.to("dynamodb", REGION, SystemEntropy())
    yield AwsClient(call)
    call.client.close()


def test_single_write_that_met_a_transaction_is_repeated_with_jittered_pauses(
    dynamodb: AwsClient, server: AwsServer, pauses: list[float]
) -> None:
    server.script.extend([CONFLICT, CONFLICT, answer({})])
    dynamodb.put_item(**PUT)
    assert len(server.received) == 3
    assert 0.02 <= min(pauses) < max(pauses) <= 0.2


@pytest.mark.parametrize("others", [[], ["None"], ["ConditionalCheckFailed"]])
def test_transaction_that_met_another_is_repeated_with_the_same_token(
    dynamodb: AwsClient, server: AwsServer, others: list[str]
) -> None:
    server.script.extend([cancelled("TransactionConflict", *others), answer({})])
    dynamodb.transact_write_items(TransactItems=TRANSACTION)
    first, second = (request.body for request in server.received)
    assert first == second
    assert first["ClientRequestToken"]


def test_transactions_have_tokens_of_their_own(dynamodb: AwsClient, server: AwsServer) -> None:
    for _ in range(2):
        dynamodb.transact_write_items(TransactItems=TRANSACTION)
    assert len({request.body["ClientRequestToken"] for request in server.received}) == 2


@pytest.mark.parametrize("operation", ["put", "transaction"])
def test_conflict_that_lasts_is_reported_in_the_end(
    dynamodb: AwsClient, server: AwsServer, operation: str
) -> None:
    server.script.extend([CONFLICT if operation == "put" else cancelled("TransactionConflict")] * 9)
    with pytest.raises(AwsError):
        if operation == "put":
            dynamodb.put_item(**PUT)
        else:
            dynamodb.transact_write_items(TransactItems=TRANSACTION)
    assert len(server.received) == CONFLICT_TRIES


@pytest.mark.parametrize("codes", [["ConditionalCheckFailed", "None"], ["ValidationError"], ["None"]])
def test_refused_or_rejected_transaction_is_sent_once(
    dynamodb: AwsClient, server: AwsServer, codes: list[str]
) -> None:
    server.script.append(cancelled(*codes))
    with pytest.raises(AwsError) as refused:
        dynamodb.transact_write_items(TransactItems=TRANSACTION)
    assert [reason["Code"] for reason in refused.value.response["CancellationReasons"]] == codes
    assert len(server.received) == 1


def test_refused_condition_is_sent_once_and_shows_the_item(dynamodb: AwsClient, server: AwsServer) -> None:
    server.script.append(error("ConditionalCheckFailedException", fields={"Item": {"pk": {"S": "p"}}}))
    with pytest.raises(AwsError) as refused:
        dynamodb.put_item(**PUT)
    assert (refused.value.code, refused.value.response["Item"]) == (
        "ConditionalCheckFailedException",
        {"pk": {"S": "p"}},
    )
    assert len(server.received) == 1


@pytest.mark.parametrize(
    "fault",
    [
        error("ThrottlingException"),
        error("ProvisionedThroughputExceededException"),
        error("RequestLimitExceeded"),
        error("InternalServerError", 500),
        answer(b"<html>bad gateway</html>", 502),
        answer(b"", 503),
    ],
)
def test_throttle_or_fault_of_the_service_is_tried_three_times(
    dynamodb: AwsClient, server: AwsServer, pauses: list[float], fault: Any
) -> None:
    server.script.extend([fault] * 9)
    with pytest.raises(AwsError):
        dynamodb.put_item(**PUT)
    assert (len(server.received), len(pauses)) == (TRIES, TRIES - 1)


@pytest.mark.parametrize("fault", [half, hang_up])
def test_lost_answer_is_asked_for_again_and_then_reported_as_none(
    dynamodb: AwsClient, server: AwsServer, fault: Any
) -> None:
    server.script.extend([fault, answer({"Attributes": {}})])
    assert "Attributes" in dynamodb.put_item(**PUT)
    server.script.extend([fault] * 9)
    with pytest.raises(NoAnswerError):
        dynamodb.put_item(**PUT)
    assert len(server.received) == 2 + TRIES


@pytest.mark.parametrize(
    ("code", "field"),
    [
        ("ProvisionedThroughputExceededException", "ThrottlingReasons"),
        ("ThrottlingException", "throttlingReasons"),
    ],
)
@pytest.mark.parametrize(("of", "times"), [("Index", 1), ("Table", 3)])
def test_update_that_an_index_throttles_is_sent_once_so_that_it_can_be_written_without_its_entry(
    dynamodb: AwsClient, server: AwsServer, code: str, field: str, of: str, times: int
) -> None:
    reason = {"reason": f"{of}WriteKeyRangeThroughputExceeded", "resource": "arn"}
    server.script.extend([error(code, fields={field: [reason]})] * 9)
    with pytest.raises(AwsError) as throttled:
        dynamodb.update_item(TableName="executions", Key={"pk": {"S": "p"}})
    assert throttled.value.response[field] == [reason]
    assert len(server.received) == times


def test_kept_alive_connection_is_used_again(dynamodb: AwsClient, server: AwsServer) -> None:
    for _ in range(5):
        dynamodb.put_item(**PUT)
    assert {request.connection for request in server.received} == {0}


def test_connection_that_the_server_closed_while_idle_costs_no_error(
    dynamodb: AwsClient, server: AwsServer
) -> None:
    for _ in range(3):
        server.script.append(then_close(answer({})))
        dynamodb.put_item(**PUT)
    assert len({request.connection for request in server.received}) == 3


def wait_until_closed(server: AwsServer) -> None:
    """The server has ended its connection; the bytes of the end are in this process's socket."""
    server.wait_for_end(of=len({request.connection for request in server.received}))


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_end_of_an_idle_connection_is_seen_before_it_is_used_again(
    is_encrypted: bool, http: HttpCall, pauses: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(trusted(tmp_path, monkeypatch) if is_encrypted else None) as server:
        http.endpoint = Endpoint("localhost", server.port, is_encrypted)
        for _ in range(3):
            server.script.append(then_close(answer({})))
            assert http("PutItem", PUT) == {}
            wait_until_closed(server)
        assert [request.connection for request in server.received] == [0, 1, 2]
        assert pauses == []
        greenlets.run(close(http))


async def close(call: HttpCall) -> None:
    assert isinstance(call.send, PooledSend)
    await call.send.close()


def trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """The context of a server whose certificate this process trusts."""
    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(tls)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    monkeypatch.setenv("AWS_CA_BUNDLE", str(folder / "ca.pem"))
    return tls


def test_late_answer_is_not_taken_for_the_next_one(http: HttpCall, server: AwsServer) -> None:
    first = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    late = b'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"Item":"no"}'
    server.script.extend([raw(first, late), answer({"Item": "yes"})])
    assert http("GetItem", {}) == {}
    server.wait_for_late_bytes()
    assert http("GetItem", {}) == {"Item": "yes"}


def test_chunked_answer_is_read(dynamodb: AwsClient, server: AwsServer) -> None:
    server.script.append(chunked({"Item": {"pk": {"S": "x"}}}))
    assert dynamodb.get_item(TableName="executions", Key={"pk": {"S": "x"}})["Item"] == {"pk": {"S": "x"}}


def test_credentials_that_expire_are_read_anew(http: HttpCall, server: AwsServer) -> None:
    given = iter([KEYS, Credentials("RENEWED", "secret", "renewed")])
    http.credentials = lambda: next(given)
    server.script.append(error("ExpiredTokenException"))
    http("PutItem", PUT)
    expired, renewed = (request.headers for request in server.received)
    assert (expired["x-amz-security-token"], renewed["x-amz-security-token"]) == ("token", "renewed")
    assert "Credential=RENEWED/" in renewed["authorization"]


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


@pytest.mark.parametrize(
    "text",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
    ],
)
def test_answer_that_is_no_http_is_none_and_its_connection_is_left(
    http: HttpCall, server: AwsServer, text: bytes
) -> None:
    server.script.append(raw(text))
    assert http("PutItem", PUT) == {}
    assert [request.connection for request in server.received] == [0, 1]


def test_interim_response_is_followed_by_the_answer(http: HttpCall, server: AwsServer) -> None:
    interim = b"HTTP/1.1 100 Continue\r\nx-amz-crc32: 1\r\n\r\n"
    server.script.append(raw(interim + b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a": {}}'))
    assert http("GetItem", {}) == {"a": {}}
    assert len(server.received) == 1


def test_bytes_behind_an_answer_close_the_connection(http: HttpCall, server: AwsServer) -> None:
    server.script.append(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n"))
    assert [http("PutItem", PUT), http("PutItem", PUT)] == [{}, {}]
    assert [request.connection for request in server.received] == [0, 1]


def test_answer_beyond_the_largest_that_aws_gives_is_none(
    http: HttpCall, server: AwsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.adapters.aws.sender.MAX_BODY_BYTES", 100)
    server.script.extend([answer({"Items": ["x" * 200]})] * 9)
    with pytest.raises(NoAnswerError, match="too long"):
        http("Query", {})


def test_connection_that_was_idle_for_long_is_left(
    http: HttpCall, server: AwsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.adapters.aws.sender.KEEPALIVE_SECONDS", 0.0)
    for _ in range(3):
        http("PutItem", PUT)
    assert [request.connection for request in server.received] == [0, 1, 2]


def test_calls_side_by_side_share_a_bounded_number_of_connections(
    http: HttpCall, server: AwsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.adapters.aws.sender.CONNECTIONS", 4)
    GreenletSpread(50)(lambda number: http("PutItem", PUT | {"Item": {"pk": {"N": str(number)}}}), range(50))
    assert len(server.received) == 50
    assert len({request.connection for request in server.received}) <= 4


def test_redirect_is_not_followed(http: HttpCall, server: AwsServer) -> None:
    server.script.append(answer({}, 307, headers={"Location": f"http://127.0.0.1:{server.port}/elsewhere"}))
    with pytest.raises(AwsError):
        http("PutItem", PUT)
    assert len(server.received) == 1


def test_silence_ends_and_leaves_no_connection_behind(http: HttpCall, server: AwsServer) -> None:
    impatient = PooledSend(answer_seconds=0.2)
    http.send = impatient
    server.script.extend([server.silence] * 3)
    with pytest.raises(NoAnswerError):
        http("PutItem", PUT)
    http.send = PooledSend()
    assert http("PutItem", PUT) == {}
    assert [request.connection for request in server.received] == [0, 1, 2, 3]
    for each in (impatient, http.send):
        greenlets.run(each.close())


def test_cancelled_call_closes_its_connection(http: HttpCall, server: AwsServer) -> None:
    server.script.append(server.silence)

    async def cancel() -> None:
        call = asyncio.create_task(http.call("PutItem", PUT))
        while not server.received:
            await asyncio.sleep(0.01)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await http.call("PutItem", PUT)

    greenlets.run(cancel())
    assert [request.connection for request in server.received] == [0, 1]


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


@pytest.mark.parametrize(
    ("environment", "used"),
    [
        ({}, Transport.HTTP),
        ({"AWS_USE_FIPS_ENDPOINT": "true"}, Transport.BOTO3),
        ({"AWS_USE_FIPS_ENDPOINT": "True", "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, Transport.BOTO3),
        ({"AWS_USE_FIPS_ENDPOINT": "false"}, Transport.HTTP),
        ({"AWS_USE_DUALSTACK_ENDPOINT": "true"}, Transport.BOTO3),
        ({"HTTPS_PROXY": "http://proxy:3128"}, Transport.BOTO3),
        ({"https_proxy": "http://proxy:3128"}, Transport.BOTO3),
        ({"HTTPS_PROXY": "http://proxy:3128", "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, Transport.HTTP),
        ({"HTTPS_PROXY": "http://proxy:3128", "AWS_ENDPOINT_URL": "https://vpce.example"}, Transport.BOTO3),
    ],
)
def test_environment_that_asks_for_more_than_https_gets_the_sdk(
    environment: dict[str, str], used: Transport
) -> None:
    assert transport_for(Transport.HTTP, REGION, environment) is used
    assert transport_for(Transport.BOTO3, REGION, environment) is Transport.BOTO3


def test_partitions_whose_endpoints_the_own_transport_does_not_know_get_the_sdk() -> None:
    assert transport_for(Transport.HTTP, "us-iso-east-1", {}) is Transport.BOTO3
    assert transport_for(Transport.HTTP, "us-isob-east-1", {}) is Transport.BOTO3


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_variable_of_the_endpoint_is_that_of_the_sdk(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"AWS_ENDPOINT_URL_{SERVICES[service].variable}", "http://127.0.0.1:1")
    sdk = boto3.client(service, region_name=REGION, aws_access_key_id="a", aws_secret_access_key="b")  # type: ignore[call-overload]
    assert sdk.meta.endpoint_url == "http://127.0.0.1:1"
    assert endpoint_of(service, REGION).host == "127.0.0.1:1"


@pytest.mark.parametrize(
    ("region", "host"),
    [
        ("eu-central-1", "dynamodb.eu-central-1.amazonaws.com"),
        ("us-gov-west-1", "dynamodb.us-gov-west-1.amazonaws.com"),
        ("cn-north-1", "dynamodb.cn-north-1.amazonaws.com.cn"),
        ("eusc-de-east-1", "dynamodb.eusc-de-east-1.amazonaws.eu"),
    ],
)
def test_endpoint_of_a_region_is_that_of_the_sdk(
    region: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    endpoint = endpoint_of("dynamodb", region)
    assert (endpoint.host, endpoint.is_tls, endpoint.port) == (host, True, 443)
    sdk = boto3.client("dynamodb", region_name=region, aws_access_key_id="a", aws_secret_access_key="b")
    assert sdk.meta.endpoint_url == f"https://{host}"


@pytest.mark.parametrize("url", ["", "ftp://host", "host:8000", "http://", "http://host/path"])
def test_url_that_is_no_endpoint_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="an endpoint is"):
        Endpoint.at(url)


@pytest.mark.parametrize("is_trusted", [True, False])
def test_certificate_is_verified(
    is_trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, send: PooledSend
) -> None:
    tls = trusted(tmp_path, monkeypatch)
    if not is_trusted:
        monkeypatch.delenv("AWS_CA_BUNDLE")
    with serving(tls) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"https://localhost:{server.port}")
        call = HttpCall.to("dynamodb", REGION, send, lambda: KEYS, SystemClock(), SystemEntropy())
        call.budget = RetryBudget(tokens=0)
        if is_trusted:
            assert call("PutItem", PUT) == {}
        else:
            with pytest.raises(NoAnswerError, match="SSLCertVerificationError"):
                call("PutItem", PUT)
        assert len(server.received) == is_trusted
        greenlets.run(send.close())
