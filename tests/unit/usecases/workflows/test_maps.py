"""Maps: one call for each element of an array, and one end for the run."""

import json
from dataclasses import replace
from typing import Any

import pytest

from shared.bootstrap.use_cases import use_cases
from shared.domain.delivery.callback import MAX_RESULT_BYTES, Callback, CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidStateError, InvalidValueError, UnavailableError
from shared.domain.executions.callback_token import TOKEN_HEADER
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.graph import Node, OnFailure, RunIf
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.map_items import MapItems, item_execution_id
from shared.domain.workflows.run import Run, RunState, TaskReason, TaskState
from shared.domain.workflows.workflow import Workflow
from shared.settings import Settings
from shared.usecases.attempts.settlement import AttemptEnd
from shared.usecases.filing.file_execution import wakeup_for
from shared.usecases.workflows.run_maps import TRIES
from tests.support.builders import TENANT
from tests.support.fakes.sender import succeeds
from tests.support.settings import only
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import node

FAN_OUT = (
    node("list"),
    node("each", "list", over="list", path="/files"),
    node("join", "each", needs=["each"]),
)


def answers(value: object) -> CallbackResponse:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return CallbackResponse(reason=Reason.OK, duration_ms=5, status=200, body=body)


class MapWorld(WorkflowWorld):
    """A receiver of items: `fails` has the positions that fail, and `says` what the others answer."""

    def __init__(self, files: object = ("a", "b", "c"), **settings: Any) -> None:
        super().__init__(**settings)
        self.answers["list"] = answers({"files": files})
        self.fails: set[int] = set()
        self.says: dict[int, object] = {}
        plain = self.sender.answer_to
        self.sender.answer_to = lambda callback: self._of_item(callback) or plain(callback)

    def _of_item(self, callback: Callback) -> CallbackResponse | None:
        position = dict(callback.headers).get("Punctual-Item")
        if position is None:
            return None
        if int(position) in self.fails:
            return FAILS
        return replace(
            succeeds(callback), body=json.dumps(self.says.get(int(position), int(position))).encode()
        )

    def started(self, *nodes: Node, **fields: Any) -> tuple[Workflow, Run]:
        workflow = self.define(*(nodes or FAN_OUT), **fields)
        return workflow, self.start(workflow)

    def call_item(self, run: Run, key: str, position: int) -> None:
        """Let the executor handle one item; the message that wakes all of them is lost."""
        self.queue.messages.clear()
        execution_id = item_execution_id(self.stored(run), self.items(run, key), position)
        assert execution_id is not None
        self.handle(wakeup_for(self.standing(execution_id)))

    def bodies(self, key: str) -> list[Any]:
        calls = (each.callback for each in self.sender.calls)
        return [json.loads(each.body) for each in calls if each.url.endswith(f"/{key}")]


def test_map_calls_its_task_once_for_each_element_and_is_joined():
    world = MapWorld()
    workflow, run = world.started()
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called() == {"list": 1, "each": 3, "join": 1}
    items = sorted(world.bodies("each"), key=lambda body: body["item"]["index"])
    assert [body["item"] for body in items] == [
        {"index": index, "count": 3, "value": value} for index, value in enumerate("abc")
    ]
    assert world.bodies("join") == [
        {"body": None, "results": {"each": {"state": "succeeded", "result": [0, 1, 2]}}}
    ]
    assert world.states(run, workflow.graph) == dict.fromkeys(("list", "each", "join"), "succeeded")


def test_elements_and_results_of_a_map_arrive_byte_for_byte():
    world = MapWorld()
    parts = [b'{"n": 1.10}', b"1e400", b'"\\u00e9"', b"[ 1,2 ]"]
    world.answers["list"] = answers(b'{"files" : [ ' + b" , ".join(parts) + b" ] }")
    world.started(body=b'{"to": "x"}')
    world.work()
    bodies = [call.callback.body for call in world.sender.calls if call.callback.url.endswith("/each")]
    assert sorted(bodies) == sorted(
        b'{"body":{"to": "x"},"item":{"index":%d,"count":4,"value":%b},"results":{}}' % pair
        for pair in enumerate(parts)
    )


def test_item_of_a_map_gets_the_results_that_its_task_needs():
    world = MapWorld()
    world.answers["other"] = answers({"k": 1})
    world.started(
        node("list"),
        node("other"),
        node("each", "list", "other", over="list", path="/files", needs=["other"]),
    )
    world.work()
    assert world.bodies("each")[0]["results"] == {"other": {"state": "succeeded", "result": {"k": 1}}}


def test_map_over_an_empty_array_succeeds_at_once_with_an_empty_result():
    world = MapWorld(files=[])
    _, run = world.started()
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called() == {"list": 1, "join": 1}
    assert world.bodies("join")[0]["results"]["each"] == {"state": "succeeded", "result": []}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"other": []}, TaskReason.MAP_MISSING),
        ([1, 2], TaskReason.MAP_MISSING),
        ({"files": {"0": 1}}, TaskReason.MAP_NO_ARRAY),
        ({"files": None}, TaskReason.MAP_NO_ARRAY),
        ({"files": [0] * 101}, TaskReason.MAP_TOO_LONG),
    ],
)
def test_map_without_an_array_fails_with_a_reason_and_without_a_call(body, reason):
    world = MapWorld()
    world.answers["list"] = answers(body)
    _, run = world.started()
    world.work()
    stored = world.stored(run)
    assert stored.state is RunState.FAILED
    assert stored.tasks[1] is not None
    assert (stored.tasks[1].state, stored.tasks[1].reason) == (TaskState.FAILED, reason)
    assert world.called() == {"list": 1}


def test_map_of_a_hundred_items_is_called_a_hundred_times():
    world = MapWorld(files=list(range(100)))
    _, run = world.started()
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert sorted(world.called_items("each")) == list(range(100))


def test_item_that_fails_fails_its_map_once_all_items_have_ended():
    world = MapWorld()
    world.fails = {1}
    workflow, run = world.started(on_failure=OnFailure.CONTINUE)
    world.work()
    assert world.states(run, workflow.graph) == {"list": "succeeded", "each": "failed", "join": "skipped"}
    assert sorted(world.called_items("each")) == [0, 1, 2]
    assert [str(item.state) for item in world.items(run, "each").items or ()] == [
        "succeeded",
        "failed",
        "succeeded",
    ]


def test_item_that_fails_stops_the_others_and_the_run_under_fail_fast():
    world = MapWorld()
    world.fails = {0, 1, 2}
    workflow, run = world.started(*FAN_OUT, node("aside", "list"), node("late", "aside"))
    world.work_one()
    world.call_item(run, "each", 1)
    assert not world.items(run, "each").open_items(), "the others were cancelled at once"
    world.recover()
    assert world.stored(run).state is RunState.FAILED
    states = [str(item.state) for item in world.items(run, "each").items or ()]
    assert (states.count("failed"), states.count("cancelled")) == (1, 2)
    assert world.states(run, workflow.graph)["join"] == "cancelled"


def test_handler_of_a_map_runs_after_its_last_item():
    world = MapWorld()
    world.fails = {0}
    nodes = (*FAN_OUT[:2], node("h", "each", run_if=RunIf.ANY_FAILED, needs=["each"]))
    _, run = world.started(*nodes, on_failure=OnFailure.CONTINUE)
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.bodies("h")[0]["results"]["each"] == {"state": "failed", "result": None}
    last = max(number for number, call in enumerate(world.sender.calls) if "/each" in call.callback.url)
    assert world.sender.calls[last + 1].callback.url.endswith("/h")


def test_redrive_repeats_only_the_failed_items_and_joins_the_results_of_both_epochs():
    world = MapWorld()
    world.fails = {1}
    _, run = world.started(on_failure=OnFailure.CONTINUE)
    world.work()
    assert world.stored(run).state is RunState.FAILED
    world.fails = set()
    world.says = {1: "again", 0: "never asked"}
    world.redriven(run)
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert sorted(world.called_items("each")) == [0, 1, 1, 2]
    assert world.bodies("join")[0]["results"]["each"]["result"] == [0, "again", 2]
    assert {item.epoch for item in world.items(run, "each").items or ()} == {1, 2}


def test_redrive_of_a_map_is_admitted_for_the_items_that_have_not_succeeded():
    world = MapWorld()
    world.fails = {1, 2}
    _, run = world.started(on_failure=OnFailure.CONTINUE)
    world.work()
    admitted = list[int]()
    world.redrive_run.execute(TENANT, run_id_text(run.id), epoch=1, admit=admitted.append)
    world.redrive_run.execute(TENANT, run_id_text(run.id), epoch=1, admit=admitted.append)
    assert admitted == [3], "two items and the task that joins them, once"


def test_redrive_of_a_run_repeats_no_map_that_has_succeeded():
    world = MapWorld()
    world.answers["join"] = FAILS
    _, run = world.started()
    world.work()
    del world.answers["join"]
    world.redriven(run)
    world.work()
    assert world.called() == {"list": 1, "each": 3, "join": 2}
    assert world.bodies("join")[1] == world.bodies("join")[0]


def test_redrive_is_refused_if_the_items_of_a_map_are_not_kept_any_more():
    world = MapWorld()
    world.fails = {1}
    _, run = world.started()
    world.work()
    del world.table.maps[run.id, "each"]
    with pytest.raises(InvalidStateError, match="items of task each"):
        world.redriven(run)


def test_redrive_keeps_the_record_of_a_map_while_it_runs():
    world = MapWorld()
    world.fails = {1}
    _, run = world.started()
    world.work()
    assert world.table.maps[run.id, "each"].expires_at_s is not None
    world.redriven(run)
    assert world.table.maps[run.id, "each"].expires_at_s is None
    world.work()
    row, stored = world.table.maps[run.id, "each"], world.table.runs[run.id]
    assert row.expires_at_s is not None
    assert stored.expires_at_s is not None
    assert row.expires_at_s > stored.expires_at_s, "each redrive of the run finds the record"


def test_cancelled_map_calls_no_further_item():
    world = MapWorld()
    workflow, run = world.started()
    world.work_one()
    world.call_item(run, "each", 2)
    assert world.called() == {"list": 1, "each": 1}
    world.cancel(run)
    world.recover()
    assert world.stored(run).state is RunState.CANCELLED
    assert world.called() == {"list": 1, "each": 1}
    assert world.states(run, workflow.graph)["each"] == "cancelled"
    for row in world.table.executions.values():
        assert row.execution.state.is_terminal


def test_items_of_a_map_use_up_their_retries_before_the_deadline_of_the_run():
    world = MapWorld()
    world.fails = {0, 1, 2}
    retry = RetryPolicy(max_attempts=5, delays_seconds=(40, 40, 40, 40))
    _, run = world.started(deadline_seconds=60, retry=retry)
    world.work()
    stored = world.stored(run)
    assert stored.state is RunState.FAILED
    assert not world.items(run, "each").open_items()
    assert all(call.at <= stored.deadline_at for call in world.sender.calls)


def test_map_whose_items_no_executor_calls_times_out_with_its_run():
    world = MapWorld()
    _, run = world.started(deadline_seconds=60)
    world.work_one()
    world.queue.messages.clear()
    world.recover()
    assert world.stored(run).state is RunState.TIMED_OUT
    assert not world.items(run, "each").open_items()
    assert world.called() == {"list": 1}


def test_item_may_answer_its_share_of_the_result_and_no_more():
    """Four items: the array and its punctuation have 4,096 bytes at most."""
    share = (MAX_RESULT_BYTES - 5) // 4
    world = MapWorld(files=[0, 1, 2, 3])
    world.says = dict.fromkeys(range(4), "x" * (share - 2))
    _, run = world.started()
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert (
        len(json.dumps(world.bodies("join")[0]["results"]["each"]["result"], separators=(",", ":")))
        <= MAX_RESULT_BYTES
    )
    world = MapWorld(files=[0, 1, 2, 3])
    world.says = {2: "x" * (share - 1)}
    _, run = world.started(on_failure=OnFailure.CONTINUE)
    world.work()
    execution_id = item_execution_id(world.stored(run), world.items(run, "each"), 2)
    assert execution_id is not None
    failed = world.standing(execution_id)
    assert (failed.state, failed.progress.end_reason) == (State.FAILED, EndReason.RESULT_INVALID)


def test_map_over_the_result_of_a_map():
    world = MapWorld(files=["a", "b"])
    _, run = world.started(
        *FAN_OUT[:2], node("again", "each", over="each"), node("end", "again", needs=["again"])
    )
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert sorted(body["item"]["value"] for body in world.bodies("again")) == [0, 1]
    assert world.bodies("end")[0]["results"]["again"]["result"] == [0, 1]


def test_map_whose_source_failed_is_skipped_although_it_runs_after_any_end():
    world = MapWorld()
    world.answers["list"] = FAILS
    nodes = (node("list"), node("other"), node("each", "list", "other", run_if=RunIf.ALL_ENDED, over="list"))
    workflow, run = world.started(*nodes, on_failure=OnFailure.CONTINUE)
    world.work()
    assert world.states(run, workflow.graph)["each"] == "skipped"
    stored = world.stored(run)
    assert stored.tasks[2] is not None
    assert stored.tasks[2].reason is TaskReason.UPSTREAM_NOT_SUCCEEDED


def test_sweeper_without_the_keys_of_tenants_lets_an_executor_begin_and_join_a_map():
    world = MapWorld()
    _, run = world.started()
    world.steps.after("runs.update", die)
    with pytest.raises(Crash):
        world.work_one()
    world.queue.messages.clear()
    assert world.stored(run).tasks[1] is not None, "the map is chosen"
    assert world.table.maps == {}
    world.sweep_after(5)
    assert world.table.maps == {}, "the sweeper cannot count the array"
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    world = MapWorld()
    _, run = world.started()
    world.work_one()
    world.steps.after("maps.record", die, times=3)
    with pytest.raises(Crash):
        world.work_one()
    world.steps.calm()
    world.queue.messages.clear()
    world.sweep_after(5)
    assert world.stored(run).tasks[2] is None, "the sweeper cannot join the results"
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called() == {"list": 1, "each": 3, "join": 1}


def test_result_of_an_item_that_is_lost_fails_its_map_with_a_reason():
    world = MapWorld()
    _, run = world.started()
    world.work_one()

    def lose() -> None:
        for row in world.table.executions.values():
            if row.execution.task is not None and row.execution.task.item == 1:
                row.execution = row.execution.progressed(result=b"")

    world.steps.before("maps.conclude", lose)
    world.steps.before("maps.record", lose, times=3)
    world.work()
    stored = world.stored(run)
    assert stored.tasks[1] is not None
    assert (stored.tasks[1].state, stored.tasks[1].reason) == (TaskState.FAILED, TaskReason.RESULT_LOST)
    assert stored.state is RunState.FAILED


def test_workflow_without_a_map_reads_and_writes_no_record_of_items():
    world = MapWorld()
    world.started(node("list"), node("b", "list", needs=["list"]), node("c", "b"))
    world.work()
    world.recover()
    assert not [step for step in world.steps.taken if step.startswith("maps.")]


def test_map_that_is_cancelled_before_its_items_are_chosen_has_none_afterwards():
    """The process that begins the map is slow: the run is cancelled meanwhile."""
    world = MapWorld()
    _, run = world.started()
    world.steps.before("maps.put", lambda: world.cancel(run))
    world.work()
    assert world.called() == {"list": 1}
    assert world.stored(run).state is RunState.CANCELLED
    items = world.items(run, "each")
    assert (items.items, items.stopped) == (None, TaskReason.RUN_CANCELLED)
    assert len(world.table.executions) == 1


def test_redriven_map_that_is_cancelled_before_it_begins_again_keeps_what_has_succeeded():
    world = MapWorld()
    world.fails = {1}
    _, run = world.started(on_failure=OnFailure.CONTINUE)
    world.work()
    world.fails = set()
    world.steps.before("maps.put", lambda: world.cancel(run))
    world.redriven(run)
    world.work()
    assert world.stored(run).state is RunState.CANCELLED
    assert sorted(world.called_items("each")) == [0, 1, 2]
    world.redriven(run)
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert sorted(world.called_items("each")) == [0, 1, 1, 2]
    assert world.bodies("join")[0]["results"]["each"]["result"] == [0, 1, 2]


def test_items_that_were_chosen_and_not_filed_are_filed_by_the_sweeper():
    world = MapWorld()
    _, run = world.started()
    world.steps.after("maps.put", die)
    with pytest.raises(Crash):
        world.work_one()
    world.queue.messages.clear()
    assert len(world.table.executions) == 1
    world.recover()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called() == {"list": 1, "each": 3, "join": 1}


def test_message_of_an_item_that_comes_again_files_what_its_first_receive_chose():
    world = MapWorld(files=["only"])
    workflow, run = world.started()
    world.work_one()
    [message] = world.queue.messages
    world.queue.messages.clear()
    world.steps.after("runs.update", die)
    with pytest.raises(Crash):
        world.handle(message.wakeup)
    assert world.states(run, workflow.graph) == {"list": "succeeded", "each": "succeeded", "join": "chosen"}
    world.handle(message.wakeup)
    assert world.execution(run, workflow.graph, "join").state is State.QUEUED


def test_item_of_a_map_gets_the_input_of_its_run_beside_its_element():
    world = MapWorld(files=["a"])
    tasks = tuple(replace(each, takes_input=each.map is not None) for each in FAN_OUT)
    workflow = world.define(*tasks)
    run = world.start_run.execute(world.tenant, workflow.id, text=b'{"order":7}').run
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    [body] = world.bodies("each")
    assert body == {
        "input": {"order": 7},
        "body": None,
        "item": {"index": 0, "count": 1, "value": "a"},
        "results": {},
    }


def item_id(world: MapWorld, run: Run, position: int) -> ExecutionId:
    execution_id = item_execution_id(world.stored(run), world.items(run, "each"), position)
    assert execution_id is not None
    return execution_id


def ended_unrecorded(world: MapWorld, run: Run, *positions: int) -> list[Execution]:
    """Executions of items whose process crashed before it recorded their ends."""
    ended = []
    for position in positions:
        world.steps.before("maps.record", die)
        with pytest.raises(Crash):
            world.call_item(run, "each", position)
        ended.append(world.standing(item_id(world, run, position)))
    return ended


def test_ends_of_items_are_recorded_although_another_process_records_one_of_them_meanwhile():
    world = MapWorld()
    _, run = world.started()
    world.work_one()
    first, second, third = ended_unrecorded(world, run, 0, 1, 2)
    world.advance_run.join(run.id, [first])
    world.steps.before("maps.record", lambda: None)
    world.steps.before("maps.record", lambda: world.advance_run.join(run.id, [third]))
    world.advance_run.join(run.id, [first, second])
    assert world.items(run, "each").open_items() == []
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED


def test_message_of_an_end_stays_while_others_keep_its_record_from_being_written(
    monkeypatch: pytest.MonkeyPatch,
):
    world = MapWorld()
    _, run = world.started()
    world.work_one()
    [first] = ended_unrecorded(world, run, 0)
    items, refused = world.items(run, "each"), list[Any]()

    def refuse(*ends: Any) -> tuple[MapItems, bool]:
        refused.append(ends)
        return items, False

    monkeypatch.setattr(world.maps, "record", refuse)
    with pytest.raises(UnavailableError):
        world.advance_run.join(run.id, [first])
    assert len(refused) == 1 + TRIES


def test_cancelled_map_records_each_tombstone_although_an_item_ends_meanwhile():
    world = MapWorld()
    _, run = world.started()
    world.work_one()
    [ended] = ended_unrecorded(world, run, 1)
    world.steps.before("maps.record", lambda: world.advance_run.join(run.id, [ended]))
    assert world.cancel(run).state is RunState.CANCELLED
    assert [str(item.state) for item in world.items(run, "each").items or ()] == [
        "cancelled",
        "succeeded",
        "cancelled",
    ]


def accept_items(world: MapWorld) -> dict[int, str]:
    """Let each item be accepted asynchronously: the tokens of their reports, by position."""
    plain, tokens = world.sender.answer_to, {}

    def accept(callback: Callback) -> CallbackResponse:
        headers = dict(callback.headers)
        if "Punctual-Item" not in headers:
            return plain(callback)
        tokens[int(headers["Punctual-Item"])] = headers[TOKEN_HEADER]
        return CallbackResponse(reason=Reason.OK, duration_ms=5, status=202, async_accepted=True)

    world.sender.answer_to = accept
    return tokens


def test_report_of_a_failed_item_may_be_longer_than_its_share_of_the_result():
    world = MapWorld(files=list(range(100)))
    tokens = accept_items(world)
    _, run = world.started(on_failure=OnFailure.CONTINUE)
    world.work_one()
    world.call_item(run, "each", 7)
    execution_id, report = item_id(world, run, 7), world.cases.attempts.report_outcome
    with pytest.raises(InvalidValueError, match="at most 39 bytes"):
        report.complete(str(execution_id), tokens[7], result=b'"%b"' % (b"x" * 200))
    failed = report.fail(str(execution_id), tokens[7], text=b"y" * 256, retryable=False)
    assert failed.end is AttemptEnd.FAILED
    assert world.items(run, "each").count(TaskState.FAILED) == 1


def test_cancelled_map_is_stopped_side_by_side_and_running_items_only_once():
    world = MapWorld(files=list(range(20)))
    accept_items(world)
    widths = list[int]()

    def spread(function: Any, items: Any) -> list[Any]:
        widths.append(len(items))
        return [function(item) for item in items]

    ports = world.ports()
    ports.spread = spread
    _, run = world.started()
    world.work_one()
    world.call_item(run, "each", 3)
    cancel = use_cases(ports, world.settings).workflows.cancel_run
    cancel.execute(TENANT, run_id_text(run.id))
    assert 20 in widths
    assert world.items(run, "each").open_items() == [3]
    world.steps.taken.clear()
    cancel.execute(TENANT, run_id_text(run.id))
    assert not {"store.cancel", "store.stop_retries", "maps.record"} & set(world.steps.taken)
    assert world.standing(item_id(world, run, 3)).progress.stop_retries


def test_map_whose_result_is_lost_is_not_redriven_in_vain():
    world = MapWorld()
    _, run = world.started()
    world.work_one()

    def lose() -> None:
        for row in world.table.executions.values():
            if row.execution.task is not None and row.execution.task.item == 1:
                row.execution = row.execution.progressed(result=b"")

    world.steps.before("maps.record", lose, times=3)
    world.work()
    with pytest.raises(InvalidStateError, match="a result that task each needs"):
        world.redriven(run)
    assert world.stored(run).epoch == 1


def test_sweeper_wakes_an_execution_that_is_left_although_earlier_ones_have_expired():
    world = MapWorld()
    workflow, run = world.started(node("early"), node("list", "early"), FAN_OUT[1])
    world.steps.after("runs.update", lambda: None)
    world.steps.after("runs.update", die)
    with pytest.raises(Crash):
        world.work()
    world.queue.messages.clear()
    assert world.states(run, workflow.graph) == {"early": "succeeded", "list": "succeeded", "each": "chosen"}
    del world.table.executions[world.execution(run, workflow.graph, "early").id]
    world.sweep_after(5)
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED


def test_sweeper_that_finds_no_execution_to_wake_says_so():
    world = MapWorld()
    workflow, run = world.started()
    world.steps.after("runs.update", die)
    with pytest.raises(Crash):
        world.work_one()
    world.queue.messages.clear()
    world.table.executions.clear()
    advance = use_cases(world.ports(), only(Settings, world.settings)).workflows.advance_run
    with pytest.raises(UnavailableError, match="no execution of the run is left"):
        advance.heal(workflow, world.stored(run))


def swept_beside(world: MapWorld, run: Run, position: int) -> list[str]:
    """The steps of a sweep that finds an ended item in another shard than that of its run."""
    execution_id = item_id(world, run, position)
    page = world.store.scan(execution_id.bucket, execution_id.shard, after=None, limit=100)
    rows = [row for row in page.rows if row.id == execution_id]
    world.steps.taken.clear()
    assert world.cases.workflows.repair_runs.execute(rows, ()).rows == []
    return list(world.steps.taken)


def test_sweep_of_an_ended_item_reads_only_the_record_of_its_map():
    world = MapWorld()
    _, run = world.started()
    world.work_one()
    world.call_item(run, "each", 1)
    assert swept_beside(world, run, 1) == ["runs.get_many", "maps.get"]


def test_sweep_of_an_ended_item_records_an_end_that_is_missing():
    world = MapWorld()
    _, run = world.started()
    world.work_one()
    ended_unrecorded(world, run, 1)
    assert "maps.record" in swept_beside(world, run, 1)
    assert world.items(run, "each").open_items() == [0, 2]
