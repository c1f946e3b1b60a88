"""Suspensions of a tenant: the spans of time in which no call of the tenant begins.

A change takes effect `EFFECTIVE_AFTER_MS` after it was written, because workers keep copies of tenants. A worker
that makes a call uses a copy that is at most `KNOWN_FOR_MS` old, and makes the call within the 5 s by which its
lease exceeds the callback's timeout. The rest covers the write and the difference between two clocks.
"""

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError, InvalidValueError

EFFECTIVE_AFTER_MS = 60_000
KNOWN_FOR_MS = 40_000
MAX_WRITE_MS = 5_000
"""The longest write of a suspension that is effective at its own instant."""
MIN_CHECK_MS = 15_000
MAX_CHECK_MS = 240_000
"""How often a worker looks at an execution that waits for the end of a suspension, at most and at least."""
CHECKS_DIVISOR = 8
MAX_SUSPENSIONS = 20
"""A tenant keeps this many, the latest: an execution that was due in an earlier one runs late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspension:
    """From `from_at` until `until_at`, which is None until the tenant is resumed."""

    from_at: int
    until_at: int | None = None

    def __post_init__(self) -> None:
        """InvalidValueError for an end before the beginning."""
        if self.until_at is not None and self.until_at < self.from_at:
            raise InvalidValueError("a suspension does not end before it begins")

    def covers(self, instant_ms: int) -> bool:
        return self.from_at <= instant_ms and (self.until_at is None or instant_ms < self.until_at)

    def is_over(self, now_ms: int) -> bool:
        return self.until_at is not None and self.until_at <= now_ms

    def wait_ms(self, now_ms: int) -> int:
        """How long an execution waits: until the end or, if the end is open, until the next look.

        The longer a suspension has lasted, the fewer the looks. `resumed` allows for the longest wait.
        """
        if self.until_at is not None:
            return max(0, self.until_at - now_ms)
        return min(MAX_CHECK_MS, max(MIN_CHECK_MS, (now_ms - self.from_at) // CHECKS_DIVISOR))


Suspensions = tuple[Suspension, ...]
"""The latest last."""


def suspended(suspensions: Suspensions, now_ms: int) -> Suspensions:
    """With a suspension that begins later; unchanged if the latest has no end.

    InvalidStateError while the end of the latest is ahead: some workers know it already, and call from then on.
    """
    if suspensions:
        until_at = suspensions[-1].until_at
        if until_at is None:
            return suspensions
        if now_ms < until_at:
            raise InvalidStateError("the tenant is being resumed; suspend it again after effective_at")
    return (*suspensions, Suspension(from_at=now_ms + EFFECTIVE_AFTER_MS))[-MAX_SUSPENSIONS:]


def resumed(suspensions: Suspensions, now_ms: int) -> Suspensions:
    """With an end of the latest suspension; unchanged if it has one.

    By then every worker knows the end, and each waiting execution has been looked at once more, so that its next
    look comes with the end.
    """
    if not suspensions or suspensions[-1].until_at is not None:
        return suspensions
    latest = suspensions[-1]
    known_at = now_ms + KNOWN_FOR_MS
    until_at = max(latest.from_at, known_at + latest.wait_ms(known_at) + MAX_WRITE_MS)
    return (*suspensions[:-1], Suspension(from_at=latest.from_at, until_at=until_at))


def known_at(suspensions: Suspensions, now_ms: int) -> int | None:
    """From when on every worker acts by the latest change; None without any.

    The workers that read a suspension stop at its own instant. If it was written slowly, or by a request that got
    no answer, others may know it only `EFFECTIVE_AFTER_MS` from now.
    """
    if not suspensions:
        return None
    latest = suspensions[-1]
    if latest.until_at is not None:
        return latest.until_at
    is_recent = now_ms < latest.from_at + EFFECTIVE_AFTER_MS
    is_prompt = now_ms <= latest.from_at - EFFECTIVE_AFTER_MS + MAX_WRITE_MS
    return now_ms + EFFECTIVE_AFTER_MS if is_recent and not is_prompt else latest.from_at


def suspension_at(suspensions: Suspensions, instant_ms: int) -> Suspension | None:
    """The suspension that covers an instant."""
    return next((each for each in reversed(suspensions) if each.covers(instant_ms)), None)
