"""What the archive counts: statistics of hours and busiest jobs of days, compared with the oracle's list of ends."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.domain.archive.statistics import Sums
from shared.domain.archive.unit import hour_of
from shared.domain.executions.stages import code_of
from shared.domain.ids import ExecutionId
from tests.support.fakes.history import FakeHistoryStore

HOURS_PER_DAY = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How an execution has ended, as the oracle has decided it."""

    tenant: str
    job: str | None = None
    """None for a one-off job."""
    state: str
    reason: str | None = None
    status: int | None = None
    lag_ms: int | None = None
    """None for an execution that was never called."""


Ends = Mapping[ExecutionId, End]
Tenant = str | None


def sums_faults(
    history: FakeHistoryStore, ends: Ends, hours: range, tenants: Sequence[Tenant]
) -> Iterator[str]:
    """Hours whose statistics are not the oracle's own counts; None for all tenants."""
    for tenant in tenants:
        found = {hour: Sums() for hour in hours}
        for each in history.hours(tenant, hours.start, hours.stop):
            found[each.unit.hour].merge(each.sums)
        for hour, sums in found.items():
            wanted = _counted(ends, hour, tenant)
            if _numbers(sums) != wanted:
                yield f"hour {hour} of {tenant} has {sums} in place of {wanted}"
    mark = history.passed()
    if mark is None or mark.before < hours.stop or mark.since != hours.start:
        yield f"the mark of passed hours is {mark}"


def days_faults(
    history: FakeHistoryStore, ends: Ends, hours: range, tenants: Sequence[Tenant]
) -> Iterator[str]:
    """Days whose busiest jobs are not those of the oracle."""
    for day in sorted({hour // HOURS_PER_DAY for hour in hours}):
        for tenant in tenants:
            own = [end for key, end in _own(ends, tenant).items() if _day_of(key) == day]
            jobs: Counter[tuple[str, str]] = Counter((end.tenant, end.job) for end in own if end.job)
            failed = Counter((end.tenant, end.job) for end in own if end.state == "failed")
            busiest = sorted(jobs, key=lambda key: (-jobs[key], key))
            wanted = len(own), [(*key, jobs[key], failed[key]) for key in busiest]
            stored = history.day(tenant, day)
            shown = (
                [(each.tenant_id, each.job_id, each.ended, each.failed) for each in stored.jobs]
                if stored
                else []
            )
            if (stored.ended if stored else 0, shown) != wanted:
                yield f"day {day} of {tenant} has {stored} in place of {wanted}"


def _day_of(key: ExecutionId) -> int:
    return hour_of(key.dispatch_at) // HOURS_PER_DAY


def _own(ends: Ends, tenant: Tenant) -> dict[ExecutionId, End]:
    return {key: end for key, end in ends.items() if tenant in (end.tenant, None)}


def _counted(ends: Ends, hour: int, tenant: Tenant) -> dict[str, Any]:
    own = {key: end for key, end in _own(ends, tenant).items() if hour_of(key.dispatch_at) == hour}
    called = [end for end in own.values() if end.lag_ms is not None]
    minutes: dict[int, tuple[int, int, Counter[int]]] = {}
    for key, end in own.items():
        ended, failed, lags = minutes.get(key.bucket, (0, 0, Counter()))
        lags.update([code_of(end.lag_ms)] if end.lag_ms is not None else [])
        minutes[key.bucket] = (ended + 1, failed + (end.state == "failed"), lags)
    return {
        "states": Counter(end.state for end in own.values()),
        "end_reasons": Counter(end.reason for end in own.values() if end.reason is not None),
        "statuses": Counter(f"{(end.status or 0) // 100}xx" for end in called),
        "attempts": len(called),
        "unended": 0,
        "minutes": minutes,
    }


def _numbers(sums: Sums) -> dict[str, Any]:
    """What the oracle counts as well."""
    return {
        "states": sums.states,
        "end_reasons": sums.end_reasons,
        "statuses": sums.statuses,
        "attempts": sums.attempts,
        "unended": sums.unended,
        "minutes": {
            number: (minute.ended, minute.failed, minute.lag.counts)
            for number, minute in sums.minutes.items()
        },
    }
