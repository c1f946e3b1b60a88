"""WATCH a shard: what one tick does next, step by step."""

from collections.abc import Iterator

from shared.domain.executions.states import State
from tests.models import bucket_rules as rules
from tests.models.filing_actor import Actor, sent
from tests.models.filing_world import NEW_MS, OLD_MS, UNKNOWN, Flaw, Row, Shard, Watcher, Watching, World

Move = tuple[str, World, Watcher]


class Watch(Actor):
    """Takes the shard, reads a page, sends it, moves the cursor, and so on; at the end marks the shard scanned."""

    def moves(self, world: World, tick: Watcher) -> Iterator[Move]:
        """What a tick may do now."""
        shard = world.shard
        match tick.at:
            case Watching.IDLE:
                if self.moment(world).watched:
                    yield from self._take(world)
            case Watching.SCANNING:
                yield from self._read(world, tick)
            case Watching.READ:
                yield "sends its page", sent(world, tick.page), tick._replace(at=Watching.SENT)
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

    def _take(self, world: World) -> Iterator[Move]:
        shard = world.shard or Shard()
        if shard.scanned:
            return
        taken = world._replace(
            rows=world.rows if shard.begun else tuple(self._compared(row, world) for row in world.rows),
            shard=shard._replace(begun=True),
            watchers=tuple(watcher._replace(newest=False) for watcher in world.watchers),
        )
        mine = Watcher(Watching.SCANNING, newest=True, cursor=shard.cursor)
        yield "takes the shard", self.reopened(taken), mine

    def _compared(self, row: Row, world: World) -> Row:
        """The row, with its age told from the beginning of the scan."""
        if row.created_ms == UNKNOWN:
            return row
        is_unseen = rules.is_unseen(row.created_ms, self.now_ms(world) + self.clocks.tick_ms)
        return row._replace(created_ms=NEW_MS if is_unseen and row.created_ms != NEW_MS else OLD_MS)

    def _read(self, world: World, tick: Watcher) -> Iterator[Move]:
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
