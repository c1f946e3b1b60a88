"""Manifests in the bucket of the archive."""

from io import BytesIO

from shared.dataclass import dataclass
from shared.domain.archive.manifest import Manifest, encode_manifest, read_manifest
from shared.domain.archive.unit import ArchiveUnit
from shared.ports.archive import ObjectStore


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """`etag` is that of the manifest itself."""

    etag: str
    manifest: Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifests:
    objects: ObjectStore
    cell: str

    def etag(self, unit: ArchiveUnit) -> str | None:
        """None without a manifest. UnavailableError."""
        return self.objects.get(unit.manifest_key(self.cell), BytesIO())

    def read(self, unit: ArchiveUnit) -> StoredManifest | None:
        """UnavailableError; UnreadableItemError for anything but a manifest."""
        content = BytesIO()
        etag = self.objects.get(unit.manifest_key(self.cell), content)
        return StoredManifest(etag, read_manifest(content.getvalue())) if etag is not None else None

    def put(self, unit: ArchiveUnit, manifest: Manifest, replaces: str | None) -> bool:
        """False if another manifest is there than the one with this ETag. UnavailableError."""
        content = BytesIO(encode_manifest(manifest))
        return self.objects.put(unit.manifest_key(self.cell), content, replaces=replaces) is not None
