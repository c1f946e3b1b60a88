"""Count executions that have ended by reading them, before the archive counts their hour."""

from collections.abc import Iterator, Sequence
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.archive.row import row_of
from shared.domain.archive.statistics import Sample, sample_of
from shared.domain.bounded_cache import BoundedCache
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionStore
from shared.usecases.reading.read_executions import read_readable

AT_ONCE = 100
KEPT_SAMPLES = 5_000
"""Samples that a process keeps, some 2 MB. A page that polls reads each ended execution about once."""


@dataclass(frozen=True, slots=True)
class CountEnded:
    """Reads alone, strongly consistent. Samples are kept: an execution that has ended never changes."""

    store: ExecutionStore
    _kept: BoundedCache[tuple[str, ExecutionId], Sample] = field(
        default_factory=lambda: BoundedCache(KEPT_SAMPLES)
    )

    def execute(self, tenant_id: str, ids: Sequence[ExecutionId]) -> Iterator[Sample]:
        """The samples of those executions of a tenant that have ended. Unreadable ones are left out."""
        return (found for found in self._found(tenant_id, ids) if isinstance(found, Sample))

    def tasks(
        self, tenant_id: str, workflow_id: str, ids: Sequence[ExecutionId]
    ) -> Iterator[Sample | ExecutionId]:
        """Of those executions that are tasks of a workflow: the sample of one that has ended, the ID of another."""
        for found in self._found(tenant_id, ids):
            if isinstance(found, Sample):
                if found.workflow_id == workflow_id:
                    yield found
            elif found.task is not None and found.job_id == workflow_id:
                yield found.id

    def _found(self, tenant_id: str, ids: Sequence[ExecutionId]) -> Iterator[Sample | Execution]:
        """Samples of ended executions, and the others themselves."""
        unknown: list[ExecutionId] = []
        for identity in ids:
            sample = self._kept.get((tenant_id, identity))
            if sample is None:
                unknown.append(identity)
            else:
                yield sample
        for start in range(0, len(unknown), AT_ONCE):
            found = read_readable(self.store, unknown[start : start + AT_ONCE])
            for identity, execution in found.items():
                if execution.tenant_id != tenant_id:
                    continue
                if execution.state.is_terminal:
                    sample = sample_of(row_of(execution))
                    self._kept[tenant_id, identity] = sample
                    yield sample
                else:
                    yield execution
