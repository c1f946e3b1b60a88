"""Write units of a BatchExecuteStatement, as AWS reports them, against the fact of the captures."""

from collections.abc import Mapping, Sequence
from typing import Any


def total_units(consumed: Sequence[Mapping[str, Any]]) -> float:
    """The units of all tables of a response; 0 where it reports none."""
    return float(sum(each.get("CapacityUnits", 0.0) for each in consumed))


def agrees_with_fact(accepted_only: float, refused_beside: float, refused_only: float) -> list[str]:
    """What contradicts the fact b10: a refused statement pays for its write, and a request of refusals reports none."""
    found = []
    if refused_beside <= accepted_only:
        found.append(
            f"a refused statement cost nothing: {refused_beside} units with it, {accepted_only} without"
        )
    if refused_only:
        found.append(f"a request of refused statements reported {refused_only} units")
    return found
