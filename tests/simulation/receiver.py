"""The receivers: what arrived, when, and how it was answered."""

from collections.abc import Callable
from datetime import datetime
from urllib.parse import urlsplit

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from tests.simulation.calls import ProcessClock, ProcessHandle
from tests.simulation.evidence import Arrival
from tests.simulation.faults import Strike, Weather
from tests.simulation.hub import Hub
from tests.simulation.process import Crash, Process
from tests.support.fakes.sender import as_read

OUTAGE_MS = (5_000, 60_000)
SLUGGISH_FOR_MS = (20_000, 120_000)
SLUGGISH_MS = (4_000, 9_000)
"""How long a host that is slow takes for an answer."""


class SimReceiver:
    """One receiver for all tenants."""

    def __init__(self, hub: Hub, weather: Weather) -> None:
        self.log: list[Arrival] = []
        self.async_accepted: Callable[[Arrival, int], bool] = lambda _arrival, _answered_at: False
        """Asked for each call that would be answered 200: whether it is 202, and the outcome is reported later."""
        self.demands: Callable[[Arrival, CallbackResponse], CallbackResponse] = lambda _arrival, answer: (
            answer
        )
        """Asked for each answer: the one to give in its place."""
        self._hub = hub
        self._weather = weather
        self._down_until: dict[str, int] = {}
        self._slow_until: dict[str, int] = {}

    def sender(self, handle: ProcessHandle) -> "SimSender":
        """The sender port of one executor."""
        return SimSender(self, handle)

    def answers_slowly(self, host: str, until_ms: int) -> None:
        """From now on a host takes several seconds for an answer."""
        self._slow_until[host] = until_ms

    def arrive(self, callback: Callback, process: Process) -> Arrival:
        """A call begins."""
        headers = dict(callback.headers)
        return self.begin(
            Arrival(
                execution_id=headers["webhook-id"],
                job_id=headers["X-Job-Id"],
                attempt=int(headers["X-Attempt"]),
                scheduled_at=round(datetime.fromisoformat(headers["X-Scheduled-At"]).timestamp() * 1000),
                url=callback.url,
                began_at=self._hub.now_ms,
                caller_began_at=process.now_ms(),
                seen_lead_ms=process.now_ms() - self._hub.now_ms - process.unseen_lead_ms,
                body=callback.body.decode(),
                backfill_of=headers.get("X-Backfill-Of"),
                token=headers.get("X-Callback-Token", ""),
                signer=_signer(headers.get("Authorization", "")),
            )
        )

    def begin(self, arrival: Arrival) -> Arrival:
        """Keep it in the log, and give it back."""
        self.log.append(arrival)
        return arrival

    def answer(self, arrival: Arrival, timeout_ms: int) -> CallbackResponse:
        """What the weather makes of it, unless its receiver has a wish."""
        return self.demands(arrival, self.drawn(arrival, timeout_ms))

    def drawn(self, arrival: Arrival, timeout_ms: int) -> CallbackResponse:
        """Content, refusing, too slow, too busy or not there."""
        now_ms, host = self._hub.now_ms, arrival.destination or urlsplit(arrival.url).netloc
        self._draw_trouble(host)
        if now_ms < self._down_until.get(host, 0):
            return CallbackResponse(reason=Reason.CONNECT_FAILED, duration_ms=5)
        is_slow = now_ms < self._slow_until.get(host, 0)
        duration_ms = self._weather.rng.randint(*(SLUGGISH_MS if is_slow else (5, min(2_000, timeout_ms))))
        if self._weather.strikes(Strike.HANG) or duration_ms > timeout_ms:
            return CallbackResponse(reason=Reason.TIMEOUT, duration_ms=timeout_ms)
        if self._weather.strikes(Strike.BUSY):
            return CallbackResponse(
                reason=Reason.HTTP_STATUS, duration_ms=duration_ms, status=503, body=b"busy"
            )
        if self._weather.strikes(Strike.REFUSE):
            return CallbackResponse(
                reason=Reason.HTTP_STATUS, duration_ms=duration_ms, status=500, body=b"no"
            )
        if self.async_accepted(arrival, self._hub.now_ms + duration_ms):
            return CallbackResponse(
                reason=Reason.OK, duration_ms=duration_ms, status=202, async_accepted=True
            )
        return CallbackResponse(reason=Reason.OK, duration_ms=duration_ms, status=200)

    def _draw_trouble(self, host: str) -> None:
        """Whether from this call on a host is down or slow for a while."""
        if self._weather.strikes(Strike.OUTAGE):
            self._down_until[host] = self._hub.now_ms + self._weather.rng.randint(*OUTAGE_MS)
        if self._weather.strikes(Strike.SLUGGISH):
            self.answers_slowly(host, self._hub.now_ms + self._weather.rng.randint(*SLUGGISH_FOR_MS))


def _signer(authorization: str) -> str | None:
    """The access key of a signature for AWS."""
    _, has_key, rest = authorization.partition("Credential=")
    return rest.partition("/")[0] if has_key else None


class SimSender:
    """Makes calls to the simulated receiver; its process may die while one is under way."""

    def __init__(self, receiver: SimReceiver, handle: ProcessHandle) -> None:
        self._receiver = receiver
        self._handle = handle
        self._clock = ProcessClock(handle)

    async def send(self, callback: Callback, *, timeout_seconds: float) -> CallbackResponse:
        """See the port."""
        process = self._handle.process
        process.check()
        arrival = self._receiver.arrive(callback, process)
        about = [arrival.execution_id]
        process.note(f"attempt {arrival.attempt} calls", about)
        answer = self._receiver.answer(arrival, round(timeout_seconds * 1000))
        await self._clock.sleep_ms(answer.duration_ms)
        arrival.ended_at, arrival.status = arrival.began_at + answer.duration_ms, answer.status
        arrival.asked_seconds = answer.retry_after_seconds
        arrival.gave_up = answer.reason is Reason.RECEIVER_GAVE_UP
        process.note(f"attempt {arrival.attempt} answered: {answer.status or answer.reason}", about)
        if not process.alive:
            raise Crash
        return as_read(answer, callback)
