"""When a request is sent again: pure decisions, without a clock, chance or I/O of their own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from functools import cache
from threading import Lock
from typing import Any, Generic

import msgspec

from punctual._operation import Call, T
from punctual._problem_documents import document_of, error_of
from punctual.errors import NoAnswerError, RequestError, UnexpectedAnswerError

FIRST_WAIT_SECONDS = 0.25
LONGEST_WAIT_SECONDS = 10.0
RATE_LIMITED = "rate-limited"
_PREPARING = Lock()
_SECONDS = re.compile(r"[0-9]{1,9}")
_TRY_AGAIN = (502, 503, 504)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of HTTP; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Lost:
    """No answer: why, and what that means."""

    text: str
    cause: Exception
    is_unsent: bool
    """The request was not sent, so it has no effect."""
    is_final: bool = False
    """Another attempt would fail for the same reason."""


@dataclass(frozen=True, slots=True)
class Success(Generic[T]):
    """The decoded answer."""

    value: T


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that did not succeed."""

    error: RequestError
    may_pass: bool = False
    """Another attempt can succeed."""
    is_unknown: bool = False
    """The attempt may have taken effect."""
    retry_after: float | None = None
    cause: Exception | None = None


def judge(call: Call[T], outcome: Reply | Lost, now: datetime) -> Success[T] | Failure:
    """What an attempt came to."""
    if isinstance(outcome, Lost):
        return _lost(call, outcome)
    if outcome.status in call.operation.answers:
        return _decoded(call, outcome)
    if 200 <= outcome.status < 400:
        return _unexpected(call, f"the status {outcome.status} is no answer of this operation")
    return _refused(call, outcome, now)


def _lost(call: Call[Any], outcome: Lost) -> Failure:
    error = NoAnswerError(outcome.text, operation=call.operation.id, idempotency_key=call.idempotency_key)
    return Failure(error, not outcome.is_final, not outcome.is_unsent, cause=outcome.cause)


def _decoded(call: Call[T], reply: Reply) -> Success[T] | Failure:
    try:
        return Success(_decoder(call.operation.answers[reply.status]).decode(reply.body))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        # The text of a decoding error names members, and no values.
        return _unexpected(call, f"the answer cannot be read: {error}")


@cache
def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """A decoder, made by one thread at a time: msgspec 0.22 crashes if two threads are the first to read a class."""
    with _PREPARING:
        return msgspec.json.Decoder(kind)


def _unexpected(call: Call[Any], text: str) -> Failure:
    error = UnexpectedAnswerError(text, operation=call.operation.id, idempotency_key=call.idempotency_key)
    return Failure(error, is_unknown=True)


def _refused(call: Call[Any], reply: Reply, now: datetime) -> Failure:
    document, wait = document_of(reply.headers, reply.body), retry_after(reply.headers, now)
    error = error_of(
        reply.status,
        document,
        operation=call.operation.id,
        idempotency_key=call.idempotency_key,
        retry_after=wait,
    )
    is_early = reply.status == 429 and error.type in (None, RATE_LIMITED)
    return Failure(
        error, is_early or reply.status in _TRY_AGAIN, is_unknown=reply.status >= 500, retry_after=wait
    )


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds of Retry-After, which has a number or a date; None without one that can be read."""
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except (TypeError, ValueError, OverflowError):
        return None
    zoned = until if until.tzinfo else until.replace(tzinfo=timezone.utc)
    return max(0.0, (zoned - now).total_seconds())


def next_wait(
    attempt: int, *, elapsed: float, max_elapsed: float, retry_after: float | None, chance: float
) -> float | None:
    """Seconds before the next attempt; None when no attempt can begin within `max_elapsed`.

    The wait doubles with each attempt, is random by half, and is never shorter than `retry_after`. `chance` is
    from 0 to 1, and `attempt` counts from 1.
    """
    left, least = max_elapsed - elapsed, retry_after or 0.0
    if left <= 0 or least > left:
        return None
    doubled = FIRST_WAIT_SECONDS * 2.0 ** min(attempt - 1, 16)
    wait = least + min(LONGEST_WAIT_SECONDS, doubled) * (0.5 + chance / 2)
    if wait <= left:
        return wait
    return left if least > 0 else None
