"""Validates target URLs and headers when a job is accepted.

The check covers the syntax, and a host that is an address or a forbidden name. The sender checks the
addresses of a name at each call, because DNS may change at any time.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from shared.domain.delivery.addresses import Address
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import CallbackUrlNotAllowedError, InvalidValueError, raise_any

MAX_URL_CHARACTERS = 2048
MAX_HEADERS = 50
MAX_HEADERS_BYTES = 8 * 1024
_MAX_HOST_CHARACTERS = 253
_LOWEST_UNPRIVILEGED_PORT = 1024

_PARTS = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?]*)(?P<path>[^?]*)(?P<query>(?:\?.*)?)")
_AUTHORITY = re.compile(r"(?:\[(?P<v6>[^\[\]]*)\]|(?P<host>[^\[\]:]*))(?P<port>(?::[^:]*)?)")
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_PORT = re.compile(r":(?P<number>[1-9][0-9]{0,4})")
# RFC 3986, but a query may contain brackets, as in `ids[]=1`, because most clients send them unescaped.
_PATH = re.compile(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*")
_QUERY = re.compile(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?\[\]]|%[0-9A-Fa-f]{2})*")

_AWS_ENDPOINT = re.compile(
    r"https://(?P<service>sqs|sns|lambda|events|states|batch|dynamodb|ecs|firehose|glue|kinesis|ssm)(?:-fips)?\.[a-z0-9-]+\.(?:amazonaws\.com(?:\.cn)?|api\.aws)"
    r"(?::443)?(?:/(?P<path>[^?]+))?(?=[/?]|$)",
    re.IGNORECASE,
)
"""The endpoints of what a job may want to call, in a region."""
_TARGETS = {
    "sqs": ("sqs", "queue"),
    "sns": ("sns", "topic"),
    "lambda": ("lambda", "function"),
    "events": ("eventbridge", "event bus"),
    "states": ("step_functions", "state machine"),
}
"""The kind of target for each of these services, and what its ARN is of."""
_OR_SIGNED = "; for its other operations, give the request auth.sigv4"

HEADER_NAME = r"^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$"
HEADER_VALUE = r"^[\t\x20-\x7e]*$"
CONNECTION_HEADERS = {
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "http2-settings",
}
_PUNCTUAL_HEADERS = {
    "x-job-id",
    "x-attempt",
    "x-backfill-of",
    "x-callback-token",
    "x-scheduled-at",
    "x-scheduler-signature",
    "idempotency-key",
    "traceparent",
    "tracestate",
}
"""`tracestate` continues a `traceparent`, which Punctual sets."""
_REFUSED_HEADERS = frozenset(CONNECTION_HEADERS | _PUNCTUAL_HEADERS)
_REFUSED_PREFIXES = ("proxy-", "webhook-", "punctual-")
_NAME, _VALUE = re.compile(HEADER_NAME), re.compile(HEADER_VALUE)


def check_target(url: str, policy: TargetPolicy) -> None:
    """Raise CallbackUrlNotAllowedError, with a text for users, for an invalid or ambiguous URL.

    An accepted URL has https (or http if the policy allows it), no user name or fragment, a host in canonical
    form that the policy admits, an allowed port, and printable ASCII only.
    """
    _check_characters(url)
    url_parts = _PARTS.fullmatch(url)
    if url_parts is None or (url_parts["scheme"] == "http" and not policy.allows_http):
        schemes = "https:// or http://" if policy.allows_http else "https://"
        raise CallbackUrlNotAllowedError(f"the URL must begin with {schemes}, in lower case{_instead(url)}")
    if "@" in url_parts["authority"]:
        raise CallbackUrlNotAllowedError("the URL must not contain a user name or password")
    authority = _AUTHORITY.fullmatch(url_parts["authority"])
    if authority is None:
        raise CallbackUrlNotAllowedError("the URL's host cannot be read; an IPv6 address needs brackets")
    address = _address(authority)
    plain_http = url_parts["scheme"] == "http"
    _check_port(authority["port"], plain_http=plain_http)
    if not (_PATH.fullmatch(url_parts["path"]) and _QUERY.fullmatch(url_parts["query"].removeprefix("?"))):
        raise CallbackUrlNotAllowedError("the URL has a character that must be percent-encoded")
    _check_destination(policy, address or authority["host"], plain_http=plain_http)


def check_no_aws_endpoint(url: str) -> None:
    """Raise CallbackUrlNotAllowedError for an endpoint of AWS that answers only requests with its own signature."""
    match = _AWS_ENDPOINT.match(url)
    if match is None:
        return
    service = match["service"].lower()
    if service not in _TARGETS:
        raise CallbackUrlNotAllowedError(
            "this endpoint of AWS answers only requests that AWS credentials sign: give the request auth.sigv4"
        )
    if service == "sqs" and match["path"]:
        raise CallbackUrlNotAllowedError(
            "SQS answers only requests that AWS credentials sign: send a target with sqs and this queue_url in place "
            f"of the request{_OR_SIGNED}"
        )
    kind, what = _TARGETS[service]
    or_url = ", or call the function by its function URL" if service == "lambda" else ""
    raise CallbackUrlNotAllowedError(
        f"this endpoint of AWS answers only requests that AWS credentials sign: send a target with {kind} and the ARN "
        f"of the {what} in place of the request{or_url}{_OR_SIGNED}"
    )


def _instead(url: str) -> str:
    """What to send in the place of an ARN."""
    parts = url.split(":", 3)
    if parts[0] != "arn":
        return ""
    kind, _ = _TARGETS.get(parts[2], ("", "")) if len(parts) > 3 else ("", "")
    if kind:
        return f"; an ARN is no URL: send a target with {kind} and this arn in place of the request"
    return "; an ARN cannot be called, but an HTTPS endpoint in front of it"


def check_headers(headers: Mapping[str, str]) -> None:
    """Raise InvalidValueError if `header_errors` has any."""
    raise_any(header_errors(headers))


def header_errors(headers: Mapping[str, str]) -> Iterator[InvalidValueError]:
    """Yield an error for each invalid header, and for each that Punctual or the connection sets.

    The size limit counts names and values together.
    """
    if len(headers) > MAX_HEADERS:
        yield InvalidValueError(f"at most {MAX_HEADERS} headers may be given", path=("headers",))
    if sum(len(name) + len(value) for name, value in headers.items()) > MAX_HEADERS_BYTES:
        yield InvalidValueError(
            f"the headers may have at most {MAX_HEADERS_BYTES} bytes together", path=("headers",)
        )
    seen = set[str]()
    for name, value in headers.items():
        text = _header_text(name, value, seen)
        if text is not None:
            yield InvalidValueError(text, path=("headers", name))
        seen.add(name.lower())


def _header_text(name: str, value: str, seen: Collection[str]) -> str | None:
    """Return why a header is refused; None for a valid one."""
    folded = name.lower()
    hyphened = folded.replace("_", "-")  # servers of the CGI tradition treat both alike
    if not _NAME.fullmatch(name):
        return "a header name consists of letters, digits and hyphens"
    if hyphened in _REFUSED_HEADERS or hyphened.startswith(_REFUSED_PREFIXES):
        return f"the header {name} is set by Punctual and may not be given"
    if folded in seen:
        return f"the header {name} is given twice"
    if not _VALUE.fullmatch(value):
        return f"the value of the header {name} must be printable ASCII on one line"
    return None


def _check_characters(url: str) -> None:
    if len(url) > MAX_URL_CHARACTERS:
        raise CallbackUrlNotAllowedError(f"the URL may have at most {MAX_URL_CHARACTERS} characters")
    if not url.isascii():
        raise CallbackUrlNotAllowedError(
            "the URL must be ASCII: write an international host name in its xn-- form and percent-encode the rest"
        )
    if not url.isprintable() or " " in url or "\\" in url:
        raise CallbackUrlNotAllowedError("the URL must not contain spaces, backslashes or control characters")
    if "#" in url:
        raise CallbackUrlNotAllowedError("the URL must not contain a fragment")


def _address(authority: re.Match[str]) -> Address | None:
    """Return the host if it is an address, or None for a valid name."""
    if authority["v6"] is not None:
        return _ipv6(authority["v6"])
    labels = authority["host"].split(".")
    if _NUMBER.fullmatch(labels[-1]):
        # Resolvers read 127.1, 0x7f.1 and 2130706433 as addresses; no real top-level domain is a number.
        return _ipv4(authority["host"])
    _check_labels(authority["host"], labels)
    return None


def _ipv6(text: str) -> IPv6Address:
    """Accept only the RFC 5952 form, without a zone; IPv4-mapped IPv6 addresses are refused."""
    try:
        address = IPv6Address(text)
    except AddressValueError:
        raise CallbackUrlNotAllowedError("the URL's host is not a valid IPv6 address") from None
    if str(address) != text or address.scope_id is not None or address.ipv4_mapped is not None:
        raise CallbackUrlNotAllowedError("an IPv6 address must be in its canonical form, such as 2001:db8::1")
    return address


def _ipv4(text: str) -> IPv4Address:
    try:
        return IPv4Address(text)
    except AddressValueError:
        raise CallbackUrlNotAllowedError(
            "the URL's host looks like an IPv4 address, which must be four decimal numbers, such as 192.0.2.1"
        ) from None


def _check_labels(host: str, labels: list[str]) -> None:
    if len(host) > _MAX_HOST_CHARACTERS or not all(_LABEL.fullmatch(label) for label in labels):
        raise CallbackUrlNotAllowedError(
            "the URL's host must be a host name of letters, digits, hyphens and dots, without a final dot"
        )
    for label in labels:
        if label[:4].lower() == "xn--":
            _check_a_label(label.lower())


def _check_destination(policy: TargetPolicy, host: Address | str, *, plain_http: bool) -> None:
    if isinstance(host, str):
        if not policy.admits_name(host):
            raise CallbackUrlNotAllowedError(
                "the URL's host may not be called: it names a private network, a metadata service or this API, "
                "or it is a name that the public DNS never resolves"
            )
        if plain_http and not policy.admits_plain_http(host):
            raise CallbackUrlNotAllowedError(
                "the URL must begin with https://; http:// is only for hosts that this deployment opened"
            )
    elif not policy.admits_address(host, plain_http=plain_http):
        public = "an address that this deployment opened" if plain_http else "a public address"
        raise CallbackUrlNotAllowedError(f"the URL's host may not be called: it is not {public}")


def _check_a_label(label: str) -> None:
    """Raise CallbackUrlNotAllowedError unless an xn-- label encodes an international label."""
    try:
        plain = label.removeprefix("xn--").encode("ascii").decode("punycode")
        lawful = plain.isprintable() and not plain.isascii()
    except UnicodeError:
        lawful = False
    if not lawful:
        raise CallbackUrlNotAllowedError("the URL's host has an xn-- label that encodes nothing")


def _check_port(text: str, *, plain_http: bool) -> None:
    if not text:
        return
    port = _PORT.fullmatch(text)
    number = int(port["number"]) if port else 0
    lawful = number == 443 or (number == 80 and plain_http) or _LOWEST_UNPRIVILEGED_PORT <= number <= 65535
    if not lawful:
        also = "80, " if plain_http else ""
        raise CallbackUrlNotAllowedError(f"the URL's port must be {also}443 or one from 1024 to 65535")
