"""The dead letters of a tenant."""

from dataclasses import dataclass

from shared.domain.execution import Execution, State
from shared.ports.executions import ExecutionStore
from shared.usecases.read_executions import read_readable


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterPage:
    """A page of dead letters, newest first; it may be short while `next_after` says that there is more."""

    executions: tuple[Execution, ...]
    next_after: str | None


@dataclass(frozen=True, slots=True)
class ListDeadLetters:
    """Executions that ended FAILED."""

    store: ExecutionStore

    def __call__(self, tenant_id: str, *, limit: int, after: str | None = None) -> DeadLetterPage:
        """The index says which; what they say is read from the items themselves."""
        ids, next_after = self.store.failed(tenant_id, after=after, limit=limit)
        found = read_readable(self.store, ids) if ids else {}
        failed = (found[key] for key in ids if key in found and found[key].state is State.FAILED)
        return DeadLetterPage(executions=tuple(failed), next_after=next_after)
