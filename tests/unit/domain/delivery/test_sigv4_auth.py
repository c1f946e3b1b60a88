"""Requests that a role signs for AWS: which are refused, what their URLs tell, and their stored form."""

from dataclasses import replace

import pytest

from shared.domain.delivery.call_kind import AuthKind
from shared.domain.delivery.request import Request, check_request, decode_request, encode_request
from shared.domain.delivery.sigv4_auth import SigV4Auth, partition_of, signed_resource
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidValueError, UnreadableItemError

ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
API = "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/orders"
AUTH = SigV4Auth(role=ROLE, service="execute-api", region="eu-west-1")
REQUEST = Request(method="POST", url=API, auth=AUTH)


def errors(request: Request) -> dict[str, str]:
    try:
        check_request(request, TargetPolicy())
    except InvalidValueError as error:
        return {"/".join(each.path): str(each) for each in error.each()}
    return {}


def auth_errors(url: str = API, **members: str) -> dict[str, str]:
    found = errors(replace(REQUEST, url=url, auth=replace(AUTH, **members)))
    return {path.removeprefix("request/auth/sigv4/"): text for path, text in found.items()}


@pytest.mark.parametrize(
    ("url", "service", "region"),
    [
        (API, "execute-api", "eu-west-1"),
        (API.upper().replace("HTTPS", "https"), "execute-api", "eu-west-1"),
        ("https://api.example.com/orders", "execute-api", "eu-west-1"),
        ("https://abc.lambda-url.us-east-1.on.aws/", "lambda", "us-east-1"),
        ("https://sqs.eu-west-1.amazonaws.com/111122223333/orders", "sqs", "eu-west-1"),
        ("https://my-bucket.s3.eu-west-1.amazonaws.com/a%20b", "s3", "eu-west-1"),
        ("https://eu-west-2.s3.amazonaws.com/a", "s3", "eu-west-1"),
        ("https://s3.amazonaws.com/bucket/a", "s3", "eu-west-1"),
        ("https://search-x.eu-west-1.es.amazonaws.com/_search", "es", "eu-west-1"),
        ("https://email.eu-west-1.amazonaws.com/", "ses", "eu-west-1"),
        ("https://iam.amazonaws.com/", "iam", "us-east-1"),
        ("https://eu-west-2.example.com/", "execute-api", "eu-west-1"),
        ("https://amazonaws.com.example.com/eu-west-2", "execute-api", "eu-west-1"),
    ],
)
def test_request_that_can_be_signed_is_accepted(url: str, service: str, region: str) -> None:
    assert auth_errors(url, service=service, region=region) == {}


@pytest.mark.parametrize(
    "role",
    [
        "",
        "acme",
        "arn:aws:iam::111122223333:user/acme",
        f"{ROLE}\n",
        f"{ROLE} ",
        "arn:aws:iam::1:role/a",
        "*",
    ],
)
def test_role_that_is_none_is_refused(role: str) -> None:
    assert "ARN of a target role" in auth_errors(role=role)["role"]


@pytest.mark.parametrize(
    "service",
    ["", "S3", "Execute-API", "s3\n", "s3/eu", "s3,x", "s3 ", "-s3", "s3-", "*", "s3:*", "é", "a" * 65, '"'],
)
def test_service_that_is_none_is_refused(service: str) -> None:
    found = auth_errors("https://api.example.com/", service=service)
    assert found == {"service": found["service"]}
    assert len(found["service"]) < 200


@pytest.mark.parametrize(
    "region", ["", "EU-west-1", "eu-west-1\n", "*", "eu", "eu-west-1/x", "x" * 999, "eu-west-0"]
)
def test_region_that_is_none_is_refused(region: str) -> None:
    found = auth_errors("https://api.example.com/", region=region)
    assert found == {"region": "must be the name of a region, such as eu-west-1"}


@pytest.mark.parametrize(
    ("url", "service"),
    [
        (API, "lambda"),
        ("https://abc.lambda-url.eu-west-1.on.aws/", "execute-api"),
        ("https://events.eu-west-1.amazonaws.com/", "eventbridge"),
        ("https://states.eu-west-1.amazonaws.com:443/", "stepfunctions"),
        ("https://b.s3.dualstack.eu-west-1.amazonaws.com/", "s3-object"),
        ("https://x.vpc-lattice-svcs.eu-west-1.on.aws/", "vpc-lattice"),
    ],
)
def test_service_that_the_host_does_not_know_is_refused_with_its_own(url: str, service: str) -> None:
    assert "signatures for this host name the service" in auth_errors(url, service=service)["service"]


@pytest.mark.parametrize(
    "url", [API, "https://search-x.eu-west-1.es.amazonaws.com/", "https://sqs.eu-west-1.api.aws/?a=b"]
)
def test_region_that_the_host_is_not_in_is_refused_with_its_own(url: str) -> None:
    service = "sqs" if "sqs" in url else "execute-api"
    found = auth_errors(url, region="eu-west-2", service=service)
    assert found == {"region": "the host of the URL is in the region eu-west-1"}


def test_role_of_another_partition_is_refused() -> None:
    url = API.replace("eu-west-1.amazonaws.com", "cn-north-1.amazonaws.com.cn")
    assert "partition aws-cn" in auth_errors(url, region="cn-north-1")["role"]
    assert auth_errors(url, region="cn-north-1", role=ROLE.replace("aws", "aws-cn")) == {}
    assert [
        partition_of(each) for each in ("us-gov-west-1", "us-isob-east-1", "eusc-de-east-1", "us-east-1")
    ] == [
        "aws-us-gov",
        "aws-iso-b",
        "aws-eusc",
        "aws",
    ]


def test_requests_to_sts_are_refused_because_their_answers_are_credentials() -> None:
    found = auth_errors("https://sts.eu-west-1.amazonaws.com/", service="sts")
    assert list(found) == ["service"]
    assert "answers of STS have credentials" in found["service"]


@pytest.mark.parametrize(
    "name", ["X-Amz-Date", "x-amz-security-token", "X-AMZ-Content-SHA256", "Authorization"]
)
def test_header_of_the_signature_is_refused(name: str) -> None:
    found = errors(replace(REQUEST, headers=((name, "x"), ("X-Amz-Target", "Logs.PutLogEvents"))))
    assert list(found) == [f"request/headers/{name}"]
    assert "leave out the header, or auth" in found[f"request/headers/{name}"]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("?a=b+c", "%2B"),
        ("?X-Amz-Signature=00", "a signature already"),
        ("?a=1&x-amz-credential=a", "already"),
    ],
)
def test_url_whose_signature_would_not_be_found_is_refused(query: str, says: str) -> None:
    assert says in errors(replace(REQUEST, url=API + query))["request/url"]


def test_plus_in_the_name_of_an_object_is_refused_and_in_another_path_is_not() -> None:
    url = "https://b.s3.eu-west-1.amazonaws.com/a+b"
    assert "%2B" in auth_errors(url, service="s3")["request/url"]
    assert auth_errors(f"{API}/a+b") == {}


@pytest.mark.parametrize(
    "url",
    [
        "https://sqs.eu-west-1.amazonaws.com/111122223333/orders",
        "https://sqs.eu-west-1.amazonaws.com/",
        "https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/f/invocations",
        "https://dynamodb.eu-west-1.amazonaws.com/",
    ],
)
def test_endpoint_of_aws_needs_a_signature_and_the_refusal_says_so(url: str) -> None:
    text = errors(replace(REQUEST, url=url, auth=None))["request/url"]
    assert "auth.sigv4" in text
    assert ("send a target" in text) is ("dynamodb" not in url)


@pytest.mark.parametrize(
    ("service", "url", "resource"),
    [
        ("execute-api", API, "a1b2c3"),
        ("execute-api", "https://a1b2c3-vpce-0f.execute-api.eu-west-1.amazonaws.com/", None),
        ("execute-api", "https://x.y.execute-api.eu-west-1.amazonaws.com/", None),
        ("execute-api", "https://*.execute-api.eu-west-1.amazonaws.com/", None),
        ("execute-api", "https://api.example.com/", None),
        ("s3", API, None),
        ("s3", "https://bucket.s3.eu-west-1.amazonaws.com/a/b", "bucket"),
        ("s3", "https://a.b.s3.dualstack.eu-west-1.amazonaws.com/a", "a.b"),
        ("s3", "https://s3.eu-west-1.amazonaws.com/bucket/a", "bucket"),
        ("s3", "https://s3.eu-west-1.amazonaws.com/%62ucket/a", "bucket"),
        ("s3", "https://s3.eu-west-1.amazonaws.com/a%2Fb/a", None),
        ("s3", "https://s3.eu-west-1.amazonaws.com/", None),
        ("s3", "https://s3.eu-west-1.amazonaws.com/%2A/a", None),
        ("s3", "https://s3.eu-west-1.amazonaws.com/*/a", None),
        ("s3", "https://s3.eu-west-1.amazonaws.com/../a", None),
        ("s3", "https://minio.example.com/bucket/a", None),
    ],
)
def test_url_tells_the_api_or_the_bucket(service: str, url: str, resource: str | None) -> None:
    assert signed_resource(service, url) == resource


def test_stored_request_keeps_who_signs_it() -> None:
    assert decode_request(encode_request(REQUEST)) == REQUEST
    assert REQUEST.auth is not None
    assert REQUEST.auth.kind is AuthKind.SIGV4


@pytest.mark.parametrize(
    "auth",
    [
        "{}",
        '{"sigv4":{}}',
        '{"sigv4":"a"}',
        '{"sigv4":{"r":1,"s":"","g":""}}',
        '{"oidc":"a","sigv4":{}}',
        "[]",
    ],
)
def test_stored_request_with_another_auth_is_unreadable(auth: str) -> None:
    stored = f'{{"m":"GET","u":"{API}","h":[],"t":"","au":{auth}}}'
    with pytest.raises(UnreadableItemError):
        decode_request(stored.encode())
