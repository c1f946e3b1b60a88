"""A tenant of the archive's simulation that is deleted: nothing may be left of it, and its rows must be counted."""

from copy import deepcopy
from typing import Any

from shared.domain.archive.manifest import read_manifest
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.deletion import SETTLED_MS
from shared.domain.tenancy.forgetting import Forgetting
from tests.support.builders import deletion
from tests.support.fakes.archive import forgotten_in, rows_in
from tests.support.usecases.ports import FakePorts

LEAVER = "leaver"


class Leaver:
    """Observes each file that is put, so that it knows which executions were ever archived."""

    def __init__(self, fakes: FakePorts, leaves_at: int) -> None:
        self._fakes = fakes
        self.leaves_at = leaves_at
        self.archived: set[str] = set()
        self.came_back = 0
        """The rows that a restore has put into the table again."""
        self._left: dict[ExecutionId, Any] = {}
        self._put = fakes.archive_objects.put
        objects: Any = fakes.archive_objects
        objects.put = self._observed

    def _observed(self, key: str, content: Any, *, replaces: str | None) -> str | None:
        etag = self._put(key, content, replaces=replaces)
        if etag is not None and key.endswith(".parquet"):
            self.archived |= {row["id"] for row in self._rows(key) if row["tenant"] == LEAVER}
        return etag

    def may_file(self, now_ms: int) -> bool:
        """Whether a process may begin now that files executions of the tenant: none writes behind the deletion."""
        return now_ms < self.leaves_at - SETTLED_MS

    def leave(self) -> None:
        """The deletion ends: the rows are gone from the tables."""
        fakes, table = self._fakes, self._fakes.table
        ended = deletion(tenant_id=LEAVER, ended_at=self.leaves_at, forgetting=Forgetting())
        fakes.deletions.records[LEAVER] = ended
        fakes.deletions.waiting[LEAVER] = self.leaves_at
        own = [key for key, row in table.executions.items() if row.execution.tenant_id == LEAVER]
        self._left = {key: table.executions.pop(key) for key in own}

    def come_back(self) -> None:
        """A restore of the table of executions to the instant before the end of the deletion."""
        self.came_back = len(self._left)
        self._fakes.table.executions |= deepcopy(self._left)

    def owns(self, execution: Execution) -> bool:
        return execution.tenant_id == LEAVER

    def faults(self) -> list[str]:
        """What the archive still has of the tenant, and files that do not count what was removed."""
        files = [key for key in self._fakes.archive_objects.objects if key.endswith(".parquet")]
        faults = [
            f"{LEAVER} has rows in {key}"
            for key in files
            if any(row["tenant"] == LEAVER for row in self._rows(key))
        ]
        faults += [
            f"{LEAVER} has sums of {unit}" for name, unit in self._fakes.history.stored if name == LEAVER
        ]
        faults += [
            f"{LEAVER} has jobs of day {day}" for name, day in self._fakes.history.days if name == LEAVER
        ]
        record = self._fakes.deletions.records[LEAVER].forgetting
        if record is None or record.ended_at is None or self._fakes.deletions.forgetting():
            faults.append(f"{LEAVER} is not forgotten: {record}")
        counted = sum(sum(forgotten_in(self._content(key)).values()) for key in files)
        if counted != len(self.archived):
            faults.append(f"files count {counted} forgotten rows of {len(self.archived)}")
        return faults + [f"{key} is not what its manifest says" for key in files if self._differs(key)]

    def _differs(self, key: str) -> bool:
        name = key.replace("/executions/", "/manifests/").replace(".parquet", ".json")
        described = read_manifest(self._content(name)).file
        return (described.rows, described.forgotten) != (
            len(self._rows(key)),
            forgotten_in(self._content(key)),
        )

    def _rows(self, key: str) -> list[dict[str, Any]]:
        return rows_in(self._content(key))

    def _content(self, key: str) -> bytes:
        return self._fakes.archive_objects.objects[key][1]
