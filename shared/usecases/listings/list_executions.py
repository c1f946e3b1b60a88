"""One page of the history of a job."""

from functools import partial

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.ports.executions import ExecutionStore
from shared.usecases.listings.job_history import WalkHistory
from shared.usecases.reading.find_job import FindJob
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import Candidate, keys_at_most, read_page

EVERYTHING = ExecutionFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPosition:
    before: IndexPosition
    chain: int | None = None
    """The chain to continue with; chains of later revisions are complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionPage:
    """A page, newest first. It may be short or empty although `next_position` shows that more follow."""

    executions: tuple[Execution, ...]
    next_position: HistoryPosition | None


@dataclass(frozen=True, slots=True)
class ListExecutions:
    """Pages stay consistent while the job runs, because the position of an execution never changes."""

    find: FindJob
    store: ExecutionStore
    walk: WalkHistory

    def execute(
        self,
        tenant_id: str,
        job_id: str,
        *,
        limit: int,
        criteria: ExecutionFilter = EVERYTHING,
        position: HistoryPosition | None = None,
    ) -> ExecutionPage:
        """At most `limit` executions; unreadable executions are left out. NotFoundError for an unknown
        job."""
        job = self.find.execute(tenant_id, job_id)
        span, chain = criteria.span, None
        if position is not None:
            span, chain = (
                PositionRange(after=span.after, before=min(span.before, position.before)),
                position.chain,
            )

        def show(_: Candidate, execution: Execution | None) -> Execution | None:
            # Only a forged record could name another tenant's execution; it must still not be returned.
            is_shown = (
                execution is not None and execution.tenant_id == tenant_id and criteria.matches(execution)
            )
            return execution if is_shown else None

        page = read_page(
            self.walk.execute(job, span, chain),
            limit=limit,
            read=partial(read_readable, self.store),
            show=show,
            at_most=keys_at_most(is_filtered=criteria.is_filter),
        )
        return ExecutionPage(
            executions=page.items,
            next_position=_position(page.last, chain) if page.last else None,
        )


def _position(last: Candidate, chain: int | None) -> HistoryPosition:
    return HistoryPosition(before=last.position, chain=chain if last.chain is None else last.chain)
