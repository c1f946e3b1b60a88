"""Throttling of one batch: backpressure and limits before the claim, and what was learned after the calls."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.delivery.callback import CallbackResponse
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.ids import ExecutionId
from shared.domain.limits.scopes import Candidate, Deferral, WaitReason
from shared.domain.tenancy.quota import Quota
from shared.names import QueueName
from shared.usecases.filing.file_limit_alert import FileLimitAlert
from shared.usecases.limits.admit_calls import AdmitCalls
from shared.usecases.limits.apply_backpressure import ApplyBackpressure, ReceivedMessage
from shared.usecases.limits.defer_keys import DeferKeys
from shared.usecases.limits.settle_limits import SettleLimits

UNSENT_WAIT_SECONDS = 15
"""The least visibility timeout of a message without a replacement: its receives must last for a while."""
LIMITS_OF_TENANT: Mapping[WaitReason, Quota] = {
    WaitReason.TENANT_CONCURRENCY: Quota.CONCURRENCY,
    WaitReason.TENANT_RATE: Quota.CALLS_PER_SECOND,
}
"""The limits of a tenant that make its calls wait, whatever their destination is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferredKey:
    """An execution that waits. `is_done`: a new message carries it, and the received one can be deleted."""

    deferral: Deferral
    is_done: bool

    @property
    def wait_seconds(self) -> int:
        """The visibility timeout of its message where no new one could be sent."""
        return max(UNSENT_WAIT_SECONDS, -(-self.deferral.wait_ms // 1000))


@dataclass(frozen=True, slots=True)
class ThrottleBatch:
    """Belongs to one process, with all that it holds; the process runs one batch at a time."""

    queue: QueueName
    backpressure: ApplyBackpressure
    admit: AdmitCalls
    settle_limits: SettleLimits
    defer_keys: DeferKeys
    file_limit_alert: FileLimitAlert
    _reached: set[tuple[str, Quota]] = field(default_factory=set)
    """The limits of tenants that made calls of this batch wait."""

    def take_store_errors(self) -> int:
        """Requests to the stores of limits that failed or were skipped since the last call."""
        return self.admit.limits.backoff.take_store_errors() + self.admit.spend.take_store_errors()

    def defer(self, messages: Sequence[ReceivedMessage]) -> dict[ExecutionId, DeferredKey]:
        """A batch begins: the keys that have to wait, with new messages sent for them; claim all others.

        Raises nothing for limits that cannot be applied, since they must never stop a job.
        """
        self.settle_limits.begin()
        deferred = self.backpressure.deferrals(messages, self.queue)
        deferred |= self._admit(_candidates(messages, deferred))
        unsent = self.defer_keys.execute(messages, deferred) if deferred else set()
        return {
            key: DeferredKey(deferral=deferral, is_done=key not in unsent)
            for key, deferral in deferred.items()
        }

    def _admit(self, candidates: Sequence[Candidate]) -> dict[ExecutionId, Deferral]:
        try:
            deferred = self.admit.execute(candidates, self.queue)
            self._reached.update(_reached(candidates, deferred))
            return deferred
        except Exception:  # noqa: BLE001 - a bug in the limits must not stop the calls
            self.admit.limits.backoff.record_error()
            return {}

    def report(self, responses: Iterable[tuple[str, CallbackResponse]]) -> None:
        """A batch ends: report pairs of destination and response, and release slots. Raises nothing."""
        try:
            self.settle_limits.execute((where, response) for where, response in responses if where)
        except Exception:  # noqa: BLE001 - the outcomes are recorded, and nothing may undo that
            self.admit.limits.backoff.record_error()
        self._announce()

    def _announce(self) -> None:
        """After the calls of the batch: none of them waits for an alert."""
        try:
            for tenant_id, quota in sorted(self._reached):
                self.file_limit_alert.by_id(tenant_id, quota)
        except Exception:  # noqa: BLE001 - as above
            self.admit.limits.backoff.record_error()
        self._reached.clear()


def _reached(
    candidates: Iterable[Candidate], deferred: Mapping[ExecutionId, Deferral]
) -> Iterable[tuple[str, Quota]]:
    for call in candidates:
        quota = LIMITS_OF_TENANT.get(deferred[call.key].reason) if call.key in deferred else None
        if quota is not None:
            yield call.tenant_id, quota


def _candidates(
    messages: Sequence[ReceivedMessage], deferred: dict[ExecutionId, Deferral]
) -> list[Candidate]:
    """Each key once: of several messages the one that has waited most often counts."""
    candidates: dict[ExecutionId, Candidate] = {}
    for message in sorted(messages, key=lambda message: message.wakeup.waited):
        for key in message.wakeup.keys:
            if key not in deferred:
                earlier = candidates[key].destination if key in candidates else UNKNOWN
                candidates[key] = Candidate(
                    key=key,
                    tenant_id=message.wakeup.tenant_id,
                    destination=message.wakeup.destination_of(key) or earlier,
                    waited=message.wakeup.waited,
                    due_at=message.due_at(key),
                    resent=message.wakeup.is_resent,
                )
    return list(candidates.values())
