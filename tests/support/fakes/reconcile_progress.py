"""The reconciler's progress in memory."""

from collections.abc import Mapping
from dataclasses import replace

from shared.ports.dispatch import MinuteProgress, SegmentProgress


class FakeReconcileProgress:
    """Each call is one step."""

    def __init__(self) -> None:
        self.by_segment: dict[int, SegmentProgress] = {}
        self.noted: MinuteProgress | None = None

    def segments(self) -> Mapping[int, SegmentProgress]:
        return dict(self.by_segment)

    def move_segment(
        self, segment: int, before: SegmentProgress | None, after: SegmentProgress
    ) -> SegmentProgress | None:
        standing = self.by_segment.get(segment)
        moved = replace(after, version=before.version + 1 if before is not None else 1)
        if standing == moved:
            return moved
        if (standing and standing.version) != (before and before.version):
            return None
        self.by_segment[segment] = moved
        return moved

    def minutes(self) -> MinuteProgress | None:
        return self.noted

    def note_minutes(self, progress: MinuteProgress) -> None:
        if self.noted is None or progress.through >= self.noted.through:
            self.noted = progress
