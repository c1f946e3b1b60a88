"""Runs whose processes crash at any of their port calls: the sweeper carries them on, and every rule holds."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.domain.delivery.callback import Callback, CallbackResponse
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidStateError, UnavailableError
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.graph import Node, OnFailure, RunIf
from shared.domain.workflows.run import Run, RunState
from shared.domain.workflows.workflow import Workflow
from tests.support.fakes.sender import succeeds
from tests.support.usecases.moments import at_moment
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import node

RETRY = RetryPolicy(max_attempts=4, delays_seconds=(1, 1, 1))
DIAMOND = (node("a"), node("b", "a"), node("c", "a"), node("d", "b", "c"))
FAN = (node("a"), node("b"), node("c"), node("d", "a", "b", "c"), node("e", "a"))
HANDLED = (node("a"), node("b"), node("c", "b"), node("h", "a", run_if=RunIf.ANY_FAILED))
PASSED_ON = (
    node("a"),
    node("b"),
    node("c", "a", needs=["a"]),
    node("h", "b", "a", run_if=RunIf.ANY_FAILED, needs=["b", "a"]),
    node("d", "c", "h", run_if=RunIf.ALL_ENDED, needs=["c", "h"]),
)
HOLDS = {
    RunIf.ALL_SUCCEEDED: lambda states: set(states) <= {State.SUCCEEDED},
    RunIf.ALL_ENDED: lambda states: True,
    RunIf.ANY_FAILED: lambda states: State.FAILED in states,
}


def unavailable() -> None:
    raise UnavailableError("injected")


class Story:
    """One workflow, a client that repeats its requests, and a judge of every call."""

    def __init__(
        self,
        *nodes: Node,
        on_failure: OnFailure = OnFailure.FAIL_FAST,
        fails: str = "",
        batch: int = 1,
    ) -> None:
        self.world = WorkflowWorld()
        self.world.batch = batch
        self.workflow: Workflow = self.world.define(*nodes, on_failure=on_failure, retry=RETRY)
        self.fails = fails
        self.world.sender.answer_to = self._called
        self.run: Run | None = None
        self.cancelled_at: int | None = None
        self.running_at_cancel: set[ExecutionId] = set()
        self.answered: dict[str, list[bytes]] = defaultdict(list)
        """What each task has answered; at each attempt, another text."""
        self.arrived: dict[str, set[bytes]] = defaultdict(set)
        """What has arrived of the result of each task."""
        self.world.steps.taken.clear()

    def tell(self, *, cancels: bool) -> None:
        """Start the run, cancel it if that is the story, and work; the client repeats what was not acknowledged."""
        self._insist(self._start)
        if cancels:
            self._insist(self._work_one)
            self._insist(self.cancel)
        self._insist(self.world.work)

    def judge(self) -> Run:
        """The run at its end: nothing is open, and the run knows the end of each task."""
        self.world.steps.calm()
        self.world.recover()
        assert self.run is not None
        run = self.world.stored(self.run)
        assert run.state.is_terminal, f"the run is {run.state}"
        assert len(self.world.table.runs) == 1
        for row in self.world.table.executions.values():
            assert row.execution.state.is_terminal, f"{row.execution.task} is open"
        assert self.world.ledger.open_before(1 << 40) == [], "a swept shard is open"
        return run

    def _start(self) -> None:
        self.run = self.world.start(self.workflow, "key")

    def _work_one(self) -> None:
        if self.world.queue.messages:
            self.world.work_one()

    def cancel(self) -> None:
        """Cancel the run, if it has been started and goes on; note what runs when that is acknowledged."""
        if self.run is None:
            return
        try:
            self.world.cancel(self.run)
        except InvalidStateError:
            return
        rows = (row.execution for row in self.world.table.executions.values())
        self.running_at_cancel = {each.id for each in rows if each.state is State.RUNNING}
        self.cancelled_at = self.world.clock.now_ms()

    def _insist(self, act: Callable[[], object]) -> None:
        """One fault at most is planted."""
        try:
            act()
        except (Crash, UnavailableError):
            act()

    def _called(self, callback: Callback) -> CallbackResponse:
        key = callback.url.rpartition("/")[2]
        executions = {
            row.execution.task.key: row.execution
            for row in self.world.table.executions.values()
            if row.execution.task is not None
        }
        [called] = [each for each in self.workflow.graph.nodes if each.key == key]
        states = [executions[each].state for each in called.after]
        assert all(state.is_terminal for state in states), f"{key} was called before {called.after} ended"
        assert HOLDS[called.run_if](states), f"{key} was called after {states}"
        if self.cancelled_at is not None:
            assert executions[key].id in self.running_at_cancel, f"{key} was called after the cancellation"
        self._judge_results(called, callback.body, states)
        if key in self.fails:
            return FAILS
        self.answered[key].append(b'{"%b":%d.0}' % (key.encode(), len(self.answered[key])))
        return replace(succeeds(callback), body=self.answered[key][-1])

    def _judge_results(self, called: Node, body: bytes, states: list[State]) -> None:
        """Each result is one that its task has answered, and arrives as the same at every call."""
        if not called.needs:
            assert body == b""
            return
        members = []
        for needed in called.needs:
            state = states[called.after.index(needed)]
            texts = self.answered[needed] if state is State.SUCCEEDED else [b"null"]
            [text] = [
                each
                for each in texts
                if b'"%b":{"state":"%b","result":%b}' % (needed.encode(), state.encode(), each) in body
            ]
            members.append(b'"%b":{"state":"%b","result":%b}' % (needed.encode(), state.encode(), text))
            self.arrived[needed].add(text)
            assert len(self.arrived[needed]) == 1, f"different results of {needed} have arrived"
        assert body == b'{"body":null,"results":{%b}}' % b",".join(members)


STORIES = {
    "a diamond": (lambda: Story(*DIAMOND), False, {RunState.SUCCEEDED}),
    "results on their way": (lambda: Story(*PASSED_ON, fails="b"), False, {RunState.SUCCEEDED}),
    "ends in one batch": (lambda: Story(*FAN, batch=10), False, {RunState.SUCCEEDED}),
    "a handled failure in a batch": (
        lambda: Story(*HANDLED, fails="a", batch=10),
        False,
        {RunState.SUCCEEDED},
    ),
    "a handled failure": (lambda: Story(*HANDLED, fails="a"), False, {RunState.SUCCEEDED}),
    "a failure that is passed by": (
        lambda: Story(*DIAMOND, on_failure=OnFailure.CONTINUE, fails="b"),
        False,
        {RunState.FAILED},
    ),
    "a cancellation": (lambda: Story(*DIAMOND), True, {RunState.CANCELLED}),
}


NOT_CANCELLED = ("a diamond", "ends in one batch", "a handled failure", "a failure that is passed by")


def moments(name: str) -> int:
    make, cancels, _ = STORIES[name]
    story = make()
    story.tell(cancels=cancels)
    return 2 * len(story.world.steps.taken)


@pytest.mark.parametrize("name", STORIES)
def test_a_run_without_faults_ends_as_expected(name):
    make, cancels, _ = STORIES[name]
    story = make()
    story.tell(cancels=cancels)
    [expected] = [RunState.FAILED] if name == "a failure that is passed by" else STORIES[name][2]
    assert story.judge().state is expected


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", [die, unavailable], ids=["crash", "no_answer"])
@pytest.mark.parametrize("name", STORIES)
def test_a_run_ends_by_the_rules_whatever_fails_at_any_step(name, fault):
    make, cancels, allowed = STORIES[name]
    for moment in range(moments(name)):
        story = make()
        story.world.steps.at_each = at_moment(moment, fault)
        story.tell(cancels=cancels)
        assert story.judge().state in allowed, f"moment {moment}"


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NOT_CANCELLED)
def test_task_is_not_called_after_a_cancellation_at_any_step(name):
    make, _, allowed = STORIES[name]
    ends = set()
    for moment in range(moments(name)):
        story = make()
        story.world.steps.at_each = at_moment(moment, story.cancel)
        story.tell(cancels=False)
        ends.add(story.judge().state)
    assert ends == {RunState.CANCELLED, *allowed}, "some cancellations come too late, and none is half done"


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NOT_CANCELLED)
def test_a_sweep_at_any_step_changes_nothing(name):
    make, _, allowed = STORIES[name]
    for moment in range(moments(name)):
        story = make()
        story.world.steps.at_each = at_moment(moment, story.world.sweep_after)
        story.tell(cancels=False)
        assert story.judge().state in allowed, f"moment {moment}"


def test_a_join_is_chosen_and_filed_by_the_process_that_sees_both_ends():
    """Two tasks end at once: neither process knows of the other end when it begins to record its own."""
    world = WorkflowWorld()
    workflow = world.define(node("a"), node("b"), node("c", "a", "b"))
    run = world.start(workflow)
    mine, other = (world.execution(run, workflow.graph, key) for key in "ab")

    def other_ends() -> None:
        row = world.table.executions[other.id]
        row.execution = row.execution.progressed(state=State.SUCCEEDED)
        world.advance_run.execute(row.execution)

    world.queue.messages.clear()
    world.steps.before("runs.update", other_ends)
    world.attempt(mine)
    assert world.states(run, workflow.graph)["c"] == "chosen"
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called() == {"a": 1, "c": 1}


def test_a_run_that_is_put_into_a_closed_bucket_is_found_there():
    """A repeated request puts the run that the first request has chosen, an hour later; then its process dies."""
    world = WorkflowWorld()
    workflow = world.define(node("a"))
    world.steps.after("idempotency.claim", die)
    with pytest.raises(Crash):
        world.start(workflow, "key")
    world.sweep_after(60)
    world.steps.after("runs.put_if_absent", die)
    with pytest.raises(Crash):
        world.start(workflow, "key")
    assert world.table.executions == {}
    world.recover()
    [item] = world.table.runs.values()
    assert item.run.state.is_terminal
    assert len(world.table.executions) == 1


def test_a_redrive_of_an_old_run_is_found_by_the_sweeper():
    world = WorkflowWorld()
    world.answers["a"] = FAILS
    run = world.start(world.define(node("a")))
    world.work()
    world.sweep_after(60)
    assert world.ledger.open_before(1 << 40) == []
    del world.answers["a"]
    world.steps.after("runs.update", die)
    with pytest.raises(Crash):
        world.redriven(run)
    world.recover()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.stored(run).epoch == 2


def test_a_message_that_comes_again_files_what_its_first_receive_chose():
    world = WorkflowWorld()
    workflow = world.define(node("a"), node("b", "a"))
    run = world.start(workflow)
    [message] = world.queue.messages
    world.queue.messages.clear()
    world.steps.after("runs.update", die)
    with pytest.raises(Crash):
        world.handle(message.wakeup)
    assert world.states(run, workflow.graph) == {"a": "succeeded", "b": "chosen"}
    world.handle(message.wakeup)
    assert world.execution(run, workflow.graph, "b").state is State.QUEUED
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED


def test_a_message_is_not_done_while_what_follows_may_not_be_filed():
    world = WorkflowWorld()
    run = world.start(world.define(node("a"), node("b", "a")))
    world.steps.fail("batches.put_all_if_absent")
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED, "the message came again"
