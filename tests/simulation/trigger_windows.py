"""Judges triggers with a throttle: no window has more runs than it may have, and no event is throttled without need."""

from collections.abc import Iterator

from tests.simulation.trigger_evidence import (
    NEVER,
    Ask,
    EventLog,
    MatchShown,
    Spec,
    TriggerEvidence,
    TriggerLog,
)
from tests.simulation.trigger_starts import Start, starts_of
from tests.simulation.verdicts import Fault, Verdict

VAGUE_MS = 10_000
"""Starts of which nothing more exact is known are left out."""


def check_windows(evidence: TriggerEvidence, log: TriggerLog) -> Iterator[Fault]:
    """There must be windows, each begun by a request of an event, so that none has too many runs."""
    for number in range(len(log.changes)):
        spec = log.spec(number)
        if spec is None or spec.throttle is None:
            continue
        count, per_seconds = spec.throttle
        starts = [
            start
            for start in starts_of(evidence, log, number)
            if start.until_ms - start.from_ms <= VAGUE_MS + 2 * evidence.weather.clock_error_ms
        ]
        starts.sort(key=lambda start: start.until_ms)
        if not _fit(
            starts,
            _beginnings(evidence, log, starts),
            count,
            per_seconds * 1000,
            2 * evidence.weather.clock_error_ms,
        ):
            runs = [start.run.execution_id for start in starts]
            yield Fault(
                verdict=Verdict.LIMIT,
                text=f"{log.name} starts {count} runs in {per_seconds} s at most, and has started {runs}",
                execution_id=runs[-1],
            )


def _beginnings(evidence: TriggerEvidence, log: TriggerLog, starts: list[Start]) -> list[int]:
    """When windows may have begun: with runs, or with requests that have died between their count and their run."""
    error_ms = evidence.weather.clock_error_ms
    asks = [
        ask
        for event in evidence.events
        if event.tenant == log.tenant
        for ask in _counting(evidence, log, event)
    ]
    begun = {at for ask in asks for at in (ask.begun_at - error_ms, ask.ended_at or 0)}
    return sorted(begun | {start.from_ms for start in starts})


def _counting(evidence: TriggerEvidence, log: TriggerLog, event: EventLog) -> list[Ask]:
    """The requests that may have counted. While nothing goes wrong, those that were told of a run, or of nothing."""
    if not evidence.weather.is_calm or event.is_of_bus:
        return event.asks
    return [
        answer.ask
        for answer in event.answers
        if any((match.trigger, match.outcome) == (log.name, "filed") for match in answer.matches)
    ]


def _fit(starts: list[Start], beginnings: list[int], count: int, per_ms: int, slack_ms: int) -> bool:
    """Whether all starts fit into windows: reachable states are pairs of the starts that are placed, and the end of the
    latest window."""
    states = {(0, 0)}
    seen = set(states)
    while states:
        placed, free_from = states.pop()
        if placed == len(starts):
            return True
        for begun_at in beginnings:
            if begun_at + slack_ms < free_from:
                continue
            taken = 0
            while (
                taken < count
                and placed + taken < len(starts)
                and starts[placed + taken].until_ms >= begun_at
                and starts[placed + taken].from_ms < begun_at + per_ms + slack_ms
            ):
                taken += 1
                state = (placed + taken, begun_at + per_ms)
                if state not in seen:
                    seen.add(state)
                    states.add(state)
    return False


def is_throttled(evidence: TriggerEvidence, log: TriggerLog, ask: Ask, match: MatchShown, spec: Spec) -> bool:
    """Whether enough requests had begun in the window of a throttled event to have used it up. A request counts twice
    where a write is repeated."""
    if spec.throttle is None or match.throttled_until is None:
        return False
    (count, per_seconds), error_ms = spec.throttle, evidence.weather.clock_error_ms
    window_from = match.throttled_until - per_seconds * 1000 - error_ms
    is_in_it = ask.begun_at - error_ms < match.throttled_until
    others = [
        each
        for event in evidence.events
        if event.tenant == log.tenant and event.kind in spec.kinds
        for each in event.asks
        if each is not ask
        and (each.ended_at or NEVER) >= window_from
        and each.begun_at <= (ask.ended_at or NEVER)
    ]
    # A write that is repeated counts once, unless another request has counted in between.
    counted = 2 * len(others) + bool(others) if evidence.weather.repeat else len(others)
    return is_in_it and counted >= count
