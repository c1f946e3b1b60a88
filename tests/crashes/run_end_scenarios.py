"""Runs that a job starts, or whose end is told: where the process is hit that begins, ends or tells."""

from shared.domain.workflows.graph import Node
from shared.domain.workflows.run import RunState
from tests.crashes.api_scenarios import AFTER_CLAIM
from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage
from tests.crashes.tick_scenarios import sweep_for_the_lost
from tests.crashes.workflow_runs import DUE_SECONDS
from tests.crashes.workflow_scenarios import FORK, MAPPED

begun = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)
begun_later = Catalogue("sweeper", delay_seconds=60)
redriven = Catalogue("api", delay_seconds=120)
"""A repeated redrive finds the next epoch: a lost message is left to the first sweep of its minute."""
AFTER_ITS_RUN_ENDED = CrashPoint(operation="UpdateItem", nth=2, hit=Hit.KILLED_AFTER)
ALONE = (Node(key="a"),)
INPUT = '{"order":7}'
WON, LOST = ("succeeded", 1), ("failed", 1)


def _come_to_its_last_task(stage: Stage) -> None:
    """A job has begun a run, and the message of its only task is there."""
    stage.workflow_runs.start(*ALONE, by_job=True)
    stage.wait(DUE_SECONDS + 1)
    stage.execute()
    stage.wait(1)


@begun("BatchExecuteStatement", "GetItem", "PutItem", "SendMessageBatch", "UpdateItem")
def begins_the_run_of_a_job(stage: Stage) -> None:
    stage.workflow_runs.start(*FORK, by_job=True)
    stage.wait(DUE_SECONDS + 1)
    stage.mark("executor")
    stage.execute()


@begun("BatchExecuteStatement", "GetItem", "PutItem", "SendMessageBatch", "UpdateItem")
def begins_the_run_of_a_job_with_an_input(stage: Stage) -> None:
    stage.workflow_runs.start(Node(key="a", takes_input=True), by_job=True, text=INPUT)
    stage.wait(DUE_SECONDS + 1)
    stage.mark("executor")
    stage.execute()


@begun("BatchExecuteStatement", "GetItem", "UpdateItem")
def calls_a_task_with_the_input_of_its_run(stage: Stage) -> None:
    stage.workflow_runs.start(Node(key="a", takes_input=True), text=INPUT)
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@begun("BatchExecuteStatement", "GetItem", "UpdateItem")
def ends_the_run_of_a_job(stage: Stage) -> None:
    _come_to_its_last_task(stage)
    stage.mark("executor")
    stage.execute()


@begun("BatchExecuteStatement", "UpdateItem", "PutItem", "SendMessageBatch")
def ends_a_run_of_which_somebody_is_told(stage: Stage) -> None:
    stage.workflow_runs.start(*ALONE, told=[WON])
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@begun("BatchExecuteStatement", "UpdateItem", "PutItem", "SendMessageBatch")
def ends_a_run_in_failure_of_which_somebody_is_told(stage: Stage) -> None:
    stage.workflow_runs.start(*ALONE, fails="a", ends=RunState.FAILED, told=[LOST])
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@begun("BatchExecuteStatement", "GetItem", "UpdateItem")
def tells_of_the_end_of_a_run(stage: Stage) -> None:
    stage.workflow_runs.start(*ALONE, told=[WON])
    stage.wait(1)
    stage.execute()
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@begun_later("GetItem", "PutItem", "BatchExecuteStatement", "SendMessageBatch", "UpdateItem")
def begins_the_run_of_a_job_whose_executor_died(stage: Stage) -> None:
    stage.workflow_runs.start(*FORK, by_job=True)
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(DUE_SECONDS + 1)
    sweep_for_the_lost(stage)


# Unharmed, it is at rest at once; later it is looked at each 20 s.
@begun_later("BatchGetItem", "GetItem", "UpdateItem", delay_seconds=80)
def ends_the_execution_of_a_run_whose_executor_died(stage: Stage) -> None:
    _come_to_its_last_task(stage)
    stage.break_next("executor", AFTER_ITS_RUN_ENDED)
    stage.execute()
    sweep_for_the_lost(stage)


# A notification that stands without a message is left to the first sweep of its own minute.
@begun_later("BatchGetItem", "GetItem", "PutItem", "SendMessageBatch", delay_seconds=120)
def tells_of_the_end_of_a_run_whose_executor_died(stage: Stage) -> None:
    stage.workflow_runs.start(*ALONE, told=[WON])
    # Past the second at which the sweeper looks at the minute before.
    stage.wait(DUE_SECONDS + 1)
    stage.break_next("executor", AFTER_ITS_RUN_ENDED)
    stage.execute()
    sweep_for_the_lost(stage)


@redriven("GetItem", "PutItem", "UpdateItem", "BatchExecuteStatement", "SendMessageBatch")
def redrives_a_run_of_whose_end_nobody_was_told(stage: Stage) -> None:
    stage.workflow_runs.start(*ALONE, fails="a", receiver="broken", told=[LOST, ("succeeded", 2)])
    stage.wait(1)
    stage.break_next("executor", AFTER_ITS_RUN_ENDED)
    stage.execute()
    stage.lane.lose()
    stage.log.heal()
    stage.mark("api")
    stage.workflow_runs.redrive()


@redriven("GetItem", "BatchGetItem", "PutItem", "UpdateItem", "BatchExecuteStatement", "SendMessageBatch")
def redrives_the_failed_item_of_a_map(stage: Stage) -> None:
    stage.workflow_runs.start(*MAPPED, fails=["each"], receiver="picky")
    for _ in range(2):
        stage.wait(1)
        stage.execute()
    stage.log.heal()
    stage.mark("api")
    stage.workflow_runs.redrive()
