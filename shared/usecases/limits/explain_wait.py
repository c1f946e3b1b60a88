"""Explain why an execution that is due has not started: the API's `waiting_for`. Best effort."""

from collections.abc import Mapping
from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.dispatch.wait_hint import WaitHint, WaitingFor, is_due_and_unstarted, scopes_of, wait_hint
from shared.domain.executions.execution import Execution
from shared.domain.limits.hot_scopes import by_part, part_of
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.tenancy.quota import Quotas
from shared.domain.tenancy.tenant import Tenant
from shared.names import Lane
from shared.ports.jobs import RunLockStore
from shared.ports.limits import ThrottleStatus
from shared.ports.runtime import Clock
from shared.usecases.limits.apply_backpressure import PREFERRED_LANES

HOT_SCOPES_TTL_MS = 2_000
"""Every worker reads the items of the hot scopes: the API must not overload one of them."""
STORE_BACKOFF_MS = 5_000
"""How long the store is skipped after it failed to respond."""


@dataclass(slots=True)
class ExplainWait:
    """Belongs to one process. At most two reads, and none for an execution that is not due or has started."""

    throttle_status: ThrottleStatus
    run_locks: RunLockStore
    defaults: Quotas
    clock: Clock
    _hot_scopes: dict[int, Mapping[str, int]] = field(default_factory=dict)
    """By part of the index."""
    _read_at: dict[int, int] = field(default_factory=dict)
    _backoff_until: int = 0

    def execute(self, tenant: Tenant, execution: Execution) -> WaitHint | None:
        """The reason and end of the wait; None where there is no wait or no known reason. Raises nothing."""
        now_ms = self.clock.now_ms()
        if not is_due_and_unstarted(execution, now_ms):
            return None
        suspension = tenant.suspension_at(now_ms)
        if suspension is not None:
            return WaitHint(reason=WaitingFor.SUSPENDED, until=suspension.until_at)
        if now_ms < self._backoff_until:
            return None
        try:
            return self._hint(tenant, execution, now_ms)
        except Exception:  # noqa: BLE001 - the execution itself is shown without its hint
            self._backoff_until = self.clock.now_ms() + STORE_BACKOFF_MS
            return None

    def _hint(self, tenant: Tenant, execution: Execution, now_ms: int) -> WaitHint | None:
        if self._waits_for_overlap(execution):
            return WaitHint(reason=WaitingFor.OVERLAP)
        lanes = PREFERRED_LANES if execution.lane is Lane.BULK else ()
        scopes = scopes_of(execution)
        parts = by_part(scopes)
        expired = [part for part in parts if now_ms - self._read_at.get(part, 0) >= HOT_SCOPES_TTL_MS]
        snapshot = self.throttle_status.read(scopes, lanes, expired)
        for part in expired:
            self._hot_scopes[part] = {
                scope: until for scope, until in snapshot.hot_scopes.items() if part_of(scope) == part
            }
            self._read_at[part] = now_ms
        hot_scopes = {scope: until for part in parts for scope, until in self._hot_scopes[part].items()}
        snapshot = replace(snapshot, hot_scopes=hot_scopes)
        return wait_hint(execution, snapshot, self.defaults.overridden_by(tenant.quotas), now_ms)

    def _waits_for_overlap(self, execution: Execution) -> bool:
        rules = execution.recurrence
        queues = rules is not None and rules.overlap_policy is OverlapPolicy.QUEUE_ONE
        if not (queues and execution.awaits_admission):
            return False
        return self.run_locks.read(execution.tenant_id, execution.job_id).waiting == execution.id
