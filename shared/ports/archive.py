"""The archive: objects in S3, Parquet files on the local disk, the list of units, and counts of late puts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol

from shared.dataclass import dataclass
from shared.domain.archive.busiest import DayJobs
from shared.domain.archive.row import ArchiveRow
from shared.domain.archive.schedule import UnitState
from shared.domain.archive.statistics import Sample
from shared.domain.archive.summary import FileSummary
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.bucket import ShardCounts


class ObjectStore(Protocol):
    """One bucket. Every put is conditional on the object that the caller has read. UnavailableError."""

    def get(self, key: str, into: BinaryIO) -> str | None:
        """Write the object to a file and return its ETag; None, and nothing written, if there is no object."""
        ...

    def put(self, key: str, content: BinaryIO, *, replaces: str | None) -> str | None:
        """Replace the object with this ETag, or create it where `replaces` is None; the ETag of the new object.

        None if another object is there, or none. A lost response is repeated, and may then be refused too.
        """
        ...


@dataclass(frozen=True, slots=True)
class MergedFile:
    """A finished Parquet file, open for reading at its start. It has no content where there are no rows."""

    content: BinaryIO
    summary: FileSummary


class ArchiveDraft(Protocol):
    """The local files of one pass over a unit."""

    def old(self) -> BinaryIO:
        """Where the file of the unit is downloaded to; open for writing."""
        ...

    def add(self, rows: Sequence[ArchiveRow]) -> None:
        """Add rows from the executions table, in any order."""
        ...

    def add_missing(self, rows: Sequence[ArchiveRow]) -> None:
        """Add rows from a restored table: a row of the executions table or of the old file with the same id wins."""
        ...

    def merge(self, *, has_old: bool, without: Collection[str] = ()) -> MergedFile:
        """The rows that were added, and those of the old file with other ids, in order of tenant, due time and id.

        Rows of the old file that belong to the tenants `without` are left out and counted as forgotten, in the file
        itself, together with those that the old file has counted.

        UnreadableItemError for an old file that cannot be read. InvalidValueError for a row of another unit.
        """
        ...

    def samples(self) -> Iterator[tuple[str, Sample]]:
        """Tenant and sample of each row of the merged file, in its order."""
        ...

    def summary_of_old(self) -> FileSummary:
        """Of the downloaded file of the unit. UnreadableItemError or InvalidValueError for a damaged file."""
        ...

    def copy(self) -> BinaryIO:
        """Where the uploaded file is downloaded to again; open for writing."""
        ...

    def summary_of_copy(self) -> FileSummary:
        """Of the downloaded copy. UnreadableItemError or InvalidValueError for a damaged file."""
        ...

    def samples_of_copy(self) -> Iterator[tuple[str, Sample]]:
        """Tenant and sample of each row of the downloaded copy, in its order."""
        ...


class JobTally(Protocol):
    """Counts the executions of many files, one after the other."""

    def file(self) -> BinaryIO:
        """Where the next file is downloaded to, in place of the last one; open for writing."""
        ...

    def add(self) -> None:
        """Count the rows of the downloaded file. UnreadableItemError for a file that cannot be read."""
        ...

    def busiest(self, day: int) -> Iterator[DayJobs]:
        """What was counted, to be asked once: of all tenants, and then of each tenant. The executions of all tenants
        include those of the tenants that are left out."""
        ...


class ArchiveFiles(Protocol):
    """Parquet files on the local disk."""

    def draft(self, unit: ArchiveUnit) -> AbstractContextManager[ArchiveDraft]:
        """The files of one pass; the end of the block deletes them."""
        ...

    def tally(self, *, without: Collection[str]) -> AbstractContextManager[JobTally]:
        """Counts of a day, which leave out the jobs of the tenants `without`; the end of the block deletes them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanMark:
    """The last hour whose units are listed, and the recorded shard counts by which they were listed."""

    hour: int
    recorded: ShardCounts


class ArchiveUnits(Protocol):
    """The units that are not sealed. Every change is conditional on a version; every read is strong."""

    def planned(self) -> PlanMark | None:
        """None before the first run."""
        ...

    def note_planned(self, mark: PlanMark) -> None:
        """Move the hour forward, never back; the counts are those of the last move."""
        ...

    def open(
        self, unit: ArchiveUnit, *, next_pass_at: int, sealable_from: int, is_passed: bool = False
    ) -> None:
        """List the unit unless it is listed. A unit that is listed again has another version.

        `is_passed` for a closed unit, which has been passed before, so that its statistics stay counted.
        """
        ...

    def listed(self) -> list[UnitState]:
        """All listed units, in order."""
        ...

    def take(self, state: UnitState, now_ms: int) -> UnitState | None:
        """Lease a unit with a higher version; None if it has changed since, or is leased."""
        ...

    def record(
        self, lease: UnitState, *, next_pass_at: int, counter: int | None, counter_since: int | None
    ) -> bool:
        """Record a pass that did not seal the unit, and end the lease; False: the lease is lost."""
        ...

    def seal(self, lease: UnitState, counter: int | None) -> bool:
        """Record that the unit is sealed with this counter, and end the lease; False: the lease is lost."""
        ...

    def close(self, sealed: UnitState, now_ms: int) -> None:
        """Remove a sealed unit from the list, unless it has changed since; keeps its counter, if it has one."""
        ...

    def reopen(self, sealed: UnitState, *, next_pass_at: int) -> None:
        """List a sealed unit for another pass, unless it has changed since."""
        ...

    def sealed_counters(self) -> Mapping[ArchiveUnit, int]:
        """The counters of closed units into whose hours puts were counted before. Kept longer than the counts."""
        ...

    def looked_up_to(self) -> str | None:
        """The tenant after which the next comparison of an hour goes on; None before the first."""
        ...

    def note_looked_up(self, last: str, *, after: str | None) -> None:
        """Move that tenant from `after` to `last`, unless another comparison has moved it since."""
        ...


class LatePuts(Protocol):
    """Counters of puts into old hours, whose units may be sealed. No counter ever has the same value twice."""

    def count(self, hour: int, now_ms: int) -> None:
        """Raise the counter of an hour. UnavailableError: the put must not follow."""
        ...

    def counter(self, hour: int) -> int | None:
        """Strongly consistent; None if no put was counted for some weeks."""
        ...

    def counters(self) -> Mapping[int, int]:
        """All counters by hour, strongly consistent."""
        ...


class IndexCounts(Protocol):
    """Counts in the index of executions by tenant, eventually consistent."""

    def due_between(self, tenant_id: str, shards: int, from_at: int, until_at: int) -> int:
        """The entries of a tenant that are due in [from_at, until_at)."""
        ...
