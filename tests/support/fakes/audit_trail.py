"""The audit trail in memory: a bucket with versions and locks, and the progress."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace

from shared.domain.audit_trail.progress import DAY_MS, TrailProgress
from shared.ports.audit_trail import LockedContent, StoredVersion

LOCK_DAYS = 400


class FakeTrailSegments:
    """Every version ever written is kept. Tests write over segments, delete them and take their locks away."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self.objects: dict[str, list[tuple[StoredVersion, LockedContent | None]]] = defaultdict(list)
        self.lock_days: int | None = LOCK_DAYS
        self._versions = 0

    def name_of(self, number: int) -> str:
        return f"v1/test/{number:010d}.jsonl.gz"

    def put(self, number: int, content: bytes) -> bool:
        if self.get(number) is not None:
            return False
        self.write_over(number, content)
        return True

    def get(self, number: int) -> bytes | None:
        versions = self.objects.get(self.name_of(number), [])
        return versions[-1][1].content if versions and versions[-1][1] is not None else None

    def stored(self) -> Iterator[StoredVersion]:
        for name in sorted(self.objects):
            yield from [version for version, _ in self.objects[name]]

    def read(self, version: StoredVersion) -> LockedContent | None:
        found = (stored for each, stored in self.objects[version.name] if each == version)
        return next(found, None)

    def write_over(self, number: int, content: bytes | None) -> None:
        """Write another version; None leaves the mark of a deletion."""
        now_ms = self._now_ms()
        locked_until = None if self.lock_days is None else now_ms + self.lock_days * DAY_MS
        stored = None
        if content is not None:
            mode = "GOVERNANCE" if locked_until is not None else None
            stored = LockedContent(content=content, mode=mode, locked_until=locked_until)
        self._versions += 1
        version = StoredVersion(
            name=self.name_of(number),
            number=number,
            version_id=str(self._versions),
            written_at=now_ms,
            is_deletion=content is None,
        )
        self.objects[version.name].append((version, stored))

    def destroy(self, number: int) -> None:
        """As if the segment had never been written."""
        del self.objects[self.name_of(number)]

    def contents(self) -> list[bytes]:
        """The first version of each segment, in order."""
        return [
            versions[0][1].content
            for _, versions in sorted(self.objects.items())
            if versions[0][1] is not None
        ]


class FakeTrailProgress:
    def __init__(self) -> None:
        self.stored: TrailProgress | None = None

    def load(self) -> TrailProgress | None:
        return self.stored

    def save(self, progress: TrailProgress) -> TrailProgress | None:
        if progress.version != (self.stored.version if self.stored is not None else 0):
            return None
        self.stored = replace(progress, version=progress.version + 1)
        return self.stored
