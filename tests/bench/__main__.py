"""`make bench`: what a job costs, in counted units and in processor time.

python -m tests.bench [--part counted|measured] [--transport http|boto3]

Units are counted on the emulator, which counts write units as DynamoDB documents them. Processor times have no
limit: compare the figures of one run with each other.
"""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from shared.domain.bucket import LOOK_AHEAD_MS, MINUTE_MS
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After, Every
from shared.names import Env, Transport
from tests.bench.changes import CHANGES
from tests.bench.counting import REQUEST, Cost, cost_of, marks_of
from tests.bench.failures import FAILURES
from tests.bench.measured import Measured, bench
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


def main(arguments: list[str]) -> int:
    """Print the tables; 1 where a counted figure is above its limit."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--part", choices=("counted", "measured"), help="one part only")
    parser.add_argument("--transport", choices=list(Transport), default=Transport.HTTP)
    options = parser.parse_args(arguments)
    os.environ[Env.TRANSPORT] = options.transport
    broken = 0 if options.part == "measured" else _count()
    if options.part != "counted":
        with bench() as made:
            rows = [*made.run(), *made.cold_starts()]
        Console(width=110).print(_measured_table(rows))
    return 1 if broken else 0


def _count() -> int:
    """Print what a job costs in units; how many figures are above their limits."""
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
    return broken


def _measured_table(rows: list[Measured]) -> Table:
    table = Table(title="Processor time a job (measured on the emulator, beside loops over boto3)")
    for heading in ("", "product, µs", "first loop, µs", "ratio", "best loop, µs", "ratio"):
        table.add_column(heading, justify="right" if heading else "left")
    for row in rows:
        best = ("", "") if row.of_best is None else (f"{row.best_us:.0f}", f"{row.of_best:.2f}")
        table.add_row(row.name, f"{row.product_us:.0f}", f"{row.first_us:.0f}", f"{row.of_first:.2f}", *best)
    return table


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
    sys.exit(main(sys.argv[1:]))
