"""Keep the calls of suspended tenants from their claims: executions wait, or end as skipped.

Nothing is claimed, so no attempt is used up. A worker that passes a key, because it could not read the tenant or
stood still after it had, makes no call either: `CallReceiver` compares the instants again, without a read.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import PunctualError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, EndReason, State
from shared.domain.ids import ExecutionId
from shared.domain.limits.scopes import Deferral, WaitReason, tenant_scope
from shared.domain.tenancy.suspension import KNOWN_FOR_MS, Suspension
from shared.domain.tenancy.tenant import Tenant
from shared.ports.executions import ExecutionStore, WriteUnknown
from shared.ports.runtime import Clock, Spread
from shared.usecases.attempts.due_clock import DueClock
from shared.usecases.attempts.guard_start import Admission, GuardStart
from shared.usecases.attempts.settle_refusal import RACE_WAIT_SECONDS, Refusal, RefusalResult
from shared.usecases.limits.apply_backpressure import ReceivedMessage
from shared.usecases.limits.defer_keys import DeferKeys
from shared.usecases.limits.hot_scope_notes import HotScopeNotes
from shared.usecases.limits.throttle_batch import DeferredKey
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.tenancy.read_tenant import ReadTenant

READ_AT_ONCE = 100
MIN_WAIT_MS = 1_000
"""A queue delays by whole seconds: a shorter wait for the end of a suspension would come back before it."""
NOTE_MARGIN_MS = 90_000
"""How much longer than the wait itself the tenant stays in the index of hot scopes."""
StoppedKey = DeferredKey | RefusalResult | WriteUnknown


@dataclass(frozen=True, slots=True)
class HoldSuspended:
    read_tenant: ReadTenant
    store: ExecutionStore
    guard_start: GuardStart
    defer_keys: DeferKeys
    hot_scopes: HotScopeNotes
    clock: Clock
    due_clock: DueClock
    spread: Spread

    def execute(self, messages: Sequence[ReceivedMessage]) -> dict[ExecutionId, StoppedKey]:
        """The keys that must not be claimed, with what became of them. Costs no read of the executions unless a
        tenant is suspended, or was when one of them was due."""
        tenants = self._tenants({message.wakeup.tenant_id for message in messages})
        now_ms = self.due_clock.now_ms()
        affected = {
            key: tenant
            for message in messages
            if (tenant := tenants[message.wakeup.tenant_id]) is not None and tenant.suspensions
            for key in message.wakeup.keys
            if tenant.suspension_at(now_ms) or tenant.suspension_at(key.dispatch_at)
        }
        return self._hold(messages, affected, now_ms) if affected else {}

    def _tenants(self, tenant_ids: Collection[str]) -> dict[str, Tenant | None]:
        """Tenants that are not known well enough are read side by side, since calls wait for it."""
        tenants = {name: self.read_tenant.cached(name, KNOWN_FOR_MS) for name in tenant_ids}
        unknown = [name for name, tenant in tenants.items() if tenant is None]
        return tenants | dict(zip(unknown, self.spread(self._read, unknown), strict=True))

    def _read(self, tenant_id: str) -> Tenant | None:
        try:
            return self.read_tenant.execute(tenant_id, KNOWN_FOR_MS)
        except PunctualError:
            return None

    def _hold(
        self, messages: Sequence[ReceivedMessage], affected: Mapping[ExecutionId, Tenant], now_ms: int
    ) -> dict[ExecutionId, StoppedKey]:
        try:
            found = self._found(list(affected))
        except PunctualError as error:
            return {key: WriteUnknown(str(error)) for key in affected}
        held: dict[ExecutionId, StoppedKey] = {}
        waiting: dict[ExecutionId, Deferral] = {}
        for key, tenant in affected.items():
            execution, present = found.get(key), tenant.suspension_at(now_ms)
            if execution is None:
                continue
            if self._is_missed(execution, tenant, now_ms):
                held[key] = self._skip(execution)
            elif present is not None and _is_claimable(execution, self.clock.now_ms()):
                waiting[key] = _wait(present, now_ms)
        return held | self._defer(messages, waiting, affected)

    def _found(self, keys: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        found: dict[ExecutionId, Execution] = {}
        for start in range(0, len(keys), READ_AT_ONCE):
            found |= read_readable(self.store, keys[start : start + READ_AT_ONCE])
        return found

    def _is_missed(self, execution: Execution, tenant: Tenant, now_ms: int) -> bool:
        """Not for a run that events may still postpone: it ends by a claim, since an event that is acknowledged
        meanwhile would be lost by this write."""
        return execution.state in NOT_STARTED and execution.is_missed(tenant.suspensions, now_ms)

    def _skip(self, execution: Execution) -> RefusalResult | WriteUnknown:
        try:
            admission = self.guard_start.skip(execution, EndReason.SUSPENDED)
        except UnavailableError as error:
            return WriteUnknown(str(error))
        except PunctualError as error:
            return WriteUnknown(type(error).__name__, is_permanent=True, error=error)
        if admission is Admission.RACE:
            return RefusalResult(kind=Refusal.UNSETTLED, is_done=False, wait_seconds=RACE_WAIT_SECONDS)
        return RefusalResult(kind=Refusal.DROPPED)

    def _defer(
        self,
        messages: Sequence[ReceivedMessage],
        waiting: Mapping[ExecutionId, Deferral],
        affected: Mapping[ExecutionId, Tenant],
    ) -> dict[ExecutionId, StoppedKey]:
        if not waiting:
            return {}
        unsent = self.defer_keys.execute(messages, waiting)
        until: dict[str, int] = {}
        for key, deferral in waiting.items():
            scope = tenant_scope(affected[key].id)
            until[scope] = max(until.get(scope, 0), self.clock.now_ms() + deferral.wait_ms + NOTE_MARGIN_MS)
        # The sweeper then knows that these executions wait, and are not late by a fault.
        self.hot_scopes.note(until)
        return {
            key: DeferredKey(deferral=deferral, is_done=key not in unsent)
            for key, deferral in waiting.items()
        }


def without(messages: Sequence[ReceivedMessage], keys: Collection[ExecutionId]) -> list[ReceivedMessage]:
    """The messages with their other keys; those without any are left out."""
    if not keys:
        return list(messages)
    rest = ((each, [key for key in each.wakeup.keys if key not in keys]) for each in messages)
    return [replace(each, wakeup=each.wakeup.only(left)) for each, left in rest if left]


def _is_claimable(execution: Execution, now_ms: int) -> bool:
    """Whether a claim might be granted. All other keys are settled by the refusal of their claims."""
    if execution.state is State.RUNNING:
        return execution.lease_expired(now_ms) and execution.has_attempts_left
    return not execution.state.is_terminal


def _wait(suspension: Suspension, now_ms: int) -> Deferral:
    return Deferral(reason=WaitReason.SUSPENDED, wait_ms=max(MIN_WAIT_MS, suspension.wait_ms(now_ms)))
