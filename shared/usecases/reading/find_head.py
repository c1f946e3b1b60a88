"""The head of a recurring job's chain: the latest filed execution."""

from dataclasses import dataclass

from shared.domain.bucket import GUARD_MS
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import first_after, instants_before
from shared.ports.executions import ExecutionStore

PROBE_PAGES = (2, 10, 50, 100)
"""Sizes of the strong reads that search for the head; the last size repeats."""


@dataclass(frozen=True, slots=True)
class FindHead:
    """Reads the possible keys strongly. Counting from a stored cursor could miss the head."""

    store: ExecutionStore

    def execute(self, job: Job, now_ms: int) -> Execution | None:
        """The execution with the latest nominal instant; None if even the first of the chain is missing."""
        upper_at = max(first_after(job.schedule, now_ms + GUARD_MS) or now_ms + GUARD_MS, job.chain_from)
        before_at, page = upper_at + 1, 0
        while True:
            limit = PROBE_PAGES[min(page, len(PROBE_PAGES) - 1)]
            instants = instants_before(job.schedule, before_at, job.chain_from, limit)
            if not instants:
                return None
            head = self._newest([job.id_at(instant) for instant in instants])
            if head is not None:
                return head
            before_at, page = instants[-1], page + 1

    def _newest(self, ids: list[ExecutionId]) -> Execution | None:
        """The first existing item; UnreadableItemError only if that item itself cannot be read."""
        try:
            found = self.store.get_many(ids)
        except UnreadableItemError:
            existing = (self.store.get(key) for key in ids)
            return next((execution for execution in existing if execution is not None), None)
        return next((found[key] for key in ids if key in found), None)
