"""A deployment whose executions are archived: one hour with rows, and ticks at chosen instants."""

from io import BytesIO
from itertools import count
from typing import Any

from shared.domain.archive.manifest import Manifest, read_manifest
from shared.domain.archive.unit import ArchiveUnit, hour_of, units_of
from shared.domain.bucket import ShardCounts
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.tenancy.forgetting import Forgetting
from shared.ports.archive import PlanMark
from shared.ports.dispatch import ShardRecord
from shared.usecases.archive.run_archive import ArchiveReport
from tests.support.builders import DUE_AT, ONE_SHARD, deletion, in_state, one_off, with_changes
from tests.support.fakes.archive import rows_in
from tests.support.usecases.world import World

HOUR = hour_of(DUE_AT)
UNIT = ArchiveUnit(hour=HOUR, group=0)
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
END = UNIT.end_ms
FIRST_PASS = END + 2 * HOUR_MS
SEAL = END + 12 * DAY_MS
CELL = "eu-west-1"
"""The region of the settings of tests."""
MOST_STEPS = 10_000
"""The longest run of a test asks some hundred times whether it has time."""


class ArchiveWorld(World):
    """The record of the shard counts begins with the hour, so that no earlier hour is archived.

    Only the units of the hour are listed, unless `is_planned` is False.
    """

    def __init__(
        self,
        now_ms: int = FIRST_PASS,
        *,
        counts: ShardCounts = ONE_SHARD,
        is_planned: bool = True,
        **settings: Any,
    ) -> None:
        super().__init__(now_ms, counts=counts, **settings)
        self.shard_counts.begin(ShardRecord(counts=counts, open_from=UNIT.buckets.start))
        self.ledger.note_swept_through(UNIT.buckets.stop - 1)
        if is_planned:
            for unit in units_of(HOUR, self.plan):
                self.archive_units.open(unit, next_pass_at=FIRST_PASS, sealable_from=SEAL)
            self.archive_units.note_planned(PlanMark(hour=HOUR + 100_000, recorded=counts))

    def ended(self, number: int = 1, state: State = State.SUCCEEDED, **changes: Any) -> Execution:
        """A stored execution of the hour that has ended."""
        due_at = changes.pop("due_at", DUE_AT)
        shard = changes.pop("shard", 0)
        if state is State.SKIPPED:
            changes = {"end_reason": EndReason.LATE} | changes
        return self.put(with_changes(in_state(one_off(number, due_at=due_at, shard=shard), state), **changes))

    def open_row(self, number: int) -> Execution:
        """A stored execution of the hour that waits for a retry."""
        return self.put(in_state(one_off(number), State.WAITING))

    def end(self, execution: Execution) -> None:
        """The execution succeeds."""
        row = self.table.executions[execution.id]
        row.execution = with_changes(row.execution, state=State.SUCCEEDED, owner=None, lease_until=None)
        row.expires_at_s = self.clock.now_ms() // 1000 + 14 * 86_400

    def tick(self, at: int | None = None) -> ArchiveReport:
        """One run of the archiver. AssertionError if the run makes no end."""
        if at is not None:
            self.clock.time_ms = at
        steps = count()
        report = self.run_archive.execute(lambda: next(steps) < MOST_STEPS)
        assert next(steps) < MOST_STEPS, "the run makes no end"
        return report

    def put_late(self, number: int) -> Execution:
        """A record that is put into the hour by a use case, already ended."""
        record = with_changes(
            one_off(number), state=State.SKIPPED, end_reason=EndReason.JOB_PAUSED, ends_chain=True
        )
        expires_at_s = self.clock.now_ms() // 1000 + 14 * 86_400
        assert self.cases.core.ports.executions.put_if_absent(record, expires_at_s=expires_at_s) is None
        return record

    def leave(self, tenant_id: str, ended_at: int | None = None) -> None:
        """The deletion of a tenant ended, or ends now: its rows are gone from the tables, and from nowhere else."""
        ended_at = self.clock.now_ms() if ended_at is None else ended_at
        record = deletion(tenant_id=tenant_id, ended_at=ended_at, forgetting=Forgetting())
        self.deletions.records[tenant_id] = record
        self.deletions.waiting[tenant_id] = ended_at
        for key, row in list(self.table.executions.items()):
            if row.execution.tenant_id == tenant_id:
                del self.table.executions[key]

    def forgetting(self, tenant_id: str) -> Forgetting:
        """How far the archive is rid of a deleted tenant."""
        forgetting = self.deletions.records[tenant_id].forgetting
        assert forgetting is not None
        return forgetting

    def rows(self, unit: ArchiveUnit = UNIT) -> list[dict[str, Any]]:
        """The rows of the file of a unit; none without a file."""
        content = BytesIO()
        self.archive_objects.get(unit.file_key(CELL), content)
        return rows_in(content.getvalue())

    def ids(self, unit: ArchiveUnit = UNIT) -> set[str]:
        """The ids in a file. AssertionError for one that is there twice."""
        listed = [row["id"] for row in self.rows(unit)]
        assert len(set(listed)) == len(listed)
        return set(listed)

    def manifest(self, unit: ArchiveUnit = UNIT) -> Manifest | None:
        content = BytesIO()
        if self.archive_objects.get(unit.manifest_key(CELL), content) is None:
            return None
        return read_manifest(content.getvalue())

    def is_sealed(self, unit: ArchiveUnit = UNIT) -> bool:
        """Whether the manifest says that the unit is complete, and describes the file that is there."""
        manifest = self.manifest(unit)
        if manifest is None or not manifest.sealed:
            return False
        return manifest.etag == self.archive_objects.objects.get(unit.file_key(CELL), (None, b""))[0]


def ids_of(*executions: Execution) -> set[str]:
    return {str(each.id) for each in executions}
