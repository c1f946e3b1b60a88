"""Which items a transaction holds: DynamoDB refuses every other write to them until it has ended."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager


class Contention:
    """The items of the transactions that are under way."""

    def __init__(self) -> None:
        self._held: Counter[Hashable] = Counter()

    def is_held(self, items: Iterable[Hashable]) -> bool:
        """Whether a write to any of these meets a TransactionConflict."""
        return any(self._held[item] for item in items)

    @contextmanager
    def holding(self, items: Iterable[Hashable]) -> Iterator[None]:
        """A transaction on these items, while it lasts."""
        held = tuple(items)
        self._held.update(held)
        try:
            yield
        finally:
            self._held.subtract(held)
