"""The archive in a simulation of its own: weeks of virtual time, in which every port call may be a crash.

Executions are filed and end, early or days late; records are put late into old hours; records expire; archivers
overlap; a tenant is deleted, and a restore puts its records back. The oracle compares the ids in the files, the
statistics and the busiest jobs with its own list of what has ended and how. Nothing may be left of the deleted tenant.
"""

import random
from collections import Counter
from collections.abc import Callable

from shared.bootstrap.use_cases import UseCases, use_cases
from shared.domain.archive.unit import ArchiveUnit, hour_of, unit_of
from shared.domain.bucket import bucket_of
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import ExecutionId, recurring_job_id
from shared.ports.dispatch import ShardRecord
from tests.simulation.archive_leaver import LEAVER, Leaver
from tests.simulation.archived_sums import End, days_faults, sums_faults
from tests.simulation.weeks import Faulty, Hazards, HubClock, WeeksSimulation
from tests.support.builders import DUE_AT, TENANT, in_state, one_off, with_changes
from tests.support.fakes.archive import FakeArchiveFiles, rows_in
from tests.support.fakes.table import FakeTable
from tests.support.settings import settings_of
from tests.support.usecases.ports import FakePorts

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000
START_MS = DUE_AT - DUE_AT % HOUR_MS
HOURS = 3
"""With executions; the hours after them are empty."""
LATEST_END_MS = 13 * DAY_MS
CHAOS_MS = 17 * DAY_MS
SETTLED_MS = 23 * DAY_MS
LATEST_LEAVE_MS = 8 * DAY_MS
RESTORED_AFTER_MS = ((HOUR_MS, 12 * DAY_MS), (12 * DAY_MS + 6 * HOUR_MS, 13 * DAY_MS))
"""From the end of the deletion, before and after the archive is rid of the tenant. Some records that the restore brings
back exist for two weeks after the deletion."""
HAZARDS = Hazards(crash=0.002, unavailable=0.002, freeze=0.016, longest_freeze_ms=500_000, frozen_ms=500_000)
CELL = "eu-west-1"
OTHER = "globex"
RECURRING_SHARE = 0.7
JOBS = [recurring_job_id(START_MS, number, cell="0") for number in range(3)]
"""Each tenant has recurring jobs with these ids."""


class ArchiveSimulation(WeeksSimulation):
    """One seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, HAZARDS, start_ms=START_MS, chaos_ms=CHAOS_MS, settled_ms=SETTLED_MS)
        self.fakes = FakePorts(START_MS)
        self.table: FakeTable = self.fakes.table
        self.fakes.shard_counts.begin(
            ShardRecord(counts=self.fakes.plan.epochs[0].counts, open_from=bucket_of(START_MS))
        )
        self.ended: dict[ExecutionId, End] = {}
        """Every execution of the tenants that stay that has ever ended, whether its record still exists or not."""
        self.findings: list[str] = []
        """What the archiver itself has found wrong."""
        self._outcomes = random.Random(seed + 1_000)
        self._tenants = random.Random(f"tenants of {seed}")
        self.leaver = Leaver(self.fakes, START_MS + self._tenants.randint(HOUR_MS, LATEST_LEAVE_MS))
        self._number = 0

    def _start(self) -> None:
        for _ in range(self.rng.randint(6, 14)):
            self._plan_execution()
        for _ in range(self.rng.randint(1, 6)):
            at = self.rng.randint(HOURS * HOUR_MS, CHAOS_MS)
            self._process(START_MS + at, self._put_late)
        self._plan_deletion()
        for hour in range(SETTLED_MS // HOUR_MS):
            self.hub.spawn(self._sweep, START_MS + hour * HOUR_MS + 5 * MINUTE_MS)
            self.hub.spawn(self._expire, START_MS + hour * HOUR_MS + 30 * MINUTE_MS)
        for tick in range(SETTLED_MS // HOUR_MS):
            if self.rng.random() < 0.9:
                at = START_MS + tick * HOUR_MS + self.rng.randint(0, 50 * MINUTE_MS)
                for _ in range(self.rng.choice((1, 1, 1, 2))):
                    self._process(at, self._archive)

    def _plan_deletion(self) -> None:
        """Late records open sealed hours again, before and after the archive is rid of the tenant."""
        self.hub.spawn(self.leaver.leave, self.leaver.leaves_at)
        span = self._tenants.choice(RESTORED_AFTER_MS)
        restored_at = self.leaver.leaves_at + self._tenants.randint(*span)
        self.hub.spawn(self.leaver.come_back, restored_at)
        for _ in range(HOURS):
            self._process(restored_at + self._tenants.randint(1, HOUR_MS), self._put_late)

    def _archive(self, cases: UseCases) -> None:
        report = cases.archive.run.execute()
        if report.mismatched:
            self.findings.append(f"the archiver has found {report}")

    def _plan_execution(self) -> None:
        """One execution that is filed in time, and ends at once, hours or days later."""
        due_at = START_MS + self.rng.randint(0, HOURS * HOUR_MS - 1)
        self._number += 1
        tenant = self._tenant()
        execution = one_off(self._number, due_at=due_at, tenant_id=tenant)
        if self._tenants.random() < RECURRING_SHARE:
            execution = with_changes(execution, job_id=self._tenants.choice(JOBS))
        late = self.rng.choice((60_000, 3 * HOUR_MS, 2 * DAY_MS, LATEST_END_MS))
        self.hub.spawn(lambda: self._insert(execution), max(START_MS, due_at - 600_000))
        self.hub.spawn(lambda: self._end(execution), due_at + self.rng.randint(1, late))

    def _insert(self, execution: Execution) -> None:
        if not self.leaver.owns(execution) or self.leaver.may_file(self.hub.now_ms):
            self.table.insert(execution, None)

    def _end(self, execution: Execution) -> None:
        row = self.table.executions.get(execution.id)
        if row is None:
            assert self.leaver.owns(execution)
            return
        state = self._outcomes.choice((State.SUCCEEDED, State.FAILED))
        reason = EndReason.ATTEMPTS_USED_UP if state is State.FAILED else None
        lag_ms = self._outcomes.choice((0, 37, 900, 12_345))
        outcome = AttemptOutcome(
            attempt=1,
            started_at=execution.id.dispatch_at + lag_ms,
            duration_ms=5,
            status=200,
            reason=Reason.OK,
        )
        row.execution = in_state(row.execution, state, end_reason=reason, attempt=1, outcomes=(outcome,))
        row.expires_at_s = self._expiry()
        if not self.leaver.owns(execution):
            self.ended[execution.id] = End(
                tenant=execution.tenant_id,
                job=execution.job_id if execution.job_id in JOBS else None,
                state=state.value,
                reason=reason.value if reason is not None else None,
                status=outcome.status,
                lag_ms=lag_ms,
            )

    def _tenant(self) -> str:
        return self._tenants.choice((TENANT, OTHER, LEAVER))

    def _put_late(self, cases: UseCases) -> None:
        """A record of a pause or a jump, already ended, at an instant of long ago."""
        self._number += 1
        due_at = START_MS + self.rng.randint(0, HOURS * HOUR_MS - 1)
        tenant = self._tenant()
        if tenant == LEAVER and not self.leaver.may_file(self.hub.now_ms):
            tenant = OTHER
        plain = one_off(self._number, due_at=due_at, tenant_id=tenant)
        record = with_changes(plain, state=State.SKIPPED, end_reason=EndReason.JOB_PAUSED, ends_chain=True)
        cases.core.ports.executions.put_if_absent(record, expires_at_s=self._expiry())

    def _expiry(self) -> int:
        return (self.hub.now_ms + 14 * DAY_MS) // 1000

    def _sweep(self) -> None:
        """Sweepers are an hour behind, and close what has ended; records that are put ended are no matter of theirs."""
        self.fakes.ledger.note_swept_through(bucket_of(self.hub.now_ms) - 1)

    def _expire(self) -> None:
        self._note_ended()
        self.table.drop_expired(self.hub.now_ms, lambda: self.rng.random() < 0.7)

    def _note_ended(self) -> None:
        for key, row in self.table.executions.items():
            is_own = self.leaver.owns(row.execution)
            if row.execution.state.is_terminal and key not in self.ended and not is_own:
                self.ended[key] = End(tenant=row.execution.tenant_id, state="skipped", reason="job_paused")

    def _cases(self, hit: Callable[[], None]) -> UseCases:
        fakes = self.fakes
        ports = fakes.ports()
        ports.clock = HubClock(self.hub)
        for name in (
            "late_puts",
            "archive_units",
            "archive_objects",
            "ledger",
            "shard_counts",
            "index_counts",
            "history",
        ):
            setattr(ports, name, Faulty(getattr(fakes, name), hit))
        ports.executions = Faulty(fakes.store._port, hit)
        ports.tenant_deletions = Faulty(fakes.deletions, hit)
        ports.archive_files = FakeArchiveFiles()
        return use_cases(ports, settings_of(fakes.plan, fakes.retention))

    def _faults(self) -> list[str]:
        self._note_ended()
        archived = Counter(dict(self._archived()))
        wanted = {str(key) for key in self.ended}
        faults = [f"{text} has ended and is in no file" for text in sorted(wanted - archived.keys())]
        faults += [f"{text} is in a file and has not ended" for text in sorted(archived.keys() - wanted)]
        faults += [f"{text} is in {count} files" for text, count in archived.items() if count > 1]
        open_units = [state.unit for state in self.fakes.archive_units.listed() if self._is_old(state.unit)]
        faults += [f"{unit} is not sealed" for unit in open_units]
        first, tenants = hour_of(START_MS), (TENANT, OTHER, None)
        for check in (sums_faults, days_faults):
            faults += check(self.fakes.history, self.ended, range(first, first + HOURS), tenants)
        return faults + self.leaver.faults() + self.findings

    def _archived(self) -> list[tuple[str, int]]:
        """The ids of all files with the number of their rows; AssertionError for a row in the file of another unit."""
        count: Counter[str] = Counter()
        for key, (_, content) in self.fakes.archive_objects.objects.items():
            if key.endswith(".parquet"):
                for row in rows_in(content):
                    count[row["id"]] += 1
        units = {str(each): unit_of(each).file_key(CELL) for each in self.ended}
        for text, key in units.items():
            if text in count:
                assert any(row["id"] == text for row in rows_in(self.fakes.archive_objects.objects[key][1]))
        return list(count.items())

    def _is_old(self, unit: ArchiveUnit) -> bool:
        return unit.end_ms < START_MS + (HOURS + 1) * HOUR_MS
