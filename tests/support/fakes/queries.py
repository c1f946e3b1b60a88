"""Queries over jobs and executions in memory. Every index is strongly consistent."""

from collections.abc import Sequence

from shared.domain.executions.execution import Execution
from shared.domain.ids import backfilled_job
from shared.domain.listings.position import IndexPage, IndexPosition, PositionRange, due_position
from shared.names import FAILURE_PARTITIONS
from shared.ports.listings import DefinitionPage, ShardRows, TenantIndex
from tests.support.fakes.scan import page_of, rows_of
from tests.support.fakes.table import FakeTable


class FakeQueries:
    """Searches all rows."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def definitions(
        self, tenant_id: str, *, after: str | None, limit: int, backfill_of: str | None = None
    ) -> DefinitionPage:
        """As in DynamoDB, a full page is never marked as the last."""
        jobs = {
            job.id: job
            for job in self._table.jobs.values()
            if job.tenant_id == tenant_id and (backfill_of is None or backfilled_job(job.id) == backfill_of)
        }
        page = [job_id for job_id in sorted(jobs) if after is None or job_id > after][:limit]
        return DefinitionPage(
            jobs=tuple(jobs[job_id] for job_id in page), next_after=page[-1] if len(page) == limit else None
        )

    def index_pages(
        self,
        index: TenantIndex,
        tenant_id: str,
        shards: int,
        span: PositionRange,
        *,
        newest_first: bool,
        limit: int,
    ) -> Sequence[IndexPage]:
        entries = [
            (_partition(index, row.execution), place)
            for row in self._table.executions.values()
            if row.execution.tenant_id == tenant_id and index in (TenantIndex.DUE, row.entry)
            if (place := due_position(row.execution.id)) in span
        ]
        return [
            index_page([place for number, place in entries if number == shard], newest_first, limit)
            for shard in range(shards)
        ]

    def rows(self, bucket: int, shards: int, *, after: str | None, limit: int) -> Sequence[ShardRows]:
        pages = [page_of(rows_of(self._table, bucket, shard), after, limit) for shard in range(shards)]
        return [ShardRows(rows=page.rows, last=page.next_after) for page in pages]


def _partition(index: TenantIndex, execution: Execution) -> int:
    if index is TenantIndex.DUE:
        return execution.index_shard
    return execution.id.entropy % FAILURE_PARTITIONS


def index_page(positions: list[IndexPosition], newest_first: bool, limit: int) -> IndexPage:
    """One page. As in DynamoDB, a full page is never marked as the last."""
    found = sorted(positions, reverse=newest_first)[:limit]
    return IndexPage(positions=tuple(found), is_last=len(found) < limit)
