"""What is promised of events whose triggers do not start a run for each of them, by the documents alone."""

from dataclasses import dataclass, field
from typing import Any

import orjson

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from tests.api_machine.instants import instant
from tests.support.fakes.clock import VirtualClock

HOST = "https://events.example"
BURST, FEW, INPUT = "burst", "few", "input"
NAMES = (BURST, FEW, INPUT)
DURATION_MS = 5


@dataclass(slots=True, kw_only=True, eq=False)
class PromisedEvent:
    """One event, however often it is sent."""

    trigger: str
    document: dict[str, Any]
    run: str | None = None
    """The run that it was answered with last."""


@dataclass(slots=True, kw_only=True, eq=False)
class PromisedRun:
    """One run, which has the latest of its events."""

    event: PromisedEvent
    begun_at: int
    """When its first event came."""
    due_at: int
    is_called: bool = False


@dataclass(slots=True, kw_only=True)
class PromisedTriggerState:
    """A trigger, and what its present version has started."""

    name: str
    job_id: str
    asked: dict[str, Any] = field(default_factory=dict)
    """Empty where there is none."""
    run: str | None = None
    window_from: int | None = None
    count: int = 0
    recorded_at: int = 0
    """When the latest event of its latest run was recorded: each one later than the one before."""

    @property
    def is_there(self) -> bool:
        return bool(self.asked)

    def content(self, *, is_other: bool) -> dict[str, Any]:
        """One of two."""
        limits: dict[str, Any] = {}
        if self.name == BURST:
            limits = {"debounce_seconds": 10 if is_other else 20, "debounce_max_seconds": 30}
        elif self.name == FEW:
            limits = {"throttle": {"count": 3 if is_other else 2, "per_seconds": 60}}
        elif is_other:
            limits = {"delay_seconds": 5}
        return {"pattern": {"source": [self.name]}, "job_id": self.job_id} | limits

    def put(self, content: dict[str, Any]) -> str:
        """Which change that is."""
        if self.asked == content:
            return "unchanged"
        change = "changed" if self.is_there else "created"
        self.delete()
        self.asked = content
        return change

    def delete(self) -> None:
        self.asked, self.run, self.window_from, self.count = {}, None, None, 0

    def throttled_until(self, now_ms: int) -> int | None:
        """The end of a window that has all its runs."""
        throttle = self.asked.get("throttle")
        if throttle is None or self.window_from is None or self.count < throttle["count"]:
            return None
        ends_at = self.window_from + int(throttle["per_seconds"]) * 1000
        return ends_at if now_ms < ends_at else None


class EventReceiver:
    """Answers all calls with 200, and notes what must not have come."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.triggers: dict[str, PromisedTriggerState] = {}
        self.sent: list[PromisedEvent] = []
        self.runs: dict[str, PromisedRun] = {}
        self.faults: list[str] = []

    def new_event(self, trigger: str) -> PromisedEvent:
        number = len(self.sent)
        document = {"source": trigger, "type": "happened", "id": f"e{number}", "data": {"number": number}}
        event = PromisedEvent(trigger=trigger, document=document)
        self.sent.append(event)
        return event

    def promise(self, event: PromisedEvent, now_ms: int) -> dict[str, Any] | None:
        """The match that the answer must have, but for the ID of the run; None for no match."""
        trigger = self.triggers[event.trigger]
        if not trigger.is_there:
            return None
        if event.run is not None:
            return {"outcome": "repeated", "due_at": instant(self.runs[event.run].due_at)}
        until = trigger.throttled_until(now_ms)
        if until is not None:
            return {"outcome": "throttled", "throttled_until": instant(until)}
        waiting = self._waiting(trigger)
        outcome = "filed" if waiting is None else "debounced"
        return {"outcome": outcome, "due_at": instant(self._due_at(trigger, waiting, now_ms))}

    def note(self, event: PromisedEvent, outcome: str, run_id: str, now_ms: int) -> None:
        """The answer named a run."""
        trigger = self.triggers[event.trigger]
        if outcome == "repeated":
            assert run_id == event.run
            return
        waiting = self._waiting(trigger)
        due_at = self._due_at(trigger, waiting, now_ms)
        trigger.recorded_at = self._recorded_at(trigger, waiting, now_ms)
        event.run = run_id
        if waiting is not None:
            assert run_id == trigger.run
            waiting.event, waiting.due_at = event, due_at
            return
        assert run_id not in self.runs
        self.runs[run_id] = PromisedRun(event=event, begun_at=now_ms, due_at=due_at)
        trigger.run = run_id
        throttle = trigger.asked.get("throttle")
        if throttle is not None:
            ends_at = (trigger.window_from or 0) + throttle["per_seconds"] * 1000
            is_new = trigger.window_from is None or now_ms >= ends_at
            trigger.window_from = now_ms if is_new else trigger.window_from
            trigger.count = 1 if is_new else trigger.count + 1

    def _waiting(self, trigger: PromisedTriggerState) -> PromisedRun | None:
        run = self.runs.get(trigger.run or "") if "debounce_seconds" in trigger.asked else None
        return None if run is None or run.is_called else run

    def _recorded_at(self, trigger: PromisedTriggerState, waiting: PromisedRun | None, now_ms: int) -> int:
        return now_ms if waiting is None else max(now_ms, trigger.recorded_at + 1)

    def _due_at(self, trigger: PromisedTriggerState, waiting: PromisedRun | None, now_ms: int) -> int:
        asked, recorded_at = trigger.asked, self._recorded_at(trigger, waiting, now_ms)
        seconds = asked.get("debounce_seconds") or asked.get("delay_seconds", 0)
        due_at = recorded_at + int(seconds) * 1000
        if waiting is None:
            return due_at
        longest_at = waiting.begun_at + int(asked["debounce_max_seconds"]) * 1000
        return max(waiting.due_at, min(due_at, longest_at))

    def __call__(self, callback: Callback) -> CallbackResponse:
        """One call of a run, or of the task that its event is the input of."""
        body = orjson.loads(callback.body)
        event = body.get("event") or body.get("input") or {}
        run = next((each for each in self.runs.values() if each.event.document == event), None)
        own = None if "input" in body else {"own": 1}
        is_right = (
            run is not None
            and not run.is_called
            and body.get("body") == own
            and run.due_at <= self._clock.now_ms()
        )
        if run is None or not is_right:
            self.faults.append(f"a call with {body}, for {run}")
        else:
            run.is_called = True
        return CallbackResponse(reason=Reason.OK, duration_ms=DURATION_MS, status=200)
