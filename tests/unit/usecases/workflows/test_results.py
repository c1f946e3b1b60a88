"""Results of tasks on their way: kept by the write that ends a task, and sent with the call of the next one."""

import json
from dataclasses import replace
from typing import Any

import pytest

from shared.domain.delivery.callback import (
    MAX_RESULT_BYTES,
    STORED_BODY_BYTES,
    Callback,
    CallbackResponse,
    Reason,
)
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.delivery.signing import sign
from shared.domain.errors import (
    InvalidStateError,
    InvalidValueError,
    NotFoundError,
    UnavailableError,
    UnknownVersionError,
)
from shared.domain.executions.callback_token import TOKEN_HEADER
from shared.domain.executions.retention import DAY_SECONDS
from shared.domain.executions.states import EndReason, State
from shared.domain.workflows.graph import OnFailure, RunIf
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.run import RunState
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.fakes.sender import succeeds
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import node

CHAIN = (node("a"), node("b", "a", needs=["a"]))
TEXT = b'{"n":1.10,"big":123456789012345678901234567890,"e":1e400}'


def answers(body: bytes, status: int = 200) -> CallbackResponse:
    return CallbackResponse(reason=Reason.OK, duration_ms=5, status=status, body=body)


def bodies(world: WorkflowWorld, key: str) -> list[bytes]:
    """The bodies with which a task was called."""
    return [call.callback.body for call in world.sender.calls if call.callback.url.endswith(f"/{key}")]


def headers(world: WorkflowWorld, key: str) -> dict[str, str]:
    [call] = [call for call in world.sender.calls if call.callback.url.endswith(f"/{key}")]
    return dict(call.callback.headers)


def test_a_result_arrives_byte_for_byte_beside_the_own_body():
    world = WorkflowWorld()
    world.answers["a"] = answers(b"\n" + TEXT + b"\r\n")
    run = world.start(world.define(*CHAIN, body=b'{"to": "sales"}'))
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    [body] = bodies(world, "b")
    assert body == b'{"body":{"to": "sales"},"results":{"a":{"state":"succeeded","result":' + TEXT + b"}}}"
    assert bodies(world, "a") == [b'{"to": "sales"}']
    assert headers(world, "b")["Content-Type"] == "application/json"


def test_a_call_of_a_task_names_its_run_and_its_task():
    world = WorkflowWorld()
    run = world.start(world.define(node("a")))
    world.work()
    named = headers(world, "a")
    assert (named["Punctual-Run"], named["Punctual-Task"]) == (run_id_text(run.id), "a")


def test_the_signature_of_a_task_covers_the_results():
    world = WorkflowWorld()
    world.answers["a"] = answers(TEXT)
    world.start(world.define(*CHAIN))
    world.work()
    call = world.sender.calls[-1].callback
    named = dict(call.headers)
    assert TEXT in call.body
    assert named["webhook-signature"] == sign(
        message_id=named["webhook-id"],
        timestamp_s=int(named["webhook-timestamp"]),
        body=call.body,
        secrets=[world.credentials.signing_secret],
    )


def test_a_result_is_stored_sealed_with_the_outcome_and_by_no_other_write():
    plain, with_result = WorkflowWorld(), WorkflowWorld()
    taken = []
    for world, second in ((plain, node("b", "a")), (with_result, CHAIN[1])):
        world.answers["a"] = answers(TEXT)
        workflow = world.define(node("a"), second)
        run = world.start(workflow)
        world.steps.taken.clear()
        world.work_one()
        taken.append([step for step in world.steps.taken if "vault" not in step])
        kept = world.execution(run, workflow.graph, "a").progress.result
        assert (kept != b"") is (world is with_result)
        assert TEXT not in kept
    assert taken[0] == taken[1]


def test_only_the_answer_of_a_task_whose_result_is_needed_is_read():
    world = WorkflowWorld()
    world.answers["a"] = answers(TEXT)
    world.start(world.define(*CHAIN))
    world.work()
    assert [call.callback.kept_bytes for call in world.sender.calls] == [MAX_RESULT_BYTES + 1, 0]


@pytest.mark.parametrize("body", [b"", b"ok", b"[" * 5_000, b"1" * 1_000_000, b"NaN", b"\xff"])
def test_a_success_without_a_result_fails_the_task_without_a_retry(body):
    world = WorkflowWorld()
    world.answers["a"] = answers(body)
    workflow = world.define(*CHAIN, retry=RetryPolicy(max_attempts=5))
    run = world.start(workflow)
    world.work()
    failed = world.execution(run, workflow.graph, "a")
    assert (failed.state, failed.progress.end_reason) == (State.FAILED, EndReason.RESULT_INVALID)
    [outcome] = failed.progress.outcomes
    assert (outcome.status, outcome.reason) == (200, Reason.RESULT_INVALID)
    assert failed.progress.last_body == body[:STORED_BODY_BYTES]
    assert world.called() == {"a": 1}
    assert world.stored(run).state is RunState.FAILED


def test_a_task_that_did_not_succeed_has_its_state_and_no_result():
    world = WorkflowWorld()
    world.answers["a"] = FAILS
    workflow = world.define(
        node("a"),
        node("b", "a"),
        node("c", "a", "b", run_if=RunIf.ALL_ENDED, needs=["a", "b"]),
        on_failure=OnFailure.CONTINUE,
    )
    world.start(workflow)
    world.work()
    [body] = bodies(world, "c")
    nothing = {"a": {"state": "failed", "result": None}, "b": {"state": "skipped", "result": None}}
    assert json.loads(body) == {"body": None, "results": nothing}


def test_every_attempt_and_every_epoch_gets_the_same_results():
    world = WorkflowWorld()
    world.answers |= {"a": answers(TEXT), "b": FAILS}
    run = world.start(world.define(*CHAIN, retry=RetryPolicy(max_attempts=2, delays_seconds=(1,))))
    world.work()
    world.answers["a"] = answers(b'"another"')
    world.redriven(run)
    world.work()
    assert world.called()["a"] == 1
    sent = bodies(world, "b")
    assert len(sent) == 4
    assert set(sent) == {b'{"body":null,"results":{"a":{"state":"succeeded","result":' + TEXT + b"}}}"}


def test_a_redrive_keeps_the_results_that_it_needs_for_its_whole_epoch():
    world = WorkflowWorld()
    world.answers |= {"a": answers(TEXT), "b": FAILS}
    workflow = world.define(*CHAIN, deadline_seconds=7 * DAY_SECONDS)
    run = world.start(workflow)
    world.work()
    row = world.table.executions[world.execution(run, workflow.graph, "a").id]
    of_run = world.table.runs[run.id].expires_at_s
    assert row.expires_at_s is not None and of_run is not None
    assert row.expires_at_s >= of_run + 7 * DAY_SECONDS
    world.clock.time_ms += 13 * DAY_SECONDS * 1000
    redriven = world.redriven(run)
    assert row.expires_at_s >= redriven.deadline_at // 1000 + 14 * DAY_SECONDS


def test_a_redrive_without_a_result_that_it_needs_is_refused():
    world = WorkflowWorld()
    world.answers |= {"a": answers(TEXT), "b": FAILS}
    workflow = world.define(*CHAIN)
    run = world.start(workflow)
    world.work()
    del world.table.executions[world.execution(run, workflow.graph, "a").id]
    with pytest.raises(InvalidStateError, match="the result of task a is not kept any more"):
        world.redriven(run)
    assert world.stored(run).epoch == 1


def test_a_lost_result_makes_no_call_without_it():
    world = WorkflowWorld()
    world.answers["a"] = answers(TEXT)
    workflow = world.define(*CHAIN)
    run = world.start(workflow)
    world.work_one()
    row = world.table.executions[world.execution(run, workflow.graph, "a").id]
    row.execution = row.execution.progressed(result=b"")
    world.work()
    assert world.called() == {"a": 1}
    failed = world.execution(run, workflow.graph, "b")
    assert failed.progress.outcomes[-1].reason is Reason.REQUEST_UNREADABLE


def test_a_result_of_another_execution_is_not_taken_for_its_own():
    world = WorkflowWorld()
    world.answers |= {"a": answers(TEXT), "x": answers(b'"of x"')}
    workflow = world.define(node("a"), node("x"), node("b", "a", "x", needs=["a", "x"]))
    run = world.start(workflow)
    while world.states(run, workflow.graph)["b"] == "waits":
        world.work_one()
    rows = [world.table.executions[world.execution(run, workflow.graph, key).id] for key in "ax"]
    rows[0].execution = rows[0].execution.progressed(result=rows[1].execution.progress.result)
    world.work()
    assert world.called()["b"] == 0


@pytest.mark.parametrize("error", [UnavailableError, UnknownVersionError])
def test_a_read_of_results_that_fails_for_now_costs_no_attempt(error):
    world = WorkflowWorld()
    world.answers["a"] = answers(TEXT)
    workflow = world.define(*CHAIN)
    run = world.start(workflow)
    world.work_one()
    left = [True, True, True]

    def unavailable() -> None:
        if left:
            left.pop()
            world.steps.before("store.get_many", unavailable)
            raise error("injected")

    world.steps.before("store.get_many", unavailable)
    world.work()
    assert left == []
    succeeded = world.execution(run, workflow.graph, "b")
    assert (succeeded.state, succeeded.attempt) == (State.SUCCEEDED, 1)
    assert len(bodies(world, "b")) == 1


def test_a_message_that_comes_again_after_a_crash_finds_the_result():
    world = WorkflowWorld()
    world.answers["a"] = answers(TEXT)
    run = world.start(world.define(*CHAIN))
    world.steps.after("store.finish", die)
    with pytest.raises(Crash):
        world.work_one()
    world.answers["a"] = answers(b'"another"')
    world.recover()
    assert world.stored(run).state is RunState.SUCCEEDED
    assert world.called() == {"a": 1, "b": 1}
    assert TEXT in bodies(world, "b")[0]


class LongWork:
    """A chain whose first task is accepted asynchronously."""

    def __init__(self, second=CHAIN[1]):
        self.world = WorkflowWorld()
        self.world.sender.answer_to = self._answer
        self.workflow = self.world.define(node("a"), second)
        self.run = self.world.start(self.workflow)
        self.world.work_one()
        self.token = headers(self.world, "a")[TOKEN_HEADER]
        self.id = self.task().id

    def task(self):
        return self.world.execution(self.run, self.workflow.graph, "a")

    def complete(self, **result: Any):
        return self.world.cases.attempts.report_outcome.complete(str(self.id), self.token, **result)

    def _answer(self, callback: Callback) -> CallbackResponse:
        accepted = replace(answers(b"later", 202), async_accepted=True)
        return accepted if callback.url.endswith("/a") else succeeds(callback)


def test_long_work_hands_on_the_result_of_its_report():
    long = LongWork()
    assert long.complete(result=TEXT).end is AttemptEnd.SUCCEEDED
    assert long.complete(result=b'"another"').end is None
    long.world.work()
    assert bodies(long.world, "b") == [
        b'{"body":null,"results":{"a":{"state":"succeeded","result":' + TEXT + b"}}}"
    ]


def test_long_work_goes_on_after_a_report_without_the_result_that_another_task_needs():
    long = LongWork()
    with pytest.raises(InvalidValueError, match="another task needs the result") as refused:
        long.complete()
    assert refused.value.path == ("result",)
    assert long.task().state is State.RUNNING
    assert long.complete(result=b"null").succeeded


def test_result_of_long_work_that_no_task_needs_is_dropped():
    long = LongWork(node("b", "a"))
    assert long.complete(result=TEXT).succeeded
    assert long.task().progress.result == b""


def test_forged_token_learns_nothing_of_needed_results():
    long = LongWork()
    long.token = long.token[:-2] + ("AA" if not long.token.endswith("AA") else "BB")
    with pytest.raises(NotFoundError):
        long.complete()
