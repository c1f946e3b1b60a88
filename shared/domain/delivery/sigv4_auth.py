"""Requests that AWS Signature Version 4 signs with a role of the tenant: their rules, and where AWS takes them."""

import re
from collections.abc import Iterator
from dataclasses import field
from urllib.parse import unquote

from shared.dataclass import dataclass
from shared.domain.delivery.aws_target import REGION, ROLE_ARN
from shared.domain.delivery.call_kind import AuthKind
from shared.domain.delivery.callback import Callback
from shared.domain.delivery.request import Request
from shared.domain.errors import InvalidValueError

MAX_SERVICE_CHARACTERS = 64
MAX_REGION_CHARACTERS = 32
SERVICE = r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$"
"""The form of a service in the scope of a signature."""
SERVICE_TEXT = (
    "must be the name that signatures give to the service, of lower-case letters, digits and hyphens, such as "
    "execute-api, lambda or s3"
)
ROLE_TEXT = (
    "must be the ARN of a target role of this tenant, such as arn:aws:iam::111122223333:role/punctual/orders"
)
REGION_TEXT = "must be the name of a region, such as eu-west-1"
EXECUTE_API, LAMBDA, S3, STS = "execute-api", "lambda", "s3", "sts"
SIGNATURE_HEADERS = ("x-amz-date", "x-amz-security-token", "x-amz-content-sha256")
"""The headers of a signature, beside `Authorization`."""

_URL = re.compile(r"https?://(?P<host>[A-Za-z0-9.-]+)(?::[0-9]+)?(?P<path>/[^?]*)?(?:\?(?P<query>.*))?")
_SUFFIXES = re.compile(
    r"\.(?:amazonaws\.(?:com|com\.cn|eu)|api\.aws|on\.aws|api\.amazonwebservices\.com\.cn|on\.amazonwebservices\.com\.cn)$"
)
_REGION = re.compile(
    r"(?:us-gov|us-iso[a-z]?|eu-isoe|eusc-de|[a-z]{2})-(?:north|south|central|east|west)(?:east|west)?-[1-9][0-9]?"
)
_API_ID = re.compile(r"[a-z0-9]{1,32}")
_BUCKET = re.compile(r"(?=.{3,63}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])")
_LABELS = {"execute-api": EXECUTE_API, "lambda-url": LAMBDA, "vpc-lattice-svcs": "vpc-lattice-svcs"}
"""The service of a host whose label before the region is this."""
_ALIKE = frozenset(
    {"batch", "dynamodb", "ecs", "events", "firehose", "glue", "kinesis", "kms", LAMBDA, "logs"}
    | {S3, "secretsmanager", "sns", "sqs", "ssm", "states", "sts"}
)
"""Services whose endpoints in a region have the name of their signatures."""
_PARTITIONS = {
    "cn": "aws-cn",
    "us-gov": "aws-us-gov",
    "eusc": "aws-eusc",
    "us-iso": "aws-iso",
    "us-isob": "aws-iso-b",
    "us-isof": "aws-iso-f",
    "eu-isoe": "aws-iso-e",
}
_PRESIGNED = frozenset({"x-amz-signature", "x-amz-credential", "x-amz-algorithm", "x-amz-security-token"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SigV4Auth:
    """A request that the tenant's role signs for a service in a region."""

    role: str
    """The ARN of a target role of the tenant."""
    service: str
    region: str

    @property
    def kind(self) -> AuthKind:
        return AuthKind.SIGV4


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedCall:
    """A call that is signed with a session of the tenant's role when it is sent."""

    callback: Callback
    auth: SigV4Auth
    external_id: str = field(repr=False)
    """A secret of the tenant."""
    session_name: str

    @property
    def tenant_id(self) -> str:
        return self.callback.tenant_id

    @property
    def role_arn(self) -> str:
        return self.auth.role

    @property
    def not_from(self) -> int | None:
        return self.callback.not_from

    @property
    def scope(self) -> str:
        """The calls of one scope share a session."""
        resource = signed_resource(self.auth.service, self.callback.url)
        return "/".join((self.auth.service, self.auth.region, resource or ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsHost:
    """What the name of a host of AWS says. None is what it does not say."""

    labels: tuple[str, ...]
    """The parts of the name before the suffix of AWS."""
    region: str | None
    service: str | None


def partition_of(region: str) -> str:
    """The partition of AWS that a region is in."""
    found = (name for prefix, name in _PARTITIONS.items() if region.startswith(f"{prefix}-"))
    return next(found, "aws")


def aws_host(url: str) -> AwsHost | None:
    """None for a host that is not one of AWS's names."""
    match = _URL.fullmatch(url)
    name = match["host"].lower() if match is not None else ""
    suffix = _SUFFIXES.search(name)
    if suffix is None:
        return None
    labels = name[: suffix.start()].split(".")
    # Some services have a name behind the region. A bucket before `s3` may be named like a region.
    ends = labels[-2:] if labels[-1] != S3 else []
    region = next((label for label in reversed(ends) if _REGION.fullmatch(label)), None)
    return AwsHost(labels=tuple(labels), region=region, service=_service_of(labels))


def signed_resource(service: str, url: str) -> str | None:
    """The id of the API or the name of the bucket that a URL of AWS names; None where none can be told."""
    host = aws_host(url)
    if host is None or host.service != service:
        return None
    if service == EXECUTE_API:
        is_api = len(host.labels) == 3 and _API_ID.fullmatch(host.labels[0])
        return host.labels[0] if is_api else None
    return _bucket(host.labels, url) if service == S3 else None


def sigv4_errors(request: Request, auth: SigV4Auth) -> Iterator[InvalidValueError]:
    """Yield an error for each rule that a signed request breaks; those of `auth` have paths from its members."""
    own = ("request", "auth", AuthKind.SIGV4.value)
    yield from (
        InvalidValueError(text, path=(*own, name)) for name, text in _member_errors(auth, request.url)
    )
    for name, _ in request.headers:
        if name.lower() in SIGNATURE_HEADERS:
            yield InvalidValueError(
                f"the signature of auth has the header {name}: leave out the header, or auth",
                path=("request", "headers", name),
            )
    yield from (InvalidValueError(text, path=("request", "url")) for text in _url_errors(auth, request.url))


def _member_errors(auth: SigV4Auth, url: str) -> Iterator[tuple[str, str]]:
    is_role = re.fullmatch(ROLE_ARN, auth.role) is not None
    if not is_role:
        yield "role", ROLE_TEXT
    host = aws_host(url)
    if not re.fullmatch(SERVICE, auth.service):
        yield "service", SERVICE_TEXT
    elif auth.service == STS:
        yield (
            "service",
            "answers of STS have credentials, which results would keep: let the endpoint call STS itself",
        )
    elif host is not None and host.service not in (None, auth.service):
        yield "service", f"signatures for this host name the service {host.service}"
    if len(auth.region) > MAX_REGION_CHARACTERS or not re.fullmatch(REGION, auth.region):
        yield "region", REGION_TEXT
        return
    if host is not None and host.region not in (None, auth.region):
        yield "region", f"the host of the URL is in the region {host.region}"
    if is_role and (partition := partition_of(auth.region)) != auth.role.split(":", 2)[1]:
        yield "role", f"must be a role of the partition {partition}, which this region is in"


def _url_errors(auth: SigV4Auth, url: str) -> Iterator[str]:
    match = _URL.fullmatch(url)
    if match is None:
        return
    query, path = match["query"] or "", match["path"] or ""
    if any(part.partition("=")[0].lower() in _PRESIGNED for part in query.split("&")):
        yield "the URL has a signature already: leave out its X-Amz parameters, or auth"
    # A service of AWS may read a plus as a space, and would then find another signature.
    if "+" in query or (auth.service == S3 and "+" in path):
        yield "in the URL of a signed request, write %20 for a space and %2B for a plus"


def _service_of(labels: list[str]) -> str | None:
    if len(labels) < 2:
        return S3 if labels == [S3] else None
    if _REGION.fullmatch(labels[-1]):
        before = labels[-2]
        if before in _LABELS:
            return _LABELS[before]
        if before == S3 or labels[-3:-1] == [S3, "dualstack"]:
            return S3
        name = before.removesuffix("-fips")
        return name if len(labels) == 2 and name in _ALIKE else None
    return S3 if labels[-1] == S3 else None


def _bucket(labels: tuple[str, ...], url: str) -> str | None:
    place = len(labels) - 1 - labels[::-1].index(S3)
    if place:
        name = ".".join(labels[:place])
    else:
        match = _URL.fullmatch(url)
        path = (match["path"] or "") if match is not None else ""
        name = unquote(path.removeprefix("/").partition("/")[0])
    return name if _BUCKET.fullmatch(name) else None
