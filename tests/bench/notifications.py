"""What it costs to tell of an outcome, in counted units."""

from dataclasses import replace

from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After
from tests.bench.counting import REQUEST, Cost, cost_of, marks_of
from tests.bench.world import World

JOBS = 50
MOST_UNITS_TOLD = 8.3
"""A job that runs once, and the execution that tells of it; the outcome itself is written no dearer."""


def told(made: World) -> Cost:
    """One-off jobs whose success is told of, from the request to the recorded outcome of both calls."""
    marks = marks_of(made)
    request = replace(REQUEST, on_success="https://hooks.example.com/v1/reports/done")
    for _ in range(JOBS):
        made.create_job.execute(made.tenant, NewJob(timing=After(100), request=request))
    made.clock.time_ms += 100_000
    calls = made.work()
    calls += made.work()
    assert calls >= JOBS, "notifications have messages of their own"
    return cost_of(made, "one-off, its success told", marks, JOBS, MOST_UNITS_TOLD)


NOTIFICATIONS = (told,)
