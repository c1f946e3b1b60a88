"""FILE, WATCH and SWEEP of one shard of one bucket: writers against scans, closing against reopening.

The clocks of writers and of ticks may differ. Messages are lost, and everybody may die between any two steps.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from shared.domain.executions.states import State
from tests.models import bucket_rules as rules
from tests.models.bucket_rules import Clocks
from tests.models.filing_sweep import Sweep
from tests.models.filing_watch import Watch
from tests.models.filing_world import (
    OLD_MS,
    Filing,
    Flaw,
    Row,
    Shard,
    Sweeper,
    Sweeping,
    Watcher,
    Watching,
    World,
)
from tests.models.filing_writer import Writer

REOPENED_TWICE = 2
"""The version of a shard that was closed until a writer filed into it: before its put and after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingModel:
    """Rows in order of time, each with a writer of its own."""

    clocks: Clocks
    rows: int = 1
    watchers: int = 1
    sweepers: int = 1
    asks_again: bool = True
    """Whether clients repeat what failed."""
    late: bool = False
    """The bucket is over: a row was filed late into its shard, has run, and the shard is still open."""
    flaw: Flaw | None = None

    def initial(self) -> Iterator[World]:
        """Nothing is there yet, or one row that has run."""
        world = World(
            now=0,
            rows=(Row(),) * self.rows,
            writers=(Filing.BEGINS,) * self.rows,
            watchers=(Watcher(),) * self.watchers,
            sweepers=(Sweeper(),) * self.sweepers,
        )
        if not self.late:
            yield world
            return
        yield world._replace(
            now=len(rules.instants(self.clocks)) - 1,
            rows=(Row(State.SUCCEEDED, OLD_MS), *world.rows[1:]),
            writers=(Filing.ACKNOWLEDGED, *world.writers[1:]),
            shard=Shard(version=REOPENED_TWICE),
            marked=True,
        )

    def is_at_rest(self, world: World) -> bool:
        """Whether everything that was acknowledged has run."""
        return not any(
            row.is_open
            for row, writer in zip(world.rows, world.writers, strict=True)
            if writer is Filing.ACKNOWLEDGED
        )

    def steps(self, world: World) -> Iterator[tuple[str, World]]:
        """Everybody's next steps."""
        for label, after in self._steps(world):
            yield label, after.without_the_past()

    def _steps(self, world: World) -> Iterator[tuple[str, World]]:
        """The same, before it is forgotten what is past; of two ticks in the same place, one's."""
        yield from self._writers(world)
        watch, sweep = Watch(self.clocks, self.flaw), Sweep(self.clocks, self.flaw)
        for number, tick in enumerate(world.watchers):
            if number and tick == world.watchers[number - 1]:
                continue
            for label, after, mine in watch.moves(world, tick):
                others = (*after.watchers[:number], *after.watchers[number + 1 :])
                yield f"watcher {label}", after._replace(watchers=tuple(sorted((*others, mine))))
            if tick.at is not Watching.IDLE:
                others = (*world.watchers[:number], *world.watchers[number + 1 :])
                died = tuple(sorted((*others, Watcher())))
                yield "fault: a watcher dies, or has its page refused", world._replace(watchers=died)
        for number, run in enumerate(world.sweepers):
            if number and run == world.sweepers[number - 1]:
                continue
            for label, after, swept in sweep.moves(world, run):
                rest = (*after.sweepers[:number], *after.sweepers[number + 1 :])
                yield f"sweeper {label}", after._replace(sweepers=tuple(sorted((*rest, swept))))
            if run.at is not Sweeping.IDLE:
                rest = (*world.sweepers[:number], *world.sweepers[number + 1 :])
                yield "fault: a sweeper dies", world._replace(sweepers=tuple(sorted((*rest, Sweeper()))))
        yield from self._around(world)

    def _writers(self, world: World) -> Iterator[tuple[str, World]]:
        writer = Writer(self.clocks, self.flaw)
        for number, at in enumerate(world.writers):
            before, behind = world.writers[:number], world.writers[number + 1 :]
            for label, after, step in writer.moves(world, number):
                yield f"writer {number} {label}", after._replace(writers=(*before, step, *behind))
            if at not in (Filing.ACKNOWLEDGED, Filing.FAILED):
                yield (
                    "fault: a writer dies, or has its message refused",
                    world._replace(writers=(*before, Filing.FAILED, *behind)),
                )
            if at is Filing.FAILED and self.asks_again:
                yield "client asks again", world._replace(writers=(*before, Filing.BEGINS, *behind))

    def _around(self, world: World) -> Iterator[tuple[str, World]]:
        for number, row in enumerate(world.rows):
            if row.in_lane:
                if self.sweepers:
                    yield "fault: a message is lost", world.with_row(number, row._replace(in_lane=False))
                ended = row._replace(state=State.SUCCEEDED, in_lane=False)
                yield f"executor runs {number}", world.with_row(number, ended)
        if world.now + 1 < len(rules.instants(self.clocks)):
            yield "time passes", world._replace(now=world.now + 1)

    def broken(self, before: World, label: str, after: World) -> str | None:
        """What an acknowledgement promises, in every state after it."""
        for number, (row, writer) in enumerate(zip(after.rows, after.writers, strict=True)):
            if writer is not Filing.ACKNOWLEDGED or not row.is_open:
                continue
            shard = after.shard
            if not row.sent:
                if shard is None and after.marked:
                    return "acknowledged and not sent, so a scan is still to come"
                if shard is not None and (shard.scanned or shard.cursor >= number):
                    return "acknowledged and not sent, so the scan has not passed"
                if shard is not None and shard.was_swept:
                    return "acknowledged, so sent after the first pass at the latest"
            if shard is None and after.marked and not row.in_lane:
                return "acknowledged and not in its lane, so in an open shard"
        return None
