"""Jitter: the runs of a job begin a little after their nominal instants, so that many jobs do not begin at once."""

from hashlib import blake2b

from shared.domain.errors import InvalidValueError
from shared.domain.schedules.schedule import Once, Series, first_after

MAX_JITTER_MS = 86_400_000


def dispatch_at(schedule: Once | Series, job_id: str, nominal_at: int, jitter_ms: int) -> int:
    """When the run of a nominal instant is to begin: in [nominal, nominal + jitter), and before the next nominal.

    A pure function, since the answer is part of where an execution is stored: the delay is the first eight bytes of
    the unkeyed BLAKE2b hash of `<job id>/<nominal instant>`, as a big-endian number, modulo the jitter, or modulo the
    distance to the next nominal instant where that is shorter, so that a short distance is filled evenly. It spreads
    jobs and conceals nothing. Raises InvalidValueError for a jitter beyond 0 to 24 hours.
    """
    check_jitter(jitter_ms)
    following = first_after(schedule, nominal_at)
    width = jitter_ms if following is None else min(jitter_ms, following - nominal_at)
    if width == 0:
        return nominal_at
    digest = blake2b(f"{job_id}/{nominal_at}".encode(), digest_size=8).digest()
    return nominal_at + int.from_bytes(digest, "big") % width


def check_jitter(jitter_ms: int) -> None:
    """Raise InvalidValueError for a jitter that is not from 0 to 24 hours."""
    if not 0 <= jitter_ms <= MAX_JITTER_MS:
        raise InvalidValueError("jitter_seconds: must be from 0 to 86400")
