"""One pass over a unit: merge its ended executions into its file, and seal the unit where nothing can be missing."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from enum import Enum, auto

from shared.dataclass import dataclass
from shared.domain.archive.manifest import Manifest
from shared.domain.archive.schedule import Reading, UnitState, is_quiet, next_pass_at
from shared.domain.archive.summary import FileSummary
from shared.domain.archive.unit import GROUP_SHARDS, ArchiveUnit
from shared.domain.bucket import ShardRange
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.names import LEDGER_PARTITIONS
from shared.ports.archive import ArchiveDraft, ArchiveFiles, ArchiveUnits, LatePuts, ObjectStore
from shared.ports.dispatch import ShardLedger
from shared.ports.runtime import Clock
from shared.usecases.archive.manifests import Manifests
from shared.usecases.archive.put_statistics import PutStatistics
from shared.usecases.archive.read_unit import ReadUnit, UnitRows

GROUP_PARTS = LEDGER_PARTITIONS // GROUP_SHARDS
"""The shards of a group are in consecutive partitions of the ledger."""


class PassEnd(Enum):
    OPEN = auto()
    """Another pass follows."""
    SEALED = auto()
    OVERTAKEN = auto()
    """Another pass has changed the file, the manifest or the unit: the work of this one is dropped."""
    MISMATCH = auto()
    """The uploaded file is not what was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassResult:
    unit: ArchiveUnit
    end: PassEnd
    rows: int = 0
    """Rows of the file."""
    unended: int = 0
    unreadable: tuple[str, ...] = ()
    restored: int = 0
    unended_when_restored: int = 0
    """Of the restored table, if the pass has read one."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What tells of puts into the unit: the version of each listed shard, and the counter of late puts."""

    versions: Mapping[tuple[int, int], int]
    counter: int | None


@dataclass(frozen=True, slots=True)
class _StoredFile:
    """The file as S3 has it now; without an ETag where the unit has no rows."""

    etag: str | None
    summary: FileSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    """Whether the pass seals the unit, and what decides about the next pass."""

    seals: bool
    is_quiet: bool
    reading: Reading
    counter: int | None
    is_intact: bool = True
    """Whether the file that was read back is the file that was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveUnitPass:
    """A pass may crash at any point, and two passes may run beside each other: all its puts are conditional.

    A row that is filed or ends meanwhile keeps the unit from being sealed, because ledger and counter are asked
    before the read and after the put.
    """

    read: ReadUnit
    ledger: ShardLedger
    units: ArchiveUnits
    late_puts: LatePuts
    objects: ObjectStore
    manifests: Manifests
    files: ArchiveFiles
    put_statistics: PutStatistics
    clock: Clock
    cell: str

    def execute(self, lease: UnitState, without: Collection[str] = ()) -> PassResult:
        """Pass a unit that `lease` was taken for, and leave out the tenants `without`, which are deleted.

        ServiceError; UnreadableItemError for a damaged file.
        """
        unit, began_at = lease.unit, self.clock.now_ms()
        # Read first: a pass that stood still must not replace the manifest of a later one.
        manifest_etag = self.manifests.etag(unit)
        before = self._look(unit)
        with self.files.draft(unit) as draft:
            found = self.read.execute(unit, draft, began_at, without)
            file = self._put_file(unit, draft, without)
            if file is None:
                return _result(lease, PassEnd.OVERTAKEN, found)
            verdict = self._judge(lease, found, before, self._look(unit), began_at)
            # Before the pass is recorded: a unit that was passed has its statistics.
            self.put_statistics.execute(
                lease,
                draft.samples(),
                found.unended,
                etag=file.etag,
                unended_tasks=found.unended_tasks,
                is_replaced=bool(without),
            )
            if verdict.seals and file.etag is not None and self._read_back(unit, draft) != file.summary:
                self._record(lease, replace(verdict, is_intact=False), began_at)
                return _result(lease, PassEnd.MISMATCH, found, file)
        manifest = Manifest(
            sealed=verdict.seals,
            passed_at=began_at,
            etag=file.etag,
            file=file.summary,
            lasting=dict(found.lasting),
        )
        end = PassEnd.SEALED if verdict.seals else PassEnd.OPEN
        if not self._put_manifest(manifest, unit, manifest_etag) or not self._record(
            lease, verdict, began_at
        ):
            end = PassEnd.OVERTAKEN
        return _result(lease, end, found, file)

    def _put_file(
        self, unit: ArchiveUnit, draft: ArchiveDraft, without: Collection[str]
    ) -> _StoredFile | None:
        """Merge and upload; None if another pass has replaced the file since it was read.

        UnreadableItemError for a file that is gone: the rows that have expired are nowhere else.
        """
        key = unit.file_key(self.cell)
        etag = self.objects.get(key, draft.old())
        if etag is None and self._counts_rows(unit):
            # Asked again: another pass may have put file and manifest between the two reads.
            etag = self.objects.get(key, draft.old())
            if etag is None:
                raise UnreadableItemError(f"the file of {unit} is missing, and its manifest counts rows")
        merged = draft.merge(has_old=etag is not None, without=without)
        if merged.summary.rows or etag is not None:
            etag = self.objects.put(key, merged.content, replaces=etag)
            if etag is None:
                return None
        return _StoredFile(etag, merged.summary)

    def _counts_rows(self, unit: ArchiveUnit) -> bool:
        stored = self.manifests.read(unit)
        return stored is not None and stored.manifest.etag is not None

    def _judge(
        self, lease: UnitState, found: UnitRows, before: _Look, after: _Look, began_at: int
    ) -> _Verdict:
        reading = Reading(
            unended=found.unended.total(), unreadable=len(found.unreadable), open_shards=len(after.versions)
        )
        is_calm = is_quiet(lease, after.counter, began_at)
        is_late = began_at >= lease.sealable_from
        return _Verdict(
            seals=is_late and reading.has_all_ends and is_calm and after == before,
            is_quiet=is_calm,
            reading=reading,
            counter=after.counter,
        )

    def _look(self, unit: ArchiveUnit) -> _Look:
        """Both reads are strongly consistent."""
        part = ShardRange(index=unit.group % GROUP_PARTS, of=GROUP_PARTS)
        listed = self.ledger.open_before(unit.buckets.stop, part)
        versions = {
            (shard.bucket, shard.shard): shard.version
            for shard in listed
            if shard.bucket in unit.buckets and shard.shard // GROUP_SHARDS == unit.group
        }
        return _Look(versions, self.late_puts.counter(unit.hour))

    def _read_back(self, unit: ArchiveUnit, draft: ArchiveDraft) -> FileSummary | None:
        """What S3 now holds; None where it is no file of the archive."""
        self.objects.get(unit.file_key(self.cell), draft.copy())
        try:
            return draft.summary_of_copy()
        except (InvalidValueError, UnreadableItemError):
            return None

    def _put_manifest(self, manifest: Manifest, unit: ArchiveUnit, replaces: str | None) -> bool:
        """False if another pass has put its manifest meanwhile. A unit without rows has none until it is sealed."""
        if manifest.etag is None and not manifest.sealed:
            return True
        return self.manifests.put(unit, manifest, replaces)

    def _record(self, lease: UnitState, verdict: _Verdict, began_at: int) -> bool:
        """False if the lease is lost."""
        counter = verdict.counter
        if verdict.seals and verdict.is_intact:
            return self.units.seal(lease, counter)
        is_same = lease.counter == counter and lease.counter_since is not None
        return self.units.record(
            lease,
            next_pass_at=next_pass_at(lease, verdict.reading, began_at, is_quiet=verdict.is_quiet),
            counter=counter,
            counter_since=lease.counter_since if is_same else self.clock.now_ms(),
        )


def _result(lease: UnitState, end: PassEnd, found: UnitRows, file: _StoredFile | None = None) -> PassResult:
    return PassResult(
        unit=lease.unit,
        end=end,
        rows=file.summary.rows if file else 0,
        unended=found.unended.total(),
        unreadable=tuple(found.unreadable),
        restored=found.restored,
        unended_when_restored=found.unended_when_restored,
    )
