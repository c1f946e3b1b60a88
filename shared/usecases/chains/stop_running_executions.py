"""Stop the started executions of a job that is being deleted: cancel retries, make running attempts the
last."""

from collections.abc import Callable, Sequence

from shared.dataclass import dataclass
from shared.domain.bucket import GUARD_MS
from shared.domain.delivery.call_kind import CallKind
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
"""Occurrences of a chain that are checked for retries. An older retry detects by itself that its job is
gone."""
PAST_CHAINS = 5
_STARTED = frozenset({State.WAITING, State.RUNNING})
PAGE = 100
STOPPING_MS = 10_000
"""Time limit for stopping runs outside the schedules of a job and its backfills, so that the request is
answered."""


@dataclass(frozen=True, slots=True)
class StopRunningExecutions:
    """Safe to repeat."""

    store: ExecutionStore
    jobs: JobStore
    clock: Clock
    retention: Retention
    stop_run: Callable[[Execution], None]
    """Cancels the run of an execution that started a workflow."""

    def execute(self, job: Job, stops_at: int) -> None:
        """Cancel retries and make running attempts the last, including executions claimed shortly before
        their time.

        Of the runs outside the schedule, the latest 100 are stopped, and further ones until `stops_at`. Each later
        attempt checks the job before its call, and the sweeper cancels open runs of workflows.
        """
        begun_by = self.clock.now_ms() + GUARD_MS
        past = self.jobs.past_chains(job.tenant_id, job.id, limit=PAST_CHAINS)
        for chain in (job.chain(begun_by), *past):
            self._stop_chain(chain, min(begun_by, chain.history_until))
        self._stop_beside(job, stops_at)

    def _stop_beside(self, job: Job, stops_at: int) -> None:
        """At least one page, however long the steps before have taken."""
        before: IndexPosition | None = None
        while True:
            places = self.jobs.extras(job.tenant_id, job.id, before=before, limit=PAGE)
            self._stop_page([place.id for place in places], OPEN)
            if len(places) < PAGE or self.clock.now_ms() >= stops_at:
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
        """Try twice, because an attempt may end or begin in between. A run that still continues checks the
        job itself."""
        if execution.call.kind is CallKind.WORKFLOW and execution.state in _STARTED:
            self.stop_run(execution)
        for _ in range(2):
            if self.store.stop_retries(execution.id):
                return
            existing = self.store.cancel(
                execution.id,
                Transition.CANCEL,
                reason=EndReason.JOB_DELETED,
                expires_at_s=self.retention.expires_at_s(self.clock.now_ms()),
            )
            if existing is None:
                return
