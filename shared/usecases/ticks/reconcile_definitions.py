"""Walk over all definitions that have not ended: account for their instants, complete changes, repair chains.

The walk keeps a cursor for each segment of the index of live items, so that a run goes on where the run before
it stopped. What a cycle has covered is stored: silence is no proof.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.bucket import EVERY_SHARD, MINUTE_MS, ShardRange
from shared.domain.errors import PunctualError, UnavailableError
from shared.domain.jobs.job import Job, JobState
from shared.names import LIVE_SEGMENTS
from shared.ports.dispatch import ReconcileCycle, ReconcileProgressStore, SegmentProgress
from shared.ports.jobs import LargeRequest, LiveItem, LiveItems
from shared.ports.runtime import Clock, Spread
from shared.usecases.chains.recompute_job import OutdatedJob, Recomputation, RecomputeJob
from shared.usecases.reading.find_head import FindHead
from shared.usecases.reading.prefetched_executions import PrefetchedExecutions
from shared.usecases.ticks.collect_payloads import CollectPayloads
from shared.usecases.ticks.reconcile_job import ReconcileJob
from shared.usecases.ticks.reconcile_report import (
    FIRST_MINUTES,
    SETTLE_MINUTES,
    ReconcileReport,
    settled_through,
)

PAGE = 100
SIDE_BY_SIDE = 16
TRIES = 3
CHECKPOINT_ITEMS = 2_000
"""A run that dies repeats at most this many items, and a page."""
LONGEST_WINDOW_MS = 3_600_000
"""A cycle accounts for at most this much of the past; the next cycle goes on from there."""


@dataclass(slots=True)
class _Walk:
    """The state of one cycle in this run."""

    segment: int
    stored: SegmentProgress
    cycle: ReconcileCycle
    report: ReconcileReport
    is_at_end: bool = False
    unsaved_items: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileDefinitions:
    """One run; runs may overlap or be missed."""

    live: LiveItems
    progress: ReconcileProgressStore
    reconcile_job: ReconcileJob
    recompute: RecomputeJob
    collect_payloads: CollectPayloads
    clock: Clock
    spread: Spread

    def execute(
        self,
        has_time: Callable[[], bool] = lambda: True,
        part: ShardRange = EVERY_SHARD,
        on_report: Callable[[ReconcileReport], None] = lambda _: None,
        on_recomputed: Callable[[Recomputation], None] = lambda _: None,
    ) -> ReconcileReport:
        """One cycle over each segment of this part, as far as the time suffices; the segment that was covered
        longest ago first.

        `on_report` is called before progress is stored: after a crash in between, the next run finds the
        same. `on_recomputed` is called before each change.
        """
        total = ReconcileReport()
        stored = self._begun(part)
        for segment in sorted(stored, key=lambda each: stored[each].covered_at):
            walk = self._walk(segment, stored[segment])
            try:
                while not walk.is_at_end and has_time():
                    self._check_page(walk, has_time, on_recomputed)
                    if walk.is_at_end or walk.unsaved_items >= CHECKPOINT_ITEMS or not has_time():
                        on_report(walk.report)
                        total.add(walk.report)
                        if not self._save(walk):
                            break
            except UnavailableError:
                # The other segments go on; the next run repeats the items since the last checkpoint.
                total.unavailable += 1
        return total

    def covered_at(self) -> int:
        """Every item that was live at this instant has been checked since, and every instant that had settled
        by then is accounted for."""
        return min(
            min(segment.covered_at, segment.checked_until + SETTLE_MINUTES * MINUTE_MS)
            for segment in self.progress.segments().values()
        )

    def _begun(self, part: ShardRange) -> dict[int, SegmentProgress]:
        """The progress of each segment of this part.

        Every run begins every segment that has no record: then the coverage of a part that never runs grows old.
        """
        stored, now_ms = dict(self.progress.segments()), self.clock.now_ms()
        checked_until = (settled_through(now_ms) - FIRST_MINUTES + 1) * MINUTE_MS
        for segment in set(range(LIVE_SEGMENTS)) - stored.keys():
            fresh = SegmentProgress(covered_at=now_ms, checked_until=checked_until)
            begun = self.progress.move_segment(segment, None, fresh)
            if begun is not None:
                stored[segment] = begun
        return {segment: stored[segment] for segment in part.shards(LIVE_SEGMENTS) if segment in stored}

    def _walk(self, segment: int, stored: SegmentProgress) -> _Walk:
        """The rest of the cycle under way, or a new one."""
        now_ms = self.clock.now_ms()
        settled_at = (settled_through(now_ms) + 1) * MINUTE_MS
        until_at = max(stored.checked_until, min(settled_at, stored.checked_until + LONGEST_WINDOW_MS))
        cycle = stored.cycle or ReconcileCycle(began_at=now_ms, until_at=until_at)
        return _Walk(segment=segment, stored=stored, cycle=cycle, report=ReconcileReport())

    def _check_page(
        self, walk: _Walk, has_time: Callable[[], bool], on_recomputed: Callable[[Recomputation], None]
    ) -> None:
        """Check a page in groups, and move the cursor behind each group that is checked."""
        items, next_after = self.live.page(walk.segment, after=walk.cycle.cursor, limit=PAGE)
        jobs = [item.content for item in items if isinstance(item.content, Job)]
        from_at, until_at = walk.stored.checked_until, walk.cycle.until_at
        reader = PrefetchedExecutions(self.reconcile_job.store)
        keys = [key for job in jobs for key in self.reconcile_job.first_reads(job, from_at, until_at)]
        reader.prefetch(keys, self.spread)
        check = replace(self.reconcile_job, store=reader, find_head=FindHead(reader))
        for first in range(0, len(items), SIDE_BY_SIDE):
            group = items[first : first + SIDE_BY_SIDE]
            if first and not has_time():
                return
            found = self.spread(lambda item: self._check(check, item, from_at, until_at), group)
            for report in found:
                walk.report.add(report)
            if not self._recompute(group, walk.report, has_time, on_recomputed):
                return
            walk.unsaved_items += len(group)
            walk.cycle = replace(walk.cycle, cursor=group[-1].cursor)
        walk.cycle = replace(walk.cycle, cursor=next_after)
        walk.is_at_end = next_after is None

    def _check(self, check: ReconcileJob, item: LiveItem, from_at: int, until_at: int) -> ReconcileReport:
        """A check that fails is repeated: one failed check would leave a whole cycle without effect."""
        for _ in range(TRIES):
            with suppress(UnavailableError):
                return self._check_item(check, item, from_at, until_at)
        return ReconcileReport(unavailable=1)

    def _check_item(
        self, check: ReconcileJob, item: LiveItem, from_at: int, until_at: int
    ) -> ReconcileReport:
        if item.content is None:
            return ReconcileReport(unreadable=[item.cursor] if item.is_unreadable else [])
        if isinstance(item.content, LargeRequest):
            return ReconcileReport(payloads_collected=int(self.collect_payloads.execute(item.content)))
        job = item.content
        try:
            findings = check.execute(job, from_at, until_at)
        except UnavailableError:
            raise
        except PunctualError:
            return ReconcileReport(jobs=1, unreadable=[item.cursor])
        return ReconcileReport(
            jobs=1,
            missing_executions=findings.missing_executions,
            chains_repaired=[job.id] if findings.is_repaired else [],
            settled=[job.id] if findings.is_completed else [],
        )

    def _recompute(
        self,
        group: list[LiveItem],
        report: ReconcileReport,
        has_time: Callable[[], bool],
        on_recomputed: Callable[[Recomputation], None],
    ) -> bool:
        """Recompute outdated jobs of a group, in order of the first instant at which old and new zone rules
        differ; False if the time ran out."""
        outdated = sorted(each for item in group if (each := self._outdated(item)) is not None)
        report.outdated += len(outdated)
        for each in outdated:
            if not has_time():
                return False
            with suppress(PunctualError):
                report.recomputed += self.recompute.execute(each, on_recomputed)
        return True

    def _outdated(self, item: LiveItem) -> OutdatedJob | None:
        job: object = item.content
        try:
            if isinstance(job, Job) and job.state is JobState.UPDATING:
                # The check may have completed its update, which may be older than its calendar or the tables.
                job = self.recompute.jobs.get(job.tenant_id, job.id)
            if not isinstance(job, Job) or job.state is not JobState.ACTIVE:
                return None
            parted_at = self.recompute.outdated_from(job, self.clock.now_ms())
        except PunctualError:
            return None  # It or its calendar cannot be read now; a later run looks again.
        if parted_at is None:
            return None
        return OutdatedJob(outdated_from=parted_at, tenant_id=job.tenant_id, job_id=job.id)

    def _save(self, walk: _Walk) -> bool:
        """Store the progress; False if another run has moved the segment since.

        A cycle with failed checks covers nothing: the next cycle accounts for the same instants.
        """
        cycle = replace(walk.cycle, unavailable=walk.cycle.unavailable + walk.report.unavailable)
        if not walk.is_at_end:
            after = replace(walk.stored, cycle=cycle)
        elif cycle.unavailable:
            after = replace(walk.stored, cycle=None)
        else:
            after = replace(walk.stored, covered_at=cycle.began_at, checked_until=cycle.until_at, cycle=None)
        stored = self.progress.move_segment(walk.segment, walk.stored, after)
        if stored is None:
            return False
        walk.stored, walk.cycle, walk.report, walk.unsaved_items = stored, cycle, ReconcileReport(), 0
        return True
