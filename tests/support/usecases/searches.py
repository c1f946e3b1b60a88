"""Searches of executions for tests: a deployment with records and archived rows, and results that are read back."""

import gzip
import json
from typing import Any

from shared.domain.archive.reading import RowFilter
from shared.domain.archive.row import row_of
from shared.domain.archive.search_task import SearchTask
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import due_position
from shared.ports.listings import TenantIndex
from shared.usecases.archive.start_search import NewSearch
from tests.support.builders import DUE_AT, TENANT, in_state, with_changes
from tests.support.usecases.archived import archive
from tests.support.usecases.world import World

DAY_MS = 86_400_000


class Searched(World):
    """Executions of forty days; those that are older than the records are in the archive alone."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(DUE_AT, **settings)
        self.known: dict[ExecutionId, Execution] = {}
        self.start_search = self.cases.searches.start
        self.manage_searches = self.cases.searches.manage

    def add(self, days: float, state: State = State.SUCCEEDED, **changes: Any) -> Execution:
        """An execution that was due so many days ago, where a deployment of that age has it."""
        number = len(self.known) + 1
        plain = self.one_off(number, due_at=DUE_AT - round(days * DAY_MS))
        execution = with_changes(in_state(plain, state, end_reason=EndReason.TOO_OLD), **changes)
        self.known[execution.id] = execution
        if days < 14:
            self.put(execution)
            if state is State.FAILED:
                self.table.executions[execution.id].entry = TenantIndex.FAILED
        if days > 12:
            archive(self.archive_reader, self.history, [row_of(execution)])
        return execution

    def start(self, **fields: Any) -> SearchTask:
        """Start a search over the whole range. Nothing is processed yet."""
        given: dict[str, Any] = {"rows": RowFilter(), "from_at": 0}
        return self.start_search.execute(self.tenant, NewSearch(**(given | fields))).task

    def stored(self, task: SearchTask) -> SearchTask:
        return self.search_tasks.tasks[task.tenant_id, task.id]

    def work(self) -> SearchTask | None:
        """A tick of the redriver; the only search afterwards, if there is one."""
        self.process_bulk_tasks.execute()
        return next(iter(self.search_tasks.tasks.values()), None)

    def lines(self, task: SearchTask) -> list[dict[str, Any]]:
        """The lines of the files that the search names."""
        present = self.stored(task)
        found: list[dict[str, Any]] = []
        for file in present.files:
            content = self.search_files.files[task.tenant_id, task.id, file.version]
            lines = gzip.decompress(content).decode().splitlines()
            assert (len(lines), len(content)) == (file.rows, file.size)
            found += map(json.loads, lines)
        return found

    def ids(self, task: SearchTask) -> list[str]:
        return [line["id"] for line in self.lines(task)]

    def wanted(self, *states: State) -> list[str]:
        """Those of the tenant, in order."""
        own = [
            each
            for each in self.known.values()
            if each.tenant_id == TENANT and (not states or each.state in states)
        ]
        return [str(each.id) for each in sorted(own, key=lambda each: due_position(each.id), reverse=True)]
