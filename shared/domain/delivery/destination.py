"""Destinations: a scheme, a host and a port, identified by a keyed code that does not reveal the host.

The code is an HMAC under the tenant's own key. Within one tenant, equal destinations have equal codes. Codes
of two tenants never match, and a code cannot be reversed to a host.
"""

import re

from shared.domain.ids import encode_base32

DESTINATION_CONTEXT = "destination"
"""The cryptographic context of the codes."""
DESTINATION = r"[0-9a-hjkmnp-tv-z]{10}"
"""Pattern of a destination id: 50 bits in Crockford's base32."""
UNKNOWN = ""
"""The id in rows and messages that were written before destinations existed."""
_BITS = 50
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<host>\[[^\]]*\]|[^:/?]*)(?::(?P<port>[0-9]+))?")
_PORTS = {"https": "443", "http": "80"}


def origin_of(url: str) -> bytes:
    """Return scheme, host and port of an accepted URL in canonical form."""
    match = _ORIGIN.match(url)
    if match is None:
        return url.encode()
    port = match["port"] or _PORTS[match["scheme"]]
    return f"{match['scheme']}://{match['host'].lower()}:{port}".encode()


def destination_id(code: bytes) -> str:
    """Derive the id from a code of 32 bytes."""
    return encode_base32(int.from_bytes(code[:8]) >> (64 - _BITS), _BITS // 5)
