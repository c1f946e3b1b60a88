"""Replace a sealed file by one without the rows of deleted tenants."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.archive.manifest import Manifest
from shared.domain.archive.summary import FileSummary
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.ports.archive import ArchiveDraft, ArchiveFiles, ObjectStore
from shared.usecases.archive.manifests import Manifests, StoredManifest
from shared.usecases.archive.put_statistics import PutStatistics


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteFile:
    """Safe to repeat after a crash anywhere: the file itself counts the rows that were removed from it.

    Until the manifest is put, it still counts the tenants, so that the file is looked at again.
    """

    objects: ObjectStore
    manifests: Manifests
    files: ArchiveFiles
    put_statistics: PutStatistics
    cell: str

    def execute(
        self, unit: ArchiveUnit, stored: StoredManifest, without: Collection[str], *, seen_at: int
    ) -> bool:
        """False if another run has replaced the file or the manifest meanwhile. At `seen_at` the unit was sealed.

        UnavailableError. UnreadableItemError, and the file stays, if it is not what its manifest says.
        """
        key, manifest = unit.file_key(self.cell), stored.manifest
        with self.files.draft(unit) as draft:
            old_etag = self.objects.get(key, draft.old())
            if old_etag is None:
                raise UnreadableItemError(f"the file of {unit} is missing")
            merged = draft.merge(has_old=True, without=without)
            _check(unit, manifest.file, merged.summary, without)
            etag = self.objects.put(key, merged.content, replaces=old_etag)
            if etag is None:
                return False
            # A unit that was opened again since has a higher version, which begins with an instant, too.
            self.put_statistics.replace_whole(unit, draft.samples(), version=seen_at, etag=etag)
            if self._read_back(key, draft) != merged.summary:
                raise UnreadableItemError(f"the file of {unit} reads back otherwise")
        rewritten = replace(
            manifest, etag=etag, file=merged.summary, lasting=_others(manifest.lasting, without)
        )
        return self.manifests.put(unit, rewritten, stored.etag)

    def _read_back(self, key: str, draft: ArchiveDraft) -> FileSummary | None:
        self.objects.get(key, draft.copy())
        try:
            return draft.summary_of_copy()
        except InvalidValueError:
            return None


def counts_any(manifest: Manifest, tenants: Collection[str]) -> bool:
    """Whether the file that it describes has rows of any of them."""
    return any(name in manifest.file.tenants for name in tenants)


def _check(unit: ArchiveUnit, before: FileSummary, after: FileSummary, without: Collection[str]) -> None:
    """All rows of others are there, and each row that is not was counted."""
    if after.tenants != _others(before.tenants, without) or after.ever_archived != before.ever_archived:
        raise UnreadableItemError(f"the file of {unit} has other rows than its manifest")


def _others(counts: Mapping[str, int], without: Collection[str]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if name not in without}
