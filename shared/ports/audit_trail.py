"""The audit trail: locked segments in a bucket, and how far they have come."""

from collections.abc import Iterator
from typing import Protocol

from shared.dataclass import dataclass
from shared.domain.audit_trail.progress import TrailProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """One version of an object of the bucket, or the mark that a deletion leaves."""

    name: str
    number: int | None
    """Of the segment; None for an object that is no segment."""
    version_id: str
    written_at: int
    """By the clock of the bucket."""
    is_deletion: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedContent:
    content: bytes
    mode: str | None
    """Of the lock; None where there is none."""
    locked_until: int | None


class TrailSegments(Protocol):
    """The segments of one region. Nothing replaces or deletes one. UnavailableError."""

    def put(self, number: int, content: bytes) -> bool:
        """Store a segment; False, and nothing is stored, if the number is taken.

        A lost response is repeated, and may then be refused too.
        """
        ...

    def get(self, number: int) -> bytes | None:
        """The segment as it is found by its name; None if there is none."""
        ...

    def stored(self) -> Iterator[StoredVersion]:
        """All versions by name; the versions of an object from the first to the last."""
        ...

    def read(self, version: StoredVersion) -> LockedContent | None:
        """A version, whatever has been written over it; None if it is gone."""
        ...


class TrailProgressStore(Protocol):
    def load(self) -> TrailProgress | None:
        """Strongly consistent; None before the first segment."""
        ...

    def save(self, progress: TrailProgress) -> TrailProgress | None:
        """Store it with the next version; None if another process has stored that version."""
        ...
