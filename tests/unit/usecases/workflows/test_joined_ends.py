"""Ends of one run in one batch are told together, and no message is done before its run has learned of the end."""

import asyncio
from collections.abc import Sequence

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.run import RunState
from shared.domain.workflows.run_rules import execution_of
from shared.domain.workflows.workflow import task_execution
from shared.usecases.attempts.join_ends import JOIN_MS, JoinEnds
from shared.usecases.attempts.make_attempt import AttemptResult
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.fakes.clock import InlineOffload, VirtualClock
from tests.support.usecases.steps import Crash
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import NOW, graph, node, run_of, workflow_of

WIDE = tuple(node(f"t{number}") for number in range(10))
FAN = (*WIDE, node("join", *(each.key for each in WIDE)))


def fanned(batch: int = 10) -> WorkflowWorld:
    world = WorkflowWorld()
    world.batch = batch
    return world


def test_ends_of_a_batch_are_recorded_by_one_update_with_what_follows():
    world = fanned()
    workflow = world.define(*FAN)
    run = world.start(workflow)
    world.steps.taken.clear()
    world.work_one()
    assert (world.steps.count("runs.update"), world.steps.count("runs.get")) == (1, 1)
    assert world.states(run, workflow.graph) == {each.key: "succeeded" for each in WIDE} | {"join": "chosen"}
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert set(world.called().values()) == {1}


def test_end_that_completes_a_batch_without_others_waits_for_none():
    world = fanned()
    world.start(world.define(node("a"), node("b", "a")))
    began_at = world.clock.now_ms()
    world.work_one()
    assert world.clock.now_ms() - began_at < JOIN_MS // 10


def test_batch_with_tasks_of_several_runs_tells_each_run_of_its_own_ends():
    world = fanned(batch=20)
    workflow = world.define(*FAN[:4], node("join", "t0", "t1", "t2", "t3"))
    runs = [world.start(workflow, key) for key in ("first", "second")]
    world.answers["t0"] = FAILS
    world.steps.taken.clear()
    world.work_one()
    assert world.steps.count("runs.get") == 2
    for run in runs:
        assert world.states(run, workflow.graph)["t0"] == "failed"
        assert world.states(run, workflow.graph)["t1"] == "succeeded"
    world.work()
    assert {world.stored(run).state for run in runs} == {RunState.FAILED}


def test_joined_ends_are_kept_when_another_process_records_one_of_them_first():
    world = fanned()
    workflow = world.define(*FAN)
    run = world.start(workflow)
    other = world.execution(run, workflow.graph, "t0").id

    def sweeps() -> None:
        world.advance_run.execute(world.standing(other))

    world.steps.before("runs.update", sweeps)
    world.work_one()
    assert world.states(run, workflow.graph) == {each.key: "succeeded" for each in WIDE} | {"join": "chosen"}
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called()["join"] == 1


def test_messages_come_back_one_and_all_when_their_run_learns_of_no_end():
    world = fanned()
    workflow = world.define(*FAN)
    run = world.start(workflow)
    keys = {key for message in world.queue.messages for key in message.wakeup.keys}
    world.steps.fail("runs.update")
    world.work_one()
    assert set(world.sent()) == keys
    assert set(world.states(run, workflow.graph).values()) == {"chosen", "waits"}
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert set(world.called().values()) == {1}


def test_lost_answer_of_the_joined_update_repeats_no_call_and_loses_no_end():
    world = fanned()
    workflow = world.define(*FAN)
    run = world.start(workflow)
    world.steps.lose_answer("runs.update")
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert set(world.called().values()) == {1}


def test_tasks_that_a_crashed_process_chose_are_filed_with_the_ends_of_a_later_batch():
    """The end of t0 is recorded and has chosen `next`; its process dies before it files that. Then both come again."""
    world = fanned()
    workflow = world.define(node("t0"), node("t1"), node("next", "t0"))
    run = world.start(workflow)
    ended = [world.execution(run, workflow.graph, key) for key in ("t0", "t1")]
    for each in ended:
        world.table.executions[each.id].execution = each.progressed(state=State.SUCCEEDED)
    ended = [world.standing(each.id) for each in ended]
    world.queue.messages.clear()
    world.steps.crash_after("runs.update")
    with pytest.raises(Crash):
        world.advance_run.execute(ended[0])
    world.advance_run.join(run.id, ended)
    assert world.execution(run, workflow.graph, "next").state is State.QUEUED
    assert world.states(run, workflow.graph)["t1"] == "succeeded"


class Told:
    """A run that is told, and what its attempts do meanwhile."""

    def __init__(self) -> None:
        self.clock = VirtualClock(NOW)
        self.ends = JoinEnds(advance_run=self._advance, clock=self.clock, offload=InlineOffload())
        self.workflow = workflow_of(graph(*WIDE))
        self.run = run_of(self.workflow)
        self.told: list[list[str]] = []
        self.fault: Exception | None = None

    def _advance(self, run_id: ExecutionId, ended: Sequence[Execution]) -> None:
        assert run_id == self.run.id
        if self.fault is not None:
            raise self.fault
        self.told.append([each.task.key for each in ended if each.task is not None])

    async def attempt(
        self, number: int, until: asyncio.Event | None = None, *, is_end: bool = True
    ) -> AttemptResult:
        """One task's attempt, which goes on until an event."""

        async def attempted() -> AttemptResult:
            if until is not None:
                await until.wait()
            task = task_execution(self.workflow, self.run, number, created_at=NOW)
            assert task.id == execution_of(self.run, self.workflow.graph, number)
            return AttemptResult(
                execution=task,
                end=AttemptEnd.SUCCEEDED if is_end else AttemptEnd.RETRIED,
                is_done=True,
                answer=CallbackResponse(reason=Reason.OK, duration_ms=1),
                started_at=NOW,
                untold=task if is_end else None,
            )

        return await self.ends.execute(self.run.id, attempted())


def test_end_does_not_wait_for_the_slowest_call_of_its_batch_which_is_told_later():
    told = Told()

    async def batch() -> list[AttemptResult]:
        slow = asyncio.Event()
        attempts = [asyncio.create_task(told.attempt(0)), asyncio.create_task(told.attempt(1, slow))]
        await asyncio.wait_for(attempts[0], timeout=30)
        assert told.told == [["t0"]]
        assert told.clock.now_ms() == NOW + JOIN_MS
        slow.set()
        return list(await asyncio.gather(*attempts))

    results = asyncio.run(batch())
    assert told.told == [["t0"], ["t1"]]
    assert all(result.is_done for result in results)


def test_end_waits_for_no_attempt_that_has_come_to_no_end():
    told = Told()

    async def batch() -> None:
        await asyncio.gather(told.attempt(0, is_end=False), told.attempt(1), told.attempt(2))

    asyncio.run(batch())
    assert (told.told, told.clock.now_ms()) == ([["t1", "t2"]], NOW)


def test_end_waits_for_no_attempt_that_has_failed_with_a_fault():
    told = Told()

    async def faulty() -> AttemptResult:
        raise RuntimeError("a fault of the process")

    async def batch() -> None:
        first = asyncio.create_task(told.ends.execute(told.run.id, faulty()))
        await told.attempt(1)
        with pytest.raises(RuntimeError):
            await first

    asyncio.run(batch())
    assert (told.told, told.clock.now_ms()) == ([["t1"]], NOW)


@pytest.mark.parametrize("fault", [UnavailableError("injected"), UnreadableItemError("injected")])
def test_no_message_of_a_batch_is_done_when_its_run_could_not_be_told(fault):
    told = Told()
    told.fault = fault

    async def batch() -> list[AttemptResult]:
        return list(await asyncio.gather(told.attempt(0), told.attempt(1), told.attempt(2, is_end=False)))

    assert [result.is_done for result in asyncio.run(batch())] == [False, False, True]


def test_fault_of_the_process_that_tells_a_run_reaches_every_message_of_the_batch():
    told = Told()
    told.fault = ZeroDivisionError()

    async def batch() -> list[AttemptResult | BaseException]:
        return list(await asyncio.gather(told.attempt(0), told.attempt(1), return_exceptions=True))

    assert [type(result) for result in asyncio.run(batch())] == [ZeroDivisionError] * 2
