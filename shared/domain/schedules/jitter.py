"""Jitter: delays each run after its nominal instant, so that many jobs do not start together."""

from hashlib import blake2b

from shared.domain.errors import InvalidValueError
from shared.domain.schedules.schedule import Cron, Once, Series, first_after

MAX_JITTER_MS = 86_400_000


def dispatch_at(schedule: Once | Series, job_id: str, nominal_at: int, jitter_ms: int) -> int:
    """Return the dispatch instant: in [nominal, nominal + jitter), before the next nominal instant, and before the next
    blackout window of the calendar.

    A pure function, because the dispatch instant is part of the storage key of an execution. The delay is the
    first eight bytes of the unkeyed BLAKE2b hash of `<job id>/<nominal instant>`, as a big-endian number,
    modulo the width. The width is the jitter, or the distance to the next nominal instant or window, whichever is
    shortest. The hash spreads load and is no secret. Raises InvalidValueError for a jitter outside 0 to 24
    hours.
    """
    check_jitter(jitter_ms)
    following = first_after(schedule, nominal_at)
    width = jitter_ms if following is None else min(jitter_ms, following - nominal_at)
    if width and isinstance(schedule, Cron) and schedule.calendar is not None:
        blackout_from = schedule.calendar.blackouts.starts_after(nominal_at)
        width = width if blackout_from is None else min(width, blackout_from - nominal_at)
    if width == 0:
        return nominal_at
    digest = blake2b(f"{job_id}/{nominal_at}".encode(), digest_size=8).digest()
    return nominal_at + int.from_bytes(digest, "big") % width


def check_jitter(jitter_ms: int) -> None:
    """Raise InvalidValueError for a jitter outside 0 to 24 hours."""
    if not 0 <= jitter_ms <= MAX_JITTER_MS:
        raise InvalidValueError(
            "jitter_seconds: must be from 0 to 86400", path=("schedule", "jitter_seconds")
        )
