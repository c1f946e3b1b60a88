"""A sample of a call that is signed with a new secret: for the tests of a receiver."""

import secrets
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from punctual.cli.session import Session

if TYPE_CHECKING:
    from punctual.hooks.calling import Outgoing

URL = "https://receiver.example/hooks"
BODY = b'{"sample": true}'


def write_sample(session: Session, file: Path, part: IO[bytes], new: str, old: list[str]) -> None:
    """Write a call that the new secret and the old ones sign, and tell whether the new one verifies it.

    A deployment signs so while the old secrets stay valid. `part` becomes the file later.
    """
    from punctual.webhooks.diagnosis import diagnose

    now = session.around.now()
    raw = _sample([new, *(each for each in old if each != new)], now)
    part.write(raw)
    found = diagnose(raw, [new], clock=now.timestamp)
    session.note(f"{file}: {'genuine' if found.call is not None else 'not genuine'} by the new secret")
    if old:
        session.note(f"{file} is signed by PUNCTUAL_SIGNING_SECRET as well")
    else:
        session.note(f"{file} has no signature of the one before: PUNCTUAL_SIGNING_SECRET would give it")
    session.note(f"try your receiver with it: punctual verify {file} says what a receiver checks")


def _sample(given: list[str], now: datetime) -> bytes:
    from punctual.hooks.composing import LocalCall, compose
    from punctual.hooks.target import parse_target

    call = LocalCall(
        call_id=f"exe_sample_{secrets.token_hex(8)}",
        job_id="job_sample",
        attempt=1,
        scheduled_at=now,
        method="POST",
        headers=(("Content-Type", "application/json"),),
        body=BODY,
    )
    return _as_text(compose(call, parse_target(URL, is_remote_allowed=True), secrets=given, now=now))


def _as_text(request: "Outgoing") -> bytes:
    """The request as it travels: what `punctual verify` reads."""
    lines = [b"%s %s HTTP/1.1" % (request.method, request.request_target)]
    lines += [b"%s: %s" % header for header in request.headers]
    return b"\r\n".join([*lines, b"", request.body])
