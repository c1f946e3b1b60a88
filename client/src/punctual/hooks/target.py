"""Where a call goes: a URL of this machine, unless the user says otherwise."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from punctual._config import is_loopback

_DEFAULT_PORTS = {"http": 80, "https": 443}
_PRINTABLE = re.compile(r"[!-~]+")
EXAMPLE = "http://localhost:3000/hooks"


@dataclass(frozen=True, slots=True)
class Target:
    """A URL, in its parts."""

    scheme: str
    host: str
    """A name or an address, without brackets."""
    port: int
    path: str
    """Empty, or with a slash at its beginning."""
    query: str
    """Empty, or with a question mark at its beginning."""
    is_remote_allowed: bool = False
    """Whether the connection may lead to another machine."""

    @property
    def authority(self) -> str:
        """The value of the header Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}{self.query}"

    @property
    def request_target(self) -> bytes:
        """The path with its query, as it stands in a request line."""
        return f"{self.path or '/'}{self.query}".encode()

    def joined(self, request_target: bytes) -> bytes:
        """The path of this target and then that of a request, whose bytes stay as they are.

        ValueError unless the request names a path, as requests to a server do.
        """
        if not request_target.startswith(b"/"):
            raise ValueError("the request names no path")
        prefix = self.path.rstrip("/").encode()
        path, mark, query = request_target.partition(b"?")
        if path == b"/" and self.path:
            return self.path.encode() + mark + query
        return prefix + request_target


def parse_target(text: str, *, is_remote_allowed: bool = False) -> Target:
    """Read a URL; ValueError says what to give instead. Other machines have to be allowed."""
    if not _PRINTABLE.fullmatch(text):
        raise ValueError(f"a URL has no spaces and only ASCII: give one such as {EXAMPLE}")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"the URL is malformed: give one such as {EXAMPLE}") from None
    if parts.scheme not in _DEFAULT_PORTS or not host or port == 0:
        raise ValueError(f"{text!r} is no URL of a receiver: give one such as {EXAMPLE}")
    if parts.username is not None or parts.password is not None:
        raise ValueError("the URL has a user name or a password: calls of Punctual have none")
    if parts.fragment:
        raise ValueError("the URL has a fragment, which no request can have: leave out # and what follows")
    if not (is_remote_allowed or is_loopback(host)):
        raise ValueError(
            f"{host} is not this machine: give a URL such as {EXAMPLE}, or add --allow-remote to call it"
        )
    return Target(
        scheme=parts.scheme,
        host=host,
        port=port or _DEFAULT_PORTS[parts.scheme],
        path=parts.path,
        query=f"?{parts.query}" if parts.query else "",
        is_remote_allowed=is_remote_allowed,
    )
