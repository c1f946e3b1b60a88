"""Every condition of the protocol, by name. Conditions on states are derived from the transition table."""

from functools import cache
from typing import Any

from shared.adapters.dynamodb.codec.attributes import encode
from shared.adapters.dynamodb.codec.event_fields import EVENT_RECORDED
from shared.adapters.dynamodb.codec.execution_fields import RESULT
from shared.adapters.dynamodb.codec.failure_index import STALE
from shared.adapters.dynamodb.codec.items import STATE_CODES
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import REDRIVABLE, TERMINAL, State, Transition

ABSENT = "attribute_not_exists(pk)"
RETRIES_GO_ON = "attribute_not_exists(sr)"
RETRIES_GO_ON_PARTIQL = "sr IS MISSING"
"""The same; attribute_not_exists is no documented function of PartiQL."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition expression with its values."""

    expression: str
    values: dict[str, Any]


@cache
def in_source_state(transition: Transition) -> Condition:
    """The item has a known version and a source state of the transition."""
    codes = sorted(STATE_CODES[state] for state in transition.sources)
    values: dict[str, Any] = {f":from{code}": encode(code) for code in codes}
    return Condition(f"#s IN ({', '.join(values)}) AND #v <= :v", {**values, ":v": encode(VERSION)})


def at_revision(allowed: Condition, revision: int) -> Condition:
    """`allowed`, and the revision that the owner of the job has read."""
    return Condition(
        f"{allowed.expression} AND rv = :revision", {**allowed.values, ":revision": encode(revision)}
    )


def own_claim(execution: Execution, transition: Transition) -> Condition:
    """The fencing token: RUNNING under this claim and owner; another attempt requires that retries go on."""
    allowed = in_source_state(transition)
    expression = f"{allowed.expression} AND a = :claims AND ow = :owner"
    if transition in (Transition.RETRY, Transition.REFUND):
        expression += f" AND {RETRIES_GO_ON}"
    owned = {":claims": encode(execution.progress.claims), ":owner": encode(execution.progress.owner or "")}
    return Condition(expression, {**allowed.values, **owned})


def extends_lease(execution: Execution, claimable_from: int, *, calls: bool) -> Condition:
    """The fencing token, and a lease that ends earlier; before a call also: retries are not stopped."""
    own = own_claim(execution, Transition.EXTEND)
    expression = f"{own.expression} AND ca <= :ca" + (f" AND {RETRIES_GO_ON}" if calls else "")
    return Condition(expression, {**own.values, ":ca": encode(claimable_from)})


def expired_lease(execution: Execution, now_ms: int) -> Condition:
    """RUNNING under this claim, with an expired lease."""
    allowed = in_source_state(Transition.GIVE_UP)
    values = {":claims": encode(execution.progress.claims), ":now": encode(now_ms)}
    return Condition(f"{allowed.expression} AND a = :claims AND ca <= :now", {**allowed.values, **values})


def postponable_before(execution: Execution) -> Condition:
    """A known version, waiting without ever having been claimed, and an event that was recorded earlier."""
    recorded_at = execution.event.recorded_at if execution.event is not None else None
    values: dict[str, Any] = {
        ":v": encode(VERSION),
        ":waiting": encode(STATE_CODES[State.WAITING]),
        ":none": encode(0),
        ":recorded": encode(recorded_at or 0),
    }
    return Condition(f"#v <= :v AND #s = :waiting AND a = :none AND {EVENT_RECORDED} < :recorded", values)


def stale_in(state: State) -> Condition:
    """A known version, this state, and an entry in the index of failures that does not match it."""
    values: dict[str, Any] = {":state": encode(STATE_CODES[state]), ":v": encode(VERSION)}
    return Condition(f"#v <= :v AND #s = :state AND attribute_exists({STALE})", values)


def with_result_until() -> Condition:
    """A known version, a success with a result, and an expiry before `:ttl` of the update."""
    values: dict[str, Any] = {":state": encode(STATE_CODES[State.SUCCEEDED]), ":v": encode(VERSION)}
    expression = f"#v <= :v AND #s = :state AND attribute_exists({RESULT}) AND #ttl < :ttl"
    return Condition(expression, values)


def not_ended() -> Condition:
    """A known version and no terminal state; an unknown state does not count as terminal."""
    values: dict[str, Any] = {f":e{STATE_CODES[state]}": encode(STATE_CODES[state]) for state in TERMINAL}
    expression = f"#v <= :v AND NOT #s IN ({', '.join(sorted(values))})"
    return Condition(expression, {**values, ":v": encode(VERSION)})


def redrivable() -> Condition:
    """A known version, ended without success, and not redriven yet."""
    values: dict[str, Any] = {f":e{STATE_CODES[state]}": encode(STATE_CODES[state]) for state in REDRIVABLE}
    expression = f"#v <= :v AND #s IN ({', '.join(sorted(values))}) AND attribute_not_exists(rd)"
    return Condition(expression, {**values, ":v": encode(VERSION)})


@dataclass(frozen=True, slots=True)
class PartiqlCondition:
    """A condition of a statement; `values` are its parameters in order."""

    expression: str
    values: tuple[Any, ...]


def redrivable_in_partiql() -> PartiqlCondition:
    """The same as `redrivable`."""
    codes = sorted(STATE_CODES[state] for state in REDRIVABLE)
    states = ", ".join("?" for _ in codes)
    values = (encode(VERSION), *(encode(code) for code in codes))
    return PartiqlCondition(f"v <= ? AND s IN [{states}] AND rd IS MISSING", values)


_MAY_BE_CLAIMED = "v <= {version} AND a < mx AND {retries_go_on} AND "
CLAIMABLE = _MAY_BE_CLAIMED + "ca <= {now}"
"""The one condition of a claim: known version, attempts left, retries not stopped, `claimable_from` reached.

`ca` encodes `claimable_from` for every state: 0 before the first attempt, 1.5 s before a retry is due, the
end of the lease while running. An ended execution has no `ca`, so the comparison is false.
"""
ADMITTED = _MAY_BE_CLAIMED + "ca = {now}"
"""The same for the first attempt of a guarded execution, whose `ca` is GUARDED_FROM until admission."""
