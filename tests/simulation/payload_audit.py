"""Checks the large requests of a run: each outlives the records that name it, and none is left behind for ever."""

from collections.abc import Iterator

from shared.domain.jobs.job import ENDED
from shared.names import LIVE_SEGMENTS
from shared.ports.jobs import LargeRequest
from shared.usecases.ticks.collect_payloads import HOUR_MS, HOURS, MIN_AGE_MS, CollectPayloads
from tests.simulation.verdicts import Fault, Verdict
from tests.simulation.world import World
from tests.support.fakes.clock import VirtualClock


def check_payloads(world: World) -> Iterator[Fault]:
    """The state at rest, before and after the reconciler has collected what is old enough."""
    yield from _outlived(world)
    clock = VirtualClock(world.hub.now_ms + MIN_AGE_MS + 1)
    collect = CollectPayloads(
        jobs=world.jobs, workflow_head=world.workflows.head, clock=clock, retention=world.retention
    )
    requests = [
        item.content
        for segment in range(LIVE_SEGMENTS)
        for item in world.live_items.page(segment, after=None, limit=1_000_000)[0]
        if isinstance(item.content, LargeRequest)
    ]
    for _ in range(HOURS):
        clock.time_ms += HOUR_MS
        for request in requests:
            collect.execute(request)
    yield from _outlived(world)
    table = world.table
    named = {
        (job.tenant_id, spec.call.payload_id)
        for job in table.jobs.values()
        if job.state not in ENDED
        for spec in (job, job.change)
        if spec is not None
    }
    for key in table.payloads:
        if key not in table.payload_expires_at_s and key not in named:
            yield Fault(verdict=Verdict.PAYLOAD, text=f"no job names {key[1]}, and it never expires")


def _outlived(world: World) -> Iterator[Fault]:
    table = world.table
    for row in table.executions.values():
        key = (row.execution.tenant_id, row.execution.call.payload_id or "")
        if not key[1]:
            continue
        expires_at_s = table.payload_expires_at_s.get(key)
        ends_at_s = row.expires_at_s or world.retention.expires_at_s(world.hub.now_ms)
        if key not in table.payloads or (expires_at_s is not None and expires_at_s < ends_at_s):
            yield Fault(
                verdict=Verdict.PAYLOAD,
                text="its request does not outlive its record",
                execution_id=str(row.execution.id),
            )
