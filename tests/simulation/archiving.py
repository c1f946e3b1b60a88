"""The archive in a simulation of its own: weeks of virtual time, in which every port call may be a crash.

Executions are filed and end, early or days late; records are put late into old hours; records expire; archivers
overlap. The oracle compares the ids in the files, and the statistics, with its own list of what has ended and how.
"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from greenlet import GreenletExit

from shared.bootstrap.use_cases import UseCases, use_cases
from shared.domain.archive.statistics import Sums
from shared.domain.archive.unit import ArchiveUnit, hour_of, unit_of
from shared.domain.bucket import bucket_of
from shared.domain.delivery.callback import Reason
from shared.domain.errors import UnavailableError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.stages import code_of
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import ExecutionId
from shared.ports.dispatch import ShardRecord
from tests.simulation.hub import Hub
from tests.simulation.process import Crash
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
FREEZE_MS = (1_000, 500_000)
"""A writer that stands still for longer is no invocation any more."""
CELL = "eu-west-1"
OTHER = "globex"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How an execution has ended, as the oracle has decided it."""

    tenant: str
    state: str
    reason: str | None = None
    status: int | None = None
    lag_ms: int | None = None
    """None for an execution that was never called."""


class HubClock:
    """The virtual time of all processes."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def now_ms(self) -> int:
        return self._hub.now_ms

    async def sleep_ms(self, duration_ms: int) -> None:
        raise AssertionError("nothing of the archive sleeps")


class Faulty:
    """A port of one process: before and after each call, the process may stand still or die."""

    def __init__(self, port: Any, hit: Callable[[], None]) -> None:
        self._port = port
        self._hit = hit

    def __getattr__(self, method: str) -> Any:
        real = getattr(self._port, method)

        def call(*args: Any, **kwargs: Any) -> Any:
            self._hit()
            answer = real(*args, **kwargs)
            self._hit()
            return answer

        return call


class ArchiveSimulation:
    """One seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.hub = Hub(START_MS)
        self.fakes = FakePorts(START_MS)
        self.table: FakeTable = self.fakes.table
        self.fakes.shard_counts.begin(
            ShardRecord(counts=self.fakes.plan.epochs[0].counts, open_from=bucket_of(START_MS))
        )
        self.is_calm = False
        self.crashes = 0
        self.ended: dict[ExecutionId, End] = {}
        """Every execution that has ever ended, whether its record still exists or not."""
        self._outcomes = random.Random(seed + 1_000)
        self._tenants = random.Random(f"tenants of {seed}")
        self._number = 0

    def run(self) -> list[str]:
        """What the files have too few, too many or twice."""
        try:
            self._start()
            self.hub.run_until(START_MS + CHAOS_MS)
            self.is_calm = True
            self.hub.run_until(START_MS + SETTLED_MS)
            return self._faults()
        finally:
            self.hub.close()

    def _start(self) -> None:
        for _ in range(self.rng.randint(6, 14)):
            self._plan_execution()
        for _ in range(self.rng.randint(1, 6)):
            at = self.rng.randint(HOURS * HOUR_MS, CHAOS_MS)
            self._process(START_MS + at, self._put_late)
        for hour in range(SETTLED_MS // HOUR_MS):
            self.hub.spawn(self._sweep, START_MS + hour * HOUR_MS + 5 * MINUTE_MS)
            self.hub.spawn(self._expire, START_MS + hour * HOUR_MS + 30 * MINUTE_MS)
        for tick in range(SETTLED_MS // HOUR_MS):
            if self.rng.random() < 0.9:
                at = START_MS + tick * HOUR_MS + self.rng.randint(0, 50 * MINUTE_MS)
                for _ in range(self.rng.choice((1, 1, 1, 2))):
                    self._process(at, lambda cases: cases.archive.run.execute())

    def _plan_execution(self) -> None:
        """One execution that is filed in time, and ends at once, hours or days later."""
        due_at = START_MS + self.rng.randint(0, HOURS * HOUR_MS - 1)
        self._number += 1
        execution = one_off(self._number, due_at=due_at, tenant_id=self._tenant())
        late = self.rng.choice((60_000, 3 * HOUR_MS, 2 * DAY_MS, LATEST_END_MS))
        self.hub.spawn(lambda: self.table.insert(execution, None), max(START_MS, due_at - 600_000))
        self.hub.spawn(lambda: self._end(execution), due_at + self.rng.randint(1, late))

    def _end(self, execution: Execution) -> None:
        row = self.table.executions[execution.id]
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
        self.ended[execution.id] = End(
            tenant=execution.tenant_id,
            state=state.value,
            reason=reason.value if reason is not None else None,
            status=outcome.status,
            lag_ms=lag_ms,
        )

    def _tenant(self) -> str:
        return self._tenants.choice((TENANT, OTHER))

    def _put_late(self, cases: UseCases) -> None:
        """A record of a pause or a jump, already ended, at an instant of long ago."""
        self._number += 1
        due_at = START_MS + self.rng.randint(0, HOURS * HOUR_MS - 1)
        plain = one_off(self._number, due_at=due_at, tenant_id=self._tenant())
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
            if row.execution.state.is_terminal and key not in self.ended:
                self.ended[key] = End(tenant=row.execution.tenant_id, state="skipped", reason="job_paused")

    def _process(self, at_ms: int, work: Callable[[UseCases], Any]) -> None:
        """Run a use case in a process of its own, which may die."""

        def guarded() -> None:
            frozen = [0]
            try:
                work(self._cases(lambda: self._hit(frozen)))
            except (Crash, GreenletExit, UnavailableError):
                return

        self.hub.spawn(guarded, at_ms)

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
        ports.archive_files = FakeArchiveFiles()
        return use_cases(ports, settings_of(fakes.plan, fakes.retention))

    def _hit(self, frozen: list[int]) -> None:
        if self.is_calm:
            return
        drawn = self.rng.random()
        if drawn < 0.002:
            self.crashes += 1
            raise Crash
        if drawn < 0.004:
            raise UnavailableError("injected")
        if drawn < 0.02 and sum(frozen) <= FREEZE_MS[1] - FREEZE_MS[0]:
            frozen.append(self.rng.randint(FREEZE_MS[0], FREEZE_MS[1] - sum(frozen)))
            self.hub.sleep(frozen[-1])

    def _faults(self) -> list[str]:
        self._note_ended()
        archived = Counter(dict(self._archived()))
        wanted = {str(key) for key in self.ended}
        faults = [f"{text} has ended and is in no file" for text in sorted(wanted - archived.keys())]
        faults += [f"{text} is in a file and has not ended" for text in sorted(archived.keys() - wanted)]
        faults += [f"{text} is in {count} files" for text, count in archived.items() if count > 1]
        open_units = [state.unit for state in self.fakes.archive_units.listed() if self._is_old(state.unit)]
        faults += [f"{unit} is not sealed" for unit in open_units]
        return faults + self._wrong_statistics()

    def _wrong_statistics(self) -> list[str]:
        """Hours whose statistics are not the oracle's own counts."""
        first = hour_of(START_MS)
        faults = []
        for tenant in (TENANT, OTHER, None):
            found = {hour: Sums() for hour in range(first, first + HOURS)}
            for each in self.fakes.history.hours(tenant, first, first + HOURS):
                found[each.unit.hour].merge(each.sums)
            faults += [
                f"hour {hour} of {tenant} has {sums} in place of {wanted}"
                for hour, sums in found.items()
                if _numbers(sums) != (wanted := self._counted(hour, tenant))
            ]
        mark = self.fakes.history.passed()
        if mark is None or mark.before < first + HOURS or mark.since != first:
            faults.append(f"the mark of passed hours is {mark}")
        return faults

    def _counted(self, hour: int, tenant: str | None) -> dict[str, Any]:
        own = {
            key: end
            for key, end in self.ended.items()
            if hour_of(key.dispatch_at) == hour and tenant in (end.tenant, None)
        }
        called = [end for end in own.values() if end.lag_ms is not None]
        minutes: dict[int, tuple[int, int, Counter[int]]] = {}
        for key, end in own.items():
            ended, failed, lags = minutes.get(key.bucket, (0, 0, Counter()))
            lags.update([code_of(end.lag_ms)] if end.lag_ms is not None else [])
            minutes[key.bucket] = (ended + 1, failed + (end.state == "failed"), lags)
        return {
            "states": Counter(end.state for end in own.values()),
            "end_reasons": Counter(end.reason for end in own.values() if end.reason is not None),
            "statuses": Counter(f"{(end.status or 0) // 100}xx" for end in called),
            "attempts": len(called),
            "unended": 0,
            "minutes": minutes,
        }

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


def _numbers(sums: Sums) -> dict[str, Any]:
    """What the oracle counts as well."""
    return {
        "states": sums.states,
        "end_reasons": sums.end_reasons,
        "statuses": sums.statuses,
        "attempts": sums.attempts,
        "unended": sums.unended,
        "minutes": {
            number: (minute.ended, minute.failed, minute.lag.counts)
            for number, minute in sums.minutes.items()
        },
    }
