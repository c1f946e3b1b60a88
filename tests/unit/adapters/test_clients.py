"""Which transport and which endpoint a client of AWS gets."""

import boto3
import pytest

from shared.adapters.aws.services import SERVICES, Endpoint, endpoint_of
from shared.adapters.clients import transport_for
from shared.names import Transport

REGION = "eu-central-1"


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
    name = {"states": "stepfunctions"}.get(service, service)
    sdk = boto3.client(name, region_name=REGION, aws_access_key_id="a", aws_secret_access_key="b")  # type: ignore[call-overload]
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
