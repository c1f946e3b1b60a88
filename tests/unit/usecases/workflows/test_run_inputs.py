"""The input of a run on its way: stored before the run, and sent with the calls of the tasks that take it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.request import INLINE_BYTES, Request
from shared.domain.delivery.retry import ONE_ATTEMPT, RetryPolicy
from shared.domain.errors import (
    IdempotencyKeyReusedError,
    InvalidStateError,
    InvalidValueError,
    UnavailableError,
    UnreadableItemError,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import DAY_SECONDS
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After
from shared.domain.workflows.run import MAX_DEADLINE_SECONDS, RunState
from shared.domain.workflows.run_input import input_payload_id
from tests.support.builders import TENANT
from tests.support.usecases.moments import at_moment
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import graph, node

TEXT = b'{"order":7,"big":123456789012345678901234567890}'
LARGE = b'"%b"' % (b"x" * 2_000)
CHAIN = (node("a", takes_input=True), node("b", "a", needs=["a"], takes_input=True), node("c", "b"))
RETRY = RetryPolicy(max_attempts=4, delays_seconds=(1, 1, 1))
ANSWER = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200, body=b'{"n":1.0}')


def answering(**settings: object) -> WorkflowWorld:
    world = WorkflowWorld(**settings)
    world.answers["a"] = ANSWER
    return world


def bodies(world: WorkflowWorld, key: str) -> list[bytes]:
    return [call.callback.body for call in world.sender.calls if call.callback.url.endswith(f"/{key}")]


def scheduled(world: WorkflowWorld, text: bytes, key: str | None = None) -> Execution:
    """A job that starts the workflow with an input, as an event makes one."""
    [workflow] = world.table.workflows.values()
    request = Request(workflow_id=workflow.id, body=text)
    return world.accept_one_off(After(0), key, request=request, retry=ONE_ATTEMPT)


def test_input_arrives_byte_for_byte_beside_own_body_and_results():
    world = answering()
    run = world.start(world.define(*CHAIN, body=b'{"to": "sales"}'), text=TEXT)
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    own = b'"body":{"to": "sales"},"results":'
    assert bodies(world, "a") == [b'{"input":' + TEXT + b"," + own + b"{}}"]
    result = b'{"a":{"state":"succeeded","result":{"n":1.0}}}'
    assert bodies(world, "b") == [b'{"input":' + TEXT + b"," + own + result + b"}"]
    assert bodies(world, "c") == [b'{"to": "sales"}']
    [call] = [each for each in world.sender.calls if each.callback.url.endswith("/a")]
    assert dict(call.callback.headers)["Content-Type"] == "application/json"


def test_task_that_takes_the_input_of_a_run_without_one_gets_null():
    world = answering()
    world.start(world.define(*CHAIN))
    world.work()
    assert bodies(world, "a") == [b'{"input":null,"body":null,"results":{}}']
    assert not world.table.payloads


def test_run_without_input_takes_the_same_steps_as_before():
    taken = []
    for nodes in ((node("a"), node("b", "a")), (node("a", takes_input=True), node("b", "a"))):
        world = answering()
        workflow = world.define(*nodes)
        world.steps.taken.clear()
        world.start(workflow)
        world.work()
        taken.append([step for step in world.steps.taken if "vault" not in step])
    assert taken[0] == taken[1]


def test_stored_input_is_sealed():
    world = answering()
    world.start(world.define(*CHAIN), text=TEXT)
    [stored] = world.table.payloads.values()
    assert TEXT not in stored


def test_repeated_request_with_another_input_is_refused_and_the_run_keeps_its_own():
    world = answering()
    workflow = world.define(*CHAIN)
    world.start(workflow, "key", TEXT)
    for other in (b"", b"8"):
        with pytest.raises(IdempotencyKeyReusedError):
            world.start(workflow, "key", other)
    assert world.start(workflow, "key", TEXT).id == world.start(workflow, "key", TEXT).id
    assert len(world.table.payloads) == 1
    world.work()
    assert TEXT in bodies(world, "a")[0]


def test_input_outlives_the_longest_run_and_its_record():
    world = answering()
    world.answers["b"] = FAILS
    run = world.start(world.define(*CHAIN, deadline_seconds=MAX_DEADLINE_SECONDS), text=TEXT)
    [expires_at_s] = world.table.payload_expires_at_s.values()
    retention = world.cases.core.settings.retention
    assert expires_at_s >= retention.expires_at_s(run.deadline_at) + 8 * DAY_SECONDS


def test_redrive_extends_the_input_and_sends_it_again():
    world = answering()
    world.answers["b"] = FAILS
    run = world.start(world.define(*CHAIN), text=TEXT)
    world.work()
    ended = world.stored(run)
    assert ended.state is RunState.FAILED
    world.clock.time_ms += 13 * DAY_SECONDS * 1000
    del world.answers["b"]
    after = world.redriven(run)
    [expires_at_s] = world.table.payload_expires_at_s.values()
    assert expires_at_s >= world.cases.core.settings.retention.expires_at_s(after.deadline_at)
    world.work()
    assert world.stored(run).state is RunState.SUCCEEDED
    first, second = bodies(world, "b")
    assert first == second
    assert TEXT in second


def test_run_whose_input_is_gone_is_not_redriven():
    world = answering()
    world.answers["b"] = FAILS
    run = world.start(world.define(*CHAIN), text=TEXT)
    world.work()
    world.table.payloads.clear()
    with pytest.raises(InvalidStateError, match="input"):
        world.redriven(run)


def test_task_whose_input_was_exchanged_makes_no_call():
    world = answering()
    workflow = world.define(*CHAIN)
    run = world.start(workflow, text=TEXT)
    other = world.start(workflow, text=b"8")
    mine, theirs = ((TENANT, input_payload_id(each.id, each.input_id or "")) for each in (run, other))
    world.table.payloads[mine] = world.table.payloads[theirs]
    world.work()
    failed = world.execution(run, workflow.graph, "a")
    assert (failed.state, failed.progress.outcomes[-1].reason) == (State.FAILED, Reason.REQUEST_UNREADABLE)
    assert bodies(world, "a") == [b'{"input":8,"body":null,"results":{}}']


@pytest.mark.parametrize("text", [TEXT, LARGE], ids=["inline", "apart"])
def test_execution_of_a_job_hands_its_input_to_the_run(text: bytes):
    world = answering()
    world.define(*CHAIN)
    made = scheduled(world, text)
    assert (made.call.payload_id is not None) == (len(text) > INLINE_BYTES)
    world.work()
    parent, run = world.parent(made)
    assert (parent.state, run.state) == (State.SUCCEEDED, RunState.SUCCEEDED)
    assert bodies(world, "a") == [b'{"input":' + text + b',"body":null,"results":{}}']


def test_change_of_a_job_keeps_the_input_of_its_run():
    world = answering()
    workflow = world.define(*CHAIN)
    request = Request(workflow_id=workflow.id, body=TEXT)
    made = world.accept_one_off(After(60), request=request, retry=ONE_ATTEMPT)
    new = NewJob(timing=After(60), request=request, retry=ONE_ATTEMPT, name="renamed")
    world.revise_job.execute(world.tenant, made, request, new, revision=made.revision)
    world.work()
    assert TEXT in bodies(world, "a")[0]


def test_sweeper_begins_a_run_with_its_input_although_it_cannot_decrypt():
    world = answering()
    world.define(*CHAIN)
    made = scheduled(world, TEXT)
    world.steps.before("runs.put_if_absent", die)
    with pytest.raises(Crash):
        world.work()
    world.steps.calm()
    world.steps.taken.clear()
    world.queue.messages.clear()
    world.sweep_after(10)
    assert world.parent(made)[1].input_id is not None
    assert not [step for step in world.steps.taken if "unseal" in step]
    world.work()
    assert TEXT in bodies(world, "a")[0]


def test_redriven_execution_starts_a_run_with_the_same_input():
    world = answering()
    world.answers["b"] = FAILS
    world.define(*CHAIN)
    made = scheduled(world, LARGE)
    world.work()
    world.redrive_execution(world.parent(made)[0])
    del world.answers["b"]
    world.work()
    first, second = bodies(world, "a")
    assert first == second
    assert LARGE in second
    assert len(world.table.runs) == 2


def test_redrive_of_a_run_that_was_kept_from_beginning_has_the_input():
    world = answering()
    world.define(*CHAIN)
    made = scheduled(world, TEXT)
    assert world.cases.workflows.begin_run.withdraw(made, EndReason.SUSPENDED) is EndReason.SUSPENDED
    [item] = world.table.runs.values()
    assert (item.run.state, item.run.input_id is not None) == (RunState.CANCELLED, True)
    world.redriven(item.run)
    world.work()
    assert TEXT in bodies(world, "a")[0]


def test_execution_whose_input_is_lost_fails_and_no_run_begins_later():
    world = answering()
    world.define(*CHAIN)
    made = scheduled(world, LARGE)
    world.table.payloads.clear()
    world.work()
    failed = world.standing(made.id)
    assert failed.state is State.FAILED
    [item] = world.table.runs.values()
    assert item.run.state is RunState.CANCELLED
    with pytest.raises(InvalidStateError, match="input"):
        world.redriven(item.run)
    world.work()
    assert not world.sender.calls


def test_execution_whose_input_is_lost_after_its_run_began_ends_as_the_run():
    world = answering()
    world.define(*CHAIN)
    made = scheduled(world, LARGE)
    world.work_one()
    begun = world.parent(made)[0]
    assert begun.call.payload_id is not None
    del world.table.payloads[TENANT, begun.call.payload_id]
    outcome = world.cases.workflows.begin_run.execute(begun, world.clock.now_ms())
    assert isinstance(outcome, CallbackResponse)
    assert outcome.async_accepted
    with pytest.raises(UnreadableItemError):
        world.cases.core.ports.jobs.get_payload(TENANT, begun.call.payload_id)


PLAIN = (node("a"), node("b", "a"))


@pytest.mark.parametrize("text", [TEXT, LARGE], ids=["inline", "apart"])
def test_event_of_a_workflow_whose_tasks_take_no_input_is_not_stored_again(text: bytes):
    world = answering()
    world.define(*PLAIN)
    made = scheduled(world, text)
    stored = dict(world.table.payloads)
    world.work()
    run = world.parent(made)[1]
    assert (run.state, run.input_id) == (RunState.SUCCEEDED, None)
    assert world.table.payloads == stored


def test_event_of_a_run_that_is_kept_from_beginning_is_not_stored_unless_a_task_takes_it():
    world = answering()
    world.define(*PLAIN)
    made = scheduled(world, TEXT)
    world.cases.workflows.begin_run.withdraw(made, EndReason.SUSPENDED)
    [item] = world.table.runs.values()
    assert (item.run.input_id, world.table.payloads) == (None, {})


def test_input_that_no_task_takes_is_refused_and_uses_up_no_key():
    world = answering()
    workflow = world.define(*PLAIN)
    with pytest.raises(InvalidValueError, match="no task of the workflow takes an input") as refused:
        world.start(workflow, "key", TEXT)
    assert refused.value.path == ("input",)
    assert not world.table.payloads
    assert world.start(workflow, "key").input_id is None


def test_repeated_start_finds_its_run_although_the_workflow_takes_no_input_any_more():
    world = answering()
    workflow = world.define(*CHAIN)
    run = world.start(workflow, "key", TEXT)
    [key] = world.table.workflows
    world.table.revisions[*key, 1] = replace(
        world.table.revisions[*key, 1], graph=graph(node("a"), *CHAIN[2:], node("b", "a"))
    )
    assert world.start(workflow, "key", TEXT).id == run.id


def test_repeated_beginning_and_block_store_no_input_again():
    world = answering()
    world.define(*CHAIN)
    made = scheduled(world, LARGE)
    world.steps.after("runs.put_if_absent", die)
    with pytest.raises(Crash):
        world.work()
    world.steps.calm()
    begun = world.parent(made)[0]
    again, begin = begun.progressed(claims=2, refunded=1, refunded_since=0), world.cases.workflows.begin_run
    world.steps.taken.clear()
    outcome = begin.execute(again, world.clock.now_ms())
    assert isinstance(outcome, CallbackResponse)
    assert outcome.async_accepted
    assert begin.block(again) is not None
    assert not {"jobs.get_payload", "jobs.put_payload", "jobs.keep_payload"} & set(world.steps.taken)
    world.work()
    assert LARGE in bodies(world, "a")[0]


def unavailable() -> None:
    raise UnavailableError("injected")


def by_request(world: WorkflowWorld) -> None:
    [workflow] = world.table.workflows.values()
    world.start_run.execute(world.tenant, workflow.id, "key", text=TEXT)


def by_job(world: WorkflowWorld) -> None:
    scheduled(world, TEXT, "key")


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", [die, unavailable], ids=["crash", "no_answer"])
@pytest.mark.parametrize("begin", [by_request, by_job])
def test_every_call_has_the_input_of_the_run_whatever_fails_at_any_step(
    begin: Callable[[WorkflowWorld], None], fault: Callable[[], None]
):
    def told(moment: int | None) -> WorkflowWorld:
        world = answering()
        world.define(node("a", takes_input=True), retry=RETRY)
        world.steps.taken.clear()
        if moment is not None:
            world.steps.at_each = at_moment(moment, fault)
        for act in (lambda: begin(world), world.work):
            try:
                act()
            except (Crash, UnavailableError):
                act()
        world.steps.calm()
        world.recover()
        return world

    for moment in range(2 * len(told(None).steps.taken)):
        world = told(moment)
        [item] = world.table.runs.values()
        assert item.run.state is RunState.SUCCEEDED, f"moment {moment}"
        assert bodies(world, "a")
        assert all(body.startswith(b'{"input":' + TEXT + b",") for body in bodies(world, "a"))
