"""One page of the history of a job."""

from functools import partial

from shared.dataclass import dataclass
from shared.domain.archive.reading import row_position
from shared.domain.errors import NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.ids import one_off_execution
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.usecases.listings.job_history import WalkHistory
from shared.usecases.reading.find_job import FindJob
from shared.usecases.reading.read_page import Candidate, PageOf, keys_at_most, read_page
from shared.usecases.reading.shown import KeptExecutions, Shown, state_of, tenant_of

EVERYTHING = ExecutionFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPosition:
    before: IndexPosition
    chain: int | None = None
    """The chain to continue with; chains of later revisions are complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionPage:
    """A page, newest first. It may be short or empty although `next_position` shows that more follow."""

    executions: tuple[Shown, ...]
    next_position: HistoryPosition | None


@dataclass(frozen=True, slots=True)
class ListExecutions:
    """Pages stay consistent while the job runs, because the position of an execution never changes."""

    find: FindJob
    kept: KeptExecutions
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
        try:
            job = self.find.execute(tenant_id, job_id)
        except NotFoundError:
            return self._outlived(tenant_id, job_id, criteria)
        span, chain = criteria.span, None
        if position is not None:
            span, chain = (
                PositionRange(after=span.after, before=min(span.before, position.before)),
                position.chain,
            )

        def show(_: Candidate, found: Shown | None) -> Shown | None:
            # Only a forged record could name another tenant's execution; it must still not be returned.
            is_shown = (
                found is not None and tenant_of(found) == tenant_id and criteria.matches(state_of(found))
            )
            return found if is_shown else None

        page: PageOf[Shown] = read_page(
            self.kept.in_pages(tenant_id, self.walk.execute(job, span, chain)),
            limit=limit,
            read=partial(self.kept.get, tenant_id),
            show=show,
            at_most=keys_at_most(is_filtered=criteria.is_filter),
        )
        return ExecutionPage(
            executions=page.items,
            next_position=_position(page.last, chain) if page.last else None,
        )

    def _outlived(self, tenant_id: str, job_id: str, criteria: ExecutionFilter) -> ExecutionPage:
        """The only row of a one-off job whose record has expired; NotFoundError for every other job."""
        identity = one_off_execution(job_id)
        row = self.kept.get(tenant_id, [identity]).get(identity) if identity is not None else None
        if row is None or isinstance(row, Execution) or row.job_id != job_id:
            raise NotFoundError("no such job")
        is_shown = criteria.matches(state_of(row)) and row_position(row) in criteria.span
        return ExecutionPage(executions=(row,) if is_shown else (), next_position=None)


def _position(last: Candidate, chain: int | None) -> HistoryPosition:
    return HistoryPosition(before=last.position, chain=chain if last.chain is None else last.chain)
