"""Executions during their attempts, on any engine."""

from typing import Any

from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State, Transition
from shared.ports.executions import Claim, Finish
from tests.support.builders import (
    DUE_AT,
    EXPIRES_AT_S,
    OWNER,
    expiry_for,
    in_every_state,
    in_state,
    one_off,
)
from tests.support.conformance.labs import Lab

OUTCOME = AttemptOutcome(
    attempt=1, started_at=DUE_AT + 3, duration_ms=120, status=503, reason=Reason.HTTP_STATUS
)
RETRY_AT = DUE_AT + 20_000
REFUNDS = (Transition.REFUND, Transition.EXPIRE, Transition.WITHDRAW)


def finish(transition: Transition, **overrides: Any) -> Finish:
    """The end of a first attempt that was answered with 503."""
    fields: dict[str, Any] = {"transition": transition, "outcomes": (OUTCOME,)}
    if transition.ends:
        fields["expires_at_s"] = EXPIRES_AT_S
    else:
        fields["next_attempt_at"] = RETRY_AT
    if transition is Transition.FAIL:
        fields["end_reason"] = EndReason.ATTEMPTS_USED_UP
    if transition in REFUNDS:
        fields |= {"outcomes": (), "refunded_since": DUE_AT + 3}
    return Finish(**(fields | overrides))


def claimed(lab: Lab, execution: Execution | None = None) -> Execution:
    """An execution claimed by a worker."""
    lab.executions.put_if_absent(execution or one_off())
    answer = lab.claimer.claim([Claim(execution_id=(execution or one_off()).id, owner=OWNER)], DUE_AT)[0]
    assert isinstance(answer, Execution)
    return answer


def file_all_but_running(lab: Lab) -> list[Execution]:
    """Files one execution in each state except RUNNING."""
    others = [execution for execution in in_every_state() if execution.state is not State.RUNNING]
    for execution in others:
        lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    return others


def running_like(execution: Execution) -> Execution:
    """The claimed execution as a worker knows it, claimed before the stored execution changed."""
    return in_state(one_off(id=execution.id), State.RUNNING)
