"""Read the segments of the audit trail in order, each by its first version, and judge chain and lock of each."""

from collections.abc import Iterator
from itertools import groupby

from shared.domain.audit_trail.progress import DAY_MS
from shared.domain.audit_trail.segment import NO_SEGMENT, Segment, hash_of, read_segment
from shared.domain.errors import UnreadableItemError
from shared.domain.schedules.schedule import format_instant
from shared.ports.audit_trail import LockedContent, StoredVersion, TrailSegments

SLACK_MS = 60_000
"""Between the instant of a version and that from which its lock counts."""
CLOCK_MS = 3 * 3_600_000
"""The bucket's clock and those of the writers differ by less, and the hours before an interval are read with it."""


class ReadChain:
    """One reading. `findings` grows with each segment."""

    def __init__(self, segments: TrailSegments, now_ms: int) -> None:
        self._segments = segments
        self._now_ms = now_ms
        self._last_hash: str | None = None
        self._is_first = True
        self._has_skipped = False
        self.findings: list[str] = []
        self.next_number = 0
        """After the last segment of the bucket."""

    def execute(self, from_at: int) -> Iterator[Segment]:
        """The segments that were written since `from_at`, and the one before: no other has records since then."""
        before: list[StoredVersion] = []
        for name, group in groupby(self._segments.stored(), key=lambda each: each.name):
            versions = list(group)
            if versions[0].number is None:
                self.findings.append(f"The bucket has an object {name}, which is no segment.")
            elif versions[0].written_at < from_at - CLOCK_MS:
                self._has_skipped |= bool(before)
                before = versions
            else:
                yield from self._read(before)
                before = []
                yield from self._read(versions)
        yield from self._read(before)

    def _read(self, versions: list[StoredVersion]) -> Iterator[Segment]:
        if not versions:
            return
        first = versions[0]
        number = first.number or 0
        stored = None if first.is_deletion else self._segments.read(first)
        if not self._is_first and number != self.next_number:
            self._miss(number)
        self.next_number = number + 1
        if stored is None:
            self.findings.append(f"Segment {number} is deleted.")
            self._last_hash, self._is_first = None, False
            return
        self._check_versions(number, versions, stored)
        segment = self._decoded(number, stored)
        self._last_hash, self._is_first = hash_of(stored.content), False
        if segment is not None:
            self._check_lock(number, first, stored, segment.lock_days)
            yield segment

    def _miss(self, number: int) -> None:
        missing = f"Segments {self.next_number} to {number - 1} are missing."
        if number - 1 == self.next_number:
            missing = f"Segment {self.next_number} is missing."
        self.findings.append(missing)
        self._last_hash = None

    def _check_versions(self, number: int, versions: list[StoredVersion], stored: LockedContent) -> None:
        """The end of a lock lets the bucket's own rules delete a segment, by a mark at first."""
        is_over = stored.locked_until is not None and stored.locked_until <= self._now_ms
        for later in versions[1:]:
            if later.is_deletion and is_over:
                continue
            act = "hidden by a deletion" if later.is_deletion else "written over"
            self.findings.append(
                f"Segment {number} was {act} at {format_instant(later.written_at)}. Its first version is still there."
            )

    def _decoded(self, number: int, stored: LockedContent) -> Segment | None:
        try:
            segment = read_segment(stored.content)
        except UnreadableItemError:
            self.findings.append(f"Segment {number} cannot be read.")
            return None
        is_begin = self._is_first and not self._has_skipped
        if is_begin and number > 0 and (stored.locked_until or 0) > self._now_ms + DAY_MS:
            self.findings.append(f"The segments before {number} are missing.")
        expected = NO_SEGMENT if number == 0 else self._last_hash
        if segment.number != number:
            self.findings.append(f"Segment {number} says that it is segment {segment.number}.")
        if expected is not None and segment.previous != expected:
            self.findings.append(f"Segment {number} was not written after the one that is before it now.")
        return segment

    def _check_lock(self, number: int, first: StoredVersion, stored: LockedContent, lock_days: int) -> None:
        if stored.mode is None or stored.locked_until is None:
            self.findings.append(f"Segment {number} is not locked.")
        elif stored.locked_until < first.written_at + lock_days * DAY_MS - SLACK_MS:
            until = format_instant(stored.locked_until)
            self.findings.append(f"Segment {number} is locked until {until}, and not for {lock_days} days.")
