"""Fill wake-ups over several pages, so that as many of them as possible name ten executions."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from shared.domain.dispatch.wakeup import MAX_KEYS, PackKey, Wakeup, join, pack_key

Page = TypeVar("Page")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledPack(Generic[Page]):
    """A wake-up, and the page of each of its executions."""

    wakeup: Wakeup
    pages: tuple[Page, ...]


@dataclass(slots=True)
class PackFiller(Generic[Page]):
    """Single wake-ups of pages that are read in order of time, until they are taken as packs."""

    _held: dict[PackKey, list[tuple[Wakeup, Page]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, singles: Iterable[Wakeup], page: Page) -> None:
        for single in singles:
            self._held[pack_key(single)].append((single, page))

    def take(self, before: int | None) -> list[FilledPack[Page]]:
        """Every full pack, and the others whose second ends at or before this instant; None takes all."""
        taken: list[FilledPack[Page]] = []
        for key in list(self._held):
            members = self._held.pop(key)
            is_complete = before is None or (members[0][0].not_before // 1000 + 1) * 1000 <= before
            end = len(members) if is_complete else len(members) // MAX_KEYS * MAX_KEYS
            if members[end:]:
                self._held[key] = members[end:]
            for start in range(0, end, MAX_KEYS):
                chunk = members[start : min(end, start + MAX_KEYS)]
                pages = tuple(page for _, page in chunk)
                taken.append(FilledPack(wakeup=join([single for single, _ in chunk]), pages=pages))
        return taken
