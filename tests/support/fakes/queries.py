"""Queries over jobs and executions in memory. Every index is strongly consistent."""

from collections.abc import Sequence
from dataclasses import replace

from shared.domain.executions.execution import Execution
from shared.domain.ids import backfilled_job
from shared.domain.jobs.job import JobState
from shared.domain.listings.position import IndexPage, IndexPosition, PositionRange, due_position
from shared.names import FAILURE_PARTITIONS
from shared.ports.listings import DefinitionPage, EntryFilter, IndexInstants, ShardRows, TenantIndex
from tests.support.fakes.scan import page_of, rows_of
from tests.support.fakes.table import FakeTable, Row


class FakeQueries:
    """Searches all rows."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def definitions(
        self,
        tenant_id: str,
        *,
        after: str | None,
        limit: int,
        backfill_of: str | None = None,
        state: JobState | None = None,
    ) -> DefinitionPage:
        """As in DynamoDB, a full page is never marked as the last."""
        jobs = {
            job.id: job
            for job in self._table.jobs.values()
            if job.tenant_id == tenant_id and (backfill_of is None or backfilled_job(job.id) == backfill_of)
        }
        page = [job_id for job_id in sorted(jobs) if after is None or job_id > after][:limit]
        return DefinitionPage(
            jobs=tuple(jobs[job_id] for job_id in page if state in (None, jobs[job_id].state)),
            next_after=page[-1] if len(page) == limit else None,
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
        only: EntryFilter | None = None,
    ) -> Sequence[IndexPage]:
        entries = {
            place: row.execution
            for row in self._table.executions.values()
            if row.execution.tenant_id == tenant_id and _has_entry(row, index)
            if (place := due_position(row.execution.id)) in span
        }
        pages = [
            index_page(
                [place for place, execution in entries.items() if _partition(index, execution) == shard],
                newest_first,
                limit,
            )
            for shard in range(shards)
        ]
        if only is None:
            return pages
        return [
            replace(page, positions=tuple(each for each in page.positions if _is_listed(entries[each], only)))
            for page in pages
        ]

    def instants(
        self, index: TenantIndex, tenant_id: str, shards: int, span: PositionRange, *, at_most: int
    ) -> Sequence[IndexInstants]:
        return [
            self._shard_instants(index, tenant_id, shards, shard, span, at_most) for shard in range(shards)
        ]

    def _shard_instants(
        self, index: TenantIndex, tenant_id: str, shards: int, shard: int, span: PositionRange, at_most: int
    ) -> IndexInstants:
        found: list[IndexPosition] = []
        while True:
            left = at_most - len(found)
            page = self.index_pages(index, tenant_id, shards, span, newest_first=False, limit=left)[shard]
            found += page.positions
            if page.edge is None or len(found) >= at_most:
                return IndexInstants(
                    instants=tuple(position.at for position in found),
                    id_texts=tuple(position.id_text for position in found),
                    is_whole=page.edge is None,
                )
            span = PositionRange(after=page.edge, before=span.before)

    def rows(self, bucket: int, shards: int, *, after: str | None, limit: int) -> Sequence[ShardRows]:
        pages = [page_of(rows_of(self._table, bucket, shard), after, limit) for shard in range(shards)]
        return [ShardRows(rows=page.rows, last=page.next_after) for page in pages]


def _has_entry(row: Row, index: TenantIndex) -> bool:
    if index is TenantIndex.ONE_OFF_JOBS:
        return row.execution.is_own_job
    return index in (TenantIndex.DUE, row.entry)


def _partition(index: TenantIndex, execution: Execution) -> int:
    if index in (TenantIndex.DUE, TenantIndex.ONE_OFF_JOBS):
        return execution.index_shard
    return execution.id.entropy % FAILURE_PARTITIONS


def _is_listed(execution: Execution, only: EntryFilter) -> bool:
    has_tag = only.tag is None or only.tag in execution.tags
    return has_tag and (only.name_prefix is None or (execution.name or "").startswith(only.name_prefix))


def index_page(positions: list[IndexPosition], newest_first: bool, limit: int) -> IndexPage:
    """One page. As in DynamoDB, a full page is never marked as the last."""
    found = sorted(positions, reverse=newest_first)[:limit]
    return IndexPage(positions=tuple(found), edge=found[-1] if len(found) == limit else None)
