"""GATE: what of a batch goes on to the claim, and what waits: in front of the claim, since that counts an attempt."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.domain.delivery.callback import CallbackResponse
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.ids import ExecutionId
from shared.domain.limits.scopes import Candidate, Deferral
from shared.names import QueueName
from shared.usecases.limits.admit_calls import AdmitCalls
from shared.usecases.limits.apply_backpressure import ApplyBackpressure, ReceivedMessage
from shared.usecases.limits.defer_keys import DeferKeys
from shared.usecases.limits.settle_limits import SettleLimits

UNSENT_WAIT_SECONDS = 15
"""A message that another could not take over waits at least so long: its receives last for more than a moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferredKey:
    """An execution that waits. `is_done`: another message stands for it by now."""

    deferral: Deferral
    is_done: bool

    @property
    def wait_seconds(self) -> int:
        """How long its message waits, where no other could be sent."""
        return max(UNSENT_WAIT_SECONDS, -(-self.deferral.wait_ms // 1000))


@dataclass(frozen=True, slots=True)
class ThrottleBatch:
    """Belongs to one process, which has one batch at a time."""

    queue: QueueName
    backpressure: ApplyBackpressure
    admit: AdmitCalls
    settle_limits: SettleLimits
    defer: DeferKeys

    def take_unanswered(self) -> int:
        """How often limits could not be asked for since this was last taken."""
        return self.admit.states.take_unanswered() + self.admit.spend.take_unanswered()

    def hold(self, arrived: Sequence[ReceivedMessage]) -> dict[ExecutionId, DeferredKey]:
        """A batch begins: the keys that wait, each with another message or without; all others may be claimed."""
        self.settle_limits.begin()
        deferred = self.backpressure.execute(arrived, self.queue)
        deferred |= self._admit(_candidates(arrived, deferred))
        unsent = self.defer.execute([one.wakeup for one in arrived], deferred) if deferred else set()
        return {
            key: DeferredKey(deferral=deferral, is_done=key not in unsent)
            for key, deferral in deferred.items()
        }

    def _admit(self, candidates: Sequence[Candidate]) -> dict[ExecutionId, Deferral]:
        """Whatever may be wrong with limits, they stop nothing."""
        try:
            return self.admit.execute(candidates, self.queue)
        except Exception:  # noqa: BLE001 - a fault of ours in the limits must not sink the calls
            self.admit.states.unanswered += 1
            return {}

    def settle(self, answers: Iterable[tuple[str, CallbackResponse]]) -> None:
        """A batch ends: learn from the answers, each with its destination, and give back what was leased."""
        try:
            self.settle_limits.execute(
                (destination, answer) for destination, answer in answers if destination
            )
        except Exception:  # noqa: BLE001 - the outcomes are recorded, and nothing may undo that
            self.admit.states.unanswered += 1


def _candidates(arrived: Sequence[ReceivedMessage], deferred: dict[ExecutionId, Deferral]) -> list[Candidate]:
    """Each key once: of several messages the one that has waited most counts."""
    found: dict[ExecutionId, Candidate] = {}
    for one in sorted(arrived, key=lambda one: one.wakeup.waited):
        for key in one.wakeup.keys:
            if key not in deferred:
                known = found[key].destination if key in found else UNKNOWN
                found[key] = Candidate(
                    key=key,
                    tenant_id=one.wakeup.tenant_id,
                    destination=one.wakeup.destination_of(key) or known,
                    waited=one.wakeup.waited,
                )
    return list(found.values())
