"""ExecutionStore: the stages of attempts are stored with the outcome, or with the lease of an accepted call."""

from typing import Any

import pytest

from shared.adapters.dynamodb.codec.stages import STAGES
from shared.domain.executions.execution import Execution
from shared.domain.executions.stages import AttemptStages, Stages, WaitCause
from shared.domain.executions.states import State, Transition
from shared.ports.executions import Claim
from tests.support.builders import DUE_AT, one_off
from tests.support.conformance.attempts import REFUNDS, RETRY_AT, claimed, finish
from tests.support.conformance.dynamo_lab import DynamoLab
from tests.support.conformance.labs import Lab

FIRST = AttemptStages(bytes([60, 168, 30, 22, 0, 70]), WaitCause.BREAKER_OPEN)
LATEST = AttemptStages(bytes([10, 20, 30, 40, 255, 255]), WaitCause.OVERLAP)
ONE = Stages(number=1, first=FIRST, latest=FIRST)
TWO = Stages(number=2, first=FIRST, latest=LATEST)
OUTCOMES = [Transition.SUCCEED, Transition.FAIL, Transition.RETRY, *REFUNDS]


def stored(lab: Lab, execution: Execution) -> Stages | None:
    existing = lab.executions.get(execution.id)
    assert existing is not None
    return existing.progress.stages


@pytest.mark.parametrize("transition", OUTCOMES)
def test_stages_are_stored_with_every_outcome(lab: Lab, transition: Transition) -> None:
    execution = claimed(lab)
    assert stored(lab, execution) is None
    assert lab.executions.finish(execution, finish(transition, stages=ONE)) is None
    assert stored(lab, execution) == ONE


def test_claim_returns_the_stages_of_the_attempt_before(lab: Lab) -> None:
    execution = claimed(lab)
    lab.executions.finish(execution, finish(Transition.RETRY, stages=ONE))
    (again,) = lab.claimer.claim([Claim(execution_id=execution.id, owner="another")], RETRY_AT)
    assert isinstance(again, Execution)
    assert again.progress.stages == ONE
    lab.executions.finish(again, finish(Transition.SUCCEED, stages=TWO))
    assert stored(lab, execution) == TWO


def test_outcome_without_stages_keeps_the_stored_ones(lab: Lab) -> None:
    execution = claimed(lab)
    until: dict[str, Any] = {"lease_until": DUE_AT + 95_000, "async_until": DUE_AT + 3_600_000}
    assert lab.executions.extend_lease(execution, **until, stages=ONE) is None
    assert stored(lab, execution) == ONE
    assert lab.executions.finish(execution, finish(Transition.SUCCEED)) is None
    assert stored(lab, execution) == ONE


def test_refused_write_stores_no_stages(lab: Lab) -> None:
    execution = claimed(lab)
    (rival,) = lab.claimer.claim(
        [Claim(execution_id=execution.id, owner="another")], (execution.progress.lease_until or 0) + 1
    )
    assert isinstance(rival, Execution)
    assert lab.executions.finish(execution, finish(Transition.SUCCEED, stages=ONE)) == rival
    assert (
        lab.executions.extend_lease(
            execution, lease_until=DUE_AT + 95_000, async_until=DUE_AT + 3_600_000, stages=ONE
        )
        == rival
    )
    assert stored(lab, execution) is None


@pytest.mark.parametrize("attribute", [{"B": b"\x01"}, {"B": bytes(14)}, {"S": "x"}, {"B": bytes(300)}])
def test_stages_of_another_form_are_unknown_and_hide_no_execution(
    engine_lab: DynamoLab, attribute: dict[str, Any]
) -> None:
    execution = one_off(state=State.QUEUED)
    engine_lab.executions.put_if_absent(execution)
    item = {**engine_lab.item(execution.id), STAGES: attribute}
    engine_lab.client.put_item(TableName=engine_lab.names.executions, Item=item)
    assert engine_lab.executions.get(execution.id) == execution
