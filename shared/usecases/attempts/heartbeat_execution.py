"""Extend the lease of an attempt whose call has ended and whose receiver is still working."""

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.attempts.check_token import CheckToken


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatResult:
    """The lease that is now in force. It ends at `lease_until` unless extended, and at `deadline_at` in any
    case."""

    execution_id: str
    attempt: int
    lease_until: int
    deadline_at: int


@dataclass(frozen=True, slots=True)
class HeartbeatExecution:
    """Extends the lease. If the 202 was not recorded yet, the first heartbeat has the effect of the 202."""

    check_token: CheckToken
    store: ExecutionStore
    clock: Clock

    def execute(self, execution_id: str, token: str) -> HeartbeatResult:
        """Extend the attempt's lease; a lease is never shortened.

        NotFoundError for a token of another execution. InvalidStateError if the attempt is over: an outcome
        was reported, another attempt has begun, or the deadline has passed. A heartbeat after the lease
        expired still counts unless another worker has taken over.
        """
        execution, presented = self.check_token.execute(execution_id, token)
        deadline_at, now_ms = execution.attempt_deadline_at, self.clock.now_ms()
        if not presented.is_of_running(execution) or deadline_at is None:
            raise InvalidStateError(f"attempt {presented.attempt} is over")
        if now_ms >= deadline_at:
            raise InvalidStateError(f"the deadline of attempt {presented.attempt} has passed")
        renewed_until = execution.call.async_policy.lease_until(now_ms, deadline_at)
        lease_until = max(execution.progress.lease_until or 0, renewed_until)
        existing = self.store.extend_lease(execution, lease_until=lease_until, async_until=deadline_at)
        if existing is not None and not presented.is_of_running(existing):
            raise InvalidStateError(f"attempt {presented.attempt} is over")
        return HeartbeatResult(
            execution_id=str(execution.id),
            attempt=presented.attempt,
            # A rejection of a running attempt means that a concurrent heartbeat extended the lease further.
            lease_until=lease_until if existing is None else existing.progress.lease_until or 0,
            deadline_at=deadline_at,
        )
