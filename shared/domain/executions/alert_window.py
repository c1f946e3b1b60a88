"""Windows that bound alerts: the first alerts of a minute are sent one by one, all others in one summary.

A window belongs to one URL of one tenant. Every process computes the same windows and the same summaries.
"""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.bucket import MINUTE_MS, ShardCounts
from shared.domain.delivery.alerts import AlertEvent, AlertWindow
from shared.domain.ids import ENTROPY_BITS, ExecutionId, new_one_off_id

MAX_ALERTS = 10
"""The alerts of one URL that are sent one by one in a minute; a summary comes on top."""
SUMMARY_DELAY_MS = 5_000
"""The time from the end of a window to its summary: most alerts of the last second are recorded by then."""
MAX_SUMMARIZED = 10_000
"""The suppressed alerts that a summary counts; beyond it, the count is a lower bound."""
SHOWN_JOBS = 10
_FINGERPRINT_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedAlert:
    """What a summary counts of one alert."""

    alert_id: ExecutionId
    job_id: str
    events: tuple[AlertEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertSummary:
    """The suppressed alerts of one window."""

    window: AlertWindow
    count: int
    jobs: int
    job_ids: tuple[str, ...]
    """The jobs with the most suppressed alerts, at most `SHOWN_JOBS`."""
    events: tuple[tuple[AlertEvent, int], ...]
    is_lower_bound: bool


def window_at(key: str, now_ms: int) -> AlertWindow:
    return AlertWindow(key=key, minute=now_ms // MINUTE_MS)


def summary_due_at(window: AlertWindow) -> int:
    return (window.minute + 1) * MINUTE_MS + SUMMARY_DELAY_MS


def summary_id(tenant_id: str, window: AlertWindow, counts: ShardCounts, *, cell: str) -> ExecutionId:
    """A pure function of the arguments: any number of processes file the summary, and one exists."""
    entropy = int.from_bytes(_digest(tenant_id, window)[: ENTROPY_BITS // 8])
    return new_one_off_id(summary_due_at(window), counts, entropy, cell=cell)


def summary_fingerprint(tenant_id: str, window: AlertWindow) -> bytes:
    """The same for every writer, whichever alert made it write."""
    return _digest(tenant_id, window)[-_FINGERPRINT_BYTES:]


def _digest(tenant_id: str, window: AlertWindow) -> bytes:
    return sha256(f"alerts|{tenant_id}|{window.key}|{window.minute}".encode()).digest()


def summarize(window: AlertWindow, suppressed: Sequence[SuppressedAlert]) -> AlertSummary:
    """`suppressed` are at most one more than `MAX_SUMMARIZED`."""
    counted = suppressed[:MAX_SUMMARIZED]
    jobs = Counter(each.job_id for each in counted)
    events = Counter(event for each in counted for event in each.events)
    return AlertSummary(
        window=window,
        count=len(counted),
        jobs=len(jobs),
        job_ids=tuple(job_id for job_id, _ in jobs.most_common(SHOWN_JOBS)),
        events=tuple((event, events[event]) for event in AlertEvent if events[event]),
        is_lower_bound=len(suppressed) > MAX_SUMMARIZED,
    )
