"""Workflows: where the executor is hit that ends a task, or the sweeper that carries a run on."""

from shared.domain.workflows.graph import Node, OnFailure, RunIf
from shared.domain.workflows.run import RunState
from shared.domain.workflows.task_map import TaskMap
from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.deployment import DEAD_VISIBILITY_SECONDS, VISIBILITY_SECONDS
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage
from tests.crashes.tick_scenarios import sweep_for_the_lost
from tests.crashes.workflow_runs import DUE_SECONDS

advancing = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)
carried_on = Catalogue("sweeper", delay_seconds=60)
rescued = Catalogue("dead_letter", delay_seconds=DEAD_VISIBILITY_SECONDS)
AFTER_ITS_END = CrashPoint(operation="UpdateItem", nth=1, hit=Hit.KILLED_AFTER)
AFTER_ITS_RUN_KNOWS = CrashPoint(operation="UpdateItem", nth=2, hit=Hit.KILLED_AFTER)
FORK = (Node(key="a"), Node(key="b", after=("a",)), Node(key="c", after=("a",)))
JOIN = (*FORK, Node(key="d", after=("b", "c")))
PASSED_ON = (Node(key="a"), Node(key="b", after=("a",), needs=("a",)))
MAPPED = (
    Node(key="list"),
    Node(key="each", after=("list",), map=TaskMap(over="list")),
    Node(key="join", after=("each",), needs=("each",)),
)
HANDLED = (
    Node(key="a"),
    Node(key="b", after=("a",)),
    Node(key="h", after=("a",), run_if=RunIf.ANY_FAILED),
)


@advancing("BatchExecuteStatement", "GetItem", "UpdateItem", "SendMessageBatch")
def ends_a_task_that_makes_others_ready(stage: Stage) -> None:
    stage.workflow_runs.start(*FORK)
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@advancing("BatchExecuteStatement", "UpdateItem", "SendMessageBatch")
def ends_two_tasks_that_a_join_waits_for(stage: Stage) -> None:
    stage.workflow_runs.start(*JOIN)
    stage.wait(1)
    stage.execute()
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@advancing("BatchExecuteStatement", "UpdateItem", "SendMessageBatch")
def ends_a_task_whose_result_is_needed(stage: Stage) -> None:
    stage.workflow_runs.start(*PASSED_ON)
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@advancing("BatchExecuteStatement", "GetItem", "BatchGetItem", "UpdateItem")
def calls_a_task_with_the_result_that_it_needs(stage: Stage) -> None:
    stage.workflow_runs.start(*PASSED_ON)
    stage.wait(1)
    stage.execute()
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@advancing("BatchExecuteStatement", "UpdateItem")
def ends_the_last_task_of_a_run(stage: Stage) -> None:
    stage.workflow_runs.start(Node(key="a"))
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@advancing("BatchExecuteStatement", "UpdateItem", "SendMessageBatch")
def ends_a_task_whose_failure_is_handled(stage: Stage) -> None:
    stage.workflow_runs.start(*HANDLED, fails="a", never_called="b")
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@advancing("BatchExecuteStatement", "UpdateItem")
def ends_a_task_whose_failure_skips_others(stage: Stage) -> None:
    stage.workflow_runs.start(
        *FORK, fails="a", on_failure=OnFailure.CONTINUE, ends=RunState.FAILED, never_called="bc"
    )
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


# A task that stands without a message is left to the first sweep of its own minute.
@carried_on("BatchGetItem", "BatchExecuteStatement", "SendMessageBatch", delay_seconds=120)
def files_the_tasks_that_a_dead_executor_has_chosen(stage: Stage) -> None:
    stage.workflow_runs.start(*FORK)
    # Past the second at which the sweeper looks at the minute before.
    stage.wait(DUE_SECONDS + 1)
    stage.break_next("executor", AFTER_ITS_RUN_KNOWS)
    stage.execute()
    stage.lane.lose()
    sweep_for_the_lost(stage)


@rescued("GetItem", "UpdateItem", "BatchExecuteStatement", "SendMessageBatch")
def tells_the_run_of_a_task_whose_executor_died(stage: Stage) -> None:
    stage.workflow_runs.start(*FORK)
    stage.wait(1)
    stage.break_next("executor", AFTER_ITS_END)
    stage.execute()
    stage.lane.send(stage.lane.wakeup(stage.workflow_runs.execution_of("a")), dead=True)
    stage.lane.lose()
    stage.mark("dead_letter")
    stage.rescue()


@advancing("BatchExecuteStatement", "GetItem", "PutItem", "UpdateItem", "SendMessageBatch")
def chooses_the_items_of_a_map(stage: Stage) -> None:
    stage.workflow_runs.start(*MAPPED)
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@advancing("BatchExecuteStatement", "GetItem", "UpdateItem", "SendMessageBatch", races=True)
def ends_the_items_of_a_map_and_joins_them(stage: Stage) -> None:
    stage.workflow_runs.start(*MAPPED)
    stage.wait(1)
    stage.execute()
    stage.wait(1)
    stage.mark("executor")
    stage.execute()
