"""Receivers of callbacks: quick ones, failing ones, dead ones, and ones that work for hours."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from infra.sizing import figures
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.executions.callback_token import TOKEN_HEADER
from tests.scale.machines import Machine

if TYPE_CHECKING:
    from tests.scale.machines import MachineLoop

FAILING = "https://failing.example"
LONG = "https://long.example"
QUICK = "https://quick.example"
DEAD = "https://dead.example"
WRONG = "https://wrong.example"
REFUSED_MS = 20


@dataclass(slots=True)
class LongRun:
    """An attempt that its receiver has accepted, and the token of its reports."""

    execution_id: str
    token: str
    ends_at: float


@dataclass(slots=True)
class Receivers:
    """Lags are milliseconds from the due time to the start of the call, of first attempts."""

    rng: Random
    long_for_ms: float
    dead_until_ms: float = 0
    is_measured: bool = False
    calls: int = 0
    early: int = 0
    phase: str = ""
    lags: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    """By phase of the run and receiver."""
    began_at: list[float] = field(default_factory=list)
    """The same calls: when each began."""
    accepted: list[LongRun] = field(default_factory=list)

    def answer(self, callback: Callback, now_ms: float) -> CallbackResponse:
        self.calls += 1
        headers = dict(callback.headers)
        if self.is_measured and headers["X-Attempt"] == "1":
            lag_ms = int(now_ms) - _instant_ms(headers["X-Scheduled-At"])
            self.early += lag_ms < 0
            self.began_at.append(now_ms)
            self.lags[self.phase, f"https://{urlsplit(callback.url).netloc}"].append(lag_ms)
        duration_ms = int(self.rng.expovariate(1 / figures.CALLBACK_MS.value)) + 1
        duration_ms = min(duration_ms, 5_000)
        if callback.url.startswith(DEAD) and now_ms < self.dead_until_ms:
            return CallbackResponse(reason=Reason.CONNECT_FAILED, duration_ms=REFUSED_MS)
        if callback.url.startswith(LONG):
            run = LongRun(headers["webhook-id"], headers[TOKEN_HEADER], now_ms + self.long_for_ms)
            self.accepted.append(run)
            return CallbackResponse(
                reason=Reason.OK, duration_ms=duration_ms, status=202, async_accepted=True
            )
        if callback.url.startswith(FAILING):
            return CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=duration_ms, status=500)
        if callback.url.startswith(WRONG):
            return CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=duration_ms, status=404)
        return CallbackResponse(reason=Reason.OK, duration_ms=duration_ms, status=200)


def _instant_ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


class MachineSender:
    """The sender of one executor."""

    def __init__(self, receivers: Receivers, machine: Machine, loop: MachineLoop) -> None:
        self._receivers = receivers
        self._machine = machine
        self._loop = loop

    async def send(self, callback: Callback, *, timeout_seconds: float) -> CallbackResponse:
        machine = self._machine
        started_ms = machine.hub.now_ms
        response = self._receivers.answer(callback, started_ms)
        wait_ms = machine.busy_ms(figures.cpu("call")) + response.duration_ms
        future = self._loop.create_future()
        self._loop.call_later(wait_ms / 1000, future.set_result, None)
        await future
        return response
