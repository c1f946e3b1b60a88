"""Compare a sealed file, chosen at random, with its manifest, and with the statistics that were computed from it.

The other comparisons are made once, when an hour is sealed. This one finds what changes later.
"""

from collections.abc import Iterator
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.archive.manifest import Manifest
from shared.domain.archive.statistics import Sums, sums_by_tenant
from shared.domain.archive.unit import DAY_MS, ArchiveUnit, hour_of, units_of
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.ports.archive import ArchiveDraft, ArchiveFiles, ArchiveUnits, ObjectStore
from shared.ports.history import HistoryStore
from shared.ports.runtime import Clock, Entropy
from shared.ports.tenancy import TenantDeletions
from shared.usecases.archive.manifests import Manifests
from shared.usecases.filing.scanned_shards import ScannedShards


class Part(StrEnum):
    """What is not as it was sealed."""

    MANIFEST = "manifest"
    FILE = "file"
    STATISTICS = "statistics"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleMismatch:
    unit: ArchiveUnit
    part: Part
    tenant_id: str | None = None
    """The tenant whose statistics differ; None for those of all tenants."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifySample:
    """Reads alone."""

    objects: ObjectStore
    manifests: Manifests
    files: ArchiveFiles
    history: HistoryStore
    units: ArchiveUnits
    deletions: TenantDeletions
    scanned: ScannedShards
    clock: Clock
    entropy: Entropy
    archive_days: int
    cell: str

    def execute(self, frontier: int) -> SampleMismatch | None:
        """Each earlier hour than `frontier` is sealed, and no pass follows. UnavailableError."""
        unit = self._choose(frontier)
        if unit is None:
            return None
        etag = self.manifests.etag(unit)
        found = next(self._differences(unit), None)
        # What is being replaced may differ for a moment. The manifest is replaced last, so that it is asked last.
        is_final = found is not None and not self._is_changing(unit) and self.manifests.etag(unit) == etag
        return found if is_final else None

    def _choose(self, frontier: int) -> ArchiveUnit | None:
        """A unit whose file and sums have not expired; None if there is none."""
        mark = self.history.passed()
        if mark is None:
            return None
        # The present hour expires meanwhile.
        kept = hour_of(self.clock.now_ms() - self.archive_days * DAY_MS) + 2
        first = max(mark.since, kept)
        if first >= frontier:
            return None
        hour = first + int(self.entropy.draw() * (frontier - first))
        units = units_of(hour, self.scanned.known_plan())
        return units[int(self.entropy.draw() * len(units))]

    def _differences(self, unit: ArchiveUnit) -> Iterator[SampleMismatch]:
        try:
            stored = self.manifests.read(unit)
        except UnreadableItemError:
            yield SampleMismatch(unit=unit, part=Part.MANIFEST)
            return
        if stored is not None and stored.manifest.etag is not None:
            yield from self._of_file(unit, stored.manifest)
        elif (whole := self._stored(None, unit)) is not None and whole.rows:
            # Statistics without a file.
            yield SampleMismatch(unit=unit, part=Part.FILE if stored is not None else Part.MANIFEST)

    def _of_file(self, unit: ArchiveUnit, manifest: Manifest) -> Iterator[SampleMismatch]:
        with self.files.draft(unit) as draft:
            try:
                is_there = self.objects.get(unit.file_key(self.cell), draft.copy()) is not None
                if not is_there or draft.summary_of_copy() != manifest.file:
                    yield SampleMismatch(unit=unit, part=Part.FILE)
                    return
            except (InvalidValueError, UnreadableItemError):
                yield SampleMismatch(unit=unit, part=Part.FILE)
                return
            yield from self._of_statistics(unit, draft)

    def _of_statistics(self, unit: ArchiveUnit, draft: ArchiveDraft) -> Iterator[SampleMismatch]:
        for sums in sums_by_tenant(unit, draft.samples_of_copy(), {}, is_replaced=True):
            if self._stored(sums.tenant_id, unit, sums.workflow_id) != sums.sums:
                yield SampleMismatch(unit=unit, part=Part.STATISTICS, tenant_id=sums.tenant_id)

    def _stored(
        self, tenant_id: str | None, unit: ArchiveUnit, workflow_id: str | None = None
    ) -> Sums | None:
        """None for sums that cannot be read, too."""
        try:
            return self.history.of_unit(tenant_id, unit, workflow_id)
        except UnreadableItemError:
            return None

    def _is_changing(self, unit: ArchiveUnit) -> bool:
        """Whether a pass of the unit, or the removal of a deleted tenant, is to replace the file."""
        if any(state.unit == unit for state in self.units.listed()):
            return True
        waiting = (self.deletions.get(name) for name in self.deletions.forgetting())
        return any(each is not None and unit.hour in each.archived_hours(0) for each in waiting)
