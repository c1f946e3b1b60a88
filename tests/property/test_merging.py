"""Shards of an index, merged page by page: whatever stands there all the time comes once, in order, whoever writes."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.ids import DEFAULT_CELL, ExecutionId
from shared.domain.listings.position import IndexPage, IndexPosition, PositionRange, merge

ENTRIES = st.dictionaries(
    st.tuples(st.integers(0, 12), st.integers(1, 6)), st.integers(0, 3), min_size=0, max_size=30
)


@dataclass
class Shards:
    """Places by shard, as an index has them."""

    positions: dict[IndexPosition, int] = field(default_factory=dict)

    def put(self, entries: dict[tuple[int, int], int]) -> None:
        for (at, number), shard in entries.items():
            self.positions.setdefault(
                IndexPosition(
                    at=at, id=ExecutionId(cell=DEFAULT_CELL, dispatch_at=at, shard=0, entropy=number)
                ),
                shard,
            )

    def index_pages(self, span: PositionRange, *, newest_first: bool, limit: int) -> list[IndexPage]:
        found = []
        for shard in range(4):
            own = sorted(
                (p for p, s in self.positions.items() if s == shard and p in span), reverse=newest_first
            )
            found.append(
                IndexPage(positions=tuple(own[:limit]), edge=own[limit - 1] if len(own) > limit else None)
            )
        return found


@given(ENTRIES, st.lists(ENTRIES, max_size=4), st.booleans(), st.integers(1, 4), st.integers(0, 3))
def test_lasting_index_entry_is_listed_once_and_in_order(
    standing: dict[tuple[int, int], int],
    written: list[dict[tuple[int, int], int]],
    newest_first: bool,
    limit: int,
    cut: int,
) -> None:
    shards = Shards()
    shards.put(standing)
    always = set(shards.positions)
    writes, told, span = list(written), list[IndexPosition](), PositionRange()
    while True:
        merged = merge(
            shards.index_pages(span, newest_first=newest_first, limit=limit), newest_first=newest_first
        )
        # A reader may use less than it was given, and go on from there.
        used = merged.positions[: max(1, len(merged.positions) - cut)]
        told += used
        if merged.edge is None and len(used) == len(merged.positions):
            break
        edge = used[-1]
        span = PositionRange(before=edge) if newest_first else PositionRange(after=edge)
        if writes:
            shards.put(writes.pop())
    assert told == sorted(set(told), reverse=newest_first)
    assert always <= set(told)


@given(ENTRIES, st.booleans(), st.integers(1, 5))
def test_merged_page_holds_the_first_entries_of_all_shards(
    entries: dict[tuple[int, int], int], newest_first: bool, limit: int
) -> None:
    shards = Shards()
    shards.put(entries)
    merged = merge(
        shards.index_pages(PositionRange(), newest_first=newest_first, limit=limit), newest_first=newest_first
    )
    criteria = sorted(shards.positions, reverse=newest_first)
    assert list(merged.positions) == criteria[: len(merged.positions)]
    assert merged.edge is not None or len(merged.positions) == len(criteria)
