"""The depth of runs that start by events of the bus, which jobs may have put there."""

from collections.abc import Mapping
from typing import Any, Final

from shared.domain.delivery.depth import MAX_DEPTH, MakeCode, own_depth
from shared.domain.delivery.target_rules import ORIGIN
from shared.domain.errors import InvalidValueError

_MEMBER: Final = "depth"


def depth_below_event(detail: Mapping[str, Any], make_code: MakeCode) -> int:
    """One more than that of the job whose event it is; 0 for an event without a value of this tenant, because a sender
    may copy the detail of another tenant's event.

    InvalidValueError for runs deeper than MAX_DEPTH.
    """
    origin = detail.get(ORIGIN)
    value = origin.get(_MEMBER) if isinstance(origin, Mapping) else None
    depth = own_depth(value, make_code) if isinstance(value, str) else None
    if depth is None:
        return 0
    if depth >= MAX_DEPTH:
        raise InvalidValueError(
            f"events of jobs have started jobs {MAX_DEPTH} times in a row, which is the limit: let the pattern of the"
            " trigger match no event of the job that it starts",
            path=("detail", ORIGIN, _MEMBER),
        )
    return depth + 1
