"""What the product itself says of a standing execution: the one source of the guards of the attempt model."""

from functools import cache
from typing import Any, NamedTuple

from shared.domain.delivery.retry import RetryPolicy
from shared.domain.dispatch.sweep import DueRow, SweepAction, SweepContext, sweep_action
from shared.domain.executions.execution import LEASE_MARGIN_MS, Execution
from shared.domain.executions.states import State, Transition
from tests.support.builders import DUE_AT, in_state, one_off

TICK_MS = LEASE_MARGIN_MS
TIMEOUT_MS = TICK_MS
LEASE_TICKS = (TIMEOUT_MS + LEASE_MARGIN_MS) // TICK_MS
"""What a fresh claim grants; 0 is the last moment of a lease, and at -1 it is dead."""
RETRY_TICKS = 1
MAX_REFUNDS = 1
"""So many claims without a call are refunded here; the product refunds until the execution is too old."""


class Item(NamedTuple):
    """The execution as it is stored, in ticks from now. `left` is of a lease, `due_in` of a retry, 0 elsewhere."""

    state: State
    attempt: int = 0
    """The number of claims, refunded ones included: with the owner, the fencing token."""
    left: int = 0
    due_in: int = 0
    stop: bool = False
    goes_on: bool = False
    """The call of its attempt has ended, the attempt has not."""
    refunded: int = 0

    def after(self, transition: Transition, **changes: Any) -> "Item":
        """The item in the state to which the product's table leads."""
        plain = Item(transition.target, self.attempt, stop=self.stop, refunded=self.refunded)
        return plain._replace(**changes)


@cache
def _execution(item: Item, most: int) -> Execution:
    fields: dict[str, Any] = {"claims": item.attempt, "stop_retries": item.stop}
    if item.refunded:
        fields |= {"refunded": item.refunded, "refunded_since": DUE_AT}
    if item.state is State.RUNNING:
        fields["lease_until"] = DUE_AT + item.left * TICK_MS
    if item.state is State.WAITING:
        fields["next_attempt_at"] = DUE_AT + item.due_in * TICK_MS
    plain = one_off(timeout_ms=TIMEOUT_MS, retry=RetryPolicy(max_attempts=most))
    return in_state(plain, item.state, **fields)


@cache
def may_claim(item: Item, most: int) -> bool:
    """The condition of a claim."""
    if item.state not in Transition.CLAIM.sources:
        return False
    execution = _execution(item, most)
    claimable_from = execution.claimable_from
    return execution.has_attempts_left and claimable_from is not None and claimable_from <= DUE_AT


@cache
def has_attempts_left(item: Item, most: int) -> bool:
    """Whether another claim would be lawful one day."""
    return _execution(item, most).has_attempts_left


@cache
def may_give_up(item: Item, most: int) -> bool:
    """The condition of giving up: a dead lease, seen under the same attempt."""
    return item.state in Transition.GIVE_UP.sources and _execution(item, most).lease_expired(DUE_AT)


@cache
def swept(item: Item, most: int) -> SweepAction:
    """What a later pass of the sweeper does with the row."""
    if item.state.is_terminal:
        return SweepAction.LEAVE
    execution = _execution(item, most)
    row = DueRow(
        id=execution.id,
        sort_key="",
        tenant_id=execution.tenant_id,
        lane=execution.lane,
        state=item.state,
        created_at=execution.created_at,
        claims=item.attempt,
        max_claims=most + item.refunded,
        stop_retries=item.stop,
        claimable_from=execution.claimable_from,
        next_attempt_at=execution.progress.next_attempt_at,
        async_accepted=item.goes_on,
    )
    context = SweepContext(now_ms=DUE_AT, is_first_pass=False, scan_began_at=None, last_resend_at=None)
    return sweep_action(row, context)


def covers_the_call(left: int) -> bool:
    """Whether what is left of a lease covers the whole timeout."""
    return left * TICK_MS >= TIMEOUT_MS
