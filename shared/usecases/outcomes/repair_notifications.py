"""File the notifications that a crash left unfiled: the repair of the outbox."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import PunctualError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionStore
from shared.usecases.outcomes.finalize_execution import FinalizeExecution

READ_AT_ONCE = 100


@dataclass(slots=True)
class MissingNotifications:
    """Ended rows whose notification is missing and could not be filed now."""

    rows: list[DueRow] = field(default_factory=list)
    quarantined: list[str] = field(default_factory=list)
    """Rows that cannot be notified until an operator repairs the tenant or the item."""


@dataclass(frozen=True, slots=True)
class RepairNotifications:
    """Part of the sweep: a bucket stays open until every notification named in it exists."""

    store: ExecutionStore
    finalize: FinalizeExecution

    def execute(self, rows: Iterable[DueRow]) -> MissingNotifications:
        """File missing notifications. Any that are left keep the bucket open."""
        pending = [row for row in rows if row.state.is_terminal and row.notification is not None]
        missing = MissingNotifications()
        for start in range(0, len(pending), READ_AT_ONCE):
            self._repair(pending[start : start + READ_AT_ONCE], missing)
        return missing

    def _repair(self, rows: Sequence[DueRow], missing: MissingNotifications) -> None:
        existing = self._existing([row.notification for row in rows if row.notification is not None])
        for row in rows:
            if row.notification not in existing:
                self._file(row, missing)

    def _existing(self, ids: Sequence[ExecutionId]) -> frozenset[ExecutionId]:
        """Existing notifications, as far as one request can tell; filing an existing one again is
        harmless."""
        with suppress(PunctualError):
            return frozenset(self.store.get_many(ids))
        return frozenset()

    def _file(self, row: DueRow, missing: MissingNotifications) -> None:
        try:
            ended = self._ended(row)
            if ended is not None:
                self.finalize.execute(ended)
        except UnreadableItemError:
            missing.rows.append(row)
            missing.quarantined.append(str(row.id))
        except PunctualError:
            missing.rows.append(row)

    def _ended(self, row: DueRow) -> Execution | None:
        """None also if the item is broken, because the outcome cannot be read then."""
        with suppress(UnreadableItemError):
            return self.store.get(row.id)
        return None
