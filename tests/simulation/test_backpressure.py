"""An outage of the workers: nothing is sent for twice, nothing is lost, and what is due afterwards does not wait for
what is late."""

from shared.names import Lane, QueueName
from tests.simulation.backlog import Backlog, p99
from tests.simulation.faults import FaultMix
from tests.simulation.world import World

MINUTE_MS = 60_000
HORIZON_MS = 30 * MINUTE_MS


def test_sixty_seconds_without_workers_cost_no_second_message() -> None:
    world = World(1, FaultMix())
    backlog, start = Backlog(world), world.hub.now_ms
    world.functions.start_ticks(lambda: start + 6 * MINUTE_MS)
    jobs = backlog.due("acme", range(start, start + 4 * MINUTE_MS, 600))
    jobs += backlog.due("globex", range(start, start + 4 * MINUTE_MS, 7_000), lane=Lane.BULK)
    world.hub.spawn(lambda: world.lanes.closed.update(QueueName), start + MINUTE_MS)
    for queue in QueueName:
        world.hub.spawn(lambda queue=queue: world.lanes.open(queue), start + 2 * MINUTE_MS)
    world.hub.run_until(start + 6 * MINUTE_MS)
    assert len({call.execution_id for call in world.receiver.log}) == len(jobs)
    assert len(world.receiver.log) == len(jobs)
    sends = world.lanes.sends
    backlog.end()
    assert sends <= 1.05 * len(jobs), f"{sends} messages for {len(jobs)} jobs"


def test_after_an_outage_what_is_due_now_does_not_wait_for_what_is_late() -> None:
    world = World(1, FaultMix())
    world.lanes.workers = 4
    backlog, start = Backlog(world), world.hub.now_ms
    back_at = start + 4 * MINUTE_MS
    world.lanes.closed.add(QueueName.STANDARD)
    late = backlog.due("acme", range(start, start + 100_000, 100))
    fresh = backlog.due("acme", range(back_at + 10_000, back_at + 40_000, 200))
    world.hub.spawn(lambda: world.lanes.open(QueueName.STANDARD), back_at)
    world.hub.run_until(back_at + 60_000)
    still_late = len(late) - len({call.execution_id for call in backlog.calls(late)})
    assert p99(backlog.lags(fresh)) < 3_000
    world.hub.run_until(back_at + 5 * MINUTE_MS)
    lags = backlog.lags(late)
    made = len({call.execution_id for call in backlog.calls(late)})
    backlog.end()
    assert (made, still_late > 0) == (len(late), True), "nothing is lost, and it took a while"
    assert lags[0] > 2 * MINUTE_MS


def test_bulk_makes_room_while_the_standard_lane_is_behind_and_runs_in_the_end() -> None:
    world = World(1, FaultMix())
    world.lanes.workers = 2
    backlog, start = Backlog(world), world.hub.now_ms
    standard = backlog.due("acme", [start] * 500)
    bulk = backlog.due("globex", [start + 12_000] * 20, lane=Lane.BULK)
    world.hub.run_until(start + 40_000)
    assert len({call.execution_id for call in backlog.calls(standard)}) < 500, "it is behind"
    early = sum(1 for _ in backlog.calls(bulk))
    world.hub.run_until(start + 5 * MINUTE_MS)
    done = {call.execution_id for call in backlog.calls(bulk)}
    backlog.end()
    assert (early, len(done)) == (0, 20)
