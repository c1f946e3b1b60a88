"""Targets in AWS: what arrived there by whose role, and the faults of services and of the deployment."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING

from shared.adapters.aws.credentials import Credentials
from shared.adapters.targets.signed_sender import sign
from shared.domain.delivery.aws_target import TargetCall
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.sigv4_auth import SignedCall
from tests.simulation.calls import ProcessClock, ProcessHandle
from tests.simulation.evidence import ACCOUNTS, Arrival, access_key_of, role_of, url_of
from tests.simulation.faults import Strike
from tests.simulation.process import Crash, Process

if TYPE_CHECKING:
    from shared.ports.delivery import Sender
    from tests.simulation.world import World

MOST_FAULTS = 3
"""Of the deployment for one execution: each doubles the wait, also between attempts, and the oracle allows for so
many."""
_DENIED = CallbackResponse(reason=Reason.TARGET_ACCESS_DENIED, duration_ms=0, status=403)
_FAILED = CallbackResponse(reason=Reason.TARGET_FAILED, duration_ms=0, status=500)
_THROTTLED = CallbackResponse(reason=Reason.TARGET_THROTTLED, duration_ms=0, status=429)


class SimTargets:
    """All targets of all tenants. What arrives is in the log of the receivers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rng = Random(f"faults of targets {world.seed}")
        self._faults: dict[str, int] = {}
        self.broken: list[str] = []
        """Messages that no consumer can tell apart, and rights of other tenants."""
        self._external_ids: dict[str, str] = {}

    def sender(self, handle: ProcessHandle) -> SimTargetSender:
        """The sender of targets of one executor."""
        return SimTargetSender(self, handle)

    def signed_sender(self, handle: ProcessHandle) -> SimSignedSender:
        """The sender of one executor for requests that a role signs."""
        return SimSignedSender(self, handle, self._world.receiver.sender(handle))

    def is_unavailable(self, identity: str) -> bool:
        """Whether the deployment lacks something for this execution, such as credentials of the role."""
        is_struck = self._rng.random() < self._world.weather.mix.target_unavailable
        if not is_struck or self._faults.get(identity, 0) >= MOST_FAULTS:
            return False
        self._faults[identity] = self._faults.get(identity, 0) + 1
        self._world.weather.note(Strike.TARGET_UNAVAILABLE)
        return True

    def arrive(self, call: TargetCall, process: Process) -> Arrival:
        """A message begins to be sent."""
        self._judge(call)
        said = dict(call.attributes)
        return self._world.receiver.begin(
            Arrival(
                execution_id=call.deduplication_id,
                job_id=said["Punctual-Job"],
                attempt=int(said["Punctual-Attempt"]),
                scheduled_at=round(datetime.fromisoformat(said["Punctual-Scheduled-At"]).timestamp() * 1000),
                url=url_of(call.target.arn),
                destination=call.target.arn,
                began_at=self._world.hub.now_ms,
                caller_began_at=process.now_ms(),
                seen_lead_ms=process.now_ms() - self._world.hub.now_ms - process.unseen_lead_ms,
                body=call.body.decode(),
                backfill_of=said.get("Punctual-Backfill-Of"),
            )
        )

    def answer(self, arrival: Arrival, timeout_ms: int) -> CallbackResponse:
        """What the weather makes of it, in the words of a service of AWS."""
        drawn = self._world.receiver.drawn(arrival, timeout_ms)
        if drawn.reason is not Reason.HTTP_STATUS:
            return drawn
        if drawn.status == 503:
            self._world.weather.note(Strike.TARGET_THROTTLED)
            return replace(_THROTTLED, duration_ms=drawn.duration_ms)
        refusal = self._rng.choice((_DENIED, _FAILED))
        if refusal is _DENIED:
            self._world.weather.note(Strike.TARGET_DENIED)
        return replace(refusal, duration_ms=drawn.duration_ms)

    def _judge(self, call: TargetCall) -> None:
        """Nothing of another tenant is used, and attempts of an execution can be told from other executions."""
        said, tenant = dict(call.attributes), call.tenant_id
        if call.deduplication_id != said["Punctual-Execution"]:
            self.broken.append(f"{said['Punctual-Execution']} was sent as {call.deduplication_id}")
        if call.role_arn != role_of(tenant) or ACCOUNTS[tenant] not in call.target.arn:
            self.broken.append(f"{tenant} sent to {call.target.arn} by {call.role_arn}")
        self._judge_external_id(call)

    def judge_signed(self, call: SignedCall) -> None:
        """Nothing of another tenant is used."""
        if call.role_arn != role_of(call.tenant_id):
            self.broken.append(f"{call.tenant_id} signed {call.callback.url} by {call.role_arn}")
        self._judge_external_id(call)

    def _judge_external_id(self, call: TargetCall | SignedCall) -> None:
        tenant = call.tenant_id
        if self._external_ids.setdefault(tenant, call.external_id) != call.external_id:
            self.broken.append(f"{tenant} has two external ids")
        if len({*self._external_ids.values()}) < len(self._external_ids):
            self.broken.append("two tenants have one external id")


class SimTargetSender:
    """Sends to the simulated targets; its process may die while a message is under way."""

    def __init__(self, targets: SimTargets, handle: ProcessHandle) -> None:
        self._targets = targets
        self._handle = handle
        self._clock = ProcessClock(handle)

    async def send(self, call: TargetCall, *, timeout_seconds: float) -> CallbackResponse:
        """See the port."""
        process, about = self._handle.process, [call.deduplication_id]
        process.check()
        if self._targets.is_unavailable(call.deduplication_id):
            process.note("the target is unavailable", about)
            await self._clock.sleep_ms(5)
            return CallbackResponse(reason=Reason.UNAVAILABLE, duration_ms=5)
        arrival = self._targets.arrive(call, process)
        process.note(f"attempt {arrival.attempt} sends", about)
        answer = self._targets.answer(arrival, round(timeout_seconds * 1000))
        await self._clock.sleep_ms(answer.duration_ms)
        arrival.ended_at, arrival.status = arrival.began_at + answer.duration_ms, answer.status
        process.note(f"attempt {arrival.attempt} answered: {answer.status or answer.reason}", about)
        if not process.alive:
            raise Crash
        return answer


class SimSignedSender:
    """Signs by the role of the call, and sends as other requests are sent."""

    def __init__(self, targets: SimTargets, handle: ProcessHandle, sender: Sender) -> None:
        self._targets = targets
        self._handle = handle
        self._clock = ProcessClock(handle)
        self._sender = sender

    async def send(self, call: SignedCall, *, timeout_seconds: float) -> CallbackResponse:
        """See the port."""
        process, identity = self._handle.process, dict(call.callback.headers)["webhook-id"]
        process.check()
        if self._targets.is_unavailable(identity):
            process.note("there is no session", [identity])
            await self._clock.sleep_ms(5)
            return CallbackResponse(reason=Reason.UNAVAILABLE, duration_ms=5)
        self._targets.judge_signed(call)
        keys = Credentials(access_key_of(call.role_arn), "a secret", "a token")
        return await self._sender.send(sign(call, keys, process.now_ms()), timeout_seconds=timeout_seconds)
