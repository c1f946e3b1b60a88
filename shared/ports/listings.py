"""What is asked about many jobs and executions at once: indexes, definitions, and shards of buckets.

Every answer is one page of bounded size. An index is read eventually: an execution may be missing from it for a
moment after it was filed, and may stand there for a moment after it has gone. What an execution says is therefore
always read from the execution itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from shared.domain.dispatch.sweep import DueRow
from shared.domain.jobs.job import Job
from shared.domain.listings.position import IndexPage, PositionRange


class TenantIndex(Enum):
    """The orders in which a tenant's executions can be asked for. Each is an order by time."""

    DUE = auto()
    """Every execution, by the instant at which it is due."""
    RETRY = auto()
    """Those that wait for a retry, or did when they were claimed, by the instant of that retry."""
    FAILED = auto()
    """Those that failed for good, by the instant at which they were due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionPage:
    """A page of definitions in order of their ids. Those that cannot be read are left out."""

    jobs: tuple[Job, ...]
    next_after: str | None
    """The id behind which the next page begins; None on the last page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRows:
    """The first rows of one shard of a bucket behind a place. Rows that cannot be read are left out."""

    rows: tuple[DueRow, ...]
    last: str | None
    """The sort key of the last row that was examined; None where the shard has no more."""


class Queries(Protocol):
    """Reads alone; nothing is changed by any of them."""

    def definitions(
        self, tenant_id: str, *, after: str | None, limit: int, backfill_of: str | None = None
    ) -> DefinitionPage:
        """A tenant's recurring jobs, or the backfills of one of them, read strongly; `limit` examined at most."""
        ...

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
        """The first `limit` places that each shard of an index has within a span, read side by side."""
        ...

    def rows(self, bucket: int, shards: int, *, after: str | None, limit: int) -> Sequence[ShardRows]:
        """The first `limit` rows behind a sort key of each shard of a bucket, read strongly and side by side."""
        ...
