"""Signatures of requests to AWS are those of the AWS SDK, byte by byte."""

from datetime import UTC, datetime
from unittest.mock import patch
from urllib.parse import quote

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as SdkCredentials
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.services import SERVICES
from shared.adapters.aws.signer import Signer
from shared.adapters.aws.sigv4 import UnsignedRequest, signature_headers

NAMES = st.from_regex(r"[A-Za-z0-9+/=]{1,60}", fullmatch=True)
INSTANTS = st.integers(946_684_800, 4_102_444_799).map(lambda second: datetime.fromtimestamp(second, UTC))
HOSTS = st.sampled_from(["dynamodb.eu-central-1.amazonaws.com", "localhost:8000", "127.0.0.1:1"])


def by_sdk(
    signer: Signer, target: str, body: bytes, credentials: Credentials, at: datetime
) -> dict[str, str]:
    """The headers of the same request as the SDK signs it."""
    headers = {"Content-Type": signer.content_type, "X-Amz-Target": target, "Host": signer.host}
    request = AWSRequest("POST", f"https://{signer.host}/", headers=headers, data=body)
    keys = SdkCredentials(credentials.access_key, credentials.secret_key, credentials.token)
    with patch("botocore.auth.get_current_datetime", return_value=at.replace(tzinfo=None)):
        SigV4Auth(keys, signer.service, signer.region).add_auth(request)
    return dict(request.headers.items())


@given(
    st.sampled_from(sorted(SERVICES)),
    st.from_regex(r"[a-z]{2}-[a-z]{4,9}-[1-9]", fullmatch=True),
    HOSTS,
    st.from_regex(r"[A-Z][A-Za-z]{2,30}", fullmatch=True),
    st.lists(st.tuples(st.binary(max_size=300), INSTANTS), min_size=1, max_size=4),
    st.lists(
        st.builds(
            Credentials, NAMES, NAMES, st.none() | st.from_regex(r"[A-Za-z0-9+/=]{1,900}", fullmatch=True)
        ),
        min_size=1,
        max_size=2,
    ),
)
def test_headers_are_those_of_the_sdk(
    service: str,
    region: str,
    host: str,
    operation: str,
    requests: list[tuple[bytes, datetime]],
    keys: list[Credentials],
) -> None:
    """One signer signs all requests: days and credentials change under its cached key."""
    known = SERVICES[service]
    signer = Signer(known.name, region, host, known.content_type)
    target = f"{known.target}.{operation}"
    for body, at in requests:
        for credentials in keys:
            expected = by_sdk(signer, target, body, credentials, at)
            assert signer.headers(target, body, credentials, at.timestamp()) == expected


PATHS = st.lists(st.text(min_size=1, max_size=12).map(lambda text: quote(text, safe="")), max_size=4).map(
    lambda parts: "/" + "/".join(part for part in parts if part not in (".", ".."))
)
PARAMETERS = st.lists(
    st.tuples(*[st.text(max_size=9).map(lambda text: quote(text, safe="-_.~"))] * 2).filter(
        lambda pair: pair[0]
    ),
    max_size=4,
)
VALUES = st.from_regex(r"[!-~](?:[ -~]{0,30}[!-~])?", fullmatch=True)


@given(
    st.sampled_from(["GET", "POST", "PUT", "DELETE"]),
    PATHS,
    PARAMETERS,
    st.dictionaries(st.from_regex(r"X-[A-Z][a-z]{1,9}", fullmatch=True), VALUES, max_size=3),
    st.binary(max_size=100),
    INSTANTS,
    st.none() | st.just("a-token=="),
)
def test_signature_of_any_request_is_that_of_the_sdk(
    method: str,
    path: str,
    parameters: list[tuple[str, str]],
    headers: dict[str, str],
    body: bytes,
    at: datetime,
    token: str | None,
) -> None:
    query = "&".join(f"{name}={value}" for name, value in parameters)
    own = {**headers, "Host": "api.eu-west-1.amazonaws.com"}
    credentials = Credentials("ASIA1", "secret/1", token)
    request = AWSRequest(method, f"https://{own['Host']}{path}?{query}", headers=own, data=body)
    with patch("botocore.auth.get_current_datetime", return_value=at.replace(tzinfo=None)):
        SigV4Auth(SdkCredentials("ASIA1", "secret/1", token), "execute-api", "eu-west-1").add_auth(request)
    unsigned = UnsignedRequest(method=method, path=path, query=query, headers=own, body=body)
    added = signature_headers(unsigned, "execute-api", "eu-west-1", credentials, at.timestamp())
    assert {**own, **added} == dict(request.headers.items())
