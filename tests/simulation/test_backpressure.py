"""An outage of the workers: nothing is sent for twice, nothing is lost, and what is due afterwards does not wait for
what is late."""

from functools import partial

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
        world.hub.spawn(partial(world.lanes.open, queue), start + 2 * MINUTE_MS)
    world.hub.run_until(start + 6 * MINUTE_MS)
    assert backlog.begun(jobs) == len(jobs)
    assert len(world.receiver.log) == len(jobs)
    sends = world.lanes.sends
    backlog.end()
    assert sends <= 1.05 * len(jobs), f"{sends} messages for {len(jobs)} jobs"


def test_fresh_executions_do_not_wait_for_late_executions_after_an_outage() -> None:
    world = World(1, FaultMix())
    world.lanes.workers = 4
    backlog, start = Backlog(world), world.hub.now_ms
    back_at = start + 4 * MINUTE_MS
    world.lanes.closed.add(QueueName.STANDARD)
    late = backlog.due("acme", range(start, start + 100_000, 100))
    fresh = backlog.due("acme", range(back_at + 10_000, back_at + 40_000, 200))
    world.hub.spawn(lambda: world.lanes.open(QueueName.STANDARD), back_at)
    world.hub.run_until(back_at + 30_000)
    still_late = len(late) - backlog.begun(late)
    world.hub.run_until(back_at + MINUTE_MS)
    assert p99(backlog.lags(fresh)) < 3_000
    world.hub.run_until(back_at + 5 * MINUTE_MS)
    lags, made = backlog.lags(late), backlog.begun(late)
    backlog.end()
    assert (made, still_late > 0) == (len(late), True), "nothing is lost, and it took a while"
    assert lags[0] > 2 * MINUTE_MS


def test_late_work_gets_done_by_the_workers_for_bulk_while_its_own_lane_stays_behind() -> None:
    """More is due than the lane can do: what is late would wait for all of it."""
    world = World(1, FaultMix())
    world.lanes.workers = 2
    backlog, start = Backlog(world), world.hub.now_ms
    back_at = start + 4 * MINUTE_MS
    world.lanes.closed.add(QueueName.STANDARD)
    late = backlog.due("acme", range(start, start + 100_000, 400))
    fresh = backlog.due("acme", range(back_at, back_at + 90_000, 75))
    bulk = backlog.due("globex", [back_at + 12_000] * 20, lane=Lane.BULK)
    world.hub.spawn(lambda: world.lanes.open(QueueName.STANDARD), back_at)
    world.hub.run_until(back_at + 90_000)
    made_late, made_fresh, made_bulk = map(backlog.begun, (late, fresh, bulk))
    backlog.end()
    assert made_fresh < 0.8 * len(fresh), "the lane was behind all the time"
    assert made_late >= 0.95 * len(late), "but for the few that no worker has looked at yet"
    assert made_bulk == 0, "bulk made room"


def test_bulk_makes_room_while_the_standard_lane_is_behind_and_runs_in_the_end() -> None:
    world = World(1, FaultMix())
    world.lanes.workers = 2
    backlog, start = Backlog(world), world.hub.now_ms
    standard = backlog.due("acme", [start] * 500)
    bulk = backlog.due("globex", [start + 12_000] * 20, lane=Lane.BULK)
    world.hub.run_until(start + 40_000)
    assert backlog.begun(standard) < 500, "it is behind"
    early = backlog.begun(bulk)
    world.hub.run_until(start + 5 * MINUTE_MS)
    done = backlog.begun(bulk)
    backlog.end()
    assert (early, done) == (0, 20)
