"""Entries in the index of failures that a throttled write left behind its execution."""

from collections.abc import Callable, Iterable
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import ServiceError
from shared.domain.executions.states import State
from shared.ports.executions import ExecutionStore


@dataclass(slots=True)
class RepairedIndex:
    repaired: int = 0
    left: list[DueRow] = field(default_factory=list)
    """Ended rows whose entry is still wrong."""


@dataclass(frozen=True, slots=True)
class RepairIndex:
    """Part of the sweep: a bucket stays open until the entries of its rows match their states."""

    store: ExecutionStore

    def execute(self, rows: Iterable[DueRow], has_time: Callable[[], bool]) -> RepairedIndex:
        """One conditional write for each marked row, but no further write for a tenant whose write failed.

        Its index may still throttle, and throttled requests would take the time of all other tenants.
        """
        result, failed = RepairedIndex(), set[str]()
        for row in rows:
            # While an attempt runs, its own outcome writes the entry.
            if not row.index_is_stale or row.state is State.RUNNING:
                continue
            if row.tenant_id not in failed and has_time():
                try:
                    result.repaired += self.store.repair_index(row)
                    continue
                except ServiceError:
                    failed.add(row.tenant_id)
            if row.state.is_terminal:
                result.left.append(row)
        return result
