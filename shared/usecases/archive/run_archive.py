"""A tick of the archiver: list units, pass those that are due, and compare the hours that are sealed as a whole.

Then deleted tenants are removed from sealed files. Once an hour a sealed file is compared again, and the jobs of days
that have changed are counted.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.archive.schedule import UnitState, is_due
from shared.domain.archive.unit import GROUP_SHARDS, HOUR_MS, MINUTES_PER_HOUR, ArchiveUnit, units_of
from shared.domain.bucket import EVERY_SHARD, ShardRange, bucket_of
from shared.domain.errors import PunctualError, ServiceError
from shared.ports.archive import ArchiveUnits, PlanMark
from shared.ports.dispatch import ShardLedger
from shared.ports.history import HistoryStore, PassedMark
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantDeletions
from shared.usecases.archive.archive_unit import ArchiveUnitPass, PassEnd, PassResult
from shared.usecases.archive.count_jobs import CountJobs
from shared.usecases.archive.forget_tenants import ForgetReport, ForgetTenants
from shared.usecases.archive.plan_units import PlanUnits
from shared.usecases.archive.verify_hour import CountMismatch, VerifyHour
from shared.usecases.archive.verify_sample import SampleMismatch, VerifySample
from shared.usecases.filing.scanned_shards import ScannedShards

SAMPLED_WITHIN_MS = 300_000
"""From the beginning of each hour: one tick begins within it, and compares a sealed file again."""
COUNTED_BETWEEN_MS = range(SAMPLED_WITHIN_MS, 2 * SAMPLED_WITHIN_MS)
"""The same for the next tick, which counts jobs."""


@dataclass(slots=True)
class ArchiveReport:
    passes: list[PassResult] = field(default_factory=list)
    damaged: list[ArchiveUnit] = field(default_factory=list)
    """Units whose file or manifest cannot be read."""
    mismatches: list[CountMismatch] = field(default_factory=list)
    sample: SampleMismatch | None = None
    forgetting: ForgetReport = field(default_factory=ForgetReport)
    counted_days: int = 0
    """Days whose busiest jobs were counted."""
    unavailable: int = 0
    """Units that were left to a later tick, because a service did not respond."""
    overdue_ms: int = 0
    """For how long the oldest unit could have been sealed, and is not."""

    def count(self, end: PassEnd) -> int:
        return sum(each.end is end for each in self.passes)

    @property
    def mismatched(self) -> int:
        """Files that are not what the archive holds them for."""
        found = self.count(PassEnd.MISMATCH) + len(self.damaged) + len(self.mismatches)
        return found + len(self.forgetting.damaged) + (self.sample is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunArchive:
    """Runs may overlap, crash or be missed. Each run takes the units of its part, and leases separate two runs."""

    plan: PlanUnits
    units: ArchiveUnits
    history: HistoryStore
    ledger: ShardLedger
    scanned: ScannedShards
    pass_unit: ArchiveUnitPass
    verify_hour: VerifyHour
    deletions: TenantDeletions
    forget: ForgetTenants
    verify_sample: VerifySample
    count_jobs: CountJobs
    clock: Clock

    def execute(
        self, has_time: Callable[[], bool] = lambda: True, part: ShardRange = EVERY_SHARD
    ) -> ArchiveReport:
        """Pass the units that are due, as long as `has_time`; the units that expire first come first."""
        report, began_at = ArchiveReport(), self.clock.now_ms()
        listed = self.plan.execute()
        # Before all passes: the tenants that they leave out.
        deleted = self.deletions.forgetting()
        without = frozenset(deleted).union(self.deletions.forgotten())
        report.overdue_ms = max(map(self._overdue_ms, listed), default=0)
        open_shards = self._open_groups()
        own = [state for state in listed if state.unit.group % part.of == part.index]
        for state in sorted(own, key=lambda each: (each.sealable_from, each.unit)):
            if not has_time():
                break
            if is_due(state, self.clock.now_ms(), has_open_shards=state.unit in open_shards):
                self._pass(state, without, report)
        if part.index == 0:
            # Read first: each unit of an hour up to the mark is in the list, unless it is sealed.
            mark, seen_at = self.units.planned(), self.clock.now_ms()
            listed = self.units.listed()
            self._note_passed(mark, listed, report)
            self._verify(listed, report, has_time)
            if mark is not None:
                frontier = min((state.unit.hour for state in listed), default=mark.hour + 1)
                report.forgetting = self.forget.execute(deleted, frontier, has_time, seen_at=seen_at)
                if began_at % HOUR_MS < SAMPLED_WITHIN_MS and has_time():
                    self._sample(frontier, report)
                if began_at % HOUR_MS in COUNTED_BETWEEN_MS:
                    self._count_jobs(deleted, has_time, report)
        return report

    def _note_passed(self, mark: PlanMark | None, listed: list[UnitState], report: ArchiveReport) -> None:
        """Tell readers of statistics up to which hour each unit was passed."""
        if mark is None:
            return
        end = mark.hour + 1
        before = min((each.unit.hour for each in listed if not each.passes), default=end)
        since = min((each.unit.hour for each in listed), default=end)
        passed = PassedMark(since=min(since, end), before=min(before, end))
        try:
            self.history.note_passed(passed, self.clock.now_ms())
        except ServiceError:
            report.unavailable += 1

    def _overdue_ms(self, state: UnitState) -> int:
        return 0 if state.sealed else max(0, self.clock.now_ms() - state.sealable_from)

    def _open_groups(self) -> set[ArchiveUnit]:
        """The units of which the sweepers still list a shard."""
        return {
            ArchiveUnit(hour=shard.bucket // MINUTES_PER_HOUR, group=shard.shard // GROUP_SHARDS)
            for shard in self.ledger.open_before(bucket_of(self.clock.now_ms()))
        }

    def _sample(self, frontier: int, report: ArchiveReport) -> None:
        try:
            report.sample = self.verify_sample.execute(frontier)
        except ServiceError:
            report.unavailable += 1

    def _count_jobs(
        self, deleted: Collection[str], has_time: Callable[[], bool], report: ArchiveReport
    ) -> None:
        try:
            counted = self.count_jobs.execute(deleted, has_time)
        except ServiceError:
            report.unavailable += 1
        else:
            report.counted_days = counted.days
            report.damaged += counted.damaged

    def _pass(self, state: UnitState, without: Collection[str], report: ArchiveReport) -> None:
        try:
            lease = self.units.take(state, self.clock.now_ms())
            if lease is not None:
                report.passes.append(self.pass_unit.execute(lease, without))
        except ServiceError:
            report.unavailable += 1
        except PunctualError:
            # The lease ends by itself, and the next pass finds the same.
            report.damaged.append(state.unit)

    def _verify(
        self, listed: Iterable[UnitState], report: ArchiveReport, has_time: Callable[[], bool]
    ) -> None:
        """Compare each hour whose units are all sealed, and take its units from the list."""
        by_hour: dict[int, list[UnitState]] = defaultdict(list)
        for state in listed:
            by_hour[state.unit.hour].append(state)
        for hour, states in sorted(by_hour.items()):
            if not has_time():
                return
            if not all(state.sealed for state in states):
                continue
            try:
                mismatches = self.verify_hour.execute(units_of(hour, self.scanned.known_plan()))
                report.mismatches += mismatches
                for state in states:
                    self.units.close(state, self.clock.now_ms())
            except ServiceError:
                report.unavailable += 1
            except PunctualError:
                report.damaged += [state.unit for state in states]
