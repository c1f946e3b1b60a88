"""What writers, watchers and sweepers of one shard do next, step by step."""

from collections.abc import Iterator
from dataclasses import dataclass

from shared.domain.execution import State
from shared.domain.sweep import SweepAction
from tests.models import bucket_rules as rules
from tests.models.bucket_rules import START_MS, Clocks, Moment
from tests.models.filing_world import (
    NEW_MS,
    OLD_MS,
    UNKNOWN,
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


@dataclass(frozen=True, slots=True)
class Actors:
    """The rules of everybody, with or without a flaw."""

    clocks: Clocks
    flaw: Flaw | None

    def moment(self, world: World) -> Moment:
        """What is thought of the bucket now."""
        return rules.moment(rules.instants(self.clocks)[world.now], self.clocks)

    def _now_ms(self, world: World) -> int:
        return rules.instants(self.clocks)[world.now]

    # --- the writer

    def write(self, world: World, number: int) -> Iterator[tuple[str, World, Filing]]:
        """FILE one execution: reopen, decide, put, reopen, look again, send, acknowledge."""
        moment, row = self.moment(world), world.rows[number]
        match world.writers[number]:
            case Filing.BEGINS:
                created_ms = row.created_ms
                if created_ms == UNKNOWN:
                    begun = world.shard is not None and world.shard.begun
                    created_ms = NEW_MS if begun else self._now_ms(world) + self.clocks.writer_ms
                begun = world.with_row(number, row._replace(created_ms=created_ms))
                yield "begins, reopens where it must", self._reopened(begun, moment.closed), Filing.OPENED
            case Filing.OPENED:
                if moment.near:
                    yield "puts QUEUED", _put(world, number, State.QUEUED), Filing.PUT
                else:
                    yield "sees that the scan is far off", world, Filing.DECIDED
            case Filing.DECIDED:
                yield "puts PENDING", _put(world, number, State.PENDING), Filing.PUT
            case Filing.PUT:
                again = moment.closed and self.flaw is not Flaw.REOPENED_ONLY_BEFORE
                yield "reopens where it must", self._reopened(world, again), Filing.REOPENED
            case Filing.REOPENED:
                yield from self._look_again(world, number, moment)

    def _look_again(
        self, world: World, number: int, moment: Moment
    ) -> Iterator[tuple[str, World, Filing]]:
        row = world.rows[number]
        has_to_send = row.state is State.QUEUED if self.flaw is Flaw.NO_SECOND_LOOK else moment.near
        if not has_to_send or not row.is_open:
            yield "acknowledges", world, Filing.ACKNOWLEDGED
            return
        yield "sends and acknowledges", _sent(world, number), Filing.ACKNOWLEDGED
        if self.flaw is Flaw.ACKNOWLEDGED_UNSENT:
            yield "acknowledges, its message refused", world, Filing.ACKNOWLEDGED

    def _reopened(self, world: World, is_closed: bool) -> World:
        return self._bumped(world) if is_closed and self.flaw is not Flaw.NOT_REOPENED else world

    def _bumped(self, world: World) -> World:
        """The shard is open, and whoever read it before has read another version."""
        shard = world.shard or Shard()
        if self.flaw is Flaw.VERSION_ANEW:
            return world._replace(shard=shard._replace(version=shard.version + 1))
        return self._forgotten(world._replace(shard=shard))

    def _forgotten(self, world: World) -> World:
        """No version that a sweeper has read can be met again."""
        if self.flaw is Flaw.VERSION_ANEW:
            return world
        stale = tuple(
            sweeper._replace(version=UNKNOWN) if sweeper.at >= Sweeping.LISTED else sweeper
            for sweeper in world.sweepers
        )
        return world._replace(sweepers=stale)

    # --- the watcher

    def watch(self, world: World, tick: Watcher) -> Iterator[tuple[str, World, Watcher]]:
        """One tick: take, read a page, send it, move the cursor, and so on; at the end mark the shard scanned."""
        shard = world.shard
        match tick.at:
            case Watching.IDLE:
                if self.moment(world).watched:
                    yield from self._take(world)
            case Watching.SCANNING:
                yield from self._read(world, tick)
            case Watching.READ:
                yield "sends its page", _sent(world, tick.page), tick._replace(at=Watching.SENT)
                if self.flaw is Flaw.REFUSAL_IGNORED:
                    yield "has its page refused", world, tick._replace(at=Watching.SENT)
            case Watching.SENT:
                if not tick.newest or shard is None:
                    yield "has lost the shard", world, Watcher()
                    return
                moved = world._replace(shard=shard._replace(cursor=max(tick.page, shard.cursor)))
                yield "moves the cursor", moved, self._after_page(tick)
            case Watching.FINISHING:
                done = tick.newest and shard is not None
                finished = world._replace(shard=shard._replace(scanned=True)) if done and shard else world
                yield "marks the shard scanned", finished, Watcher()

    def _take(self, world: World) -> Iterator[tuple[str, World, Watcher]]:
        shard = world.shard or Shard()
        if shard.scanned:
            return
        taken = world._replace(
            rows=world.rows if shard.begun else tuple(self._compared(row, world) for row in world.rows),
            shard=shard._replace(begun=True),
            watchers=tuple(watcher._replace(newest=False) for watcher in world.watchers),
        )
        mine = Watcher(Watching.SCANNING, newest=True, cursor=shard.cursor)
        yield "takes the shard", self._bumped(taken), mine

    def _compared(self, row: Row, world: World) -> Row:
        """The row, with its age told from the beginning of the scan."""
        if row.created_ms == UNKNOWN:
            return row
        is_unseen = rules.is_unseen(row.created_ms, self._now_ms(world) + self.clocks.tick_ms)
        return row._replace(created_ms=NEW_MS if is_unseen and row.created_ms != NEW_MS else OLD_MS)

    def _read(self, world: World, tick: Watcher) -> Iterator[tuple[str, World, Watcher]]:
        """The next page, of one row; every row is read as it stands."""
        behind = [number for number, row in enumerate(world.rows) if number > tick.cursor and row.state]
        if self.flaw is Flaw.STALE_SCAN and behind:
            yield "reads nothing of what is there", world, tick._replace(at=Watching.FINISHING)
        if not behind:
            yield "reads the last page", world, tick._replace(at=Watching.FINISHING)
            return
        page = behind[0]
        read = tick._replace(page=page, at=Watching.READ)
        if world.rows[page].state is not State.PENDING:
            read = read._replace(at=Watching.SENT)
        elif self.flaw is Flaw.CURSOR_BEFORE_SEND and tick.newest and world.shard is not None:
            world = world._replace(shard=world.shard._replace(cursor=page))
        elif self.flaw is Flaw.FINISHED_BEFORE_SEND and tick.newest and world.shard is not None:
            world = world._replace(shard=world.shard._replace(scanned=True))
        yield "reads a page", world, read

    def _after_page(self, tick: Watcher) -> Watcher:
        last = self.flaw is Flaw.FIRST_PAGE_WATCHED
        at = Watching.FINISHING if last else Watching.SCANNING
        return tick._replace(at=at, cursor=tick.page, page=UNKNOWN)

    # --- the sweeper

    def sweep(self, world: World, run: Sweeper) -> Iterator[tuple[str, World, Sweeper]]:
        """One run: list the shard, go over its rows, then close it or note the pass."""
        match run.at:
            case Sweeping.IDLE:
                if self.moment(world).listed:
                    yield from self._list(world)
            case Sweeping.MISSING:
                yield "opens the shard", self._bumped(world), Sweeper(Sweeping.UNMARKED)
            case Sweeping.UNMARKED:
                marked = world._replace(marked=True)
                known = run.version != UNKNOWN
                listed = run._replace(at=Sweeping.LISTED) if known else self.listed(world)
                yield "notes the bucket", marked, listed
            case Sweeping.LISTED:
                if self.moment(world).swept:
                    yield "begins a pass", world, run._replace(at=Sweeping.PASSING)
            case Sweeping.PASSING:
                if run.position < len(world.rows):
                    yield self._pass_row(world, run)
                else:
                    yield self._conclude(world, run)

    def _list(self, world: World) -> Iterator[tuple[str, World, Sweeper]]:
        run = self.listed(world)
        if world.marked:
            if run.at is Sweeping.LISTED:
                yield "reads the list", world, run
        elif run.at is Sweeping.LISTED:
            yield "reads the list", world, run._replace(at=Sweeping.UNMARKED)
        else:
            early = self.flaw is Flaw.MARKED_UNLISTED
            yield "misses the shard", world._replace(marked=early), Sweeper(Sweeping.MISSING)

    def _pass_row(self, world: World, run: Sweeper) -> tuple[str, World, Sweeper]:
        row = world.rows[run.position]
        last = self.flaw is Flaw.FIRST_PAGE_SWEPT and row.state is not None
        position = len(world.rows) if last else run.position + 1
        if not row.is_open or row.state is None:
            return "passes a row", world, run._replace(position=position)
        scan_began_ms = START_MS if run.scanned else None
        action = rules.swept(row.state, row.created_ms, scan_began_ms, is_first=run.is_first)
        if action is SweepAction.RESEND:
            world = _sent(world, run.position)
        return "passes an unfinished row", world, run._replace(position=position, unfinished=1)

    def _conclude(self, world: World, run: Sweeper) -> tuple[str, World, Sweeper]:
        shard = world.shard
        same = shard is not None and (run.version == shard.version or self.flaw is Flaw.CLOSED_BLINDLY)
        if shard is None or not same:
            return "finds the shard changed", world, Sweeper()
        if run.unfinished == 0 or self.flaw is Flaw.CLOSED_UNFINISHED:
            return "closes the shard", self._forgotten(world._replace(shard=None)), Sweeper()
        return "notes its pass", world._replace(shard=shard._replace(was_swept=True)), Sweeper()

    def listed(self, world: World) -> Sweeper:
        """What a sweeper reads of the shard."""
        shard = world.shard
        if shard is None:
            return Sweeper()
        trusts = shard.scanned or (shard.begun and self.flaw is Flaw.SCAN_TRUSTED)
        return Sweeper(
            Sweeping.LISTED,
            version=shard.version,
            is_first=not shard.was_swept,
            scanned=trusts and not shard.was_swept,
        )


def _put(world: World, number: int, state: State) -> World:
    """Put if absent."""
    row = world.rows[number]
    return world if row.state is not None else world.with_row(number, row._replace(state=state))


def _sent(world: World, number: int) -> World:
    row: Row = world.rows[number]
    return world.with_row(number, row._replace(sent=True, in_lane=row.is_open))
