"""What the product says of a bucket at an instant: the one source of the guards of the filing model."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from shared.domain.bucket import (
    GUARD_MS,
    LOOK_AHEAD_MS,
    bucket_end_ms,
    bucket_of,
    bucket_start_ms,
    buckets_to_watch,
    is_near,
    may_be_closed,
    next_sweep_ms,
)
from shared.domain.dispatch.sweep import DueRow, SweepAction, SweepContext, sweep_action
from shared.domain.executions.states import State
from shared.names import Lane
from tests.support.builders import BUCKET, TENANT, execution_id

START_MS = bucket_start_ms(BUCKET)
FAR_MS = START_MS - LOOK_AHEAD_MS - 3 * GUARD_MS
WITHIN_MS = START_MS - LOOK_AHEAD_MS + 60_000
"""Nothing changes here; but things can happen well within the look-ahead, too."""
STEP_MS = 500


class Moment(NamedTuple):
    """What writers and ticks, each by its own clock, think of the bucket at a true instant."""

    near: bool
    closed: bool
    watched: bool
    """A tick may take the shard: it has begun, and maybe stood still since."""
    listed: bool
    swept: bool


@dataclass(frozen=True, slots=True)
class Clocks:
    """How far the clocks of the writers and of the ticks are ahead of true time."""

    writer_ms: int = 0
    tick_ms: int = 0


@cache
def moment(true_ms: int, clocks: Clocks) -> Moment:
    """What everybody thinks at a true instant."""
    writer, tick = true_ms + clocks.writer_ms, true_ms + clocks.tick_ms
    return Moment(
        near=is_near(BUCKET, writer),
        closed=may_be_closed(BUCKET, writer),
        watched=buckets_to_watch(tick).stop > BUCKET,
        listed=bucket_of(tick) > BUCKET,
        swept=tick >= next_sweep_ms(BUCKET, START_MS),
    )


@cache
def instants(clocks: Clocks) -> tuple[int, ...]:
    """Each true instant at which anything changes for anybody, from before the scan to the first pass of a sweep."""
    grid = range(FAR_MS, bucket_end_ms(BUCKET) + 4 * GUARD_MS, STEP_MS)
    changes = [later for earlier, later in pairwise(grid) if moment(earlier, clocks) != moment(later, clocks)]
    return tuple(sorted({FAR_MS, *changes, WITHIN_MS}))


def is_unseen(created_ms: int, scan_began_ms: int) -> bool:
    """Whether a first pass takes a row for one that a scan may have missed."""
    return swept(State.PENDING, created_ms, scan_began_ms, is_first=True) is SweepAction.RESEND


@cache
def swept(state: State, created_ms: int, scan_began_ms: int | None, *, is_first: bool) -> SweepAction:
    """What a pass does with a row that is unfinished; `scan_began_ms` is of a scan that was finished."""
    row = DueRow(
        id=execution_id(),
        sort_key="",
        tenant_id=TENANT,
        lane=Lane.STANDARD,
        state=state,
        created_at=created_ms,
        claims=0,
        max_claims=1,
        stop_retries=False,
        claimable_from=0,
        next_attempt_at=None,
    )
    context = SweepContext(
        now_ms=bucket_end_ms(BUCKET) + 90_000,
        is_first_pass=is_first,
        scan_began_at=scan_began_ms,
        last_resend_at=None,
    )
    return sweep_action(row, context)
