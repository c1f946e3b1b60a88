"""Make good for whoever died between an end and its notification."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from shared.domain.errors import PunctualError, UnreadableItemError
from shared.domain.ids import ExecutionId
from shared.domain.sweep import DueRow
from shared.ports.executions import ExecutionStore
from shared.usecases.conclude_execution import ConcludeExecution

READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class HealNotifications:
    """Part of the sweep of a bucket: it stays open until the notification of each end in it stands."""

    store: ExecutionStore
    conclude: ConcludeExecution

    def __call__(self, rows: Iterable[DueRow]) -> int:
        """How many ended rows name a notification that does not stand, and could not be filed now."""
        telling = [row for row in rows if row.state.is_terminal and row.notification is not None]
        return sum(
            self._left_untold(telling[start : start + READ_AT_ONCE])
            for start in range(0, len(telling), READ_AT_ONCE)
        )

    def _left_untold(self, rows: Sequence[DueRow]) -> int:
        standing = self._standing([row.notification for row in rows if row.notification is not None])
        return sum(not self._is_told(row) for row in rows if row.notification not in standing)

    def _standing(self, ids: Sequence[ExecutionId]) -> frozenset[ExecutionId]:
        """Those that stand, as far as one request tells; to file one again that stands does no harm."""
        with suppress(PunctualError):
            return frozenset(self.store.get_many(ids))
        return frozenset()

    def _is_told(self, row: DueRow) -> bool:
        try:
            ended = self.store.get(row.id)
            if ended is not None:
                self.conclude(ended)
        except UnreadableItemError:
            return True  # A matter for people: what cannot be read cannot be told.
        except PunctualError:
            return False
        return True
