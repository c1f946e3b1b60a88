"""The audit trail in a simulation of its own: weeks of virtual time, in which every port call may be a crash.

Writers append records, some of them late or with clocks of their own; auditors overlap, die, stand still and stay away
for days; the noted progress is lost. The oracle is the operators' verification, and each record's number of segments.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from shared.bootstrap.use_cases import UseCases
from shared.domain.audit_trail.progress import DAY_MS, HOUR_MS
from tests.simulation.weeks import Faulty, Hazards, HubClock, WeeksSimulation
from tests.support.builders import EXPIRES_AT_S, TENANT
from tests.support.usecases.audit_trail import OTHER, START_MS, TrailWorld, auditor, operator, record

CHAOS_MS = 4 * DAY_MS
SETTLED_MS = 14 * DAY_MS
LATEST_MS = 6 * DAY_MS
"""A record that comes later than a week is in no segment, and the verification tells so."""
HAZARDS = Hazards(crash=0.005, unavailable=0.005, freeze=0.02, longest_freeze_ms=100_000, frozen_ms=500_000)


class TrailSimulation(WeeksSimulation):
    """One seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, HAZARDS, start_ms=START_MS, chaos_ms=CHAOS_MS, settled_ms=SETTLED_MS)
        self.world = TrailWorld(START_MS)
        self.world.fakes.trail_segments._now_ms = lambda: self.hub.now_ms
        self.overtaken = 0
        self.appended = 0

    def _start(self) -> None:
        for _ in range(self.rng.randint(30, 60)):
            self._plan_record()
        away = range(self.rng.randint(20, 60), self.rng.randint(60, 90))
        for hour in range(SETTLED_MS // HOUR_MS):
            if hour in away:
                continue
            for _ in range(self.rng.choice((1, 1, 2, 3))):
                self._process(START_MS + hour * HOUR_MS + self.rng.randint(0, HOUR_MS), self._export)
        if self.rng.random() < 0.3:
            self.hub.spawn(self._lose_progress, START_MS + self.rng.randint(0, CHAOS_MS))

    def _plan_record(self) -> None:
        self.appended += 1
        at = START_MS + self.rng.randint(0, CHAOS_MS)
        tenant_id = self.rng.choice((TENANT, OTHER))
        made = record(self.appended, at, tenant_id=tenant_id)
        late = self.rng.choice((0, 0, 1_000, 2 * HOUR_MS, LATEST_MS))
        written_at = at + self.rng.randint(0, late) - self.rng.choice((0, 0, 120_000))
        self.hub.spawn(
            lambda: self.world.fakes.audit_log.append(made, EXPIRES_AT_S), max(START_MS, written_at)
        )

    def _lose_progress(self) -> None:
        self.world.fakes.trail_progress.stored = None

    def _export(self, cases: UseCases) -> None:
        report = cases.audit_trail.export.execute()
        self.overtaken += report.is_overtaken
        assert report.faults == []

    def _cases(self, hit: Callable[[], None]) -> UseCases:
        fakes: Any = self.world.fakes
        ports = fakes.ports()
        ports.clock = HubClock(self.hub)
        for name in ("audit_log", "tenants", "trail_segments", "trail_progress"):
            setattr(ports, name, Faulty(getattr(fakes, name), hit))
        return auditor(fakes, ports)

    def _faults(self) -> list[str]:
        self.world.fakes.clock.time_ms = self.hub.now_ms
        verdict = operator(self.world.fakes).audit_trail.verify.execute(0, self.hub.now_ms)
        times = Counter(each.id for each in self.world.exported())
        faults = [*verdict.findings, *(f"{name} is in {n} segments" for name, n in times.items() if n > 1)]
        if len(times) != self.appended or verdict.late:
            faults.append(f"{self.appended} records were written, and {len(times)} are in segments")
        return faults
