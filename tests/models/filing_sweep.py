"""SWEEP a shard: what one run does next, step by step."""

from collections.abc import Iterator

from shared.domain.dispatch.sweep import SweepAction
from tests.models import bucket_rules as rules
from tests.models.bucket_rules import START_MS
from tests.models.filing_actor import Actor, sent
from tests.models.filing_world import UNKNOWN, Flaw, Sweeper, Sweeping, World

Move = tuple[str, World, Sweeper]


class Sweep(Actor):
    """Lists the shard, goes over its rows, then closes it or notes the pass."""

    def moves(self, world: World, run: Sweeper) -> Iterator[Move]:
        """What a run may do now."""
        match run.at:
            case Sweeping.IDLE:
                if self.moment(world).listed:
                    yield from self._list(world)
            case Sweeping.MISSING:
                yield "opens the shard", self.reopened(world), Sweeper(Sweeping.UNMARKED)
            case Sweeping.UNMARKED:
                marked = world._replace(marked=True)
                known = run.version != UNKNOWN
                listed = run._replace(at=Sweeping.LISTED) if known else self._listed(world)
                yield "notes the bucket", marked, listed
            case Sweeping.LISTED:
                if self.moment(world).swept:
                    yield "begins a pass", world, run._replace(at=Sweeping.PASSING)
            case Sweeping.PASSING:
                if run.position < len(world.rows):
                    yield self._pass_row(world, run)
                else:
                    yield self._finalize(world, run)

    def _list(self, world: World) -> Iterator[Move]:
        run = self._listed(world)
        if world.marked:
            if run.at is Sweeping.LISTED:
                yield "reads the list", world, run
        elif run.at is Sweeping.LISTED:
            yield "reads the list", world, run._replace(at=Sweeping.UNMARKED)
        else:
            early = self.flaw is Flaw.MARKED_UNLISTED
            yield "misses the shard", world._replace(marked=early), Sweeper(Sweeping.MISSING)

    def _pass_row(self, world: World, run: Sweeper) -> Move:
        row = world.rows[run.position]
        last = self.flaw is Flaw.FIRST_PAGE_SWEPT and row.state is not None
        position = len(world.rows) if last else run.position + 1
        if not row.is_open or row.state is None:
            return "passes a row", world, run._replace(position=position)
        scan_began_ms = START_MS if run.scanned else None
        action = rules.swept(row.state, row.created_ms, scan_began_ms, is_first=run.is_first)
        if action is SweepAction.RESEND:
            world = sent(world, run.position)
        return "passes an unfinished row", world, run._replace(position=position, unfinished=1)

    def _finalize(self, world: World, run: Sweeper) -> Move:
        shard = world.shard
        same = shard is not None and (run.version == shard.version or self.flaw is Flaw.CLOSED_BLINDLY)
        if shard is None or not same:
            return "finds the shard changed", world, Sweeper()
        if run.unfinished == 0 or self.flaw is Flaw.CLOSED_UNFINISHED:
            return "closes the shard", self.forgotten(world._replace(shard=None)), Sweeper()
        return "notes its pass", world._replace(shard=shard._replace(was_swept=True)), Sweeper()

    def _listed(self, world: World) -> Sweeper:
        """What a sweeper reads of the shard."""
        shard = world.shard
        if shard is None:
            return Sweeper()
        trusts = shard.scanned or (shard.begun and self.flaw is Flaw.SCAN_TRUSTED)
        return Sweeper(
            Sweeping.LISTED,
            version=shard.version,
            is_first=not shard.was_swept,
            scanned=trusts,
        )
