"""Make good for whoever died between an end and its notification."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import PunctualError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionStore
from shared.usecases.outcomes.finalize_execution import FinalizeExecution

READ_AT_ONCE = 100


@dataclass(slots=True)
class MissingNotifications:
    """Ended rows whose notification does not stand, and could not be filed now."""

    rows: int = 0
    quarantined: list[str] = field(default_factory=list)
    """Those among them whose tenant cannot be read: a matter for people, and told once that is mended."""


@dataclass(frozen=True, slots=True)
class RepairNotifications:
    """Part of the sweep of a bucket: it stays open until the notification of each end in it stands."""

    store: ExecutionStore
    finalize: FinalizeExecution

    def execute(self, rows: Iterable[DueRow]) -> MissingNotifications:
        """File what is missing. What is left makes the bucket stay open."""
        telling = [row for row in rows if row.state.is_terminal and row.notification is not None]
        untold = MissingNotifications()
        for start in range(0, len(telling), READ_AT_ONCE):
            self._repair(telling[start : start + READ_AT_ONCE], untold)
        return untold

    def _repair(self, rows: Sequence[DueRow], untold: MissingNotifications) -> None:
        standing = self._standing([row.notification for row in rows if row.notification is not None])
        for row in rows:
            if row.notification not in standing:
                self._tell(row, untold)

    def _standing(self, ids: Sequence[ExecutionId]) -> frozenset[ExecutionId]:
        """Those that stand, as far as one request tells; to file one again that stands does no harm."""
        with suppress(PunctualError):
            return frozenset(self.store.get_many(ids))
        return frozenset()

    def _tell(self, row: DueRow, untold: MissingNotifications) -> None:
        try:
            ended = self._ended(row)
            if ended is not None:
                self.finalize.execute(ended)
        except UnreadableItemError:
            untold.rows += 1
            untold.quarantined.append(str(row.id))
        except PunctualError:
            untold.rows += 1

    def _ended(self, row: DueRow) -> Execution | None:
        """None too where it is broken, and with it what would be told."""
        with suppress(UnreadableItemError):
            return self.store.get(row.id)
        return None
