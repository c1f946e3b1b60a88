"""One page of a listing: candidates in order, what stands at their keys, and where the next page goes on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar

from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import IndexPosition, PositionRange, merge
from shared.ports.listings import Queries, TenantIndex

EXAMINED_AT_MOST = 500
"""So many keys does one page look at. What it finds may be less than was asked for, or nothing."""
CHUNK = 100
_FIRST_CHUNK_AT_LEAST = 10
T = TypeVar("T")
Read = Callable[[Sequence[ExecutionId]], dict[ExecutionId, Execution]]


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """A place at which an execution may stand."""

    place: IndexPosition
    chain: int | None = field(default=None, compare=False)
    """The revision of the chain that accounts for it."""
    is_end: bool = field(default=False, compare=False)
    """Nothing stands here: the page ends, because finding out what comes next would take too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOf(Generic[T]):
    """What is shown, in order; it may be less than was asked for while `last` says that there is more."""

    shown: tuple[T, ...]
    last: Candidate | None
    """Behind which the next page goes on; None on the last page."""


def read_page(
    candidates: Iterator[Candidate],
    *,
    limit: int,
    read: Read,
    show: Callable[[Candidate, Execution | None], T | None],
    at_most: int = EXAMINED_AT_MOST,
) -> PageOf[T]:
    """Up to `limit` of what `show` makes of the candidates, `at_most` of which are looked at."""
    shown: list[T] = []
    size, examined = min(CHUNK, max(limit, _FIRST_CHUNK_AT_LEAST)), 0
    while True:
        asked = min(size, at_most - examined)
        chunk = list(islice(candidates, asked))
        found = read([one.place.id for one in chunk if not one.is_end]) if chunk else {}
        for candidate in chunk:
            if candidate.is_end:
                return PageOf(shown=tuple(shown), last=candidate)
            made = show(candidate, found.get(candidate.place.id))
            if made is not None:
                shown.append(made)
            if len(shown) == limit:
                return PageOf(shown=tuple(shown), last=candidate)
        examined, size = examined + len(chunk), CHUNK
        if len(chunk) < asked:
            return PageOf(shown=tuple(shown), last=None)
        if examined >= at_most:
            return PageOf(shown=tuple(shown), last=chunk[-1])


_EACH_SHARD_AT_LEAST = 50


def walk_index(
    queries: Queries,
    index: TenantIndex,
    tenant_id: str,
    shards: int,
    span: PositionRange,
    *,
    newest_first: bool,
) -> Iterator[Candidate]:
    """The places of a tenant's executions within a span, all shards in one order, read as they are needed."""
    each = max(_EACH_SHARD_AT_LEAST, CHUNK // shards)
    while True:
        merged = merge(
            queries.index_pages(index, tenant_id, shards, span, newest_first=newest_first, limit=each),
            newest_first=newest_first,
        )
        yield from (Candidate(place) for place in merged.places)
        if merged.is_last:
            return
        edge = merged.places[-1]
        span = (
            PositionRange(after=span.after, before=edge)
            if newest_first
            else PositionRange(after=edge, before=span.before)
        )
