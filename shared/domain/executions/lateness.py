"""Why an attempt began late: its stages as spans of time, from its due time to the end of its call.

The due time, the creation, the start and the end of the call are exact. The stages between them are stored as codes,
so their instants are about right. What the codes do not account for is a stage of its own.
"""

from collections.abc import Iterator

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.stages import (
    CODES_PER_DOUBLING,
    UNKNOWN_STAGES,
    AttemptStages,
    Stage,
    WaitCause,
)

BEFORE_THE_CALL = (Stage.QUEUE, Stage.WAIT, Stage.CLAIM, Stage.READY)
ERROR = 2 ** (1 / (2 * CODES_PER_DOUBLING)) - 1
"""The largest relative error of a duration that was decoded from a code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedStage:
    """One stage of an attempt. An instant or the duration is None where it is unknown."""

    stage: Stage
    began_at: int | None = None
    ended_at: int | None = None
    duration_ms: int | None = None
    is_exact: bool = False
    """Whether both instants are exact."""
    cause: WaitCause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLateness:
    """The stages of one attempt. `started_at` is the start of its call; None where it is unknown."""

    number: int
    due_at: int | None
    started_at: int | None
    spans: tuple[TimedStage, ...]

    @property
    def lag_ms(self) -> int | None:
        """How late the call began; None where an instant is unknown."""
        if self.due_at is None or self.started_at is None:
            return None
        return max(0, self.started_at - self.due_at)

    @property
    def longest(self) -> TimedStage | None:
        """The longest stage before the call; None where the call was not late, or no stage is known."""
        late = [span for span in self.spans if span.stage in _LATE and span.duration_ms]
        return max(late, key=lambda span: span.duration_ms or 0, default=None)


_LATE = frozenset({Stage.FILED, Stage.REFUNDED, Stage.LOST, Stage.SENT, *BEFORE_THE_CALL})


def first_lag_ms(execution: Execution) -> int | None:
    """How late the first attempt began; None if it has no outcome."""
    outcomes = execution.progress.outcomes
    if not outcomes or outcomes[0].attempt != 1:
        return None
    return max(0, outcomes[0].started_at - execution.due_at)


def lateness(execution: Execution) -> tuple[AttemptLateness, ...]:
    """The first attempt and the latest one; nothing before the first attempt."""
    numbers = sorted({min(1, execution.attempt), execution.attempt} - {0})
    return tuple(_attempt(execution, number) for number in numbers)


def _attempt(execution: Execution, number: int) -> AttemptLateness:
    progress = execution.progress
    outcome = next((each for each in progress.outcomes if each.attempt == number), None)
    stages = progress.stages.of(number) if progress.stages else UNKNOWN_STAGES
    started_at = outcome.started_at if outcome else _running_since(execution, number, stages)
    due_at = execution.due_at if number == 1 else _retry_due_at(execution, started_at)
    spans: tuple[TimedStage, ...] = ()
    if started_at is not None and due_at is not None:
        created_at = execution.created_at if number == 1 else due_at
        missing = _missing_stage(execution, number, started_at)
        spans = before_the_call(stages, (due_at, created_at, started_at), missing)
    if outcome is not None:
        spans = (*spans, *the_call(stages, outcome.started_at, outcome.duration_ms))
    return AttemptLateness(number=number, due_at=due_at, started_at=started_at, spans=spans)


def before_the_call(
    stages: AttemptStages, instants: tuple[int, int, int], missing: Stage
) -> tuple[TimedStage, ...]:
    """The stages between the due time, the creation and the start of the call, which are the instants.

    `missing` is the name of the time that no code accounts for.
    """
    due_at, created_at, started_at = instants
    filed_at = min(max(due_at, created_at), started_at)
    return (
        *([_exact(Stage.FILED, due_at, filed_at)] if filed_at > due_at else []),
        *_since_filed(stages, filed_at, started_at, missing),
    )


def _running_since(execution: Execution, number: int, stages: AttemptStages) -> int | None:
    """About when the call of a running attempt began; None if its stages are not stored yet."""
    claim_ms, ready_ms = stages.duration_ms(Stage.CLAIM), stages.duration_ms(Stage.READY)
    if number != execution.attempt or execution.claimed_at is None or claim_ms is None or ready_ms is None:
        return None
    return execution.claimed_at + claim_ms + ready_ms


def _retry_due_at(execution: Execution, started_at: int | None) -> int | None:
    """The due time of the latest attempt; None if the due time of the attempt after it took its place."""
    next_at = execution.progress.next_attempt_at
    if started_at is None or (next_at is not None and next_at > started_at):
        return None
    # Without an instant, no retry was planned: the worker of each earlier attempt was lost.
    return execution.id.dispatch_at if next_at is None else next_at


def _missing_stage(execution: Execution, number: int, started_at: int) -> Stage:
    """The name of the time that no code accounts for."""
    progress = execution.progress
    if number > 1 and all(outcome.attempt != number - 1 for outcome in progress.outcomes):
        return Stage.LOST
    return missing_in_first(progress.refunded_since, started_at) if number == 1 else Stage.SENT


def missing_in_first(refunded_since: int | None, started_at: int) -> Stage:
    """The name of the time that no code of the first attempt accounts for."""
    is_refunded = refunded_since is not None and refunded_since < started_at
    return Stage.REFUNDED if is_refunded else Stage.SENT


def _since_filed(
    stages: AttemptStages, filed_at: int, started_at: int, missing: Stage
) -> Iterator[TimedStage]:
    """The stages that end with the start of the call, and the time before that none of them accounts for."""
    durations = {stage: stages.duration_ms(stage) for stage in BEFORE_THE_CALL}
    known = [duration for duration in durations.values() if duration is not None]
    if len(known) < len(durations):
        yield from (TimedStage(stage=stage, duration_ms=duration) for stage, duration in durations.items())
        return
    left_ms = started_at - filed_at - sum(known)
    at = filed_at
    capped = next((stage for stage in BEFORE_THE_CALL if stages.is_longest(stage)), None)
    if capped is None and left_ms > tolerance_ms(known):
        yield _about(missing, at, at + left_ms)
        at += left_ms
    else:
        # The whole is exact, so the longest stage gets what the codes have rounded off.
        corrected = capped or max(BEFORE_THE_CALL, key=lambda stage: durations[stage] or 0)
        durations[corrected] = max(0, (durations[corrected] or 0) + left_ms)
    for stage, duration in durations.items():
        until = started_at if stage is Stage.READY else min(at + (duration or 0), started_at)
        cause = stages.cause if stage is Stage.WAIT else None
        yield TimedStage(stage=stage, began_at=at, ended_at=until, duration_ms=duration, cause=cause)
        at = until


def tolerance_ms(durations: list[int]) -> int:
    """How far the sum of decoded durations may be off."""
    return round(sum(ERROR * (1 + duration) + 0.5 for duration in durations)) + 1


def the_call(stages: AttemptStages, began_at: int, duration_ms: int) -> Iterator[TimedStage]:
    """The call itself. Without a first byte, the wait for it ends with the call."""
    ended_at = began_at + duration_ms
    connect_ms, head_ms = stages.duration_ms(Stage.CONNECT), stages.duration_ms(Stage.HEAD)
    if connect_ms is None:
        yield _exact(Stage.DONE, began_at, ended_at)
        return
    connected_at = min(began_at + connect_ms, ended_at)
    yield _about(Stage.CONNECT, began_at, connected_at)
    head_at = ended_at if head_ms is None else min(max(began_at + head_ms, connected_at), ended_at)
    yield _about(Stage.HEAD, connected_at, head_at)
    if head_ms is not None:
        yield _about(Stage.DONE, head_at, ended_at)


def _exact(stage: Stage, began_at: int, ended_at: int) -> TimedStage:
    return TimedStage(
        stage=stage, began_at=began_at, ended_at=ended_at, duration_ms=ended_at - began_at, is_exact=True
    )


def _about(stage: Stage, began_at: int, ended_at: int) -> TimedStage:
    return TimedStage(stage=stage, began_at=began_at, ended_at=ended_at, duration_ms=ended_at - began_at)
