"""How long an attempt of long work is surely its worker's, and when to send the next heartbeat. No I/O."""

from __future__ import annotations

from dataclasses import dataclass

MIN_BEAT_SECONDS = 1.0
FRACTION_OF_LEASE = 3
"""Heartbeats come every third of the lease, so that two of them may be lost."""


@dataclass(slots=True)
class AttemptLease:
    """All instants are seconds of a monotonic clock, so a wrong clock of the machine does no harm."""

    next_beat_at: float
    """The first heartbeat is due at once."""
    ends_at: float | None = None
    """Without another heartbeat by then, another attempt may start. None before the first answer."""
    refusal: str | None = None
    """Why the API takes no heartbeat any more."""
    _failures: int = 0

    def extended(self, sent_at: float, lease_seconds: float) -> None:
        """A heartbeat that was sent at this instant was answered."""
        self._failures = 0
        self.ends_at = sent_at + lease_seconds
        self.next_beat_at = sent_at + max(MIN_BEAT_SECONDS, lease_seconds / FRACTION_OF_LEASE)

    def unanswered(self, now: float, retry_after_seconds: float, random: float) -> None:
        """A heartbeat failed. The next ones come after 1, 2, 4, ... s, minus up to half (`random` is 0 to 1), yet
        at least three before the lease ends."""
        left = FRACTION_OF_LEASE * MIN_BEAT_SECONDS if self.ends_at is None else self.ends_at - now
        backoff = min(MIN_BEAT_SECONDS * 2 ** min(self._failures, 10), left / FRACTION_OF_LEASE)
        self._failures += 1
        pause = max(MIN_BEAT_SECONDS, backoff) * (1 - random / 2)
        self.next_beat_at = now + max(pause, retry_after_seconds)

    def refused(self, reason: str) -> None:
        """The attempt is over."""
        self.refusal = reason

    def why_lost(self, now: float) -> str | None:
        """Why the work must stop: another attempt has started, or may start. None while it may go on."""
        if self.refusal is not None:
            return self.refusal
        if self.ends_at is not None and now > self.ends_at:
            return "no heartbeat was answered before the lease ended, so another attempt may have started"
        return None
