"""A table of hostile receivers, each with the only allowed outcome.

`python -m tests.support.delivery.hostile_server` listens for every row at a port of its own.
"""

import gzip
import ssl
from collections.abc import Callable
from dataclasses import dataclass

from shared.domain.delivery.callback import Reason
from tests.support.delivery.hostile_tls import (
    client_certificate,
    floods_key_updates,
    large_group,
    large_modulus,
    shakes_hands,
)
from tests.support.delivery.sending import OK_HEAD
from tests.support.delivery.trust import NAME
from tests.support.fakes.receiver import (
    Script,
    drips,
    replies_and_closes,
    replies_and_resets,
    replies_and_stays,
    reply,
    resets_at_once,
    silent,
)

CHUNKED = OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
NO_BODY = b"Content-Length: 0\r\n\r\n"
CROWDED = "crowded.test"
"""A name with `CROWD` addresses that never answer, each 127.x.y.z; the receiver itself is not among them."""
CROWD = 200
METADATA = "http://169.254.169.254/latest/meta-data/iam/security-credentials/"
BOMB = gzip.compress(bytes(50_000_000), compresslevel=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    """One receiver. `lasts`: it holds the call until its deadline; all others end at once."""

    script: Script
    reason: Reason
    status: int | None = None
    or_else: Reason | None = None
    """A second allowed outcome, if the operating system decides."""
    lasts: bool = False
    tls: str | None = None
    """Its certificate: `good`, `RSA`, `expired`, `wrong name` or `unknown authority`; None for plain HTTP."""
    scheme: str | None = None
    """The scheme of the URL, if it differs from the receiver's protocol."""
    speaks_tls: Callable[[ssl.SSLContext], Script] | None = None
    """A script that does its own TLS over TCP, in place of `script`."""
    host: str = NAME
    """The name in the URL; `CROWDED` has other addresses than the receiver's."""


def _broken(raw: bytes, status: int | None = None) -> Hostile:
    return Hostile(script=replies_and_closes(raw), reason=Reason.PROTOCOL_ERROR, status=status)


def _lasting(script: Script, status: int | None = None) -> Hostile:
    return Hostile(script=script, reason=Reason.TIMEOUT, status=status, lasts=True)


def _flood(head: bytes, again: bytes, reason: Reason, status: int | None = None) -> Hostile:
    return Hostile(script=drips(head, again, every_seconds=0), reason=reason, status=status)


def _tells(status: int, raw: bytes, reason: Reason = Reason.HTTP_STATUS) -> Hostile:
    return Hostile(script=replies_and_closes(raw), reason=reason, status=status)


def _tls_of_its_own(configure: Callable[[ssl.SSLContext], None], tls: str = "good") -> Hostile:
    return Hostile(script=silent(), reason=Reason.TLS_FAILED, tls=tls, speaks_tls=shakes_hands(configure))


def _untrusted(certificate: str) -> Hostile:
    return Hostile(script=replies_and_closes(reply()), reason=Reason.TLS_FAILED, tls=certificate)


SLOW = {
    "silent": _lasting(silent()),
    "never reads": _lasting(silent(reads=False)),
    "a byte a second of the status line": _lasting(drips(b"HTTP/1.1 200 ", b"a", every_seconds=1)),
    "a byte now and then of the status line": _lasting(drips(b"HTTP/1.1 2", b"", every_seconds=0.1)),
    "a byte a second of a header": _lasting(drips(OK_HEAD + b"X: ", b"a", every_seconds=1)),
    "a byte now and then of a header": _lasting(drips(OK_HEAD + b"X: ", b"a", every_seconds=0.05)),
    "a byte a second of the body": _lasting(drips(OK_HEAD + b"\r\n", b"a", every_seconds=1), 200),
    "a byte now and then of the body": _lasting(drips(OK_HEAD + b"\r\n", b"a", every_seconds=0.05), 200),
    "a chunk now and then": _lasting(drips(CHUNKED, b"1\r\na\r\n", every_seconds=0.05), 200),
    "a blank line now and then": _lasting(drips(b"", b"\r\n", every_seconds=0.05)),
    "an interim answer now and then": _lasting(
        drips(b"", b"HTTP/1.1 102 Processing\r\n\r\n", every_seconds=0.1)
    ),
    "promises a body and sends none": _lasting(
        replies_and_stays(OK_HEAD + b"Content-Length: 100\r\n\r\n"), 200
    ),
    "promises a body that no disk could hold": _lasting(
        replies_and_stays(OK_HEAD + b"Content-Length: 9223372036854775807\r\n\r\nx"), 200
    ),
    "never shakes hands": Hostile(
        script=silent(reads=False), reason=Reason.TIMEOUT, lasts=True, scheme="https"
    ),
    "stalls in the middle of the handshake": Hostile(
        script=replies_and_stays(b"\x16\x03\x03\x40\x00\x02", after_head=False),
        reason=Reason.TIMEOUT,
        lasts=True,
        scheme="https",
    ),
    "a name of many addresses that never answer": Hostile(
        script=silent(), reason=Reason.TIMEOUT, lasts=True, host=CROWDED
    ),
}
ENDLESS = {
    "endless body": _flood(OK_HEAD + b"\r\n", b"x" * 65_536, Reason.OK, 200),
    "endless body of a failure": _flood(b"HTTP/1.1 500 No\r\n\r\n", b"x" * 65_536, Reason.HTTP_STATUS, 500),
    "endless large chunks": _flood(CHUNKED, b"10000\r\n" + b"x" * 65_536 + b"\r\n", Reason.OK, 200),
    "endless chunks of a byte": _flood(CHUNKED, b"1\r\na\r\n" * 10_000, Reason.PROTOCOL_ERROR, 200),
    "endless chunk extension": _flood(CHUNKED + b"1;", b"a" * 65_536, Reason.PROTOCOL_ERROR, 200),
    "endless trailers": _flood(
        CHUNKED + b"1\r\na\r\n0\r\n" + b"X: a\r\n" * 5_000, b"X: a\r\n" * 10_000, Reason.PROTOCOL_ERROR, 200
    ),
    "endless 100 Continue": _flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000, Reason.PROTOCOL_ERROR),
    "endless 103 Early Hints": _flood(
        b"", b"HTTP/1.1 103 Hints\r\nLink: " + b"a" * 7_000 + b"\r\n\r\n", Reason.PROTOCOL_ERROR
    ),
    "endless blank lines": _flood(b"", b"\r\n" * 30_000, Reason.PROTOCOL_ERROR),
    "endless headers": _flood(OK_HEAD, b"X: a\r\n" * 10_000, Reason.PROTOCOL_ERROR),
}
LARGE = {
    "a header of 10 MB": _broken(OK_HEAD + b"X: " + b"a" * 10_000_000 + b"\r\n" + NO_BODY),
    "a header's name of 10 MB": _broken(OK_HEAD + b"X" * 10_000_000 + b": a\r\n" + NO_BODY),
    "headers of 10 MB": _broken(OK_HEAD + (b"X: " + b"a" * 5_000 + b"\r\n") * 2_000 + NO_BODY),
    "a reason phrase of 10 MB": _broken(b"HTTP/1.1 200 " + b"a" * 10_000_000 + b"\r\n" + NO_BODY),
    "a Retry-After of zeros that is none": _tells(503, reply(503, b"", "Retry-After: " + "0" * 8_000 + "x")),
    "a gzip bomb": _tells(200, reply(200, BOMB, "Content-Encoding: gzip"), Reason.OK),
    "a gzip bomb of a failure": _tells(500, reply(500, BOMB, "Content-Encoding: gzip")),
    "no gzip at all": _tells(200, reply(200, b"plain", "Content-Encoding: gzip"), Reason.OK),
}
BROKEN = {
    "nothing": _broken(b""),
    "resets on accept": Hostile(
        script=resets_at_once(), reason=Reason.PROTOCOL_ERROR, or_else=Reason.CONNECT_FAILED
    ),
    "resets after the request": Hostile(script=replies_and_resets(b""), reason=Reason.PROTOCOL_ERROR),
    "resets in the body": Hostile(
        script=replies_and_resets(OK_HEAD + b"Content-Length: 10\r\n\r\nshort"),
        reason=Reason.PROTOCOL_ERROR,
        status=200,
    ),
    "a Content-Length that is too long": _broken(OK_HEAD + b"Content-Length: 10\r\n\r\nshort", 200),
    "a Content-Length that is too short": _tells(
        200, OK_HEAD + b"Content-Length: 2\r\n\r\nlonger", Reason.OK
    ),
    "two responses": _tells(200, reply(200) + reply(500), Reason.OK),
    "two Content-Lengths": _broken(OK_HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    "a negative Content-Length": _broken(OK_HEAD + b"Content-Length: -1\r\n\r\n"),
    "a Content-Length beyond all integers": _broken(OK_HEAD + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n"),
    "both lengths at once": _broken(
        OK_HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    "a chunk of no size": _broken(CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n", 200),
    "a head that is cut off": _broken(OK_HEAD + b"X: "),
    "a header without a colon": _broken(OK_HEAD + b"hello\r\n\r\n"),
    "a null byte in a header": _broken(OK_HEAD + b"X: a\x00b\r\n" + NO_BODY),
    "HTTP/0.9": _broken(b"<html>hello</html>\n"),
    "HTTP/0.9 by name": _broken(b"HTTP/0.9 200 OK\r\n" + NO_BODY),
    "HTTP/2": _broken(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00"),
    "HTTP/3 by name": _broken(b"HTTP/3.0 200 OK\r\n" + NO_BODY),
    "SSH": _broken(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "garbage": _broken(bytes(range(256)) * 40),
    "four digits of status": _broken(b"HTTP/1.1 2000 OK\r\n" + NO_BODY),
    "no status": _broken(b"HTTP/1.1 OK\r\n" + NO_BODY),
}
STATUSES = {
    "999": _tells(999, reply(999)),
    "600": _tells(600, reply(600)),
    "101": _tells(101, b"HTTP/1.1 101 Yes\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc"),
    **{
        f"{status} to metadata": _tells(status, reply(status, b"", f"Location: {METADATA}"), Reason.REDIRECT)
        for status in (300, 301, 302, 303, 305, 307, 308)
    },
}
TLS = {
    "an expired certificate": _untrusted("expired"),
    "a certificate for another name": _untrusted("wrong name"),
    "a certificate that it made itself": _untrusted("unknown authority"),
    "no TLS where it should be": Hostile(
        script=replies_and_stays(reply(), after_head=False), reason=Reason.TLS_FAILED, scheme="https"
    ),
    "TLS where it should not be": Hostile(
        script=silent(), reason=Reason.PROTOCOL_ERROR, tls="good", scheme="http"
    ),
    "a Diffie-Hellman modulus of 10,000 bits": _tls_of_its_own(large_modulus, "RSA"),
    "a Diffie-Hellman group of 8,192 bits": _tls_of_its_own(large_group),
    "asks for a certificate": _tls_of_its_own(client_certificate),
    "endless KeyUpdate": Hostile(
        script=silent(),
        reason=Reason.PROTOCOL_ERROR,
        tls="good",
        speaks_tls=floods_key_updates,
    ),
}
RECEIVERS = SLOW | ENDLESS | LARGE | BROKEN | STATUSES | TLS
