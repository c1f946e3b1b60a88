"""Verify the audit trail: the chain of hashes, the locks, the records of the table, and the changes of each job.

Of each segment the first version is read, whatever was written over it. Findings are sentences for operators.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.audit_trail.continuity import gaps
from shared.domain.audit_trail.progress import DAY_MS, LATE_PASSES_MS
from shared.domain.audit_trail.segment import Period, Segment, record_line
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.audit import AuditRecord
from shared.ports.audit_trail import TrailProgressStore, TrailSegments
from shared.ports.runtime import Clock
from shared.usecases.audit_trail.read_chain import ReadChain
from shared.usecases.audit_trail.read_records import ReadRecords

LATE_MS = LATE_PASSES_MS[-1] + DAY_MS
"""After the end of a period, until when a late record may not have been found yet."""

BEHIND_MS = DAY_MS
"""How far the trail may be behind: an hour and some minutes are usual, and an alarm fires after six hours."""


@dataclass(slots=True)
class TrailVerdict:
    segments: int = 0
    records: int = 0
    covers_from: int = 0
    through_at: int = 0
    """The periods of the segments: earlier segments may have ended with their locks."""
    late: int = 0
    """Records that came late, and that no segment has yet."""
    findings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyTrail:
    records: ReadRecords
    segments: TrailSegments
    progress: TrailProgressStore
    clock: Clock
    retention_days: int
    """How long the table keeps a record."""

    def execute(self, from_at: int, until_at: int) -> TrailVerdict:
        """Verify all that the segments have of [from_at, until_at). UnavailableError."""
        verdict = TrailVerdict()
        now_ms = self.clock.now_ms()
        chain = ReadChain(self.segments, now_ms)
        # Before the bucket is listed: a segment that is noted is in the list.
        noted = self.progress.load()
        trail = self._trail(chain, from_at, until_at, verdict)
        verdict.findings += chain.findings
        if noted is not None and chain.next_number < noted.next_number:
            missing = f"{noted.next_number - chain.next_number} segments from number {chain.next_number} on"
            verdict.findings.append(f"The bucket lacks {missing}, which were written.")
        if not verdict.segments:
            verdict.findings.append("The bucket has no segment, so nothing is verified.")
        elif verdict.through_at < min(until_at, now_ms - BEHIND_MS):
            verdict.findings.append(f"The trail ends at {format_instant(verdict.through_at)}.")
        from_at, until_at = max(from_at, verdict.covers_from), min(until_at, verdict.through_at)
        if from_at < until_at:
            self._compare(trail, Period(from_at=from_at, until_at=until_at), verdict)
        return verdict

    def _trail(
        self, chain: ReadChain, from_at: int, until_at: int, verdict: TrailVerdict
    ) -> Mapping[str, dict[str, AuditRecord]]:
        """The records of the interval by tenant and id."""
        trail: dict[str, dict[str, AuditRecord]] = defaultdict(dict)
        for segment in chain.execute(from_at):
            verdict.segments += 1
            if segment.closes:
                _check_period(segment, verdict)
            for record in segment.records:
                own = trail[record.tenant_id]
                if not from_at <= record.at < until_at:
                    continue
                if own.setdefault(record.id, record) != record:
                    verdict.findings.append(
                        f"Segment {segment.number} has another record {record.id} of {record.tenant_id} than an "
                        "earlier segment."
                    )
        verdict.records = sum(map(len, trail.values()))
        return trail

    def _compare(
        self, trail: Mapping[str, dict[str, AuditRecord]], period: Period, verdict: TrailVerdict
    ) -> None:
        tenants = dict.fromkeys([*self.records.tenant_ids(), *sorted(trail)])
        for tenant_id in tenants:
            found = trail.get(tenant_id, {})
            own = {name: each for name, each in found.items() if period.from_at <= each.at < period.until_at}
            stored = {record.id: record for record in self.records.of_tenant(tenant_id, period)}
            verdict.findings += self._differences(own, stored, verdict)
            for gap in gaps((own | stored).values()):
                verdict.findings.append(
                    f"Job {gap.record.target} of {tenant_id} has an unrecorded change before record {gap.record.id} "
                    f"of {format_instant(gap.record.at)}."
                )

    def _differences(
        self, own: Mapping[str, AuditRecord], stored: Mapping[str, AuditRecord], verdict: TrailVerdict
    ) -> Iterator[str]:
        now_ms = self.clock.now_ms()
        for record in stored.values():
            if record.id in own:
                if record_line(own[record.id]) != record_line(record):
                    yield f"Record {_named(record)} in the table is not the one of the trail."
            elif record.at + LATE_MS > now_ms:
                verdict.late += 1
            else:
                yield f"Record {_named(record)} is in the table, and no segment has it."
        for record in own.values():
            # DynamoDB deletes an expired item within days, and never before.
            if record.id not in stored and record.at + self.retention_days * DAY_MS > now_ms:
                yield f"Record {_named(record)} is in the trail, and the table has lost it."


def _named(record: AuditRecord) -> str:
    return f"{record.id} of {record.tenant_id}, of {format_instant(record.at)},"


def _check_period(segment: Segment, verdict: TrailVerdict) -> None:
    """Each closed period begins where the one before ended."""
    period = segment.period
    if verdict.through_at and period.from_at != verdict.through_at:
        verdict.findings.append(
            f"No segment covers the time from {format_instant(verdict.through_at)} to "
            f"{format_instant(period.from_at)}."
        )
    if not verdict.through_at:
        verdict.covers_from = period.from_at
    verdict.through_at = max(verdict.through_at, period.until_at)
