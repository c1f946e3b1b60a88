"""The history of a job, and the dead letters of a tenant."""

from dataclasses import dataclass

from shared.domain.execution import Execution, State
from shared.domain.job import Job
from shared.domain.schedule import first_after, instants_before
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.find_job import FindJob
from shared.usecases.read_executions import read_readable

EXAMINED_AT_MOST = 500
PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionPage:
    """A page, newest first; it may be short, or even empty, while `next_before_at` says that there is more."""

    executions: tuple[Execution, ...]
    next_before_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterPage:
    """A page of dead letters, newest first; the same holds for `next_after`."""

    executions: tuple[Execution, ...]
    next_after: str | None


@dataclass(frozen=True, slots=True)
class ListExecutions:
    """An occurrence's key is a function of its nominal instant, so a job's history needs no index."""

    find: FindJob
    store: ExecutionStore
    clock: Clock

    def __call__(
        self, tenant_id: str, job_id: str, *, limit: int, before_at: int | None = None
    ) -> ExecutionPage:
        """Up to `limit` executions with a nominal instant before `before_at`; NotFoundError for an unknown job."""
        job = self.find(tenant_id, job_id)
        if isinstance(job, Execution):
            return ExecutionPage(executions=(job,), next_before_at=None)
        if before_at is None:
            now_ms = self.clock.now_ms()
            before_at = (first_after(job.schedule, now_ms) or now_ms) + 1
        return self._page(job, before_at, limit)

    def _page(self, job: Job, before_at: int, limit: int) -> ExecutionPage:
        kept: list[Execution] = []
        examined = 0
        while examined < EXAMINED_AT_MOST:
            instants = instants_before(job.schedule, before_at, job.created_at, PAGE)
            found = read_readable(self.store, [job.id_at(instant) for instant in instants])
            for instant in instants:
                execution = found.get(job.id_at(instant))
                if execution is not None:
                    kept.append(execution)
                before_at = instant
                if len(kept) == limit:
                    return ExecutionPage(executions=tuple(kept), next_before_at=before_at)
            examined += len(instants)
            if len(instants) < PAGE:
                return ExecutionPage(executions=tuple(kept), next_before_at=None)
        return ExecutionPage(executions=tuple(kept), next_before_at=before_at)


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
