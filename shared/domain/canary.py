"""The jobs of the canary: in a cycle of three minutes, each minute has a job for another path to the receiver.

Every call of a cycle is due at a full minute, as most jobs are. The jobs of any three minutes make four calls, so a
path without calls shows in their number. Recurring jobs end by themselves: nothing is left to delete.
"""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from shared.dataclass import dataclass
from shared.domain.bucket import MINUTE_MS, bucket_of, bucket_start_ms
from shared.domain.schedules.instants import format_instant

MAX_BODY_BYTES = 256
"""More than the body of any call of the canary."""
SOON_MINUTES = 2
"""Within the look-ahead of the watchers, and at least a minute after a tick that comes within its minute."""
LATER_MINUTES = 5
"""Beyond the look-ahead of the watchers, wherever in its minute the tick is. So each minute of a cycle has a call."""
RUNS = 2
"""The second run of a recurring job is there only if the executor of the first has filed it."""


class ProbePath(StrEnum):
    """How the message of a call comes to its queue."""

    DUE_SOON = "due_soon"
    """The API sends it."""
    WATCHED = "watched"
    """A watcher finds the execution and sends it."""
    RECURRING = "recurring"
    """The API sends that of the first run, and the executor that of the second."""


CYCLE = (ProbePath.DUE_SOON, ProbePath.WATCHED, ProbePath.RECURRING)
"""Of `CANARY_CYCLE_MINUTES`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A job to create."""

    path: ProbePath
    idempotency_key: str
    """The same for all probes of a minute, and so is `document`: a repeated tick creates no second job."""
    document: Mapping[str, Any]


def probe_at(tick_ms: int, receiver_url: str) -> Probe:
    """The job of this minute."""
    minute = bucket_of(tick_ms)
    path = CYCLE[minute % len(CYCLE)]
    ahead = LATER_MINUTES if path is ProbePath.WATCHED else SOON_MINUTES
    due = format_instant(bucket_start_ms(minute + ahead))
    once: dict[str, Any] = {"at": due}
    recurring = {"start_at": due, "rate_seconds": MINUTE_MS // 1000, "max_runs": RUNS}
    return Probe(
        path=path,
        idempotency_key=f"canary-{minute}",
        document={
            "name": f"canary {path}",
            "schedule": recurring if path is ProbePath.RECURRING else once,
            "request": {"url": receiver_url, "json": {"canary": path}},
            # A second attempt would hide that the first one failed.
            "retry": {"max_attempts": 1},
        },
    )


def path_of(body: bytes) -> ProbePath | None:
    """The path of a call, by its body; None for a body of anything but the canary."""
    try:
        return ProbePath(json.loads(body)["canary"])
    except (ValueError, TypeError, KeyError):
        return None
