"""Find the runs that wait for an earlier run of their job, as the overlap policy `queue_one` asks for."""

from collections.abc import Iterable, Sequence

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionReader
from shared.ports.jobs import RunLockStore

READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class HeldRuns:
    """Reads the run lock of each job, because a row does not tell what holds it back."""

    store: ExecutionReader
    run_locks: RunLockStore

    def among(self, ids: Sequence[ExecutionId]) -> set[ExecutionId]:
        """Those of these executions that wait for a run which has not ended. PunctualError."""
        holders = {}
        for run in self._read(ids).values():
            lock = self.run_locks.read(run.tenant_id, run.job_id)
            if lock.waiting == run.id and lock.holder is not None:
                holders[run.id] = lock.holder
        found = self._read(list(set(holders.values())))
        return {waiting for waiting, holder in holders.items() if _is_open(found.get(holder))}

    def _read(self, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        found: dict[ExecutionId, Execution] = {}
        for page in _pages(ids):
            found |= self.store.get_many(page)
        return found


def _pages(ids: Sequence[ExecutionId]) -> Iterable[Sequence[ExecutionId]]:
    return (ids[start : start + READ_AT_ONCE] for start in range(0, len(ids), READ_AT_ONCE))


def _is_open(execution: Execution | None) -> bool:
    return execution is not None and not execution.state.is_terminal
