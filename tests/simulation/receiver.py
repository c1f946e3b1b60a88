"""The receiver's log: what arrived, when, and how it was answered."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from shared.domain.delivery import Answer, Callback, Reason
from tests.simulation.faults import FaultMix
from tests.simulation.hub import Hub
from tests.simulation.process import Crash, Process, ProcessClock


@dataclass(slots=True, kw_only=True)
class Arrival:
    """One call, as the receiver saw it. `began_at` is virtual time, `claimed_began_at` the caller's own clock."""

    execution_id: str
    job_id: str
    attempt: int
    scheduled_at: str
    url: str
    began_at: int
    caller_began_at: int
    ended_at: int | None = None
    """None while it goes on, and for ever where the caller died."""
    status: int | None = None
    worker: str = ""


class SimReceiver:
    """One receiver for all tenants."""

    def __init__(self, hub: Hub, rng: random.Random, mix: Callable[[], FaultMix]) -> None:
        self.log: list[Arrival] = []
        self._hub = hub
        self._rng = rng
        self._mix = mix

    def sender(self, process: Process, clock: ProcessClock) -> "SimSender":
        """The sender port of one executor."""
        return SimSender(self, process, clock)

    def arrive(self, callback: Callback, process: Process) -> Arrival:
        """A call begins."""
        headers = dict(callback.headers)
        arrival = Arrival(
            execution_id=headers["webhook-id"],
            job_id=headers["X-Job-Id"],
            attempt=int(headers["X-Attempt"]),
            scheduled_at=headers["X-Scheduled-At"],
            url=callback.url,
            began_at=self._hub.now_ms,
            caller_began_at=process.now_ms(),
            worker=process.name,
        )
        self.log.append(arrival)
        return arrival

    def answer(self, timeout_ms: int) -> Answer:
        """Content, refusing or too slow."""
        if self._rng.random() < self._mix().hang:
            return Answer(reason=Reason.TIMEOUT, duration_ms=timeout_ms)
        duration_ms = self._rng.randint(5, min(2_000, timeout_ms))
        if self._rng.random() < self._mix().refuse:
            return Answer(reason=Reason.HTTP_STATUS, duration_ms=duration_ms, status=500, body=b"no")
        return Answer(reason=Reason.OK, duration_ms=duration_ms, status=200)


class SimSender:
    """Makes calls to the simulated receiver; its process may die while one is under way."""

    def __init__(self, receiver: SimReceiver, process: Process, clock: ProcessClock) -> None:
        self._receiver = receiver
        self._process = process
        self._clock = clock

    async def send(self, callback: Callback, *, timeout_seconds: float) -> Answer:
        """See the port."""
        if not self._process.alive:
            raise Crash
        arrival = self._receiver.arrive(callback, self._process)
        answer = self._receiver.answer(round(timeout_seconds * 1000))
        await self._clock.sleep_ms(answer.duration_ms)
        arrival.ended_at, arrival.status = arrival.began_at + answer.duration_ms, answer.status
        if not self._process.alive:
            raise Crash
        return answer
