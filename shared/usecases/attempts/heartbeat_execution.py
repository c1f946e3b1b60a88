"""HEARTBEAT: the receiver of a call that has ended is still at work."""

from dataclasses import dataclass

from shared.domain.errors import InvalidStateError
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.attempts.check_token import CheckToken


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """An attempt that goes on: until `lease_until` without another sign of life, until `deadline_at` at the most."""

    execution_id: str
    attempt: int
    lease_until: int
    deadline_at: int


@dataclass(frozen=True, slots=True)
class HeartbeatExecution:
    """The first one makes an attempt go on like a 202 does, should the worker have died before it could write that."""

    check_token: CheckToken
    store: ExecutionStore
    clock: Clock

    def execute(self, execution_id: str, token: str) -> Heard:
        """Prolong the attempt's lease, which is never made shorter.

        NotFoundError for a token that is none of this execution's. InvalidStateError where its attempt is over: it
        was reported on, another one has begun, or its deadline has passed. One that comes late is still good while
        nobody has taken the attempt over.
        """
        execution, presented = self.check_token.execute(execution_id, token)
        deadline_at, now_ms = execution.attempt_deadline_at, self.clock.now_ms()
        if not presented.is_of_running(execution) or deadline_at is None:
            raise InvalidStateError(f"attempt {presented.attempt} is over")
        if now_ms >= deadline_at:
            raise InvalidStateError(f"the deadline of attempt {presented.attempt} has passed")
        renewed_until = execution.call.async_policy.lease_until(now_ms, deadline_at)
        lease_until = max(execution.progress.lease_until or 0, renewed_until)
        standing = self.store.extend_lease(execution, lease_until=lease_until, async_until=deadline_at)
        if standing is not None and not presented.is_of_running(standing):
            raise InvalidStateError(f"attempt {presented.attempt} is over")
        return Heard(
            execution_id=str(execution.id),
            attempt=presented.attempt,
            # Refused while it runs: another heartbeat has carried it further.
            lease_until=lease_until if standing is None else standing.progress.lease_until or 0,
            deadline_at=deadline_at,
        )
