"""The history of a job."""

from dataclasses import dataclass
from functools import partial

from shared.domain.executions.execution import Execution
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.ports.executions import ExecutionStore
from shared.usecases.listings.job_history import WalkHistory
from shared.usecases.reading.find_job import FindJob
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import Candidate, read_page

EVERYTHING = ExecutionFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPosition:
    """Where a page of a history ended."""

    before: IndexPosition
    chain: int | None = None
    """The chain to go on with; those of later revisions have been told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionPage:
    """A page, newest first; it may be short, or even empty, while `next_position` says that there is more."""

    executions: tuple[Execution, ...]
    next_position: HistoryPosition | None


@dataclass(frozen=True, slots=True)
class ListExecutions:
    """Pages hold while the job goes on: each execution has a place of its own, and a page goes on from a place."""

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
        """Up to `limit` executions; those that cannot be read are left out. NotFoundError for an unknown job."""
        job = self.find.execute(tenant_id, job_id)
        span, chain = criteria.span, None
        if position is not None:
            span, chain = (
                PositionRange(after=span.after, before=min(span.before, position.before)),
                position.chain,
            )

        def show(_: Candidate, execution: Execution | None) -> Execution | None:
            # Another tenant's could be named by a forged record alone; it would still not be shown.
            is_shown = (
                execution is not None and execution.tenant_id == tenant_id and criteria.matches(execution)
            )
            return execution if is_shown else None

        page = read_page(
            self.walk.execute(job, span, chain),
            limit=limit,
            read=partial(read_readable, self.store),
            show=show,
        )
        return ExecutionPage(
            executions=page.shown, next_position=_position(page.last, chain) if page.last else None
        )


def _position(last: Candidate, chain: int | None) -> HistoryPosition:
    return HistoryPosition(before=last.place, chain=chain if last.chain is None else last.chain)
