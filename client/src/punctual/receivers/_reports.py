"""Heartbeats and outcomes of long work, as requests to the API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeAlias

from punctual.receivers.errors import AttemptLostError, CallFailedError, ReportError

MAX_REASON_BYTES = 256
MAX_PAUSE_SECONDS = 10.0
_TEMPORARY = {408, 425, 429}


@dataclass(frozen=True, slots=True)
class Recorded:
    """200. `lease_seconds` is what is left of the lease; None in the answer to an outcome."""

    lease_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """409: the attempt is over."""

    detail: str


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Nothing may be recorded: send the same report again, not before `retry_after_seconds`."""

    detail: str
    retry_after_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Rejected:
    """The report is refused for good, such as with 404 for a wrong token."""

    detail: str


Judgement: TypeAlias = Recorded | Lost | Unanswered | Rejected


def judge(status: int, headers: Mapping[str, str], body: bytes, now: float) -> Judgement:
    """What an answer of the API means. `headers` are looked up in lower case; `now` is seconds since 1970."""
    if status == 200:
        return _recorded(headers, body, now)
    detail = f"the API answered {status}: {_detail(body)}"
    if status == 409:
        return Lost(detail)
    if status in _TEMPORARY or status >= 500:
        return Unanswered(detail, _seconds(headers.get("retry-after", "")))
    if status == 404:
        detail += "; is the URL that of the deployment which made the call?"
    return Rejected(detail)


def _recorded(headers: Mapping[str, str], body: bytes, now: float) -> Judgement:
    document = _document(body)
    if document is None:
        return Unanswered("the API answered 200 without a JSON object; is the URL that of the API?")
    try:
        until = datetime.fromisoformat(document["lease_until"].replace("Z", "+00:00")).timestamp()
    except (KeyError, AttributeError, ValueError, OverflowError):
        return Recorded()
    # The clock of the API decides, because that of this machine may be wrong.
    with suppress(ValueError, OverflowError):
        now = parsedate_to_datetime(headers.get("date", "")).timestamp()
    return Recorded(until - now)


def _document(body: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(body)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _detail(body: bytes) -> str:
    return str((_document(body) or {}).get("detail", "no problem document"))[:MAX_REASON_BYTES]


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdecimal() and len(text) <= 6 else 0.0


class Tries:
    """Repeats an outcome until it is recorded."""

    def __init__(self, *, started_at: float, within_seconds: float) -> None:
        self._give_up_at = started_at + within_seconds
        self._tries = 0

    def pause_after(self, answer: Judgement, now: float, random: float) -> float | None:
        """Seconds to the next try, jittered by `random` from 0 to 1; None if the outcome is recorded.

        AttemptLostError after a 409, ReportError if it is rejected or no time is left.
        """
        match answer:
            case Recorded():
                return None
            case Lost(detail):
                raise AttemptLostError(detail)
            case Rejected(detail):
                raise ReportError(detail)
            case Unanswered(detail, retry_after):
                backoff = min(MAX_PAUSE_SECONDS, 0.5 * 2 ** min(self._tries, 10)) * (1 - random / 2)
                self._tries += 1
                pause: float = max(backoff, retry_after)
                if now + pause > self._give_up_at:
                    raise ReportError(f"{detail} (after {self._tries} tries)")
                return pause


def outcome_of(error: BaseException | None, result: str = "") -> tuple[str, dict[str, object]]:
    """The report on work that has ended so: its name and its body. An exception becomes the reason.

    `result` is the JSON text of what it hands on.
    """
    if error is None:
        return "complete", {"result": json.loads(result)} if result else {}
    retryable, reason = True, f"{type(error).__name__}: {error}"
    if isinstance(error, CallFailedError):
        retryable, reason = error.retryable, error.reason
    short = reason.encode("utf-8", "replace")[:MAX_REASON_BYTES].decode("utf-8", "ignore")
    return "fail", {"reason": short, "retryable": retryable}
