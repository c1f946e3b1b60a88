"""A callback as the bytes of an HTTP/1.1 request: the URL as it was accepted, and no header that adds another."""

import re
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from shared.domain.delivery.callback import Callback
from shared.domain.delivery.target import CONNECTION_HEADERS, HEADER_NAME, HEADER_VALUE

USER_AGENT = "Punctual/0.1"
_METHOD = re.compile(r"[A-Z]+")
# Printable ASCII without a user name or a fragment. A final dot would evade the lists of refused names.
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<authority>(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]*[A-Za-z0-9]))"
    r"(?::(?P<port>[0-9]{1,5}))?)(?P<path>/[!-\"$-~]*)?(?P<query>\?[!-\"$-~]*)?"
)
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)")
_NAMES = re.compile(HEADER_NAME)
_VALUES = re.compile(HEADER_VALUE)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_BODILESS = ("GET", "HEAD", "OPTIONS", "TRACE")


class Target(NamedTuple):
    """The peer of a connection."""

    scheme: str
    host: str
    port: int
    is_name: bool
    """Whether `host` is a name, which has to be looked up, and not an address."""


class HttpRequest(NamedTuple):
    target: Target
    is_head: bool
    data: bytes


def encode_request(callback: Callback) -> HttpRequest:
    """Return the request; ValueError for a callback that no accepted job leads to."""
    url = _URL.fullmatch(callback.url)
    if url is None or not _METHOD.fullmatch(callback.method):
        raise ValueError("the method or the URL was never checked")
    target = _target(url)
    names = [name.lower() for name, _ in callback.headers]
    # One match for all names and one for all values: each of their characters has to be allowed.
    if not (all(names) and _NAMES.fullmatch("".join(names)) and CONNECTION_HEADERS.isdisjoint(names)):
        raise ValueError("the callback has a header that it may not have")
    if not _VALUES.fullmatch("".join([value for _, value in callback.headers])):
        raise ValueError("the callback has a header whose value is not printable ASCII")
    lines = [
        f"{callback.method} {url['path'] or '/'}{url['query'] or ''} HTTP/1.1",
        f"Host: {_host(url)}",
        *map(": ".join, callback.headers),
    ]
    if "user-agent" not in names:
        lines.append(f"User-Agent: {USER_AGENT}")
    if callback.body or callback.method not in _BODILESS:
        lines.append(f"Content-Length: {len(callback.body)}")
    head = "\r\n".join(lines).encode("ascii")
    return HttpRequest(target, callback.method == "HEAD", b"%b\r\n\r\n%b" % (head, callback.body))


def line_of(text: str) -> tuple[str, str, str]:
    """The `Host`, the path and the query with which a URL is requested; ValueError for a URL that is not."""
    url = _URL.fullmatch(text)
    if url is None:
        raise ValueError("the URL was never checked")
    # The pattern of a path also matches a query.
    path, _, query = f"{url['path'] or '/'}{url['query'] or ''}".partition("?")
    return _host(url), path, query


def _host(url: re.Match[str]) -> str:
    return url["authority"].removesuffix(f":{_DEFAULT_PORTS[url['scheme']]}")


def _target(url: re.Match[str]) -> Target:
    scheme = url["scheme"]
    port = int(url["port"] or _DEFAULT_PORTS[scheme])
    if not 0 < port <= 65_535:
        raise ValueError("the URL has no valid port")
    if url["v6"]:
        return Target(scheme, str(IPv6Address(url["v6"])), port, is_name=False)
    # Resolvers read 127.1, 0x7f.1 and 2130706433 as addresses, which no accepted URL contains.
    if _NUMBER.fullmatch(url["name"]):
        return Target(scheme, str(IPv4Address(url["name"])), port, is_name=False)
    # In one spelling, which limits and lookups share; `Host` keeps that of the URL.
    return Target(scheme, url["name"].lower(), port, is_name=True)
