"""Fill wake-ups over several pages, so that as many of them as possible name ten executions."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from shared.dataclass import dataclass
from shared.domain.dispatch.pending_row import PendingRow
from shared.domain.dispatch.wakeup import MAX_KEYS, Wakeup, known_for_any
from shared.names import Lane

Page = TypeVar("Page")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledPack(Generic[Page]):
    """A wake-up, and the page of each of its executions."""

    wakeup: Wakeup
    pages: tuple[Page, ...]


@dataclass(slots=True)
class PackFiller(Generic[Page]):
    """Rows of pages that are read in order of time, until they are taken as packs."""

    _held: dict[tuple[int, str, Lane], list[tuple[PendingRow, Page]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """By second, tenant and lane."""
    held: int = 0
    """Rows that were not taken yet."""

    def add(self, rows: Iterable[PendingRow], page: Page) -> None:
        for row in rows:
            self._held[row.due_at // 1000, row.tenant_id, row.lane].append((row, page))
            self.held += 1

    def take(self, before: int | None) -> list[FilledPack[Page]]:
        """Every full pack, and the others whose second ends at or before this instant; None takes all."""
        taken: list[FilledPack[Page]] = []
        for key in list(self._held):
            members = self._held.pop(key)
            is_complete = before is None or (key[0] + 1) * 1000 <= before
            end = len(members) if is_complete else len(members) // MAX_KEYS * MAX_KEYS
            self.held -= end
            if members[end:]:
                self._held[key] = members[end:]
            taken += (_pack(members[start : min(end, start + MAX_KEYS)]) for start in range(0, end, MAX_KEYS))
        return taken


def _pack(members: Sequence[tuple[PendingRow, Page]]) -> FilledPack[Page]:
    """`not_before` is the earliest instant; the executor waits for that of each key, which is in its id."""
    rows, pages = zip(*members, strict=True)
    wakeup = Wakeup(
        lane=rows[0].lane,
        tenant_id=rows[0].tenant_id,
        keys=tuple(row.wakes for row in rows),
        not_before=min(row.due_at for row in rows),
        destinations=known_for_any([row.destination for row in rows]),
        traces=known_for_any([row.trace for row in rows]),
    )
    return FilledPack(wakeup=wakeup, pages=pages)
