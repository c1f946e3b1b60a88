"""All executions of a tenant, by the instants at which they were due."""

from collections.abc import Iterator

from shared.dataclass import dataclass
from shared.domain.archive.reading import MOST_ROWS, RowFilter
from shared.domain.executions.states import State
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.domain.tenancy.tenant import Tenant
from shared.names import FAILURE_PARTITIONS
from shared.ports.listings import Queries, TenantIndex
from shared.usecases.reading.read_page import Candidate, PageOf, keys_at_most, read_page, walk_index
from shared.usecases.reading.shown import KeptExecutions, Read, Shown, state_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePage:
    """A page, newest first. It may be short or empty although `next_before` shows that more follow."""

    executions: tuple[Shown, ...]
    next_before: IndexPosition | None


@dataclass(frozen=True, slots=True)
class ListByTime:
    """Candidates come from an eventually consistent index; their contents are read strongly from the items.

    One position in the merged order is a position in every shard of the index, and in the archive.
    """

    queries: Queries
    kept: KeptExecutions

    def execute(
        self, tenant: Tenant, *, limit: int, criteria: ExecutionFilter, before: IndexPosition | None = None
    ) -> TimePage:
        """At most `limit` executions within the filter's span, strictly before a position."""
        span = criteria.span
        if before is not None:
            span = PositionRange(after=span.after, before=min(span.before, before))

        def show(_: Candidate, found: Shown | None) -> Shown | None:
            return found if found is not None and criteria.matches(state_of(found)) else None

        candidates, read = self.walk(tenant, span, RowFilter(state=criteria.state))
        page: PageOf[Shown] = read_page(
            candidates,
            limit=limit,
            read=read,
            show=show,
            at_most=keys_at_most(is_filtered=criteria.is_filter),
        )
        return TimePage(executions=page.items, next_before=page.last.position if page.last else None)

    def walk(
        self, tenant: Tenant, span: PositionRange, only: RowFilter, *, at_once: int = MOST_ROWS
    ) -> tuple[Iterator[Candidate], Read]:
        """The candidates of a span, newest first, and how to read them. Some may not match `only`."""
        index, shards = TenantIndex.DUE, tenant.index_shards
        if only.state == State.FAILED:
            index, shards = TenantIndex.FAILED, FAILURE_PARTITIONS
        hot = walk_index(self.queries, index, tenant.id, shards, span, newest_first=True)
        return self.kept.beside(tenant.id, hot, span, only, at_once=at_once)
