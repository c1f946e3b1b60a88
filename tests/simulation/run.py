"""One seed from load to verdict: load, heal, drain, read, oracle."""

from collections import Counter
from dataclasses import dataclass

from shared.domain.bucket import MINUTE_MS
from tests.simulation.aftermath import duplicate_days_later, read_after_expiry, read_before_expiry
from tests.simulation.archived import ArchivedRun
from tests.simulation.audit import audit
from tests.simulation.clients import LOAD_MS, Clients
from tests.simulation.evidence import Evidence
from tests.simulation.faults import HEALED, FaultMix, Strike
from tests.simulation.keyed_jobs import note_stored
from tests.simulation.listeners import announces, tells
from tests.simulation.newer_items import parked_items
from tests.simulation.newer_messages import parked_newer
from tests.simulation.oracle import verdict
from tests.simulation.payload_audit import check_payloads
from tests.simulation.readers import Readers
from tests.simulation.redrives import Redrivers
from tests.simulation.rest import come_to_rest
from tests.simulation.trace import Trace
from tests.simulation.verdicts import Fault
from tests.simulation.world import TENANTS, World

HEALED_AFTER_MS = LOAD_MS + 2 * MINUTE_MS
PATIENCE_MS = 4 * 60 * MINUTE_MS
JOBS = "jobs"
"""The name of this simulation on the command line."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one seed came to. The trace is left out where nobody will look at it."""

    seed: int
    faults: list[Fault]
    mix: FaultMix
    trace: Trace | None
    trace_hash: str
    sends: int
    calls: int
    struck: Counter[Strike]
    of: str = JOBS
    """Which simulation it is."""


def run_seed(seed: int, mix: FaultMix | None = None) -> Outcome:
    """Run one seed; the same seed gives the same trace."""
    world = World(seed, mix)
    try:
        return _run(seed, world)
    finally:
        world.hub.close()


def _run(seed: int, world: World) -> Outcome:
    weather = world.weather.mix
    clients = Clients(world)
    start_ms = world.start_ms
    heal_at_ms = start_ms + HEALED_AFTER_MS
    resting = [heal_at_ms + PATIENCE_MS]
    world.functions.start_ticks(lambda: resting[0])
    readers = clients.start()
    redrivers = Redrivers(world)
    redrivers.start(start_ms, LOAD_MS)
    world.hub.run_until(heal_at_ms)
    world.weather.mix = HEALED
    world.hub.run_until(max(world.hub.now_ms, world.weather.hotspots.last_ms))
    world.note("world", "healed")
    give_up_at_ms = PATIENCE_MS + max(heal_at_ms, world.functions.no_ticks_until_ms)
    resting[0] = give_up_at_ms
    recurs_until_ms = clients.cancel_what_recurs()
    faults = come_to_rest(world, give_up_at_ms, recurs_until_ms)
    resting[0] = 0
    sends, calls = world.lanes.sends, len(world.receiver.log)
    if not faults:
        audited = [*audit(world), *check_payloads(world)]
        faults = verdict(_evidence(world, clients, readers, redrivers, weather)) + audited
    return Outcome(
        seed=seed,
        faults=faults,
        mix=weather,
        trace=world.trace,
        trace_hash=world.trace.digest(),
        sends=sends,
        calls=calls,
        struck=world.weather.struck,
    )


def _evidence(
    world: World, clients: Clients, readers: Readers, redrivers: Redrivers, weather: FaultMix
) -> Evidence:
    """All that the oracle is shown. What comes after the run is played here, between one reading and the next."""
    ended_at = world.hub.now_ms
    told = [arrival for arrival in world.receiver.log if tells(arrival)]
    alerts = [arrival for arrival in world.receiver.log if announces(arrival)]
    calls = [arrival for arrival in world.receiver.log if not tells(arrival) and not announces(arrival)]
    note_stored(world, clients.orders)
    strays = readers.strays(calls)
    history, dead_letters, foreign = readers.histories(), readers.all_dead_letters(), readers.foreign()
    archived = ArchivedRun(world)
    archived.read_at_rest()
    duplicate_days_later(world)
    kept = read_before_expiry(world, readers, ended_at, weather.clock_error_ms)
    leftovers = read_after_expiry(world, readers, ended_at)
    archived.read_after_expiry()
    archived.read_after_a_late_put()
    return Evidence(
        orders=clients.orders,
        calls=calls,
        told=told,
        alerts=alerts,
        sightings=readers.sightings,
        history=history,
        dead_letters=dead_letters,
        foreign=foreign,
        kept=kept,
        leftovers=leftovers,
        ended_at=ended_at,
        weather=weather,
        reports=clients.reports,
        presses=list(redrivers.presses.values()),
        strays=strays,
        limits={
            name: {quota.value: limit for quota, limit in world.tenant(name).quotas.items()}
            for name in TENANTS
        },
        hot_places=frozenset(world.weather.hotspots.until_ms),
        unanswered_claims=world.trace.subjects_of("Claimer.claim answer lost"),
        broken=[
            *readers.broken,
            *world.lanes.violations,
            *world.table.unscanned,
            *world.targets.broken,
            *parked_newer(world),
            *parked_items(world),
            *archived.broken,
        ],
        readings=archived.readings,
    )
