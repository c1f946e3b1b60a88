"""Tell the first success after a failure from every other success, for jobs whose subscription asks for it."""

from shared.dataclass import dataclass
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import is_recurring_job_id
from shared.ports.jobs import JobHealthStore
from shared.ports.runtime import Clock

TRIES = 5
"""Tries against concurrent changes before the message is returned."""
HEALTH_DAYS = 400
"""How long a failure is remembered: a job that runs once a year can still recover."""
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class TrackRecovery:
    """Writes on a failure and on a recovery, never on any other outcome. Every method may raise UnavailableError."""

    health: JobHealthStore
    clock: Clock

    def may_recover(self, execution: Execution) -> bool:
        """Whether a success of this execution would end failures of its job: one strong read.

        A one-off job has had no failure before its first success, unless it was redriven.
        """
        is_repeated = is_recurring_job_id(execution.job_id) or execution.ended_run is not None
        if not is_repeated and execution.redrive_of is None:
            return False
        return self.health.read(execution.tenant_id, execution.job_id).failing_from is not None

    def settle(self, ended: Execution, at: int) -> bool:
        """Note the outcome that was recorded at this instant; whether it is the first success after a failure.

        Safe to repeat. Of concurrent successes, one is the first.
        """
        for _ in range(TRIES):
            before = self.health.read(ended.tenant_id, ended.job_id)
            if ended.id in before.recoveries:
                return True
            is_recovery = ended.state is State.SUCCEEDED and before.ends_failures(at)
            after = before
            if is_recovery:
                after = before.after_recovery(ended.id, at)
            elif ended.state is State.FAILED:
                after = before.after_failure(at)
            expires_at_s = self.clock.now_ms() // 1000 + HEALTH_DAYS * _DAY_SECONDS
            if after == before or self.health.swap(
                ended.tenant_id, ended.job_id, before, after, expires_at_s
            ):
                return is_recovery
        raise UnavailableError("the health of the job is being changed by others")
