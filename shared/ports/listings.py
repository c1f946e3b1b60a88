"""Queries over many jobs and executions: indexes, definitions, and shards of buckets.

Every result is one page of bounded size. Indexes are eventually consistent: an execution may appear shortly
after it was filed, and may remain shortly after it has left the index. The caller therefore always reads the
execution itself.
"""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Protocol

from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import DueRow
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.position import IndexPage, PositionRange


class TenantIndex(Enum):
    """The indexes of a tenant's executions, each ordered by time."""

    DUE = auto()
    """Every execution, by its due time."""
    ONE_OFF_JOBS = auto()
    """One-off jobs, by the instants that they were created for."""
    RETRY = auto()
    """Executions that wait for a retry, or did before their last claim, by their due time."""
    FAILED = auto()
    """Failed executions, by their due time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Entries of jobs with a tag, and with names that begin with a text; both are as they are now."""

    tag: str | None = None
    name_prefix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexInstants:
    """The instants of the entries of one shard of an index, in order, and the ids of their executions."""

    instants: tuple[int, ...]
    id_texts: tuple[str, ...]
    """Not parsed, in the same order."""
    is_whole: bool
    """Whether no entry follows the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionPage:
    """A page of definitions in order of their ids. Definitions that cannot be decoded are left out."""

    jobs: tuple[Job, ...]
    next_after: str | None
    """The id after which the next page begins; None on the last page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRows:
    """The first rows of one shard of a bucket after a sort key. Rows that cannot be decoded are left out."""

    rows: tuple[DueRow, ...]
    last: str | None
    """The sort key of the last examined row; None if the shard has no more rows."""


class Queries(Protocol):
    """Read-only."""

    def definitions(
        self,
        tenant_id: str,
        *,
        after: str | None,
        limit: int,
        backfill_of: str | None = None,
        state: JobState | None = None,
    ) -> DefinitionPage:
        """A tenant's recurring jobs, or the backfills of one, strongly consistent; examines `limit` at most.

        With a state, the page has the jobs in that state alone, and may be empty although more pages follow.
        """
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
        only: EntryFilter | None = None,
    ) -> Sequence[IndexPage]:
        """The first positions of a range in each shard of an index, read in parallel.

        The indexes by due time and of one-off jobs have the shards of their tenant; the others have
        `FAILURE_PARTITIONS`. Examines at most `limit` entries of each shard. `only` is for one-off jobs.
        """
        ...

    def instants(
        self, index: TenantIndex, tenant_id: str, shards: int, span: PositionRange, *, at_most: int
    ) -> Sequence[IndexInstants]:
        """The instants of the first entries of a range in each shard of an index, read in parallel.

        For counts: the ids of the executions stay text. Reads at most `at_most` entries of each shard.
        """
        ...

    def rows(self, bucket: int, shards: int, *, after: str | None, limit: int) -> Sequence[ShardRows]:
        """The first `limit` rows after a sort key in each shard, strongly consistent, read in parallel."""
        ...
