"""`make bench`: what a job costs, in counted units, and the processor time of a page of a list.

Units are counted on the emulator, which counts write units as DynamoDB documents them. Processor times have no
limit: compare the pages of one run with each other.
"""

import sys
from collections.abc import Callable
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from shared.domain.bucket import LOOK_AHEAD_MS, MINUTE_MS
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After, Every
from tests.bench.changes import CHANGES
from tests.bench.counting import REQUEST, Cost, cost_of, marks_of
from tests.bench.failures import FAILURES
from tests.bench.notifications import NOTIFICATIONS
from tests.bench.pages import PageCost, pages
from tests.bench.waits import WAITS
from tests.bench.world import World, world

JOBS = 200
OCCURRENCES = 50
FAR_SECONDS = 600
HOUR_MS = 3_600_000
LEASES = 0.1
"""What the leases of rate limits and quotas come to for each job, when they come a hundred at a time."""
MOST_UNITS = 4.0 + LEASES
MOST_UNITS_WITH_KEY = 5.0 + LEASES
BATCH = 100
BATCHES = 2
MOST_UNITS_IN_BATCH = 1.1
"""Of the creation alone, as the emulator counts it: an item and no index, and a record for each batch."""


def one_offs(made: World, name: str, seconds: int, *, keyed: bool, limit: float) -> Cost:
    """One-off jobs from the request to the recorded outcome."""
    tenant = made.tenant
    marks = marks_of(made)
    for number in range(JOBS):
        key = f"{name}-{number}" if keyed else None
        made.create_job.execute(tenant, NewJob(timing=After(seconds), request=REQUEST), key)
    ticked = _tick_ahead(made, seconds) if seconds == FAR_SECONDS else 0.0
    made.clock.time_ms += min(seconds * 1000, LOOK_AHEAD_MS)
    made.work()
    return cost_of(made, name, (marks[0] + ticked, *marks[1:]), JOBS, limit)


def batches(made: World, name: str) -> Cost:
    """One-off jobs that are created a hundred at a time, far ahead; what they cost afterwards is that of any other."""
    marks = marks_of(made)
    for number in range(BATCHES):
        wanted = [NewJob(timing=After(FAR_SECONDS), request=REQUEST)] * BATCH
        made.create_jobs.execute(made.tenant, wanted, spelling=b"", idempotency_key=f"{name}-{number}")
    return cost_of(made, name, marks, BATCHES * BATCH, MOST_UNITS_IN_BATCH)


def _tick_ahead(made: World, seconds: int) -> float:
    """Let the watchers look; the write units of their leases, which are counted by `dispatch` and not by job."""
    made.clock.time_ms += seconds * 1000 - LOOK_AHEAD_MS
    before = made.meter.write_units["UpdateItem"]
    made.tick()
    return made.meter.write_units["UpdateItem"] - before


def occurrences(made: World) -> Cost:
    """A recurring job, occurrence after occurrence; its creation is not counted."""
    made.create_job.execute(made.tenant, NewJob(timing=Every(60), request=REQUEST))
    marks = marks_of(made)
    for _ in range(OCCURRENCES):
        made.clock.time_ms += MINUTE_MS
        made.work()
    return cost_of(made, "recurring, one occurrence", marks, OCCURRENCES, MOST_UNITS)


def cancels(made: World) -> Cost:
    """Cancelling one-off jobs that have not started."""
    jobs = [
        made.create_job.execute(made.tenant, NewJob(timing=After(FAR_SECONDS), request=REQUEST)).job.job_id  # type: ignore[union-attr]
        for _ in range(JOBS)
    ]
    marks = marks_of(made)
    for job_id in jobs:
        made.cancel_job.execute("bench", job_id)
    return cost_of(made, "cancel", marks, JOBS, 1.0)


def dispatch(made: World) -> Cost:
    """What watchers write for jobs that they send: the units of a full tick beyond those of an empty one."""
    made.clock.time_ms += HOUR_MS
    empty = _tick_ahead(made, FAR_SECONDS)
    for _ in range(JOBS):
        made.create_job.execute(made.tenant, NewJob(timing=After(FAR_SECONDS), request=REQUEST))
    marks = marks_of(made)
    full = _tick_ahead(made, FAR_SECONDS)
    assert made.work() < JOBS / 2, "the watcher packs its messages"
    return replace(cost_of(made, "dispatch of one job", marks, JOBS, 0.0), write_units=(full - empty) / JOBS)


SCENARIOS: tuple[Callable[[World], Cost], ...] = (
    lambda made: one_offs(made, "one-off, due soon", 100, keyed=False, limit=MOST_UNITS),
    lambda made: one_offs(made, "one-off, found by a watcher", FAR_SECONDS, keyed=False, limit=MOST_UNITS),
    lambda made: one_offs(made, "one-off, with Idempotency-Key", 100, keyed=True, limit=MOST_UNITS_WITH_KEY),
    lambda made: batches(made, "creation in a batch of 100"),
    occurrences,
    cancels,
    dispatch,
)


def main() -> int:
    """Print the table; 1 where a figure is above its limit."""
    table = Table(title="Cost per job (counted on the emulator)")
    for heading in ("scenario", "write units", "limit", "refused", "requests", "of SQS"):
        table.add_column(heading, justify="left" if heading == "scenario" else "right")
    broken = 0
    with world() as made:
        for scenario in (*SCENARIOS, *CHANGES, *WAITS, *FAILURES, *NOTIFICATIONS):
            cost = scenario(made)
            broken += cost.write_units > cost.limit
            figures = (cost.write_units, cost.limit, cost.refused, cost.requests, cost.sqs)
            table.add_row(cost.name, *(f"{figure:.3f}" for figure in figures))
        Console().print(table, _page_table(pages(made)))
    return 1 if broken else 0


def _page_table(costs: list[PageCost]) -> Table:
    table = Table(title="A page of GET /v1/jobs (measured on the emulator)")
    for heading in ("query", "own CPU, ms", "of the first", "requests", "jobs"):
        table.add_column(heading, justify="left" if heading == "query" else "right")
    for cost in costs:
        ratio = cost.cpu_ms / costs[0].cpu_ms
        figures = (f"{cost.cpu_ms:.1f}", f"{ratio:.1f}", f"{cost.requests:.1f}", str(cost.shown))
        table.add_row(cost.name, *figures)
    return table


if __name__ == "__main__":
    sys.exit(main())
