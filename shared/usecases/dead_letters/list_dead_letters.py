"""The dead letters of a tenant: executions that ended FAILED."""

from dataclasses import replace
from functools import partial

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.listings.filters import DeadLetterFilter
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.names import FAILURE_PARTITIONS
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.listings import Queries, TenantIndex
from shared.usecases.reading.job_tags import JobTags
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import Candidate, PageOf, keys_at_most, read_page, walk_index

EVERYTHING = DeadLetterFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterPage:
    """A page of dead letters, newest first. It may be short although `next_before` shows that more follow."""

    executions: tuple[Execution, ...]
    next_before: IndexPosition | None


@dataclass(frozen=True, slots=True)
class ListDeadLetters:
    """Candidates come from an eventually consistent index; their contents are read strongly from the
    items."""

    queries: Queries
    store: ExecutionStore
    jobs: JobStore

    def execute(
        self,
        tenant_id: str,
        *,
        limit: int,
        criteria: DeadLetterFilter = EVERYTHING,
        before: IndexPosition | None = None,
    ) -> DeadLetterPage:
        """At most `limit` readable dead letters within the filter's span, strictly before a position."""
        if before is not None:
            span = PositionRange(after=criteria.span.after, before=min(criteria.span.before, before))
            criteria = replace(criteria, span=span)
        at_most = keys_at_most(is_filtered=criteria.is_filter)
        page = self.page(tenant_id, criteria, limit=limit, newest_first=True, at_most=at_most)
        return DeadLetterPage(executions=page.items, next_before=page.last.position if page.last else None)

    def page(
        self,
        tenant_id: str,
        criteria: DeadLetterFilter,
        *,
        limit: int,
        newest_first: bool,
        at_most: int,
    ) -> PageOf[Execution]:
        """A page in either order, from at most `at_most` candidates."""
        tags = JobTags(self.jobs)

        def show(_: Candidate, execution: Execution | None) -> Execution | None:
            is_shown = (
                execution is not None and execution.state is State.FAILED and criteria.matches(execution)
            )
            if not is_shown or execution is None:
                return None
            return execution if criteria.tag is None or criteria.tag in tags.of(execution) else None

        return read_page(
            walk_index(
                self.queries,
                TenantIndex.FAILED,
                tenant_id,
                FAILURE_PARTITIONS,
                criteria.span,
                newest_first=newest_first,
            ),
            limit=limit,
            read=partial(read_readable, self.store),
            show=show,
            at_most=at_most,
        )
