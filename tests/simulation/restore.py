"""The tables of executions and of jobs are restored to an earlier instant, as `docs/operations/restore.md` says.

All functions are stopped before it. The queues, and the table of leases, stay as they are.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from itertools import combinations
from random import Random
from typing import Any

from shared.domain.bucket import MINUTE_MS, bucket_of
from tests.simulation.archived import ArchivedRun
from tests.simulation.clients import LOAD_MS, RATES, Clients
from tests.simulation.evidence import Arrival, Order, Reading, Record
from tests.simulation.faults import HEALED, FaultMix
from tests.simulation.large_requests import draw_large_requests
from tests.simulation.oracle_statistics import check_counts
from tests.simulation.process import Process
from tests.simulation.readers import Histories, Readers
from tests.simulation.releases import GROWN
from tests.simulation.rest import come_to_rest
from tests.simulation.verdicts import Fault, Verdict
from tests.simulation.wiring import Sandboxes
from tests.simulation.world import World
from tests.support.fakes.table import FakeTable

MIX = FaultMix(throttle=0.01, refuse=0.2, double_message=0.1, redeliver=0.05, skew_ms=500)
RESTORED_TO_MS = (30_000, LOAD_MS - 30_000)
"""From the start of the load to the instant that the tables are restored to."""
LOST_MS = (5_000, 150_000)
"""From there to the restore."""
PATIENCE_MS = 4 * 60 * MINUTE_MS
ENDED = ("succeeded", "failed", "cancelled", "skipped")


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What the judge is shown of one run, once everything has come to rest."""

    orders: list[Order]
    calls: list[Arrival]
    history: Histories
    to_at: int
    """The instant that the tables were restored to."""
    at: int
    """The instant of the restore."""
    ended: frozenset[str]
    """The executions that had ended at `to_at`."""
    ended_at: int
    repeated: int
    """How many calls were made again."""
    readings: list[Reading]
    """Of the statistics at rest."""


class RestoredWorld(World):
    """A world whose processes can all be stopped at once."""

    def __init__(self, seed: int) -> None:
        self._started: list[Process] = []
        super().__init__(seed, MIX, is_demanding=False)

    def process(self, kind: str) -> Process:
        """See the world."""
        self._started.append(super().process(kind))
        return self._started[-1]

    def stop_processes(self) -> None:
        """No process goes on, and no sandbox is used again."""
        for process in self._started:
            process.alive = False
        self.sandboxes = Sandboxes(self)

    def backup(self) -> Callable[[], None]:
        """What restores the two tables to the present instant."""
        parts: list[Any] = [
            self.table,
            self.idempotency,
            self.run_locks,
            self.job_health,
            self.alert_windows,
            self.redrives,
            self.shard_counts,
        ]
        kept = deepcopy([_content(part) for part in parts])
        index = deepcopy(self.store.index)

        def restore() -> None:
            for part, content in zip(parts, kept, strict=True):
                for name, value in content.items():
                    setattr(part, name, value)
            self.store.index = index

        return restore


def _content(part: Any) -> dict[str, Any]:
    if isinstance(part, FakeTable):
        content = {each.name: getattr(part, each.name) for each in fields(FakeTable)}
        return {name: value for name, value in content.items() if not callable(value)}
    return dict(vars(part))


def run_restored(seed: int, *, moves_mark: bool = True) -> list[Fault] | Restored:
    """One run with a restore; faults only where it did not come to rest.

    The operator moves the mark of the sweeper back to the start of the load, or forgets it.
    """
    world, rng = RestoredWorld(seed), Random(f"restore {seed}")
    try:
        clients, readers = _load(world, rng)
        before_load = bucket_of(world.start_ms) - 1
        world.ledger.note_swept_through(before_load, GROWN)
        to_at = world.start_ms + rng.randint(*RESTORED_TO_MS)
        world.hub.run_until(to_at)
        restore, ended = world.backup(), _ended(world)
        world.hub.run_until(to_at + rng.randint(*LOST_MS))
        at = world.hub.now_ms
        world.stop_processes()
        restore()
        if moves_mark and world.ledger.mark is not None:
            world.ledger.mark = replace(world.ledger.mark, bucket=before_load)
        world.hub.run_until(max(at, world.start_ms + LOAD_MS) + 2 * MINUTE_MS)
        world.weather.mix = HEALED
        give_up_at = world.hub.now_ms + PATIENCE_MS
        restless = come_to_rest(world, give_up_at, clients.cancel_what_recurs())
        if restless:
            return restless
        archived = ArchivedRun(world)
        archived.read_at_rest()
        return Restored(
            orders=clients.orders,
            calls=list(world.receiver.log),
            history=readers.histories(),
            to_at=to_at,
            at=at,
            ended=ended,
            ended_at=world.hub.now_ms,
            repeated=len(_repeated(world.receiver.log)),
            readings=archived.readings,
        )
    finally:
        world.hub.close()


def _load(world: World, rng: Random) -> tuple[Clients, Readers]:
    """One-offs, some of which are cancelled, and jobs that recur until the load is over."""
    clients = Clients(world)
    world.functions.start_ticks(lambda: world.start_ms + LOAD_MS + 2 * PATIENCE_MS)
    for _ in range(rng.randint(10, 24)):
        clients.order(delay_seconds=rng.choice((0, 1, 20, 60, 130, 200)))
    for _ in range(rng.randint(1, 3)):
        clients.order(rhythm=clients.rhythm(rng, RATES), cancelled=0)
    draw_large_requests(clients.orders, world.seed)
    return clients, Readers(world, clients.orders)


def _ended(world: World) -> frozenset[str]:
    rows = world.table.executions.values()
    return frozenset(str(row.execution.id) for row in rows if row.execution.state.is_terminal)


def judge(run: Restored) -> Iterator[Fault]:
    """What was acknowledged before `to_at` holds; what ended after it may be called again under its own id."""
    calls: dict[str, list[Arrival]] = defaultdict(list)
    for call in run.calls:
        calls[call.job_id].append(call)
    for order in run.orders:
        if order.acked_at is None or order.acked_at >= run.to_at or order.job_id is None:
            continue
        records = run.history.get(order.job_id, [])
        check = _one_off if order.rhythm is None else _series
        yield from check(run, order, records, calls[order.job_id])
        for record in records:
            if record.state not in ENDED:
                yield _fault(Verdict.LOST, f"it is {record.state}", record)
    for call in run.calls:
        if call.due_clock_at < call.scheduled_at:
            yield _fault(Verdict.EARLY, "a call began before its time", call)
        if call.execution_id in run.ended and call.began_at > run.at:
            yield _fault(Verdict.DOUBLED, "called again though it had ended before the backup", call)
    yield from check_counts(run.readings, run.calls)
    for earlier in _repeated(run.calls):
        if earlier.began_at < run.to_at:
            yield _fault(Verdict.DOUBLED, f"attempt {earlier.attempt} was made twice", earlier)
    for one, other in combinations(run.calls, 2):
        is_same = (one.job_id, one.scheduled_at) == (other.job_id, other.scheduled_at)
        if is_same and one.execution_id != other.execution_id:
            yield _fault(Verdict.DOUBLED, "one instant has two executions", other)


def _repeated(calls: list[Arrival]) -> list[Arrival]:
    """The first call of each attempt that was made again."""
    first: dict[tuple[str, int], Arrival] = {}
    return [
        seen
        for call in calls
        if (seen := first.setdefault((call.execution_id, call.attempt), call)) is not call
    ]


def _one_off(run: Restored, order: Order, records: list[Record], calls: list[Arrival]) -> Iterator[Fault]:
    if not records:
        yield Fault(verdict=Verdict.LOST, text="acknowledged, and has no record", job_id=order.job_id)
    is_cancelled = order.cancelled and order.cancel_acked_at is not None
    if (
        is_cancelled
        and (order.cancel_acked_at or 0) < run.to_at
        and any(call.began_at > (order.cancel_acked_at or 0) for call in calls)
    ):
        yield Fault(verdict=Verdict.CANCEL, text="called after its cancellation", job_id=order.job_id)
    if order.cancel_asked_at is None and not calls:
        yield Fault(verdict=Verdict.LOST, text="never called", job_id=order.job_id)


def _series(run: Restored, order: Order, records: list[Record], calls: list[Arrival]) -> Iterator[Fault]:
    """Each instant until the deletion was called, or lies in a recorded gap."""
    assert order.rhythm is not None
    called = {call.scheduled_at for call in calls}
    gaps = [record.missed for record in records if record.missed is not None]
    until = (order.cancel_asked_at or run.ended_at) - MIX.clock_error_ms
    recorded = {record.nominal_at for record in records}
    for instant in order.rhythm.instants(order.created_at or 0, until):
        if instant not in recorded and not any(first <= instant <= last for first, last in gaps):
            yield Fault(verdict=Verdict.LOST, text=f"no record for {instant}", job_id=order.job_id)
        if instant in recorded and instant < run.to_at and instant not in called:
            yield Fault(verdict=Verdict.LOST, text=f"{instant} was never called", job_id=order.job_id)


def _fault(verdict: Verdict, text: str, about: Record | Arrival) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=about.job_id, execution_id=about.execution_id)
