"""Queries as DynamoDB allows them to be: the index of dead letters lags behind, and pages end anywhere."""

from collections.abc import Sequence

from shared.domain.listings.position import IndexPage, PositionRange, due_position
from shared.names import FAILURE_PARTITIONS
from shared.ports.listings import EntryFilter, TenantIndex
from tests.simulation.faults import Strike
from tests.simulation.stores import SimExecutionStore
from tests.support.fakes.queries import FakeQueries, index_page


class SimQueries(FakeQueries):
    """Reads the entries of the store as far as readers see them."""

    def __init__(self, store: SimExecutionStore) -> None:
        super().__init__(store.table)
        self._store = store

    def index_pages(
        self,
        index: TenantIndex,
        tenant_id: str,
        shards: int,
        span: PositionRange,
        *,
        newest_first: bool,
        limit: int,
        only: EntryFilter | None = None,
    ) -> Sequence[IndexPage]:
        """See the port."""
        if index is not TenantIndex.FAILED:
            return super().index_pages(
                index, tenant_id, shards, span, newest_first=newest_first, limit=limit, only=only
            )
        limit, now_ms = self._store.cut(limit), self._store.hub.now_ms
        entries = [
            (entry.execution.id.entropy % FAILURE_PARTITIONS, due_position(entry.execution.id))
            for entry in self._store.index.values()
            if entry.execution.tenant_id == tenant_id
            and entry.from_ms <= now_ms
            and (entry.until_ms is None or now_ms < entry.until_ms)
        ]
        pages = [
            index_page(
                [place for number, place in entries if number == shard and place in span], newest_first, limit
            )
            for shard in range(shards)
        ]
        if any(page.edge is not None for page in pages):
            self._store.weather.note(Strike.CUT_PAGE)
        return pages
