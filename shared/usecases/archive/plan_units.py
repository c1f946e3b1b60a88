"""List the units of each hour that is over, and open sealed units again into whose hours executions were put."""

from shared.dataclass import dataclass
from shared.domain.archive.schedule import FIRST_PASS_MS, UnitState, sealable_from
from shared.domain.archive.unit import ArchiveUnit, hour_end_ms, hour_of, units_of
from shared.domain.bucket import bucket_start_ms
from shared.domain.executions.retention import DAY_SECONDS, Retention
from shared.ports.archive import ArchiveUnits, LatePuts, PlanMark
from shared.ports.dispatch import ShardLedger, ShardRecord
from shared.ports.runtime import Clock
from shared.usecases.filing.scanned_shards import ScannedShards

SETTLED_MS = 120_000
"""From the end of an hour: before, its last minute is still to be swept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanUnits:
    """Safe to repeat, and to run twice concurrently: a unit is listed once."""

    units: ArchiveUnits
    late_puts: LatePuts
    ledger: ShardLedger
    scanned: ScannedShards
    clock: Clock
    retention: Retention

    def execute(self) -> list[UnitState]:
        """All listed units, the new ones included."""
        now_ms = self.clock.now_ms()
        record = self.scanned.record()
        if record is not None:
            self._list_hours(record, now_ms)
        listed = self.units.listed()
        return self.units.listed() if self._reopen(listed, now_ms) else listed

    def _list_hours(self, record: ShardRecord, now_ms: int) -> None:
        """After a growth of the shard counts, the upper groups of the listed hours are listed as well."""
        plan, mark = self.scanned.known_plan(), self.units.planned()
        first = hour_of(now_ms - self.retention.days * DAY_SECONDS * 1000)
        if record.open_from is not None:
            first = max(first, hour_of(bucket_start_ms(record.open_from)))
        if mark is None:
            mark = PlanMark(hour=first - 1, recorded=record.counts)
        if not mark.recorded.covers(record.counts):
            known = self.scanned.plan.grown_to(mark.recorded)
            for hour in range(first, mark.hour + 1):
                self._list(set(units_of(hour, plan)) - set(units_of(hour, known)), now_ms)
            self.units.note_planned(PlanMark(hour=mark.hour, recorded=record.counts))
        for hour in range(max(first, mark.hour + 1), self._over_until(now_ms)):
            self._list(set(units_of(hour, plan)), now_ms)
            self.units.note_planned(PlanMark(hour=hour, recorded=record.counts))

    def _list(self, units: set[ArchiveUnit], now_ms: int) -> None:
        for unit in sorted(units):
            self.units.open(
                unit,
                next_pass_at=unit.end_ms + FIRST_PASS_MS,
                sealable_from=sealable_from(unit, now_ms),
            )

    def _over_until(self, now_ms: int) -> int:
        """The first hour that is not over: sweepers have not listed all its shards, unless they are long behind."""
        swept = self.ledger.swept_through()
        behind = hour_of(bucket_start_ms(swept.bucket + 1)) if swept is not None else 0
        at_latest = hour_of(now_ms - FIRST_PASS_MS)
        hour = max(behind, at_latest)
        return hour if hour_end_ms(hour - 1) + SETTLED_MS <= now_ms else hour - 1

    def _reopen(self, listed: list[UnitState], now_ms: int) -> bool:
        """Whether a sealed unit was opened again: one whose hour has another counter than when it was sealed."""
        counters = self.late_puts.counters()
        if not counters:
            return False
        by_unit = {state.unit: state for state in listed}
        closed, mark, plan = self.units.sealed_counters(), self.units.planned(), self.scanned.known_plan()
        has_opened = False
        for hour, counter in counters.items():
            for unit in units_of(hour, plan) if mark is not None and hour <= mark.hour else ():
                state = by_unit.get(unit)
                if state is None and closed.get(unit) != counter:
                    self.units.open(
                        unit,
                        next_pass_at=now_ms,
                        sealable_from=sealable_from(unit, now_ms),
                        is_passed=True,
                    )
                    has_opened = True
                elif state is not None and state.sealed and state.counter != counter:
                    self.units.reopen(state, next_pass_at=now_ms)
                    has_opened = True
        return has_opened
