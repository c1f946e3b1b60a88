"""Executions that have left the tables: where the hot range ends, and the rows of the archive behind it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import chain, groupby

from shared.dataclass import dataclass
from shared.domain.archive.reading import MOST_ROWS, MOST_UNITS, RowFilter, row_position
from shared.domain.archive.row import ArchiveRow
from shared.domain.archive.statistics import UnitSums
from shared.domain.archive.unit import DAY_MS, HOUR_MS, ArchiveUnit, hour_of
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.ports.archive_reading import ArchiveReader
from shared.ports.executions import ExecutionStore
from shared.ports.history import HistoryStore
from shared.ports.runtime import Clock
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import Candidate
from shared.usecases.reading.shown import Read, Shown

ANSWERS = 2
"""Questions to the reader for one page. The page may be short, or empty, although more rows follow."""
MOST_HOURS = 400
"""Hours of a tenant whose sums one page reads: some 100 read units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedRows:
    """A record stays in the tables for `retention` from its end or its due time, whichever is later.

    A day before the first record of an hour expires, the hour is read from the archive as well. What is in both is
    shown from the tables. A page has either executions of the hot range or older ones, so that most first pages need
    no read of the archive.
    """

    store: ExecutionStore
    history: HistoryStore
    reader: ArchiveReader
    clock: Clock
    retention: Retention

    def cold_before(self) -> int:
        """Executions that were due before this instant may have left the tables. The start of an hour."""
        return hour_of(self.clock.now_ms() - (self.retention.days - 1) * DAY_MS) * HOUR_MS

    def get(self, tenant_id: str, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Shown]:
        hot = read_readable(self.store, ids)
        before_at = self.cold_before()
        old = [each for each in ids if each not in hot and each.dispatch_at < before_at]
        return {**hot, **(self.reader.by_ids(tenant_id, old) if old and self._has_rows(tenant_id) else {})}

    def _has_rows(self, tenant_id: str, after_at: int = 0) -> bool:
        """Whether the archive has an hour of the tenant; half a read unit. Most lists end in the hot range."""
        hours = self.history.newest(tenant_id, hour_of(after_at), hour_of(self.cold_before()), at_once=1)
        return next(hours, None) is not None

    def in_pages(self, tenant_id: str, candidates: Iterator[Candidate]) -> Iterator[Candidate]:
        before_at, has_hot = self.cold_before(), False
        for candidate in candidates:
            is_hot = candidate.position.at >= before_at
            if has_hot and not is_hot:
                if not self._has_rows(tenant_id):
                    yield candidate
                    yield from candidates
                    return
                yield Candidate(IndexPosition(at=before_at), candidate.chain, is_end=True)
                return
            has_hot = has_hot or is_hot
            yield candidate

    def beside(
        self,
        tenant_id: str,
        hot: Iterator[Candidate],
        span: PositionRange,
        only: RowFilter,
        *,
        at_once: int = MOST_ROWS,
    ) -> tuple[Iterator[Candidate], Read]:
        rows: dict[ExecutionId, ArchiveRow] = {}

        def read(ids: Sequence[ExecutionId]) -> dict[ExecutionId, Shown]:
            return {**{each: rows[each] for each in ids if each in rows}, **read_readable(self.store, ids)}

        def cold() -> Iterator[Candidate]:
            for candidate, row in self._walk(tenant_id, span, only, at_once):
                if row is not None:
                    rows[candidate.position.id] = row
                yield candidate

        return self._in_order(tenant_id, hot, cold, span), read

    def _in_order(
        self,
        tenant_id: str,
        hot: Iterator[Candidate],
        cold: Callable[[], Iterator[Candidate]],
        span: PositionRange,
    ) -> Iterator[Candidate]:
        """Newest first, each position once. A page with something of the hot range ends with it."""
        cold_before, has_hot = self.cold_before(), False
        rest: Iterator[Candidate] = iter(())
        for candidate in hot:
            if candidate.position.at < cold_before:
                rest = chain([candidate], hot)
                break
            has_hot = True
            yield candidate
        if not self._has_rows(tenant_id, span.after.at):
            yield from rest
        elif has_hot:
            yield Candidate(IndexPosition(at=cold_before), is_end=True)
        else:
            both = merge(rest, cold(), reverse=True)
            yield from (next(same) for _, same in groupby(both, lambda each: (each.position, each.is_end)))

    def _walk(
        self, tenant_id: str, span: PositionRange, only: RowFilter, at_once: int
    ) -> Iterator[tuple[Candidate, ArchiveRow | None]]:
        before, answers = min(span.before, IndexPosition(at=self.cold_before())), 0
        cold = PositionRange(after=span.after, before=before)
        for batch in self._batches(tenant_id, cold, only, at_once):
            is_open = bool(batch.units)
            while is_open and answers < ANSWERS:
                rest = PositionRange(after=span.after, before=before)
                page = self.reader.newest(tenant_id, batch.units, rest, only=only, limit=at_once)
                answers += 1
                for row in page.rows:
                    yield Candidate(row_position(row)), row
                is_open = page.edge is not None
                before = page.edge or IndexPosition(at=batch.reaches_to)
            if is_open or not batch.units:
                # The page ends here, although there may be more.
                yield Candidate(before if is_open else IndexPosition(at=batch.reaches_to), is_end=True), None
                return

    def _batches(
        self, tenant_id: str, span: PositionRange, only: RowFilter, at_once: int
    ) -> Iterator["_Batch"]:
        """The units of whole hours with rows that match, newest first.

        The sums tell the states. Where the filter has more, a batch is bounded by its units alone.
        """
        enough = at_once if only == RowFilter(state=only.state) else None
        units: list[ArchiveUnit] = []
        rows = hours = 0
        first, until = hour_of(span.after.at), hour_of(span.before.at - 1) + 1
        for hour, sums in groupby(self.history.newest(tenant_id, first, until), lambda each: each.unit.hour):
            matching = [(each.unit, count) for each in sums if (count := _matching(each, only.state))]
            units += [unit for unit, _ in matching]
            rows, hours = rows + sum(count for _, count in matching), hours + 1
            is_enough = enough is not None and rows >= enough
            if is_enough or len(units) >= MOST_UNITS // 2 or (units and hours >= MOST_HOURS):
                yield _Batch(units, hour * HOUR_MS)
                units, rows = [], 0
            if hours == MOST_HOURS:
                yield _Batch([], hour * HOUR_MS)
                return
        if units:
            yield _Batch(units, first * HOUR_MS)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Units for one question; those of every newer hour have been asked for. Without units, the page ends."""

    units: list[ArchiveUnit]
    reaches_to: int


def _matching(sums: UnitSums, state: str | None) -> int:
    """Rows that a list may show."""
    states: Mapping[str, int] = sums.sums.states
    if state is not None:
        return states.get(state, 0)
    return sum(count for name, count in states.items() if name != State.MOVED)
