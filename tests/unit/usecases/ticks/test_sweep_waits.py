"""SWEEP beside limits: what may wait is sent for each quarter of an hour, whatever else its shard is busy with."""

from itertools import pairwise

import pytest

from shared.domain.bucket import MINUTE_MS, bucket_end_ms
from shared.domain.executions.states import State
from shared.domain.limits.scopes import tenant_scope
from tests.support.builders import BUCKET, DUE_AT, one_off
from tests.support.usecases.world import World

MINUTES = 120
LIMITED = "limited"


@pytest.mark.parametrize("has_neighbour", [True, False])
def test_a_row_that_may_wait_is_sent_for_each_quarter_of_an_hour(has_neighbour: bool) -> None:
    """The neighbour is sent for with every pass, and its messages say nothing of this row's."""
    world = World(DUE_AT)
    world.ledger.note_swept_through(BUCKET - 1)
    world.put(one_off(1, tenant_id=LIMITED, state=State.QUEUED))
    if has_neighbour:
        world.put(one_off(2, tenant_id="other", state=State.QUEUED))
    sent_at = []
    for minute in range(1, MINUTES):
        world.clock.time_ms = bucket_end_ms(BUCKET) + minute * MINUTE_MS
        if minute > 1:
            world.limits.hot[tenant_scope(LIMITED)] = world.clock.time_ms + 90_000
        before = len(world.queue.messages)
        world.sweep.execute()
        tenants = {message.wakeup.tenant_id for message in world.queue.messages[before:]}
        sent_at += [minute] if LIMITED in tenants else []
    assert all(later - earlier <= 16 for earlier, later in pairwise([*sent_at, MINUTES]))
