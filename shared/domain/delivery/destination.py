"""Destinations: where calls of one tenant go, told apart without saying where that is.

A destination is a scheme, a host and a port. Messages and rows name it by a short code that the tenant's own key makes
of it: equal destinations of one tenant have equal codes, those of two tenants never, and no code leads back to a host.
"""

import re

from shared.domain.ids import encode_base32

DESTINATION_CONTEXT = "destination"
"""The context to which the codes are bound."""
DESTINATION = r"[0-9a-hjkmnp-tv-z]{10}"
"""What the id of a destination looks like: 50 bits in Crockford's base32."""
UNKNOWN = ""
"""In the place of the id: of rows and messages that were written before there were any."""
_BITS = 50
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<host>\[[^\]]*\]|[^:/?]*)(?::(?P<port>[0-9]+))?")
_PORTS = {"https": "443", "http": "80"}


def origin_of(url: str) -> bytes:
    """Scheme, host and port of a URL that was accepted, in one spelling."""
    parts = _ORIGIN.match(url)
    if parts is None:
        return url.encode()
    port = parts["port"] or _PORTS[parts["scheme"]]
    return f"{parts['scheme']}://{parts['host'].lower()}:{port}".encode()


def destination_id(code: bytes) -> str:
    """The id that a code of 32 bytes gives."""
    return encode_base32(int.from_bytes(code[:8]) >> (64 - _BITS), _BITS // 5)
