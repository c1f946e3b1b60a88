"""Runs with maps whose processes crash at any of their port calls. The sweeper, which has no key of a tenant, carries
them on."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidStateError, UnavailableError
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.graph import Node, OnFailure, RunIf
from shared.domain.workflows.run import Run, RunState, TaskState
from tests.support.fakes.sender import succeeds
from tests.support.usecases.moments import at_moment
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import node

RETRY = RetryPolicy(max_attempts=4, delays_seconds=(1, 1, 1))
FAN_OUT = (
    node("list"),
    node("each", "list", over="list"),
    node("join", "each", run_if=RunIf.ALL_ENDED, needs=["each"]),
)
BESIDE = (*FAN_OUT[:2], node("h", "each", run_if=RunIf.ANY_FAILED, needs=["each"]))
OVER_BOTH = (*FAN_OUT[:2], node("again", "each", over="each", run_if=RunIf.ALL_ENDED), node("end", "again"))


def unavailable() -> None:
    raise UnavailableError("injected")


class Story:
    """A workflow whose task `list` answers an array, and a judge of every call."""

    def __init__(
        self,
        *nodes: Node,
        on_failure: OnFailure = OnFailure.CONTINUE,
        array: tuple[object, ...] = ("x", "y"),
        fails: int | None = None,
        redrives: bool = False,
        cancels: bool = False,
    ) -> None:
        self.world = WorkflowWorld()
        self.workflow = self.world.define(*nodes, on_failure=on_failure, retry=RETRY)
        self.array, self.fails = array, fails
        self.redrives, self.cancels = redrives, cancels
        self.world.sender.answer_to = self._judged
        self.faults: list[Exception] = []
        self.run: Run | None = None
        self.cancelled_at: int | None = None
        self.running_at_cancel: set[ExecutionId] = set()
        self.answered: dict[tuple[str, int], list[object]] = {}
        self.joined: set[str] = set()
        self.world.steps.taken.clear()

    def tell(self) -> None:
        self._insist(self._start)
        if self.cancels:
            self._insist(self._work_one)
            self._insist(self.cancel)
        self._insist(self.world.work)
        if self.redrives:
            self._insist(self._settle)
            self.fails = None
            self._insist(self._redrive)
            self._insist(self.world.work)

    def judge(self) -> Run:
        assert self.faults == []
        self.world.steps.calm()
        self.world.recover()
        assert self.faults == []
        assert self.run is not None
        run = self.world.stored(self.run)
        assert run.state.is_terminal, f"the run is {run.state}"
        for row in self.world.table.executions.values():
            assert row.execution.state.is_terminal, f"{row.execution.task} is open"
        for record in self.world.table.maps.values():
            assert not record.items.open_items()
            assert record.expires_at_s is not None, "the record of an ended map expires"
        assert self.world.ledger.open_before(1 << 40) == [], "a swept shard is open"
        assert self.world.queue.messages == []
        return run

    def _start(self) -> None:
        self.run = self.world.start(self.workflow, "key")

    def _work_one(self) -> None:
        if self.world.queue.messages:
            self.world.work_one()

    def _redrive(self) -> None:
        assert self.run is not None
        self.world.redriven(self.run, epoch=1)

    def _settle(self) -> None:
        """Carry the first epoch to its end, whatever crashed, while its shards are young."""
        for _ in range(2):
            self.world.sweep_after(2)
            self.world.work()

    def cancel(self) -> None:
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
        try:
            act()
        except (Crash, UnavailableError):
            act()

    def _judged(self, callback: Callback) -> CallbackResponse:
        """Executors book an exception of their sender as a failed attempt."""
        try:
            return self._called(callback)
        except Exception as error:
            self.faults.append(error)
            raise

    def _called(self, callback: Callback) -> CallbackResponse:
        key = callback.url.rpartition("/")[2]
        named = dict(callback.headers)
        rows = [row.execution for row in self.world.table.executions.values()]
        [called] = [each for each in rows if str(each.id) == named["webhook-id"]]
        if self.cancelled_at is not None:
            assert called.id in self.running_at_cancel, f"{key} was called after the cancellation"
        self._judge_predecessors(key)
        if key == "list":
            return replace(succeeds(callback), body=json.dumps(self.array).encode())
        body = json.loads(callback.body or b"{}")
        if called.task is not None and called.task.item is not None:
            return self._item_called(key, called.task.item, body, callback)
        if body.get("results", {}).get("each", {}).get("state") == "succeeded":
            self._judge_join(body["results"]["each"]["result"])
        return succeeds(callback)

    def _item_called(
        self, key: str, position: int, body: dict[str, object], callback: Callback
    ) -> CallbackResponse:
        source = self.array
        if key == "again":
            source = tuple(self.answered["each", each][-1] for each in range(len(self.array)))
        assert body["item"] == {"index": position, "count": len(source), "value": source[position]}
        if key == "each" and position == self.fails:
            return FAILS
        answers = self.answered.setdefault((key, position), [])
        answers.append(f"{key}{position}.{len(answers)}")
        return CallbackResponse(
            reason=Reason.OK, duration_ms=5, status=200, body=json.dumps(answers[-1]).encode()
        )

    def _judge_predecessors(self, key: str) -> None:
        """From the executions alone: every item of a map has ended, and no item of it is missing."""
        [called] = [each for each in self.workflow.graph.nodes if each.key == key]
        for after in called.after:
            latest: dict[int | None, tuple[int, State]] = {}
            for row in self.world.table.executions.values():
                task = row.execution.task
                if task is not None and task.key == after:
                    known = latest.get(task.item)
                    if known is None or known[0] < task.epoch:
                        latest[task.item] = task.epoch, row.execution.state
            states = [state for _, state in latest.values()]
            assert all(state.is_terminal for state in states), f"{key} was called while {after} was {states}"
            if after == "each" and self.array:
                assert sorted(latest, key=str) == list(range(len(self.array)))

    def _judge_join(self, result: list[object]) -> None:
        assert len(result) == len(self.array)
        for position, text in enumerate(result):
            assert text in self.answered["each", position]
        self.joined.add(json.dumps(result))
        assert len(self.joined) == 1, "different results of the map have arrived"


STORIES: dict[str, tuple[Callable[[], Story], set[RunState]]] = {
    "a map": (lambda: Story(*FAN_OUT), {RunState.SUCCEEDED}),
    "an empty map": (lambda: Story(*FAN_OUT, array=()), {RunState.SUCCEEDED}),
    "a map over a map": (lambda: Story(*OVER_BOTH), {RunState.SUCCEEDED}),
    "a handled failure": (
        lambda: Story(*BESIDE, on_failure=OnFailure.FAIL_FAST, fails=0),
        {RunState.SUCCEEDED},
    ),
    "a redrive": (lambda: Story(*FAN_OUT, fails=1, redrives=True), {RunState.SUCCEEDED}),
    "a cancellation": (lambda: Story(*FAN_OUT, cancels=True), {RunState.CANCELLED}),
}


def moments(name: str) -> int:
    story = STORIES[name][0]()
    story.tell()
    return 2 * len(story.world.steps.taken)


@pytest.mark.parametrize("name", STORIES)
def test_run_with_a_map_ends_as_expected_without_faults(name):
    make, allowed = STORIES[name]
    story = make()
    story.tell()
    assert story.judge().state in allowed


@pytest.mark.parametrize("name", STORIES)
def test_map_without_faults_needs_no_sweep(name):
    story = STORIES[name][0]()
    story.tell()
    assert story.run is not None
    assert story.world.stored(story.run).state.is_terminal


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", [die, unavailable], ids=["crash", "no_answer"])
@pytest.mark.parametrize("name", STORIES)
def test_run_with_a_map_ends_by_the_rules_whatever_fails_at_any_step(name, fault):
    make, allowed = STORIES[name]
    for moment in range(moments(name)):
        story = make()
        story.world.steps.at_each = at_moment(moment, fault)
        story.tell()
        assert story.judge().state in allowed, f"moment {moment}"


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["a map", "a map over a map", "a handled failure"])
def test_item_is_not_called_after_a_cancellation_at_any_step(name):
    make, allowed = STORIES[name]
    ends = set()
    for moment in range(moments(name)):
        story = make()
        story.world.steps.at_each = at_moment(moment, story.cancel)
        story.tell()
        ends.add(story.judge().state)
    assert ends == {RunState.CANCELLED, *allowed}, "some cancellations come too late, and none is half done"


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["a map", "a map over a map", "a handled failure", "a redrive"])
def test_sweep_at_any_step_of_a_map_changes_nothing(name):
    make, allowed = STORIES[name]
    for moment in range(moments(name)):
        story = make()
        story.world.steps.at_each = at_moment(moment, story.world.sweep_after)
        story.tell()
        assert story.judge().state in allowed, f"moment {moment}"


def test_redriven_map_repeats_its_failed_items_alone_whatever_crashes():
    make, _ = STORIES["a redrive"]
    for moment in range(0, moments("a redrive"), 7):
        story = make()
        story.world.steps.at_each = at_moment(moment, die)
        story.tell()
        run = story.judge()
        epochs = Counter(
            (row.execution.task.item, row.execution.task.epoch)
            for row in story.world.table.executions.values()
            if row.execution.task is not None and row.execution.task.key == "each"
        )
        assert epochs == {(0, 1): 1, (1, 1): 1, (1, 2): 1}
        assert run.tasks[1] is not None
        assert run.tasks[1].state is TaskState.SUCCEEDED
