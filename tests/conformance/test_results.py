"""Results of tasks in the stores: one write with the outcome, and records that live longer on request."""

from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution, TaskRef
from shared.domain.executions.states import State, Transition
from shared.domain.workflows.graph import Graph, RunIf
from shared.ports.executions import Finish
from tests.support.builders import DUE_AT, EXPIRES_AT_S, expiry_for, in_state, one_off, with_changes
from tests.support.conformance.labs import Lab
from tests.support.workflows import graph, node, run_id, workflow_of

HANDS_ON = TaskRef(run=run_id(), key="a", epoch=2, hands_on=True)
SEALED = bytes(range(256)) * 17
OUTCOME = AttemptOutcome(attempt=1, started_at=DUE_AT, duration_ms=5, status=200, reason=Reason.OK)


def put(lab: Lab, state: State, **changes: object) -> Execution:
    execution = with_changes(in_state(one_off(), state), task=HANDS_ON, attempt=1, **changes)
    assert lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution)) is None
    return execution


def test_result_is_stored_with_the_success_and_read_back_as_it_was(lab: Lab) -> None:
    running = put(lab, State.RUNNING)
    finish = Finish(
        transition=Transition.SUCCEED, outcomes=(OUTCOME,), expires_at_s=EXPIRES_AT_S, result=SEALED
    )
    assert lab.executions.finish(running, finish) is None
    stored = lab.executions.get(running.id)
    assert stored is not None
    assert (stored.state, stored.progress.result, stored.task) == (State.SUCCEEDED, SEALED, HANDS_ON)
    refused = lab.executions.finish(running, finish)
    assert refused is not None
    assert refused.progress.result == SEALED


def test_flags_of_a_task_are_read_back(lab: Lab) -> None:
    for number, (hands_on, needs_results) in enumerate(
        ((False, False), (True, False), (False, True), (True, True))
    ):
        task = TaskRef(run=run_id(), key="a.b-c_d", epoch=99, hands_on=hands_on, needs_results=needs_results)
        execution = with_changes(one_off(number + 1), task=task)
        lab.executions.put_if_absent(execution)
        assert lab.executions.get(execution.id) == execution


def test_input_that_a_task_takes_is_read_back(lab: Lab) -> None:
    number = 0
    for needs_results in (False, True):
        for takes_input, input_id in ((False, None), (True, None), (True, "0123456789abcdef" * 2)):
            number += 1
            task = TaskRef(
                run=run_id(),
                key="h.n-i",
                epoch=9,
                needs_results=needs_results,
                takes_input=takes_input,
                input_id=input_id,
            )
            execution = with_changes(one_off(number), task=task)
            lab.executions.put_if_absent(execution)
            assert lab.executions.get(execution.id) == execution


def test_record_with_a_result_lives_longer_and_never_shorter(lab: Lab) -> None:
    succeeded = put(lab, State.SUCCEEDED, result=SEALED)
    before = lab.expiry(succeeded.id)
    assert before is not None
    assert lab.executions.keep_result(succeeded.id, before + 100)
    assert lab.expiry(succeeded.id) == before + 100
    assert lab.executions.keep_result(succeeded.id, before + 50)
    assert lab.expiry(succeeded.id) == before + 100
    assert lab.executions.get(succeeded.id) == succeeded


def test_result_that_is_gone_is_not_kept(lab: Lab) -> None:
    assert not lab.executions.keep_result(one_off(9).id, EXPIRES_AT_S)
    without = put(lab, State.SUCCEEDED)
    before = lab.contents()
    assert not lab.executions.keep_result(without.id, EXPIRES_AT_S + 100)
    assert lab.contents() == before


def test_needs_of_a_task_are_stored_with_its_workflow(lab: Lab) -> None:
    of: Graph = graph(
        node("a"), node("b", "a", needs=["a"]), node("c", "a", "b", run_if=RunIf.ALL_ENDED, needs=["b", "a"])
    )
    workflow = workflow_of(of)
    assert lab.workflows.create(workflow) is None
    assert lab.workflows.revision(workflow.tenant_id, workflow.id, 1) == workflow
