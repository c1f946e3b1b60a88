"""Whether the records of a recurring job tell all its changes: each change starts where an earlier one ended."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from shared.dataclass import dataclass
from shared.domain.ids import backfilled_job, is_recurring_job_id
from shared.domain.tenancy.audit import AuditRecord

CHANGES = frozenset({"createJob", "putJob", "updateJob", "pauseJob", "resumeJob", "cancelJob"})
"""Their digests are of the job that is their target."""
BULK_CHANGES = frozenset({"changeJobs", "cancelBulkTask", "undoBulkTask"})
"""They change many jobs, under one record of the operation."""


OVERLAP_MS = 60_000
"""Two requests that end within this time may have begun with the same state of a job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A record whose job was in a state before it that no recorded change had made."""

    record: AuditRecord


def gaps(records: Iterable[AuditRecord]) -> Iterator[Gap]:
    """Gaps in the records of an interval, of one tenant.

    Each state is left as often as it is entered. The order of records is not judged, since two requests of one second
    may be recorded in any order. The first state of a job is unknown if its creation is not among the records. After a
    bulk operation, the jobs of its tenant have no gaps: its record has a digest of the operation, and none of a job.
    """
    of_job: dict[str, list[AuditRecord]] = defaultdict(list)
    for record in sorted(records, key=lambda each: (each.at, each.id)):
        if record.operation in BULK_CHANGES:
            break
        if record.operation in CHANGES and _is_recurring(record.target):
            of_job[record.target].append(record)
    for own in of_job.values():
        yield from _gaps_of_job(own)


def _is_recurring(target: str) -> bool:
    return is_recurring_job_id(target) and backfilled_job(target) is None


def _gaps_of_job(records: list[AuditRecord]) -> Iterator[Gap]:
    entered = Counter(record.after for record in records if record.before != record.after)
    left: dict[str, list[AuditRecord]] = defaultdict(list)
    for record in _judged(records):
        if record.before is not None:
            left[record.before].append(record)
    if records[0].before is not None:
        entered[records[0].before] += 1
    for state, own in left.items():
        for record in own[entered[state] :]:
            yield Gap(record=record)


def _judged(records: list[AuditRecord]) -> Iterator[AuditRecord]:
    """The changes, without those that overlapped with the one before."""
    for before, record in zip([None, *records], records, strict=False):
        is_near = before is not None and record.at - before.at <= OVERLAP_MS and record.before != before.after
        if record.before != record.after and not is_near:
            yield record
