"""One seed from load to verdict: load, heal, drain, judge."""

from dataclasses import dataclass

from shared.domain.execution import Execution
from shared.usecases.reconcile import SETTLE_MINUTES
from tests.fakes.accepted_log import FakeAcceptedLog
from tests.simulation.clients import LOAD_MS, Clients
from tests.simulation.faults import HEALED, FaultMix
from tests.simulation.judge import Judge
from tests.simulation.world import START_MS, World

MINUTE_MS = 60_000
HEAL_AT_MS = START_MS + LOAD_MS + 2 * MINUTE_MS
GIVE_UP_AT_MS = HEAL_AT_MS + 4 * 60 * MINUTE_MS


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one seed came to."""

    seed: int
    faults: list[str]
    mix: FaultMix
    trace: list[str]
    trace_hash: str
    sends: int
    calls: int


def run_seed(seed: int, mix: FaultMix | None = None) -> Outcome:
    """Run one seed; the same seed gives the same trace."""
    world = World(seed, mix)
    drawn = world.mix
    clients = Clients(world)
    resting = [GIVE_UP_AT_MS]
    world.start_ticks(lambda: resting[0])
    clients.start()
    world.hub.run_until(HEAL_AT_MS)
    world.note("healed")
    world.mix = HEALED
    for order in clients.orders:
        if order.is_recurring and order.cancel_acked_at is None:
            clients.cancel(order, world.hub.now_ms + world.rng.randint(0, 30_000))
    _drain(world)
    resting[0] = 0
    reconciled = _reconcile(world, clients)
    judge = Judge(clients, _history(world, clients), mix=drawn)
    faults = judge.verdict() + reconciled
    return Outcome(
        seed=seed,
        faults=faults,
        mix=drawn,
        trace=world.trace,
        trace_hash=world.trace_hash(),
        sends=world.lanes.sends,
        calls=len(world.receiver.log),
    )


def _drain(world: World) -> None:
    """Until nothing is unfinished, and five minutes more; four hours at most, which the judge will find."""
    calm_minutes = 0
    while calm_minutes < 5 and world.hub.now_ms < GIVE_UP_AT_MS:
        world.hub.run_until(world.hub.now_ms + MINUTE_MS)
        busy = any(not row.execution.state.is_terminal for row in world.table.executions.values())
        calm_minutes = 0 if busy else calm_minutes + 1
    world.hub.run_until(world.hub.now_ms + SETTLE_MINUTES * MINUTE_MS)


def _reconcile(world: World, clients: Clients) -> list[str]:
    """The product's own audit, once everything has settled: it must find nothing that the judge does not."""
    accepted = FakeAcceptedLog()
    for order in clients.orders:
        if order.acked_at is not None and order.job_id is not None:
            accepted.note(order.acked_at, order.tenant, order.job_id)
    world.ledger.note_reconciled_through(START_MS // MINUTE_MS - 1)
    faults: list[str] = []
    while world.ledger.reconciled_through() != world.hub.now_ms // MINUTE_MS - SETTLE_MINUTES:
        report = world.reconcile(accepted)
        faults += [f"reconciler: unaccounted {identity}" for identity in report.unaccounted]
        faults += [f"reconciler: completed twice {identity}" for identity in report.double_completed]
        faults += [f"reconciler: lost and found {identity}" for identity in report.lost_found]
    return faults


def _history(world: World, clients: Clients) -> dict[str, list[Execution]]:
    """Every record of each acknowledged job. Read from the table, since the simulated API is judged as well."""
    wanted = {order.job_id for order in clients.orders if order.acked_at is not None}
    history: dict[str, list[Execution]] = {str(job_id): [] for job_id in wanted}
    for row in world.table.executions.values():
        if row.execution.job_id in history:
            history[row.execution.job_id].append(row.execution)
    return history
