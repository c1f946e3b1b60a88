"""FILE one execution: what its writer does next, step by step."""

from collections.abc import Iterator

from shared.domain.executions.states import State
from tests.models.bucket_rules import Moment
from tests.models.filing_actor import Actor, sent
from tests.models.filing_world import NEW_MS, UNKNOWN, Filing, Flaw, World

Move = tuple[str, World, Filing]


class Writer(Actor):
    """Reopens, decides, puts, reopens, looks at the clock again, sends, acknowledges."""

    def moves(self, world: World, number: int) -> Iterator[Move]:
        """FILE one execution: reopen, decide, put, reopen, look again, send, acknowledge."""
        moment, row = self.moment(world), world.rows[number]
        match world.writers[number]:
            case Filing.BEGINS:
                created_ms = row.created_ms
                if created_ms == UNKNOWN:
                    is_new = world.shard is not None and world.shard.begun
                    created_ms = NEW_MS if is_new else self.now_ms(world) + self.clocks.writer_ms
                begun = world.with_row(number, row._replace(created_ms=created_ms))
                yield (
                    "begins, reopens where it must",
                    self._reopened_where(begun, moment.closed),
                    Filing.OPENED,
                )
            case Filing.OPENED:
                if moment.near:
                    yield "puts QUEUED", _put(world, number, State.QUEUED), Filing.PUT
                else:
                    yield "sees that the scan is far off", world, Filing.DECIDED
            case Filing.DECIDED:
                yield "puts PENDING", _put(world, number, State.PENDING), Filing.PUT
            case Filing.PUT:
                again = moment.closed and self.flaw is not Flaw.REOPENED_ONLY_BEFORE
                yield "reopens where it must", self._reopened_where(world, again), Filing.REOPENED
            case Filing.REOPENED:
                yield from self._look_again(world, number, moment)

    def _look_again(self, world: World, number: int, moment: Moment) -> Iterator[Move]:
        row = world.rows[number]
        has_to_send = row.state is State.QUEUED if self.flaw is Flaw.NO_SECOND_LOOK else moment.near
        if not has_to_send or not row.is_open:
            yield "acknowledges", world, Filing.ACKNOWLEDGED
            return
        yield "sends and acknowledges", sent(world, number), Filing.ACKNOWLEDGED
        if self.flaw is Flaw.ACKNOWLEDGED_UNSENT:
            yield "acknowledges, its message refused", world, Filing.ACKNOWLEDGED

    def _reopened_where(self, world: World, is_closed: bool) -> World:
        return self.reopened(world) if is_closed and self.flaw is not Flaw.NOT_REOPENED else world


def _put(world: World, number: int, state: State) -> World:
    """Put if absent."""
    row = world.rows[number]
    return world if row.state is not None else world.with_row(number, row._replace(state=state))
