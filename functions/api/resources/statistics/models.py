"""Schemas of statistics."""

from typing import Literal

from pydantic import Field

from functions.api.models import InstantOut, Representation, with_examples
from functions.api.resources.statistics.examples import BUSIEST_JOBS_OUT, STATISTICS_OUT

_NOT_BY_MINUTE = "Null by minute."


class QuantilesOut(Representation):
    """A distribution of durations. A quantile is at most 3.2 % off, plus half a millisecond."""

    count: int = Field(description="Executions whose duration is known.")
    p50_ms: int | None = Field(description="Null where `count` is 0.")
    p99_ms: int | None = Field(description="Null where `count` is 0.")


class SumsOut(Representation):
    """Executions that have ended, by their due times."""

    ended: int
    failed: int
    lag: QuantilesOut = Field(description="From the due time to the start of the first call.")
    states: dict[str, int] | None = Field(description=f"By the state in which they ended. {_NOT_BY_MINUTE}")
    end_reasons: dict[str, int] | None = Field(description=f"By `end_reason`. {_NOT_BY_MINUTE}")
    statuses: dict[str, int] | None = Field(
        description="By the class of the last recorded HTTP status, such as `2xx`; `none` for a call without a "
        f"status. Executions without a recorded call are left out. {_NOT_BY_MINUTE}"
    )
    attempts: int | None = Field(description=f"Attempts that have begun. {_NOT_BY_MINUTE}")
    unended: int | None = Field(
        description=f"Executions that had not ended when their hour was counted last. {_NOT_BY_MINUTE}"
    )
    queue: QuantilesOut | None = Field(
        description=f"How long the message of the first attempt was in its queue. {_NOT_BY_MINUTE}"
    )
    wait: QuantilesOut | None = Field(
        description=f"How long limits and backpressure held the first attempt. {_NOT_BY_MINUTE}"
    )
    duration: QuantilesOut | None = Field(description=f"Of the last recorded call. {_NOT_BY_MINUTE}")


class StatBucketOut(SumsOut):
    """One step of the range."""

    from_at: InstantOut
    until_at: InstantOut
    complete: bool = Field(
        description="Whether each execution that was due in the step is in these sums. See the guide for records "
        "that are added to a past hour."
    )
    uncounted_due: int | None = Field(
        description="Executions that are due until now, in hours that the archive has not counted yet, and that are "
        "in no other sum. Up to 500 such executions are read, and those that have ended are in the sums. Null where "
        "they are too many to count, or where all tenants are shown."
    )
    uncounted_failed: int | None = Field(
        description="Those of them that have failed, whether redriven since or not. Null like `uncounted_due`; 0 where "
        "executions are read."
    )


class StatisticsOut(Representation):
    """Sums over a range of time, as a whole and step by step."""

    model_config = with_examples(STATISTICS_OUT)

    by: Literal["minute", "hour", "day"]
    from_at: InstantOut
    until_at: InstantOut
    complete_until: InstantOut | None = Field(
        description="All steps before this instant are complete. Null if the first one is not."
    )
    total: SumsOut
    buckets: list[StatBucketOut]


class JobCountOut(Representation):
    """Executions of a recurring job, or of a backfill, that were due on the day and have ended."""

    tenant_id: str
    job_id: str
    ended: int
    failed: int


class BusiestJobsOut(Representation):
    """The recurring jobs with the most executions of a day."""

    model_config = with_examples(BUSIEST_JOBS_OUT)

    from_at: InstantOut
    until_at: InstantOut
    complete: bool = Field(
        description="Whether all executions of the day have ended, and were counted. See the guide."
    )
    ended: int = Field(description="Executions of the day that were counted, those of one-off jobs included.")
    job_count: int = Field(description="Recurring jobs with executions of the day, `jobs` or more.")
    jobs: list[JobCountOut] = Field(description="At most 500, those with the most executions first.")
