"""A deployment with limited calls: due jobs, scripted receivers, several processes."""

from collections import Counter
from dataclasses import replace
from typing import Any

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.dispatch.arrival import WaitSoFar
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.limits.circuit_breaker import OPEN_MS, TRIP_AFTER, Circuit
from shared.domain.limits.scopes import ScopeState, WaitReason
from shared.domain.tenancy.quota import Quota
from shared.names import QueueName
from shared.usecases.attempts.batch_report import BatchReport, Delivery
from shared.usecases.filing.file_execution import wakeup_for
from shared.usecases.limits.apply_backpressure import ReceivedMessage
from shared.usecases.limits.throttle_batch import ThrottleBatch
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.gates import gate
from tests.support.usecases.world import World

HERE, THERE = "0123456789", "9876543210"
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
BUSY = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=503)
DOWN = CallbackResponse(reason=Reason.CONNECT_FAILED, duration_ms=5)


class Site(World):
    """A deployment when its jobs are due."""

    def __init__(self, **quotas: int) -> None:
        super().__init__(DUE_AT)
        self.answer = OK
        self.sender.answer_to = self._answered
        self.allow(**quotas)

    def _answered(self, _callback: Callback, *_: Any) -> CallbackResponse:
        return self.answer

    def allow(self, **quotas: int) -> None:
        """Override quotas of the tenant."""
        limits = {Quota(name): limit for name, limit in quotas.items()}
        self.tenants.tenants[TENANT] = replace(self.tenants.tenants[TENANT], quotas=limits)

    def due(self, *numbers: int, to: str = HERE) -> list[Execution]:
        """Jobs that are due."""
        return [
            self.put(self.one_off(number, destination=to, state=State.QUEUED, created_at=DUE_AT - 1))
            for number in numbers
        ]

    def another(self, queue: QueueName = QueueName.STANDARD) -> ThrottleBatch:
        """The gate of another process."""
        return gate(self, queue, self.defaults)

    def work(self, through: ThrottleBatch | None = None) -> BatchReport:
        """Hand every message that is visible to one process."""
        now_ms, taken = self.clock.now_ms(), [*self.queue.messages]
        ready = [one for one in taken if one.visible_at <= now_ms]
        self.queue.messages = [one for one in taken if one.visible_at > now_ms]
        before = self.run_attempts.gate
        self.run_attempts.gate = through or before
        try:
            return self.run(
                *(
                    Delivery(message_id=f"{n}", sent_at=one.sent_at, receive_count=1, wakeup=one.wakeup)
                    for n, one in enumerate(ready)
                )
            )
        finally:
            self.run_attempts.gate = before

    def send_for(self, executions: list[Execution]) -> None:
        """A message for each."""
        for execution in executions:
            self.file.ensure_sent(execution)

    def states(self, executions: list[Execution]) -> Counter[State]:
        """The number of executions in each state."""
        return Counter(self.standing(one.id).state for one in executions)


def held(report: BatchReport) -> Counter[WaitReason]:
    return Counter(one.deferral.reason for one in report.deferred)


def open_breaker(site: Site, until: int = DUE_AT + OPEN_MS) -> None:
    circuit = Circuit(failures=TRIP_AFTER, trips=1, open_until=until)
    site.limits.states[f"d#{HERE}"] = ScopeState(version=1, circuit=circuit)
    site.limits.hot[f"d#{HERE}"] = until + 600_000


def arrived(site: Site, execution: Execution, waited: int = 0, ends_at: int | None = None) -> ReceivedMessage:
    wakeup, now_ms = replace(wakeup_for(execution), waited=waited, ends_at=ends_at), site.clock.now_ms()
    wait = WaitSoFar(visible_at=now_ms, received_at=now_ms)
    return ReceivedMessage(wakeup=wakeup, visible_at=now_ms, receive_count=1, wait=wait)
