"""Schemas of lanes and of hot scopes."""

from typing import Literal

from pydantic import Field

from functions.api.models import InstantOut, Representation, with_examples
from functions.api.resources.lanes.examples import LANE_PAGE


class LaneStatusOut(Representation):
    """A lane of the deployment."""

    visible_messages: int = Field(description="Messages that wait in its queue, approximately.")
    behind_since: InstantOut | None = Field(
        description="Since when the oldest message that was received last had waited. Null unless the lane is behind. "
        "While `critical` or `standard` is behind, bulk work is deferred."
    )


class HotScopeOut(Representation):
    """A tenant or a destination in which calls wait or fail."""

    kind: Literal["tenant", "destination"]
    id: str = Field(description="The id of a tenant, or the keyed hash that names a destination.")
    until: InstantOut = Field(description="The entry holds until this instant, unless it is renewed.")
    reason: Literal["breaker_open", "destination_concurrency", "slow", "quota", "unknown"] = Field(
        description="`destination_concurrency`: the adaptive limit. `quota`: a quota of concurrent calls or of calls "
        "per second. `unknown`: the state cannot be read by this release."
    )
    breaker: Literal["closed", "open", "half_open"] | None = Field(description="Null where it is unknown.")
    open_until: InstantOut | None = Field(description="Null unless the breaker is open.")
    concurrency_limit: int | None = Field(description="The adaptive limit; null where there is none.")
    running: int | None = Field(description="Concurrent calls that workers have reserved.")


class LanePageOut(Representation):
    """All lanes, and a page of the hot scopes."""

    model_config = with_examples(LANE_PAGE)

    lanes: dict[str, LaneStatusOut]
    hot_scopes: list[HotScopeOut]
    next_cursor: str | None
