"""Stop what has started of a job that is being deleted: retries are cancelled, running attempts are the last."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.domain.bucket import GUARD_MS
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import OPEN, EndReason, State, Transition
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Chain, Job
from shared.domain.listings.position import IndexPosition
from shared.domain.schedules.schedule import instants_before
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.reading.read_executions import read_readable

STOPPED_ONE_BY_ONE = 500
"""So many occurrences of a chain are looked at for retries; an older retry sees for itself that its job is gone."""
PAST_CHAINS = 5
_STARTED = frozenset({State.WAITING, State.RUNNING})
PAGE = 100
STOPPING_MS = 10_000
"""For so long what stands beside the schedules of a job and of its backfills is looked at: an answer comes in time."""


@dataclass(frozen=True, slots=True)
class StopRunningExecutions:
    """Repeating it is always safe."""

    store: ExecutionStore
    jobs: JobStore
    clock: Clock
    retention: Retention

    def execute(self, job: Job, stops_at: int) -> None:
        """Cancel what waits for a retry, and let running attempts be the last, those claimed just ahead too.

        What stands beside the schedule as far as the time goes, until `stops_at`.
        """
        begun_by = self.clock.now_ms() + GUARD_MS
        past = self.jobs.past_chains(job.tenant_id, job.id, limit=PAST_CHAINS)
        for chain in (job.chain(begun_by), *past):
            self._stop_chain(chain, min(begun_by, chain.history_until))
        self._stop_beside(job, stops_at)

    def _stop_beside(self, job: Job, stops_at: int) -> None:
        """All that stands beside the schedule, as far as the time goes; of the rest each asks for its job itself."""
        before: IndexPosition | None = None
        while self.clock.now_ms() < stops_at:
            places = self.jobs.extras(job.tenant_id, job.id, before=before, limit=PAGE)
            self._stop_page([place.id for place in places], OPEN)
            if len(places) < PAGE:
                return
            before = places[-1]

    def _stop_chain(self, chain: Chain, until: int) -> None:
        instants = instants_before(chain.schedule, until + 1, chain.history_from, STOPPED_ONE_BY_ONE)
        for start in range(0, len(instants), PAGE):
            page = [chain.id_at(instant) for instant in instants[start : start + PAGE]]
            self._stop_page(page, _STARTED)

    def _stop_page(self, page: Sequence[ExecutionId], states: frozenset[State]) -> None:
        for execution in read_readable(self.store, page).values() if page else ():
            if execution.state in states:
                self._stop(execution)

    def _stop(self, execution: Execution) -> None:
        """Twice, because an attempt may end or begin in between; one that goes on even so asks for its job itself."""
        for _ in range(2):
            if self.store.stop_retries(execution.id):
                return
            standing = self.store.cancel(
                execution.id,
                Transition.CANCEL,
                reason=EndReason.JOB_DELETED,
                expires_at_s=self.retention.expires_at_s(self.clock.now_ms()),
            )
            if standing is None:
                return
