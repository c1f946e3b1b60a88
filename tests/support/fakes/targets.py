"""Targets in memory: each exists from its first message on, unless the test names those that are gone."""

from collections.abc import Callable
from dataclasses import dataclass

from shared.domain.delivery.aws_target import TargetCall, TargetKind
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.ports.runtime import Clock

AnswerToTarget = Callable[[TargetCall], CallbackResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One call of a target and its start."""

    call: TargetCall
    at: int
    timeout_seconds: float


def accepts(_: TargetCall) -> CallbackResponse:
    """Every target takes the message."""
    return CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)


class FakeTargets:
    """Records each call, and keeps the messages of each target."""

    def __init__(self, clock: Clock, answer_to: AnswerToTarget = accepts) -> None:
        self.calls: list[Sent] = []
        self.queues: dict[str, list[TargetCall]] = {}
        self.gone: set[str] = set()
        self.answer_to = answer_to
        self._clock = clock

    async def send(self, call: TargetCall, *, timeout_seconds: float) -> CallbackResponse:
        """What is FIFO, and a state machine, takes each deduplication id once."""
        self.calls.append(Sent(call=call, at=self._clock.now_ms(), timeout_seconds=timeout_seconds))
        arn = call.target.arn
        answer = self.answer_to(call)
        if arn in self.gone and call.target.kind is TargetKind.EVENTBRIDGE:
            # EventBridge accepts events for a bus that does not exist, and drops them.
            return accepts(call)
        if arn in self.gone:
            answer = CallbackResponse(reason=Reason.TARGET_NOT_FOUND, duration_ms=5, status=400)
        if answer.succeeded:
            queue = self.queues.setdefault(arn, [])
            ids = {each.deduplication_id for each in queue}
            takes_once = call.target.is_fifo or call.target.kind is TargetKind.STEP_FUNCTIONS
            if not (takes_once and call.deduplication_id in ids):
                queue.append(call)
        await self._clock.sleep_ms(answer.duration_ms)
        return answer
