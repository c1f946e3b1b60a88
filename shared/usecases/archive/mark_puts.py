"""Count each put into an hour that the archive may have sealed, before the put and after it.

A sealed hour whose counter has moved is passed again. The count before the put keeps a pass that runs meanwhile from
sealing the hour. The count after the put shows a put whose writer stood still between its count and its put.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from shared.dataclass import dataclass
from shared.domain.archive.unit import hour_of, is_counted
from shared.domain.errors import PunctualError

if TYPE_CHECKING:
    # A watcher puts nothing, and its start loads nothing of jobs.
    from shared.domain.executions.execution import Execution
    from shared.domain.jobs.job import Chain, Job
    from shared.ports.archive import LatePuts
    from shared.ports.executions import ExecutionStore, OneOffBatches, OneOffStore, WriteUnknown
    from shared.ports.jobs import JobStore
    from shared.ports.runtime import Clock

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MarkPuts:
    """Costs a look at the clock. Only puts into hours that ended more than 11 days ago are counted."""

    late_puts: Callable[[], LatePuts]
    clock: Clock

    def around(self, executions: Iterable[Execution], put: Callable[[], T]) -> T:
        """The result of a put of these executions. UnavailableError if the put cannot be counted."""
        now_ms = self.clock.now_ms()
        instants = [each.id.dispatch_at for each in executions]
        hours = {hour_of(instant) for instant in instants if is_counted(instant, now_ms)}
        if not hours:
            return put()
        self._count(hours)
        try:
            result = put()
        except PunctualError:
            # The put may have had its effect all the same.
            self._count(hours)
            raise
        self._count(hours)
        return result

    def _count(self, hours: Iterable[int]) -> None:
        for hour in sorted(hours):
            self.late_puts().count(hour, self.clock.now_ms())


class _Marked:
    """A port whose puts are counted; all its other methods are those of the port."""

    def __init__(self, port: Any, mark: MarkPuts) -> None:
        self._port = port
        self._mark = mark

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)


class MarkedExecutions(_Marked):
    """Retry reminders are not archived, so that their puts are not counted."""

    _port: ExecutionStore

    def put_if_absent(self, execution: Execution, *, expires_at_s: int | None = None) -> Execution | None:
        put = self._port.put_if_absent
        return self._mark.around([execution], lambda: put(execution, expires_at_s=expires_at_s))


class MarkedOneOffs(_Marked):
    _port: OneOffStore

    def move(self, before: Execution, after: Execution, expires_at_s: int) -> bool:
        return self._mark.around([after], lambda: self._port.move(before, after, expires_at_s))


class MarkedOneOffBatches(_Marked):
    _port: OneOffBatches

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[Execution | WriteUnknown | None]:
        return self._mark.around(executions, lambda: self._port.put_all_if_absent(executions))


class MarkedJobs(_Marked):
    """The transactions that put executions beside a definition."""

    _port: JobStore

    def create(self, job: Job, first: Execution) -> Job | None:
        return self._mark.around([first], lambda: self._port.create(job, first))

    def create_backfill(self, job: Job, backfill: Job, first: Execution) -> bool:
        return self._mark.around([first], lambda: self._port.create_backfill(job, backfill, first))

    def jump(self, skipped: Execution, target: Execution, expires_at_s: int) -> bool:
        return self._mark.around([skipped, target], lambda: self._port.jump(skipped, target, expires_at_s))

    def file_if_active(self, execution: Execution) -> bool:
        return self._mark.around([execution], lambda: self._port.file_if_active(execution))

    def file_beside(self, job: Job, execution: Execution, expires_at_s: int) -> bool:
        return self._mark.around([execution], lambda: self._port.file_beside(job, execution, expires_at_s))

    def replace(
        self,
        before: Job,
        after: Job,
        *,
        past: Chain | None = None,
        executions: Sequence[Execution] = (),
        expires_at_s: int | None = None,
    ) -> bool:
        def put() -> bool:
            return self._port.replace(
                before, after, past=past, executions=executions, expires_at_s=expires_at_s
            )

        return self._mark.around(executions, put)
