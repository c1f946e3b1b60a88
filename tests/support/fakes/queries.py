"""Queries over jobs and executions in memory. Every index is strongly consistent."""

from collections.abc import Iterator, Sequence

from shared.domain.executions.states import State
from shared.domain.ids import backfilled_job
from shared.domain.listings.position import IndexPage, IndexPosition, PositionRange, due_position
from shared.ports.listings import DefinitionPage, ShardRows, TenantIndex
from tests.support.fakes.scan import page_of, rows_of
from tests.support.fakes.table import FakeTable, Row


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
            (row.execution.index_shard, place)
            for row in self._table.executions.values()
            if row.execution.tenant_id == tenant_id
            for place in _places(index, row)
            if place in span
        ]
        if index is TenantIndex.FAILED:
            return [_index_page([place for _, place in entries], newest_first, limit)]
        return [
            _index_page([place for number, place in entries if number == shard], newest_first, limit)
            for shard in range(shards)
        ]

    def rows(self, bucket: int, shards: int, *, after: str | None, limit: int) -> Sequence[ShardRows]:
        pages = [page_of(rows_of(self._table, bucket, shard), after, limit) for shard in range(shards)]
        return [ShardRows(rows=page.rows, last=page.next_after) for page in pages]


def _places(index: TenantIndex, row: Row) -> Iterator[IndexPosition]:
    execution = row.execution
    match index:
        case TenantIndex.DUE:
            yield due_position(execution.id)
        case TenantIndex.FAILED if row.is_dead_letter:
            yield due_position(execution.id)
        case TenantIndex.RETRY if execution.state in (State.WAITING, State.RUNNING):
            if execution.progress.next_attempt_at is not None:
                yield IndexPosition(at=execution.progress.next_attempt_at, id=execution.id)


def _index_page(positions: list[IndexPosition], newest_first: bool, limit: int) -> IndexPage:
    found = sorted(positions, reverse=newest_first)[:limit]
    return IndexPage(positions=tuple(found), is_last=len(found) < limit)
