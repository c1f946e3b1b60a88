"""Read the revision of a workflow that a run follows."""

from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.workflows.run import Run
from shared.domain.workflows.workflow import Workflow
from shared.ports.workflows import WorkflowStore

MAX_REMEMBERED = 200
"""Revisions that a process remembers: some KB each, and 100 KB for the largest."""


@dataclass(slots=True)
class ReadRevision:
    """A revision never changes, so it is read once in the life of a process."""

    workflows: WorkflowStore
    _cache: BoundedCache[tuple[str, str, int], Workflow] = field(
        default_factory=lambda: BoundedCache(MAX_REMEMBERED)
    )

    def execute(self, run: Run) -> Workflow | None:
        """None if the revision is gone, as when the tenant is deleted. UnavailableError, UnreadableItemError."""
        return self.of(run.tenant_id, run.workflow_id, run.revision)

    def of(self, tenant_id: str, workflow_id: str, revision: int) -> Workflow | None:
        key = tenant_id, workflow_id, revision
        found = self._cache.get(key) or self.workflows.revision(*key)
        if found is not None:
            self._cache[key] = found
        return found
