"""The services that are called, by what differs in their JSON protocols, and where they listen."""

import os
from dataclasses import field
from urllib.parse import urlsplit

from shared.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Service:
    name: str
    """In host names and in the scope of signatures."""
    target: str
    """The prefix of X-Amz-Target; empty for a service of another protocol."""
    content_type: str
    variable: str
    """As the names of environment variables spell it: AWS_ENDPOINT_URL_SQS."""
    blobs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The binary members of an operation's answer, which JSON spells in base64."""


_FORM = "application/x-www-form-urlencoded; charset=utf-8"
SERVICES = {
    "dynamodb": Service("dynamodb", "DynamoDB_20120810", "application/x-amz-json-1.0", "DYNAMODB"),
    "sqs": Service("sqs", "AmazonSQS", "application/x-amz-json-1.0", "SQS"),
    "kms": Service(
        "kms",
        "TrentService",
        "application/x-amz-json-1.1",
        "KMS",
        {
            "Decrypt": ("Plaintext",),
            "GenerateDataKeyWithoutPlaintext": ("CiphertextBlob",),
            "GetPublicKey": ("PublicKey",),
            "Sign": ("Signature",),
        },
    ),
    "ssm": Service("ssm", "AmazonSSM", "application/x-amz-json-1.1", "SSM"),
    "logs": Service("logs", "Logs_20140328", "application/x-amz-json-1.1", "CLOUDWATCH_LOGS"),
    "events": Service("events", "AWSEvents", "application/x-amz-json-1.1", "EVENTBRIDGE"),
    "states": Service("states", "AWSStepFunctions", "application/x-amz-json-1.0", "SFN"),
    "sns": Service("sns", "", _FORM, "SNS"),
    "sts": Service("sts", "", _FORM, "STS"),
    "lambda": Service("lambda", "", "application/json", "LAMBDA"),
}
"""The operations of a service with binary members elsewhere in their answers are not called."""

_SUFFIXES = {"cn": "amazonaws.com.cn", "eusc": "amazonaws.eu"}
"""By the first part of a region's name, where it is not amazonaws.com."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    name: str
    port: int
    is_tls: bool

    @classmethod
    def at(cls, url: str) -> "Endpoint":
        """The endpoint of a URL without a path; ValueError for other URLs."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError(f"an endpoint is http:// or https:// and a host, not {url!r}")
        is_tls = parts.scheme == "https"
        return cls(parts.hostname, parts.port or (443 if is_tls else 80), is_tls)

    @property
    def host(self) -> str:
        """The Host header: with the port, unless it is the scheme's own."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port == (443 if self.is_tls else 80) else f"{name}:{self.port}"


def endpoint_of(service: str, region: str) -> Endpoint:
    """The endpoint of a service in a region, or what AWS_ENDPOINT_URL_SERVICE or AWS_ENDPOINT_URL names."""
    variable = SERVICES[service].variable if service in SERVICES else service.upper()
    named = os.environ.get(f"AWS_ENDPOINT_URL_{variable}") or os.environ.get("AWS_ENDPOINT_URL")
    suffix = _SUFFIXES.get(region.split("-")[0], "amazonaws.com")
    return Endpoint.at(named or f"https://{service}.{region}.{suffix}")
