"""Statistics as documents."""

from typing import Any

from functions.api.models import instant_out
from functions.api.resources.statistics.models import (
    BusiestJobsOut,
    JobCountOut,
    QuantilesOut,
    StatBucketOut,
    StatisticsOut,
    SumsOut,
)
from shared.domain.archive.histogram import Histogram
from shared.domain.archive.stat_window import Step
from shared.domain.archive.statistics import Sums
from shared.domain.executions.states import State
from shared.domain.schedules.schedule import format_instant
from shared.usecases.archive.read_busiest_jobs import BusiestJobs
from shared.usecases.archive.read_statistics import StatBucket, StatReport

_ONLY_BY_HOUR = (
    "states",
    "end_reasons",
    "statuses",
    "attempts",
    "unended",
    "queue",
    "wait",
    "duration",
)
"""Members that a minute does not have."""


def statistics_out(report: StatReport) -> StatisticsOut:
    step, total = report.window.step, Sums()
    for bucket in report.buckets:
        total.merge(bucket.sums)
    return StatisticsOut(
        by=step.value,
        from_at=format_instant(report.window.from_at),
        until_at=format_instant(report.window.until_at),
        complete_until=instant_out(report.complete_until),
        total=SumsOut(**_sums(total, step)),
        buckets=[_bucket_out(bucket, step) for bucket in report.buckets],
    )


def busiest_jobs_out(busiest: BusiestJobs) -> BusiestJobsOut:
    found = busiest.found
    return BusiestJobsOut(
        from_at=format_instant(busiest.window.from_at),
        until_at=format_instant(busiest.window.until_at),
        complete=busiest.is_complete,
        ended=found.ended,
        job_count=found.job_count,
        jobs=[
            JobCountOut(tenant_id=each.tenant_id, job_id=each.job_id, ended=each.ended, failed=each.failed)
            for each in found.jobs
        ],
    )


def _bucket_out(bucket: StatBucket, step: Step) -> StatBucketOut:
    return StatBucketOut(
        from_at=format_instant(bucket.from_at),
        until_at=format_instant(bucket.until_at),
        complete=bucket.is_complete,
        uncounted_due=bucket.uncounted.due,
        uncounted_failed=bucket.uncounted.failed,
        **_sums(bucket.sums, step),
    )


def _sums(sums: Sums, step: Step) -> dict[str, Any]:
    minutes = sums.minutes.values()
    shown: dict[str, Any] = {
        "ended": sum(minute.ended for minute in minutes),
        "failed": sum(minute.failed for minute in minutes),
        "lag": _quantiles_out(sums.lag),
    }
    if step is Step.MINUTE:
        return shown | dict.fromkeys(_ONLY_BY_HOUR)
    return shown | {
        "states": {state: count for state, count in sorted(sums.states.items()) if state != State.MOVED},
        "end_reasons": dict(sorted(sums.end_reasons.items())),
        "statuses": dict(sorted(sums.statuses.items())),
        "attempts": sums.attempts,
        "unended": sums.unended,
        "queue": _quantiles_out(sums.queue),
        "wait": _quantiles_out(sums.wait),
        "duration": _quantiles_out(sums.duration),
    }


def _quantiles_out(histogram: Histogram) -> QuantilesOut:
    return QuantilesOut(
        count=histogram.total, p50_ms=histogram.quantile_ms(50), p99_ms=histogram.quantile_ms(99)
    )
