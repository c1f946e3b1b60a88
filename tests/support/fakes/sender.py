"""A sender with scripted responses."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.ports.runtime import Clock

AnswerTo = Callable[[Callback], CallbackResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call and its start."""

    callback: Callback
    at: int
    timeout_seconds: float


def succeeds(_: Callback) -> CallbackResponse:
    """Every receiver answers with success."""
    return CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)


def in_turn(*answers: CallbackResponse) -> AnswerTo:
    """These responses in order, and then the last response forever."""
    left = list(answers)

    def answer(_: Callback) -> CallbackResponse:
        return left.pop(0) if len(left) > 1 else left[0]

    return answer


class ScriptedSender:
    """Records each call, advances the clock by the response's duration, and returns the response."""

    def __init__(self, clock: Clock, answer_to: AnswerTo = succeeds) -> None:
        self.calls: list[Call] = []
        self.answer_to = answer_to
        self._clock = clock

    async def send(self, callback: Callback, *, timeout_seconds: float) -> CallbackResponse:
        """A response that would exceed the deadline becomes a timeout."""
        self.calls.append(Call(callback=callback, at=self._clock.now_ms(), timeout_seconds=timeout_seconds))
        answer = self.answer_to(callback)
        if answer.duration_ms > timeout_seconds * 1000:
            answer = CallbackResponse(reason=Reason.TIMEOUT, duration_ms=int(timeout_seconds * 1000))
        await self._clock.sleep_ms(answer.duration_ms)
        return as_read(answer, callback)


def as_read(answer: CallbackResponse, callback: Callback) -> CallbackResponse:
    """Of the body of a success, a sender reads what is wanted."""
    return replace(answer, body=answer.body[: callback.kept_bytes]) if answer.succeeded else answer
