"""Workflows and their runs in memory. Every public method is atomic."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shared.domain.errors import NotFoundError, UnavailableError
from shared.domain.ids import ExecutionId
from shared.domain.workflows.map_items import MapItems, with_ends
from shared.domain.workflows.run import Run, TaskProgress, TaskState
from shared.domain.workflows.run_rules import changed_tasks, is_stored, only_records_ends
from shared.domain.workflows.workflow import Workflow, WorkflowHead
from shared.ports.workflows import MAX_EXAMINED, HeadPage, RunUpdate
from tests.support.fakes.table import FakeTable, MapRow, RunItem


class FakeWorkflowStore:
    """Obeys the rules of the port."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def create(self, workflow: Workflow) -> WorkflowHead | None:
        key = workflow.tenant_id, workflow.id
        if key in self._table.workflows:
            return self._table.workflows[key]
        keyed = self.keyed(workflow.tenant_id, workflow.key) if workflow.key is not None else None
        if keyed is not None:
            return self._table.workflows[workflow.tenant_id, keyed]
        self._table.workflows[key] = workflow.head
        self._table.revisions[(*key, workflow.revision)] = workflow
        return None

    def keyed(self, tenant_id: str, key: str) -> str | None:
        heads = self._table.workflows.values()
        found = [h for h in heads if (h.tenant_id, h.key, h.is_deleted) == (tenant_id, key, False)]
        return found[0].id if found else None

    def head(self, tenant_id: str, workflow_id: str) -> WorkflowHead | None:
        return self._table.workflows.get((tenant_id, workflow_id))

    def revision(self, tenant_id: str, workflow_id: str, revision: int) -> Workflow | None:
        return self._table.revisions.get((tenant_id, workflow_id, revision))

    def replace(self, before: WorkflowHead, after: Workflow, expires_at_s: int) -> bool:
        if not self._is_at(before):
            return False
        key = after.tenant_id, after.id
        self._table.workflows[key] = after.head
        self._table.revisions[(*key, after.revision)] = after
        self._table.workflow_expires_at_s[(*key, str(before.revision))] = expires_at_s
        return True

    def delete(self, before: WorkflowHead, expires_at_s: int) -> bool:
        if not self._is_at(before):
            return False
        key = before.tenant_id, before.id
        self._table.workflows[key] = replace(before, is_deleted=True)
        self._table.workflow_expires_at_s[key] = expires_at_s
        self._table.workflow_expires_at_s[(*key, str(before.revision))] = expires_at_s
        return True

    def keep_revision(self, tenant_id: str, workflow_id: str, revision: int, expires_at_s: int) -> None:
        expiries, key = self._table.workflow_expires_at_s, (tenant_id, workflow_id, str(revision))
        if key in expiries:
            expiries[key] = max(expiries[key], expires_at_s)

    def page(self, tenant_id: str, *, after: str | None, limit: int) -> HeadPage:
        heads = [head for head in self._of(tenant_id) if after is None or head.id > after]
        found: list[WorkflowHead] = []
        for number, head in enumerate(heads, 1):
            found += [head] if not head.is_deleted else []
            if len(found) == limit or number == limit + MAX_EXAMINED:
                return HeadPage(heads=found, next_after=head.id)
        return HeadPage(heads=found, next_after=None)

    def count(self, tenant_id: str, at_most: int) -> int:
        return min(at_most, sum(not head.is_deleted for head in self._of(tenant_id)))

    def _of(self, tenant_id: str) -> list[WorkflowHead]:
        heads = sorted(self._table.workflows.values(), key=lambda head: head.id)
        return [head for head in heads if head.tenant_id == tenant_id]

    def _is_at(self, before: WorkflowHead) -> bool:
        stored = self._table.workflows.get((before.tenant_id, before.id))
        return stored is not None and not stored.is_deleted and stored.revision == before.revision


class FakeRunStore:
    """Obeys the rules of the port."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def put_if_absent(self, run: Run, *, expires_at_s: int | None = None) -> Run | None:
        _check_expiry(run, expires_at_s)
        existing = self._table.runs.get(run.id)
        if existing is not None:
            return existing.run
        self._table.runs[run.id] = RunItem(run, expires_at_s)
        return None

    def get(self, run_id: ExecutionId) -> Run | None:
        item = self._table.runs.get(run_id)
        return item.run if item is not None else None

    def get_many(self, run_ids: Sequence[ExecutionId]) -> dict[ExecutionId, Run]:
        return {run_id: self._table.runs[run_id].run for run_id in run_ids if run_id in self._table.runs}

    def update(self, before: Run, after: Run, *, expires_at_s: int | None = None) -> RunUpdate:
        _check_expiry(after, expires_at_s)
        item = self._table.runs.get(before.id)
        if item is None:
            raise NotFoundError("no such run")
        stored, changed = item.run, changed_tasks(before, after)
        is_phase = (stored.state, stored.epoch) == (before.state, before.epoch)
        is_allowed = all(stored.tasks[index] == before.tasks[index] for index in changed)
        if not is_allowed or not (is_phase or only_records_ends(before, after)):
            return RunUpdate(run=stored, is_written=is_stored(before, after, stored))
        tasks = tuple(
            after.tasks[index] if index in changed else task for index, task in enumerate(stored.tasks)
        )
        if (before.state, before.epoch) == (after.state, after.epoch):
            item.run = replace(stored, tasks=tasks)
        else:
            item.run, item.expires_at_s = replace(after, tasks=tasks), expires_at_s
        return RunUpdate(run=item.run, is_written=True)

    def page(
        self, tenant_id: str, workflow_id: str, *, before: ExecutionId | None, limit: int
    ) -> Sequence[ExecutionId]:
        runs = (item.run for item in self._table.runs.values())
        found = [run.id for run in runs if (run.tenant_id, run.workflow_id) == (tenant_id, workflow_id)]
        return [run_id for run_id in sorted(found, reverse=True) if before is None or run_id < before][:limit]


class FakeMapStore:
    """Obeys the rules of the port."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def put(self, items: MapItems) -> MapItems | None:
        existing = self._table.maps.get((items.run, items.key))
        if existing is not None:
            return existing.items
        self._table.maps[items.run, items.key] = MapRow(items)
        return None

    def replace(self, before: MapItems, after: MapItems) -> MapItems | None:
        existing = self._table.maps.get((before.run, before.key))
        if existing is None:
            raise UnavailableError("there is no record of the map")
        if existing.items.epoch != before.epoch:
            return existing.items
        self._table.maps[before.run, before.key] = MapRow(after)
        return None

    def get(self, run_id: ExecutionId, key: str) -> MapItems | None:
        row = self._table.maps.get((run_id, key))
        return row.items if row is not None else None

    def record(
        self, run_id: ExecutionId, key: str, ends: Mapping[int, TaskProgress]
    ) -> tuple[MapItems | None, bool]:
        row = self._table.maps.get((run_id, key))
        if row is None:
            return None, False
        known = dict(enumerate(row.items.items or ()))
        chosen = {position: replace(end, state=TaskState.CHOSEN) for position, end in ends.items()}
        if any(known.get(position) != each for position, each in chosen.items()):
            return row.items, False
        row.items = with_ends(row.items, ends)
        return row.items, True

    def conclude(self, items: MapItems, result: bytes, expires_at_s: int) -> bool:
        row = self._table.maps.get((items.run, items.key))
        if row is None or row.items.epoch != items.epoch:
            return False
        row.items, row.expires_at_s = replace(row.items, result=result or row.items.result), expires_at_s
        return True

    def keep(self, run_id: ExecutionId, key: str, expires_at_s: int) -> bool:
        row = self._table.maps.get((run_id, key))
        if row is not None and row.expires_at_s is not None:
            row.expires_at_s = max(row.expires_at_s, expires_at_s)
        return row is not None


def _check_expiry(run: Run, expires_at_s: int | None) -> None:
    if (expires_at_s is not None) != run.state.is_terminal:
        raise ValueError("an expiry goes with a run that has ended, and with no other")
