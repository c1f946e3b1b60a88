"""Read one page of a listing: candidates in order, the items at their keys, and where the next page
starts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import islice
from typing import Generic, TypeVar

from shared.dataclass import dataclass
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import IndexPosition, PositionRange, merge
from shared.ports.listings import EntryFilter, Queries, TenantIndex

EXAMINED_AT_MOST = 100
"""Keys that one page examines. The page may therefore hold fewer items than requested, or none."""
FILTERED_AT_MOST = 32
"""The same for a page with a filter: at one read unit a key, it costs about 50 units with its index."""
CHUNK = 100
_FIRST_CHUNK_AT_LEAST = 10
T = TypeVar("T")
E = TypeVar("E")


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """A position at which an execution may exist."""

    position: IndexPosition
    chain: int | None = field(default=None, compare=False)
    """The revision of the chain that the position belongs to."""
    is_end: bool = field(default=False, compare=False)
    """No execution is here: the page ends, because finding the next candidate would take too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOf(Generic[T]):
    """The items of a page, in order. There may be fewer than requested although `last` shows that more
    follow."""

    items: tuple[T, ...]
    last: Candidate | None
    """The next page starts after this candidate; None on the last page."""


def keys_at_most(*, is_filtered: bool) -> int:
    return FILTERED_AT_MOST if is_filtered else EXAMINED_AT_MOST


def read_page(
    candidates: Iterator[Candidate],
    *,
    limit: int,
    read: Callable[[Sequence[ExecutionId]], dict[ExecutionId, E]],
    show: Callable[[Candidate, E | None], T | None],
    at_most: int = EXAMINED_AT_MOST,
) -> PageOf[T]:
    """At most `limit` results of `show`, from at most `at_most` candidates."""
    items: list[T] = []
    size, examined = min(CHUNK, max(limit, _FIRST_CHUNK_AT_LEAST)), 0
    while True:
        requested = min(size, at_most - examined)
        chunk = list(islice(candidates, requested))
        found = read([each.position.id for each in chunk if not each.is_end]) if chunk else {}
        for candidate in chunk:
            if candidate.is_end:
                return PageOf(items=tuple(items), last=candidate)
            item = show(candidate, found.get(candidate.position.id))
            if item is not None:
                items.append(item)
            if len(items) == limit:
                return PageOf(items=tuple(items), last=candidate)
        examined, size = examined + len(chunk), min(CHUNK, 2 * size)
        if len(chunk) < requested:
            return PageOf(items=tuple(items), last=None)
        if examined >= at_most:
            return PageOf(items=tuple(items), last=chunk[-1])


_EACH_SHARD_AT_LEAST = 50
_EACH_SHARD_FILTERED = 8
_ENTRIES_AT_MOST = 200
"""Entries of an index that one page reads while a filter leaves them out: some 8 read units, or 25 where names and
tags are as long as they may be. A shard costs half a unit at least."""


def walk_index(
    queries: Queries,
    index: TenantIndex,
    tenant_id: str,
    shards: int,
    span: PositionRange,
    *,
    newest_first: bool,
    only: EntryFilter | None = None,
    at_once: int = CHUNK,
) -> Iterator[Candidate]:
    """Positions of a tenant's executions within a span, merged over all shards and read lazily, `at_once` or more.

    Ends early, after `_ENTRIES_AT_MOST` entries, where `only` may leave out most of them.
    """
    at_least = _EACH_SHARD_AT_LEAST if only is None else _EACH_SHARD_FILTERED
    each, entries = max(at_least, at_once // shards), 0
    while True:
        pages = queries.index_pages(
            index, tenant_id, shards, span, newest_first=newest_first, limit=each, only=only
        )
        merged = merge(pages, newest_first=newest_first)
        yield from (Candidate(position) for position in merged.positions)
        if merged.edge is None:
            return
        entries += each * shards
        if only is not None and entries >= _ENTRIES_AT_MOST:
            yield Candidate(merged.edge, is_end=True)
            return
        span = (
            PositionRange(after=span.after, before=merged.edge)
            if newest_first
            else PositionRange(after=merged.edge, before=span.before)
        )
