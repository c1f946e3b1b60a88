"""Changes of one-off jobs in memory."""

from dataclasses import replace

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import one_off_execution
from tests.support.builders import with_changes
from tests.support.fakes.table import Damage, FakeTable


class FakeOneOffStore:
    """Each change is atomic."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def edit(self, before: Execution, after: Execution) -> bool:
        if not self._stands(before):
            return False
        origin = self._table.executions.get(one_off_execution(before.job_id) or before.id)
        is_relisted = (before.name, before.tags) != (after.name, after.tags)
        if is_relisted and origin is not None and origin.execution.id != before.id:
            if origin.damage is Damage.NEWER:
                return False
            origin.execution = replace(origin.execution, name=after.name, tags=after.tags)
        self._table.executions[before.id].execution = after
        return True

    def move(self, before: Execution, after: Execution, expires_at_s: int) -> bool:
        if not self._stands(before) or after.id in self._table.executions:
            return False
        old = self._table.executions[before.id]
        origin = self._table.executions.get(one_off_execution(before.job_id) or before.id, old)
        if origin.damage is Damage.NEWER:
            return False
        self._table.insert(after, None)
        for row in (old, origin):
            listed = replace(row.execution, name=after.name, tags=after.tags)
            row.execution = with_changes(listed, state=State.MOVED, moved_to=after.id)
            row.expires_at_s = expires_at_s
        return True

    def _stands(self, before: Execution) -> bool:
        row = self._table.executions.get(before.id)
        if row is None or row.damage is not None:
            return False
        standing = row.execution
        is_seen = (standing.state, standing.revision) == (before.state, before.revision)
        return is_seen and standing.state in NOT_STARTED
