"""A tick of the auditor: copy the records of each closed hour into locked segments, and look for late ones.

Runs may overlap, crash anywhere or be missed for days. The number of a segment is taken once, so two runs never write
two segments of one number; the slower one stops. What a run has written and not noted, the next one reads.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.audit_trail.progress import TrailProgress
from shared.domain.audit_trail.segment import (
    MOST_RECORDS,
    Period,
    Segment,
    encode_segment,
    hash_of,
    read_segment,
)
from shared.domain.errors import ServiceError, UnreadableItemError
from shared.domain.tenancy.audit import AuditRecord
from shared.ports.audit_trail import TrailProgressStore, TrailSegments
from shared.ports.runtime import Clock
from shared.usecases.audit_trail.read_records import ReadRecords


@dataclass(frozen=True, slots=True)
class TrailFault:
    """A segment that this run has not written, and that does not fit."""

    number: int
    reason: str


@dataclass(slots=True)
class ExportReport:
    segments: int = 0
    """Written by this run."""
    records: int = 0
    late: int = 0
    """Records that came after the first export of their hour."""
    faults: list[TrailFault] = field(default_factory=list)
    is_overtaken: bool = False
    is_unavailable: bool = False
    """The next run continues, as it does after an overtaken one."""
    overdue_ms: int = 0
    """For how long the first hour that is not exported has been closed."""


class _OvertakenError(Exception):
    """Another run has written the next segment, or noted one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportAudit:
    records: ReadRecords
    segments: TrailSegments
    progress: TrailProgressStore
    clock: Clock
    lock_days: int

    def execute(self, has_time: Callable[[], bool] = lambda: True) -> ExportReport:
        """Export until nothing is left to do, or as long as `has_time`. UnavailableError without the progress."""
        run = _Run(self, has_time, self.progress.load() or TrailProgress())
        try:
            run.check_last()
            run.catch_up()
            run.export_closed()
            run.export_late()
        except _OvertakenError:
            run.report.is_overtaken = True
        except ServiceError:
            run.report.is_unavailable = True
        run.report.overdue_ms = run.progress.overdue_ms(self.clock.now_ms())
        return run.report


class _Run:
    """One tick. `progress` is what is stored, so that every write is conditional on it."""

    def __init__(self, export: ExportAudit, has_time: Callable[[], bool], progress: TrailProgress) -> None:
        self._export = export
        self._has_time = has_time
        self.progress = progress
        self.report = ExportReport()

    def check_last(self) -> None:
        """Compare the last segment with its hash: the progress is no proof of what the bucket has."""
        number = self.progress.next_number - 1
        if number >= 0 and hash_of(self._export.segments.get(number) or b"") != self.progress.last_hash:
            self.report.faults.append(TrailFault(number, "it is gone, or it has changed"))

    def catch_up(self) -> None:
        """Note the segments that were written and not noted: a crash lies between the two."""
        while self._has_time():
            content = self._export.segments.get(self.progress.next_number)
            if content is None:
                return
            self._note(content)

    def export_closed(self) -> None:
        while self._has_time():
            period = self.progress.next_period(self._export.clock.now_ms())
            if period is None or not self._write(period, closes=True):
                return

    def export_late(self) -> None:
        """Read closed periods again. A period without late records gets no segment."""
        for period in list(self.progress.due_again(self._export.clock.now_ms())):
            if not self._has_time() or not self._write(period, closes=False):
                return
            self._save(self.progress.read_again(period))

    def _write(self, period: Period, *, closes: bool) -> bool:
        """Write the records of a period that no segment has; False if the time ends before the last segment."""
        known = self._known_ids(period)
        new = (record for record in self._export.records.execute(period) if record.id not in known)
        for records, is_last in _parts(new, MOST_RECORDS):
            if not self._has_time():
                return False
            if records or closes:
                self._put(period, records, closes=closes and is_last)
            if not closes:
                self.report.late += len(records)
        return True

    def _known_ids(self, period: Period) -> set[str]:
        """The ids in the segments of a period, of an earlier run or of one that crashed."""
        known: set[str] = set()
        for number in self.progress.of(period).segments:
            content = self._export.segments.get(number)
            try:
                known |= {record.id for record in read_segment(content or b"").records}
            except UnreadableItemError:
                self.report.faults.append(TrailFault(number, "it has changed since it was written"))
        return known

    def _put(self, period: Period, records: list[AuditRecord], *, closes: bool) -> None:
        segment = Segment(
            number=self.progress.next_number,
            previous=self.progress.last_hash,
            period=period,
            closes=closes,
            lock_days=self._export.lock_days,
            records=tuple(sorted(records, key=lambda each: (each.at, each.id))),
        )
        content = encode_segment(segment)
        if not self._export.segments.put(segment.number, content):
            raise _OvertakenError
        self.report.segments += 1
        self.report.records += len(records)
        self._note(content)

    def _note(self, content: bytes) -> None:
        following, fault = self.progress.after(content, self._export.clock.now_ms())
        if fault is not None:
            self.report.faults.append(TrailFault(self.progress.next_number, fault))
        self._save(following)

    def _save(self, progress: TrailProgress) -> None:
        saved = self._export.progress.save(progress)
        if saved is None:
            raise _OvertakenError
        self.progress = saved


def _parts(records: Iterable[AuditRecord], size: int) -> Iterator[tuple[list[AuditRecord], bool]]:
    """Parts of at most `size` records, each with whether it is the last one; one empty part if there are none."""
    iterator = iter(records)
    part = list(islice(iterator, size))
    while following := list(islice(iterator, size)):
        yield part, False
        part = following
    yield part, True
