"""Places in an order by time: where a page ended, and where the next one goes on.

Two executions may share an instant, so a place is an instant and an id: no page can end between two that it cannot
tell apart. New executions have places of their own and move no other's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId, parse_execution_id

BEFORE_EVERY_ID = ExecutionId(dispatch_at=0, shard=0, entropy=0)
"""The id of a position that is an instant alone: it sorts before every execution of the instant."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class IndexPosition:
    """One execution's place. Places are compared by instant, then by id."""

    at: int
    id: ExecutionId = BEFORE_EVERY_ID

    @property
    def id_text(self) -> str:
        """The id in a cursor or a key; empty where the position is an instant alone."""
        return "" if self.id == BEFORE_EVERY_ID else str(self.id)


def read_position(at: int, id_text: str) -> IndexPosition:
    """The position with this `id_text`; InvalidValueError for any other text."""
    return IndexPosition(at=at, id=parse_execution_id(id_text) if id_text else BEFORE_EVERY_ID)


BEGINNING = IndexPosition(at=0)
END = IndexPosition(at=10**15 - 1)
"""Behind every instant that an id can be made for: the instants of this API end with the year 9998."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionRange:
    """The places strictly between two others."""

    after: IndexPosition = BEGINNING
    before: IndexPosition = END

    def __contains__(self, place: IndexPosition) -> bool:
        """Whether a place lies in the span."""
        return self.after < place < self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPage:
    """What one shard of an index has of a span: its first places in the order that was asked for."""

    places: tuple[IndexPosition, ...]
    is_last: bool
    """Whether the shard has no more of the span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPage:
    """The shards' places in one order, as far as all of them are known."""

    places: tuple[IndexPosition, ...]
    is_last: bool


def history_position(execution: Execution) -> IndexPosition:
    """Where an execution stands in the history of its job: at its nominal instant."""
    return IndexPosition(at=execution.nominal_at, id=execution.id)


def due_position(execution_id: ExecutionId) -> IndexPosition:
    """Where an execution stands in its tenant's index: at the instant at which it is due, jitter included."""
    return IndexPosition(at=execution_id.dispatch_at, id=execution_id)


def merge(index_pages: Sequence[IndexPage], *, newest_first: bool) -> MergedPage:
    """The places up to the end of the stretch that ends first: beyond it a shard may have some that were not read."""
    ends = [stretch.places[-1] for stretch in index_pages if stretch.places and not stretch.is_last]
    places = sorted({place for stretch in index_pages for place in stretch.places}, reverse=newest_first)
    if ends:
        frontier = max(ends) if newest_first else min(ends)
        known = [place for place in places if place == frontier or (place > frontier) is newest_first]
        return MergedPage(places=tuple(known), is_last=False)
    return MergedPage(places=tuple(places), is_last=True)
