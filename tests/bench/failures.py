"""What a failing receiver costs, in counted units."""

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After
from tests.bench.counting import REQUEST, Cost, cost_of, marks_of
from tests.bench.world import World

JOBS = 50
ATTEMPTS = 5
RETRY_SECONDS = 60
STEP_MS = 100_000
MOST_UNITS_DEAD = 15.4
"""Creation 2, two for each attempt, and the index: 1 for the first retry, nothing for later ones, 2 for the end."""
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)


def dead(made: World) -> Cost:
    """One-off jobs whose attempts all fail, from the request to the dead letter."""
    answer_to, made.sender.answer_to = made.sender.answer_to, lambda _: DOWN
    marks = marks_of(made)
    new = NewJob(
        timing=After(100),
        request=REQUEST,
        retry=RetryPolicy(max_attempts=ATTEMPTS, delays_seconds=(RETRY_SECONDS,) * (ATTEMPTS - 1)),
    )
    for _ in range(JOBS):
        made.create_job.execute(made.tenant, new)
    for _ in range(ATTEMPTS):
        made.clock.time_ms += STEP_MS
        assert made.work() == JOBS
    made.sender.answer_to = answer_to
    return cost_of(made, "one-off, all attempts failed", marks, JOBS, MOST_UNITS_DEAD)


FAILURES = (dead,)
