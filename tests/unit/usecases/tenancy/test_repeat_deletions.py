"""Deletions that a restore of tables has undone are repeated: all of them, nothing else, and after a crash anywhere."""

from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.schedules.timing import Every
from shared.domain.tenancy.audit import Actor
from shared.domain.tenancy.deletion import BEGINS_AFTER_MS, SETTLED_MS
from shared.domain.tenancy.forgetting import RESTORABLE_MS, Forgetting
from shared.domain.tenancy.suspension import EFFECTIVE_AFTER_MS, Suspension
from shared.domain.tenancy.tenant import OPERATOR, TenantState
from shared.usecases.tenancy.manage_tenants import TenantChange
from shared.usecases.tenancy.repeat_deletions import DELETE_TENANT, SLACK_MS, Repeat, RepeatStep
from tests.support.builders import TENANT
from tests.support.usecases.ports import EARLY
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

SUCCESSOR = "acme-2"
HOUR_MS = 3_600_000


class Restored:
    """A tenant with a job and executions that is deleted, and the same customer under another id.

    `restore` brings back the tables of the instant `restored_to`, a minute before the deletion was asked for.
    """

    def __init__(self) -> None:
        self.world = World()
        self.world.accept(Every(rate_seconds=3_600), name="report")
        self.world.accept_one_off()
        self.world.create_tenant.execute(SUCCESSOR)
        self.world.put(replace(self.world.one_off(7), tenant_id=SUCCESSOR))
        self.restored_to = self.attached_at = self.now
        self._rows, self._tenants = deepcopy(self.tables())

    def tables(self) -> tuple[list[Any], list[Any]]:
        """What is stored in `executions` and `jobs`, and in `tenants`."""
        rows, tenants, deletions = self.world.table, self.world.tenants, self.world.deletions
        of_deletions = [deletions.records, deletions.waiting, deletions.gone]
        return [rows.executions, rows.jobs], [tenants.tenants, tenants.keys, tenants.taken, *of_deletions]

    @property
    def now(self) -> int:
        return self.world.clock.time_ms

    def wait(self, milliseconds: int) -> None:
        self.world.clock.time_ms += milliseconds

    def change(self, state: TenantState) -> None:
        self.world.cases.tenancy.change_tenant.execute(TENANT, TenantChange(state=state))

    def delete(self, *, until_the_end: bool = True) -> None:
        """Suspend and delete the tenant, with the audit record of the command."""
        self.wait(EFFECTIVE_AFTER_MS)
        self.change(TenantState.SUSPENDED)
        self.wait(EFFECTIVE_AFTER_MS)
        self.world.cases.tenancy.delete_tenant.execute(TENANT, "ticket 7")
        self.note_request()
        if until_the_end:
            self.work_off()
            assert (self.rows(TENANT), TENANT in self.world.tenants.tenants) == (0, False)

    def note_request(self) -> None:
        self.world.cases.tenancy.record_audit.execute(
            Actor(tenant_id=OPERATOR, key_id=None),
            TENANT,
            operation=DELETE_TENANT,
            target=TENANT,
            before=None,
            after={},
            request_id="command",
        )

    def work_off(self) -> None:
        """Let the redriver do all that is to be done."""
        self.wait(BEGINS_AFTER_MS)
        for _ in range(4):
            self.world.process_bulk_tasks.execute()
            self.wait(SETTLED_MS)

    def restore(self, *, tenants: bool) -> None:
        """Put the earlier rows back; with `tenants`, also the table of tenants and deletions."""
        rows, others = self.tables()
        _put_back(rows, self._rows)
        if tenants:
            _put_back(others, self._tenants)
        self.attached_at = self.now
        self.wait(HOUR_MS)

    def repeat(self, *, dry_run: bool = False, **bounds: int) -> list[Repeat]:
        from_at, until_at = bounds.get("from_at", self.restored_to), bounds.get("until_at", self.attached_at)
        repeats = self.world.cases.tenancy.repeat_deletions.execute(
            from_at, until_at, "restore", dry_run=dry_run
        )
        return list(repeats)

    def steps(self, *, dry_run: bool = False) -> list[tuple[str, RepeatStep]]:
        return [(each.tenant_id, each.step) for each in self.repeat(dry_run=dry_run)]

    def rows(self, tenant_id: str) -> int:
        table = self.world.table
        executions = [row for row in table.executions.values() if row.execution.tenant_id == tenant_id]
        return len(executions) + sum(key[0] == tenant_id for key in table.jobs)

    def is_gone(self) -> bool:
        return self.rows(TENANT) == 0 and TENANT not in self.world.tenants.tenants

    def stored(self) -> Any:
        """All that a run may write."""
        return deepcopy(
            (self.world.tenants.tenants, self.world.deletions.records, self.world.audit_log.records)
        )


def _put_back(present: list[Any], earlier: list[Any]) -> None:
    for store, before in zip(present, deepcopy(earlier), strict=True):
        store.clear()
        store.update(before)


@pytest.fixture
def restored() -> Restored:
    return Restored()


def test_rows_of_a_deleted_tenant_that_are_back_are_deleted_again(restored: Restored) -> None:
    restored.delete()
    first = restored.world.deletions.records[TENANT]
    restored.restore(tenants=False)
    assert (restored.rows(TENANT) > 0, restored.rows(SUCCESSOR)) == (True, 1)
    assert restored.steps() == [(TENANT, RepeatStep.DELETES)]
    restored.work_off()
    assert (restored.is_gone(), restored.rows(SUCCESSOR)) == (True, 1)
    record = restored.world.deletions.records[TENANT]
    assert (record.asked_at, record.asked_by) == (first.asked_at, first.asked_by)
    assert record.counts["executions"] == 2 * first.counts["executions"]
    assert record.forgetting == Forgetting(), "archived meanwhile: the archive is looked through again"
    assert restored.world.deletions.forgetting() == [TENANT]


def test_repeated_deletion_waits_for_runs_that_were_under_way(restored: Restored) -> None:
    restored.delete()
    restored.restore(tenants=False)
    restored.repeat()
    restored.wait(BEGINS_AFTER_MS - 1)
    assert restored.world.process_bulk_tasks.execute().deleted == 0
    restored.wait(1)
    assert restored.world.process_bulk_tasks.execute().deleted > 0


def test_tenant_that_is_back_is_suspended_and_then_deleted(restored: Restored) -> None:
    restored.delete()
    restored.restore(tenants=True)
    assert restored.world.tenants.tenants[TENANT].state is TenantState.ACTIVE
    (repeat,) = restored.repeat()
    assert (repeat.step, repeat.effective_at) == (RepeatStep.SUSPENDS, restored.now + EFFECTIVE_AFTER_MS)
    assert restored.steps() == [(TENANT, RepeatStep.WAITS)]
    restored.wait(EFFECTIVE_AFTER_MS)
    assert restored.steps() == [(TENANT, RepeatStep.DELETES)]
    restored.work_off()
    assert (restored.is_gone(), restored.rows(SUCCESSOR)) == (True, 1)
    assert SUCCESSOR in restored.world.tenants.tenants


def test_tenant_that_is_being_resumed_waits_for_the_end_of_its_suspension(restored: Restored) -> None:
    restored.delete()
    restored.restore(tenants=True)
    until_at = restored.now + 5_000
    mine = restored.world.tenants.tenants[TENANT]
    ending = (Suspension(from_at=EARLY, until_at=until_at),)
    restored.world.tenants.tenants[TENANT] = replace(mine, suspensions=ending)
    (repeat,) = restored.repeat()
    assert (repeat.step, repeat.effective_at) == (RepeatStep.WAITS, until_at)
    restored.wait(5_000)
    assert restored.steps() == [(TENANT, RepeatStep.SUSPENDS)]


@pytest.mark.parametrize("tenants", [False, True])
def test_dry_run_says_the_same_and_writes_nothing(restored: Restored, tenants: bool) -> None:
    restored.delete()
    restored.restore(tenants=tenants)
    before = restored.stored()
    planned = restored.steps(dry_run=True)
    assert restored.stored() == before
    assert restored.steps() == planned


@pytest.mark.parametrize("tenants", [False, True])
def test_run_that_is_repeated_does_nothing_more(restored: Restored, tenants: bool) -> None:
    restored.delete()
    restored.restore(tenants=tenants)
    for _ in range(2):
        restored.repeat()
        restored.wait(EFFECTIVE_AFTER_MS)
    assert restored.steps() == [], "it is under way"
    restored.work_off()
    assert (restored.steps(), restored.is_gone()) == ([], True)


def test_deletion_is_repeated_after_each_restore(restored: Restored) -> None:
    restored.delete()
    for _ in range(2):
        restored.restore(tenants=False)
        assert restored.steps() == [(TENANT, RepeatStep.DELETES)]
        restored.work_off()
        assert restored.is_gone()


def test_deletion_that_goes_on_by_itself_is_left_alone(restored: Restored) -> None:
    restored.delete(until_the_end=False)
    restored.attached_at = restored.now
    restored.wait(1)
    assert restored.steps() == []


@pytest.mark.parametrize(("from_ms", "until_ms"), [(1, HOUR_MS), (-HOUR_MS, 0)])
def test_deletion_that_ended_outside_of_the_interval_is_left_alone(
    restored: Restored, from_ms: int, until_ms: int
) -> None:
    """Before the restore it had deleted all rows; after the attachment it deleted those of the present tables."""
    restored.delete()
    restored.restore(tenants=False)
    ended_at = restored.world.deletions.records[TENANT].ended_at
    assert ended_at is not None
    assert restored.repeat(from_at=ended_at + from_ms, until_at=ended_at + until_ms) == []
    assert len(restored.repeat(from_at=ended_at, until_at=ended_at + 1)) == 1


def test_deletion_that_the_archive_has_forgotten_is_repeated_too(restored: Restored) -> None:
    restored.delete()
    deletions = restored.world.deletions
    record = deletions.records[TENANT]
    assert deletions.end_forgetting(record, record.after_forgetting(ended_at=restored.now))
    restored.restore(tenants=False)
    assert restored.steps() == [(TENANT, RepeatStep.DELETES)]
    restored.work_off()
    assert (restored.steps(), restored.is_gone()) == ([], True)


def test_tenant_that_was_created_after_the_request_is_another_one(restored: Restored) -> None:
    restored.delete()
    restored.restore(tenants=True)
    mine = restored.world.tenants.tenants[TENANT]
    restored.world.tenants.tenants[TENANT] = replace(mine, created_at=restored.now)
    assert restored.steps() == []
    assert restored.world.tenants.tenants[TENANT].state is TenantState.ACTIVE


def test_request_of_a_machine_whose_clock_is_behind_counts(restored: Restored) -> None:
    restored.wait(HOUR_MS)
    restored.note_request()
    restored.restored_to = restored.now + SLACK_MS
    restored.wait(2 * HOUR_MS)
    restored.attached_at = restored.now
    restored.wait(1)
    assert restored.steps() == [(TENANT, RepeatStep.SUSPENDS)]


def test_request_is_found_among_many_records(restored: Restored) -> None:
    restored.delete()
    for _ in range(250):
        restored.wait(1)
        restored.world.cases.tenancy.record_audit.execute(
            Actor(tenant_id=OPERATOR, key_id=None),
            TENANT,
            operation="changeTenant",
            target=TENANT,
            before=None,
            after={},
            request_id="command",
        )
    restored.restore(tenants=True)
    assert restored.steps(dry_run=True) == [(TENANT, RepeatStep.SUSPENDS)]


def test_tenant_that_is_restored_without_a_request_stays(restored: Restored) -> None:
    restored.wait(HOUR_MS)
    restored.restore(tenants=True)
    assert restored.steps() == []


@pytest.mark.parametrize("tenants", [False, True])
@pytest.mark.parametrize("moment", range(40))
def test_crash_before_and_after_each_call_leaves_work_that_the_next_run_does(
    restored: Restored, tenants: bool, moment: int
) -> None:
    restored.delete()
    restored.restore(tenants=tenants)
    steps = restored.world.steps

    def crash(number: int, _: str) -> None:
        if number == moment:
            raise Crash

    for _ in range(2):
        steps.taken.clear()
        steps.at_each = crash
        with suppress(Crash):
            restored.repeat()
        steps.calm()
        restored.wait(EFFECTIVE_AFTER_MS)
    for _ in range(3):
        restored.repeat()
        restored.wait(EFFECTIVE_AFTER_MS)
    restored.work_off()
    assert (restored.is_gone(), restored.rows(SUCCESSOR)) == (True, 1)


@pytest.mark.parametrize(("from_ms", "until_ms"), [(-RESTORABLE_MS - 1, -1), (-1, 1), (-5, -5), (-5, -6)])
def test_interval_that_no_restore_has_is_refused(restored: Restored, from_ms: int, until_ms: int) -> None:
    with pytest.raises(InvalidValueError, match="--from is the instant of the restore"):
        restored.repeat(from_at=restored.now + from_ms, until_at=restored.now + until_ms)
