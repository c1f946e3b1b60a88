"""Batches that may not all be called now: where an executor is hit that lets some through and has the others wait."""

from shared.names import QueueName
from tests.crashes.api_scenarios import AFTER_CLAIM
from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.marks import executor_of
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage
from tests.crashes.tick_scenarios import FIRST_SWEEP_SECOND

ROUNDS_SECONDS = 360
"""What waits goes on once in a step of the clock, and those are of two minutes when a message comes back late."""
limited = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS + ROUNDS_SECONDS)
held_back = Catalogue("sweeper", delay_seconds=60)
DUE_SECONDS = 10
LATE_SECONDS = 140
"""So late that messages go on elsewhere, if a batch is full of them."""
FULL_BATCH = 10


def _due(stage: Stage, count: int, destination: str | None = None) -> None:
    for _ in range(count):
        stage.clients.order({"delay_seconds": DUE_SECONDS}, destination=destination)
    stage.wait(DUE_SECONDS + 1)


@limited("BatchGetItem", "UpdateItem", "SendMessageBatch", races=True)
def makes_as_many_calls_at_once_as_its_tenant_may(stage: Stage) -> None:
    stage.limit(concurrency=2)
    _due(stage, 3)
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()


@limited("BatchGetItem", "UpdateItem", "SendMessageBatch")
def makes_as_many_calls_at_once_as_a_destination_bears(stage: Stage) -> None:
    stage.limit(destination_concurrency=1)
    # Hot scopes that earlier runs left for this destination would decide which calls are made.
    _due(stage, 2, stage.log.destination())
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()


@limited("BatchGetItem", "SendMessageBatch")
def waits_while_another_worker_holds_the_slots(stage: Stage) -> None:
    stage.limit(concurrency=1)
    _due(stage, 1)
    stage.break_next("executor", AFTER_CLAIM)
    stage.execute()
    _due(stage, 1)
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()


@limited("UpdateItem", "SendMessageBatch")
def makes_as_many_calls_a_second_as_its_tenant_may(stage: Stage) -> None:
    stage.limit(calls_per_second=1)
    _due(stage, 5)
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()


@limited("SendMessageBatch")
def steps_aside_for_fresh_work(stage: Stage) -> None:
    stage.open(QueueName.BULK)
    _due(stage, FULL_BATCH)
    stage.wait(LATE_SECONDS)
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()


@limited("GetItem", "SendMessageBatch")
def makes_room_for_a_lane_that_is_behind(stage: Stage) -> None:
    stage.open(QueueName.BULK)
    stage.clients.order({"delay_seconds": DUE_SECONDS}, lane="bulk")
    _due(stage, 1)
    stage.wait(DUE_SECONDS)
    stage.execute()
    stage.mark(executor_of(QueueName.BULK))
    stage.execute(QueueName.BULK)
    stage.expect_messages()


@held_back("Query", "UpdateItem")
def leaves_alone_what_waits_for_a_limit(stage: Stage) -> None:
    stage.limit(concurrency=1)
    _due(stage, 2)
    stage.execute()
    stage.wait_until_second(FIRST_SWEEP_SECOND)
    stage.mark("sweeper")
    stage.sweep()
