"""Requests that a session of the tenant's role signs: their signature, the rights of the session, and its faults."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from unittest.mock import patch
from urllib.parse import parse_qsl

import pytest
from botocore.auth import S3SigV4Auth
from botocore.auth import SigV4Auth as SdkSigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as SdkCredentials

from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.http11 import HttpResponse
from shared.adapters.aws.sigv4 import UnsignedRequest, folded, signature_headers
from shared.adapters.targets.role_credentials import DENIED_MS, RoleCredentials
from shared.adapters.targets.signed_rights import statements_of
from shared.adapters.targets.signed_sender import SigV4Sender, sign, without_secrets
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.signing import SIGNATURE_HEADER
from shared.domain.delivery.sigv4_auth import SignedCall, SigV4Auth
from tests.support.builders import DUE_AT
from tests.support.fakes.clock import VirtualClock
from tests.support.fakes.sender import AnswerTo, ScriptedSender, succeeds
from tests.unit.adapters.test_target_sender import OWN, Aws, refused, session

ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
API = "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/orders"
KEYS = Credentials("ASIA1", "secret/1", "IQoJb3JpZ2luX2VjEPr//////////wEaCWV1" * 20)
LATTICE = "vpc-lattice-svcs"
NOW = DUE_AT


def call(
    url: str = API,
    service: str = "execute-api",
    region: str = "eu-west-1",
    body: bytes = b'{"n":1}',
    **of: object,
) -> SignedCall:
    headers = (
        ("Content-Type", "application/json"),
        (SIGNATURE_HEADER, "v1=a"),
        ("X-Spaces", " a   b "),
    )
    fields: dict[str, object] = {"method": "POST", "headers": headers} | of
    callback = Callback(tenant_id="acme", url=url, body=body, **fields)  # type: ignore[arg-type]
    auth = SigV4Auth(role=ROLE, service=service, region=region)
    return SignedCall(
        callback=callback, auth=auth, external_id="external-secret", session_name="punctual-0-acme"
    )


def by_sdk(signed: SignedCall, url: str | None = None) -> str:
    """The signature of the AWS SDK for the same request."""
    callback = signed.callback
    request = AWSRequest(callback.method, url or callback.url, data=callback.body)
    for name, value in callback.headers:
        request.headers.add_header(name, value)
    kind = S3SigV4Auth if signed.auth.service in ("s3", LATTICE) else SdkSigV4Auth
    if kind is S3SigV4Auth:
        # As in AWS's own example for VPC Lattice.
        request.context["has_streaming_input"] = signed.auth.service == LATTICE
        options = {"payload_signing_enabled": signed.auth.service != LATTICE}
        request.context["client_config"] = type("Config", (), {"s3": options})
    at = datetime.fromtimestamp(NOW // 1000, UTC).replace(tzinfo=None)
    with patch("botocore.auth.get_current_datetime", return_value=at):
        keys = SdkCredentials(KEYS.access_key, KEYS.secret_key, KEYS.token)
        kind(keys, signed.auth.service, signed.auth.region).add_auth(request)
    return str(request.headers["Authorization"])


def authorization(of: Callback) -> str:
    return dict(of.headers)["Authorization"]


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "/",
        "/a%20b/%C3%A4/~user/-_.",
        "/a:b@c/(d)/e;f,g'h!*$&=+",
        "/%2F/%252F/%41",
        "/a//b/./c/../d/",
        "/..",
        "/@connections/abc%3D",
        "/?b=2&a=1&a=0&B=3",
        "/?empty&x=&y=%20%C3%A4%2B",
        "/?a-b=1&a=%2F&Action=SendMessage",
    ],
)
@pytest.mark.parametrize("body", [b"", b'{"n":1}', b"\x00\xff"], ids=["empty", "json", "binary"])
def test_signature_is_that_of_the_sdk(rest: str, body: bytes) -> None:
    signed = call(f"https://api.eu-west-1.amazonaws.com{rest}", body=body)
    assert authorization(sign(signed, KEYS, NOW)) == by_sdk(signed)


@pytest.mark.parametrize(
    "path", ["/", "/a%20b/%C3%A4", "/a//b/./../c", "/%252F", "/x?list-type=2&prefix=a%2Fb"]
)
@pytest.mark.parametrize("body", [b"", b"object"], ids=["empty", "object"])
def test_signature_for_s3_keeps_the_path_and_has_the_hash_of_the_body(path: str, body: bytes) -> None:
    signed = call(f"https://bucket.s3.eu-west-1.amazonaws.com{path}", "s3", body=body, method="PUT")
    made = sign(signed, KEYS, NOW)
    assert authorization(made) == by_sdk(signed)
    assert dict(made.headers)["X-Amz-Content-SHA256"] == hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize("service", ["s3express", "s3-object-lambda", "s3-outposts", "aoss"])
def test_service_that_wants_the_hash_of_the_body_gets_it(service: str) -> None:
    signed = call("https://a.example.com/index/_doc", service, body=b"object", method="PUT")
    made = sign(signed, KEYS, NOW)
    assert dict(made.headers)["X-Amz-Content-SHA256"] == hashlib.sha256(b"object").hexdigest()
    assert "x-amz-content-sha256" in authorization(made)


@pytest.mark.parametrize("path", ["/", "/a%20b", "/orders?n=1"])
def test_signature_for_vpc_lattice_leaves_the_body_out(path: str) -> None:
    signed = call(f"https://orders-1a2b3c.4d5e.vpc-lattice-svcs.eu-west-1.on.aws{path}", LATTICE)
    made = sign(signed, KEYS, NOW)
    assert authorization(made) == by_sdk(signed)
    assert dict(made.headers)["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD"


def test_signature_is_over_what_services_decode_from_a_url_that_is_not_encoded_throughout() -> None:
    """AWS encodes the parameters, and the names of objects, anew before it looks at the signature."""
    signed = call("https://api.eu-west-1.amazonaws.com/?ids[]=a:b&q=%c3%a4")
    encoded = "https://api.eu-west-1.amazonaws.com/?ids%5B%5D=a%3Ab&q=%C3%A4"
    assert authorization(sign(signed, KEYS, NOW)) == by_sdk(signed, encoded)
    signed = call("https://b.s3.eu-west-1.amazonaws.com/a:b(c)", "s3")
    encoded = "https://b.s3.eu-west-1.amazonaws.com/a%3Ab%28c%29"
    assert authorization(sign(signed, KEYS, NOW)) == by_sdk(signed, encoded)


def test_signature_covers_repeated_headers_and_not_those_that_proxies_change() -> None:
    headers = [
        ("X-A", "1"),
        ("x-a", " 2  3"),
        ("User-Agent", "own"),
        ("X-Amzn-Trace-Id", "Root=1"),
        ("X-B", ""),
    ]
    signed = call(headers=((SIGNATURE_HEADER, "v1=a"), *headers))
    made = authorization(sign(signed, KEYS, NOW))
    assert made == by_sdk(signed)
    assert "SignedHeaders=host;webhook-signature;x-a;x-amz-date;x-amz-security-token;x-b," in made
    assert folded(headers)["x-a"] == "1,2 3"


def test_signature_changes_with_everything_that_is_sent() -> None:
    first = call()
    others = [
        call(body=b'{"n":2}'),
        call(method="PUT"),
        call(f"{API}/1"),
        call(f"{API}?a=1"),
        call(API.replace("a1b2c3", "a1b2c4")),
        call(headers=(*first.callback.headers, ("X-Job-Id", "1"))),
        call(service="lambda"),
        call(region="eu-west-2"),
    ]
    made = {authorization(sign(each, KEYS, NOW)).rpartition("=")[2] for each in [first, *others]}
    assert len(made) == len(others) + 1


def test_port_and_spelling_of_the_host_are_signed_as_they_are_sent() -> None:
    signed = sign(call("https://API.Example.com:8443/a?B=c"), KEYS, NOW)
    assert signed.url == "https://api.example.com:8443/a?B=c"
    assert authorization(signed) == by_sdk(call("https://api.example.com:8443/a?B=c"))
    assert authorization(sign(call("https://api.example.com:443/"), KEYS, NOW)) == by_sdk(
        call("https://api.example.com/")
    )


class Deployment:
    """A sender of signed requests over an STS and a receiver that answer as they are told."""

    def __init__(
        self,
        sts: Callable[[int], HttpResponse | Exception] | HttpResponse | None = None,
        answer_to: AnswerTo = succeeds,
    ) -> None:
        self.clock = VirtualClock(NOW)
        self.aws = Aws()
        if sts is not None:
            self.aws.sts = sts
        self.receiver = ScriptedSender(self.clock, answer_to)
        roles = RoleCredentials.of("eu-central-1", self.aws, lambda: OWN, self.clock)
        self.sender = SigV4Sender(roles, "arn:aws:iam::*:role/punctual/*", self.receiver, self.clock)

    def send(self, *calls: SignedCall, seconds: float = 5.0) -> list[CallbackResponse]:
        async def all_of() -> list[CallbackResponse]:
            return [await self.sender.send(each, timeout_seconds=seconds) for each in calls]

        return asyncio.run(all_of())

    @property
    def sessions(self) -> list[dict[str, str]]:
        return [dict(parse_qsl(body.decode())) for _, body in self.aws.to("sts")]


def test_call_has_the_session_of_the_tenants_role_for_this_api_alone() -> None:
    made = Deployment()
    (response,) = made.send(call())
    (asked,) = made.sessions
    assert (response.reason, response.status) == (Reason.OK, 200)
    assert (asked["RoleArn"], asked["ExternalId"], asked["RoleSessionName"]) == (
        ROLE,
        "external-secret",
        "punctual-0-acme",
    )
    assert json.loads(asked["Policy"])["Statement"] == [
        {
            "Effect": "Allow",
            "Action": "execute-api:*",
            "Resource": "arn:aws:execute-api:eu-west-1:*:a1b2c3/*",
        }
    ]
    (sent,) = made.receiver.calls
    assert authorization(sent.callback).startswith("AWS4-HMAC-SHA256 Credential=")
    assert dict(sent.callback.headers)["X-Amz-Security-Token"]
    assert sent.callback.body == b'{"n":1}'


def test_calls_of_one_api_share_a_session_and_those_of_others_and_of_other_tenants_do_not() -> None:
    made = Deployment()
    other = call(API.replace("a1b2c3", "z9"))
    globex = replace(call(), callback=replace(call().callback, tenant_id="globex"))
    made.send(
        call(), call(f"{API}/2"), other, globex, replace(call(), auth=replace(call().auth, role=f"{ROLE}2"))
    )
    assert len(made.sessions) == 4


@pytest.mark.parametrize(
    ("signed", "allowed"),
    [
        (call("https://api.example.com/"), ["arn:aws:execute-api:eu-west-1:*:*"]),
        (
            call("https://x.lambda-url.eu-west-1.on.aws/", "lambda"),
            ["arn:aws:lambda:eu-west-1:*:function:*"] * 2,
        ),
        (
            call("https://bucket.s3.cn-north-1.amazonaws.com.cn/a", "s3", "cn-north-1"),
            [["arn:aws-cn:s3:::bucket", "arn:aws-cn:s3:::bucket/*"], "*"],
        ),
        (call("https://monitoring.eu-west-1.amazonaws.com/", "monitoring"), ["*", "*", "*"]),
    ],
    ids=["domain", "function", "bucket", "service"],
)
def test_session_has_no_more_rights_than_the_url_tells(signed: SignedCall, allowed: list[object]) -> None:
    statements = statements_of(signed)
    assert [each["Resource"] for each in statements] == allowed
    assert all(each["Effect"] == "Allow" for each in statements)
    assert all(each.get("Condition") for each in statements if each["Resource"] == "*")
    assert len(json.dumps({"Version": "2012-10-17", "Statement": statements})) < 2_048


def test_session_for_a_function_url_invokes_no_function_otherwise() -> None:
    url, invoke = statements_of(call("https://x.lambda-url.eu-west-1.on.aws/", "lambda"))
    assert url["Action"] == "lambda:InvokeFunctionUrl"
    assert invoke["Condition"] == {"Bool": {"lambda:InvokedViaFunctionUrl": "true"}}


def test_session_for_a_service_is_for_its_region_and_the_prefix_of_its_actions() -> None:
    service, passing, keys = statements_of(call("https://monitoring.eu-west-1.amazonaws.com/", "monitoring"))
    assert (service["Action"], service["Condition"]) == (
        "cloudwatch:*",
        {"StringEquals": {"aws:RequestedRegion": "eu-west-1"}},
    )
    assert passing["Condition"] == {"StringLike": {"iam:PassedToService": "cloudwatch*"}}
    assert keys["Condition"] == {"StringEquals": {"kms:ViaService": "monitoring.eu-west-1.amazonaws.com"}}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("AccessDenied", Reason.ROLE_REFUSED),
        ("RegionDisabledException", Reason.ROLE_REFUSED),
        ("Throttling", Reason.UNAVAILABLE),
        ("InternalFailure", Reason.UNAVAILABLE),
        ("ExpiredToken", Reason.UNAVAILABLE),
    ],
)
def test_refused_session_is_the_tenants_fault_only_where_its_role_refuses(code: str, reason: Reason) -> None:
    made = Deployment(refused(code))
    (response,) = made.send(call())
    assert (response.reason, response.status, response.body) == (reason, None, b"")
    assert made.receiver.calls == []


def test_role_outside_the_pattern_of_the_stage_is_not_assumed_and_costs_no_attempt() -> None:
    made = Deployment()
    (response,) = made.send(
        replace(call(), auth=replace(call().auth, role="arn:aws:iam::111122223333:role/admin"))
    )
    assert (response.refunds, made.aws.asked, made.receiver.calls) == (True, [], [])


def test_slow_session_takes_no_more_than_a_quarter_of_the_receivers_time() -> None:
    made = Deployment()
    made.aws.seconds = 0.2
    (response,) = made.send(call(), seconds=0.3)
    assert (response.refunds, made.receiver.calls) == (True, [])


@pytest.mark.parametrize(("status", "sessions"), [(403, 2), (401, 2), (400, 2), (404, 1), (500, 1), (200, 1)])
def test_revoked_session_is_replaced_once_it_is_a_minute_old(status: int, sessions: int) -> None:
    reason = Reason.OK if status == 200 else Reason.HTTP_STATUS
    made = Deployment(answer_to=lambda _: CallbackResponse(reason=reason, status=status, duration_ms=1))
    made.send(call(), call())
    assert len(made.sessions) == 1, "a call without rights costs no call of STS at each attempt"
    made.clock.time_ms += DENIED_MS
    made.send(call())
    made.send(call())
    assert len(made.sessions) == sessions


def test_response_repeats_neither_signature_nor_token() -> None:
    signed = sign(call(), KEYS, NOW)
    token, signature = KEYS.token or "", authorization(signed).rpartition("=")[2]
    for text in (
        f"x-amz-security-token:{token}\n",
        f"a {signature} b",
        f"{token[:200]}",
        json.dumps([token, signature]),
    ):
        left = without_secrets(text.encode(), signed).decode()
        assert "[redacted]" in left
        assert token[:24] not in left
        assert signature[:24] not in left
    assert without_secrets(b"plain", signed) == b"plain"
    for slash in ("\\/", "%2F", "&#x2F;", "&#47;", "&sol;"):
        escaped = token.replace("/", slash)
        assert without_secrets(f'{{"t":"{escaped}"}}'.encode(), signed) == b'{"t":"[redacted]"}'


def test_texts_of_a_signed_request_show_no_secret() -> None:
    made = sign(call(), KEYS, NOW)
    unsigned = UnsignedRequest(method="POST", path="/", headers={"X-A": "a-secret"}, body=b"b-secret")
    added = signature_headers(unsigned, "s3", "eu-west-1", KEYS, NOW / 1000)
    assert "b-secret" not in str(added)
    shown = f"{made!r} {call()!r} {unsigned!r} {KEYS!r}"
    for secret in ("secret/1", KEYS.token or "", "external-secret", "a-secret", authorization(made)[-64:]):
        assert secret not in shown


def test_session_expires_before_it_is_used_to_its_end() -> None:
    made = Deployment()
    made.send(call())
    made.clock.time_ms += 3_600_000
    made.aws.sts = session()
    made.send(call())
    assert len(made.sessions) == 2


def test_answer_of_a_receiver_that_repeats_what_it_got_is_stored_without_the_secrets() -> None:
    def echo(callback: Callback) -> CallbackResponse:
        headers = dict(callback.headers)
        text = f"{headers['Authorization'][-80:]} {headers['X-Amz-Security-Token']}"
        return CallbackResponse(reason=Reason.HTTP_STATUS, status=403, duration_ms=1, body=text.encode())

    made = Deployment(answer_to=echo)
    (response,) = made.send(call())
    (sent,) = made.receiver.calls
    assert authorization(sent.callback)[-64:].encode() not in response.body
    assert b"[redacted]" in response.body
