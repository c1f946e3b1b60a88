"""Every condition of the protocol, by name. Derived from the transition table where they speak of states."""

from dataclasses import dataclass
from typing import Any

from shared.adapters.dynamodb.codec.attributes import encode
from shared.adapters.dynamodb.codec.items import STATE_CODES, VERSION
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import REDRIVABLE, TERMINAL, Transition

ABSENT = "attribute_not_exists(pk)"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition expression with the values that it names."""

    expression: str
    values: dict[str, Any]


def in_source_state(transition: Transition) -> Condition:
    """The item is in a state from which the transition may start, and of a version that is known."""
    codes = sorted(STATE_CODES[state] for state in transition.sources)
    values: dict[str, Any] = {f":from{code}": encode(code) for code in codes}
    return Condition(f"#s IN ({', '.join(values)}) AND #v = :v", {**values, ":v": encode(VERSION)})


def at_revision(allowed: Condition, revision: int) -> Condition:
    """What is allowed, and at the revision that its owner has seen."""
    return Condition(
        f"{allowed.expression} AND rv = :revision", {**allowed.values, ":revision": encode(revision)}
    )


def own_claim(execution: Execution, transition: Transition) -> Condition:
    """RUNNING by this very attempt and owner; a retry only while retries are not stopped."""
    allowed = in_source_state(transition)
    expression = f"{allowed.expression} AND a = :attempt AND ow = :owner"
    if transition is Transition.RETRY:
        expression += " AND attribute_not_exists(sr)"
    owned = {":attempt": encode(execution.attempt), ":owner": encode(execution.progress.owner or "")}
    return Condition(expression, {**allowed.values, **owned})


def prolongs(execution: Execution, claimable_from: int, *, calls: bool) -> Condition:
    """RUNNING by this very attempt and owner, under a lease that ends earlier; before a call, retries not stopped."""
    own = own_claim(execution, Transition.EXTEND)
    expression = f"{own.expression} AND ca <= :ca" + (" AND attribute_not_exists(sr)" if calls else "")
    return Condition(expression, {**own.values, ":ca": encode(claimable_from)})


def expired_lease(execution: Execution, now_ms: int) -> Condition:
    """RUNNING at this attempt still, under a lease that has ended."""
    allowed = in_source_state(Transition.GIVE_UP)
    values = {":attempt": encode(execution.attempt), ":now": encode(now_ms)}
    return Condition(f"{allowed.expression} AND a = :attempt AND ca <= :now", {**allowed.values, **values})


def not_ended() -> Condition:
    """Of a known version, and not in a state that is final; a state that nobody knows is none."""
    values: dict[str, Any] = {f":e{STATE_CODES[state]}": encode(STATE_CODES[state]) for state in TERMINAL}
    expression = f"#v = :v AND NOT #s IN ({', '.join(sorted(values))})"
    return Condition(expression, {**values, ":v": encode(VERSION)})


def redrivable() -> Condition:
    """Of a known version, ended without success, and not redriven yet."""
    values: dict[str, Any] = {f":e{STATE_CODES[state]}": encode(STATE_CODES[state]) for state in REDRIVABLE}
    expression = f"#v = :v AND #s IN ({', '.join(sorted(values))}) AND attribute_not_exists(rd)"
    return Condition(expression, {**values, ":v": encode(VERSION)})


_MAY_BE_CLAIMED = "v = {version} AND a < mx AND attribute_not_exists(sr) AND "
CLAIMABLE = _MAY_BE_CLAIMED + "ca <= {now}"
"""A known version, attempts left, retries not stopped, and from `claimable_from` on: the one condition of a claim.

`ca` says it for every state at once: 0 before the first attempt, 1.5 s before a retry is due, the end of the
lease while running; an ended execution has none, so the comparison is false.
"""
ADMITTED = _MAY_BE_CLAIMED + "ca = {now}"
"""The same for the first attempt of a guarded execution, whose `ca` is GUARDED_FROM until then."""
