"""Keyset pagination: positions in an order by time.

Two executions may have the same instant, so a position is an instant and an id. The end of a page is
therefore unambiguous, and a new execution does not shift the positions of others.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.ids import DEFAULT_CELL, ExecutionId, parse_execution_id

BEFORE_EVERY_ID = ExecutionId(cell=DEFAULT_CELL, dispatch_at=0, shard=0, entropy=0)
"""The id of a position that is an instant alone: it sorts before every execution of the instant, in any
cell."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class IndexPosition:
    """The position of one execution, ordered by instant and then by id."""

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
"""After every valid instant: the instants of the API end with the year 9998."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionRange:
    """The positions strictly between two others."""

    after: IndexPosition = BEGINNING
    before: IndexPosition = END

    def __contains__(self, position: IndexPosition) -> bool:
        return self.after < position < self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPage:
    """The first positions of a range, in the requested order: of one shard of an index, or of all its shards."""

    positions: tuple[IndexPosition, ...]
    edge: IndexPosition | None
    """The last examined position, which a filter may have left out; None if the range was examined whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPosition:
    """Where a page of jobs ended: after a recurring job, or, once these are complete, after a one-off job."""

    job_id: str | None = None
    index_position: IndexPosition | None = None


def history_position(execution: Execution) -> IndexPosition:
    """The position of an execution in the history of its job: its nominal instant."""
    return IndexPosition(at=execution.nominal_at, id=execution.id)


def due_position(execution_id: ExecutionId) -> IndexPosition:
    """The position of an execution in its tenant's index: its due time, jitter included."""
    return IndexPosition(at=execution_id.dispatch_at, id=execution_id)


_ORDER = attrgetter("at", "id")
"""The key of a position that sorts like the position."""


def merge(index_pages: Sequence[IndexPage], *, newest_first: bool) -> IndexPage:
    """The positions of all shards, up to the nearest edge: beyond it, that shard may have unread positions."""
    edges = [page.edge for page in index_pages if page.edge is not None]
    # By a key: a page of thousands of positions takes a tenth of the time that their own comparison needs.
    known = sorted({place for page in index_pages for place in page.positions}, key=_ORDER)
    edge = (max(edges) if newest_first else min(edges)) if edges else None
    if edge is not None and newest_first:
        known = known[bisect_left(known, _ORDER(edge), key=_ORDER) :]
    elif edge is not None:
        known = known[: bisect_right(known, _ORDER(edge), key=_ORDER)]
    return IndexPage(positions=tuple(known[::-1] if newest_first else known), edge=edge)
