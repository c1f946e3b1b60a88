"""When a trigger has started runs, as far as its clients can know it."""

from dataclasses import dataclass

from tests.simulation.trigger_evidence import EventLog, RunShown, Spec, TriggerEvidence, TriggerLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One start of a version of a trigger: it happened in between, by any clock."""

    run: RunShown
    from_ms: int
    until_ms: int


def starts_of(evidence: TriggerEvidence, log: TriggerLog, number: int) -> list[Start]:
    """Those of one version. Runs of which it is not sure that they are this version's are left out."""
    spec = log.spec(number)
    if spec is None:
        return []
    job_id = evidence.job(log.tenant, spec.job).job_id
    runs = [run for run in evidence.runs if (run.job_id, run.trigger) == (job_id, log.name)]
    return [start for run in runs if (start := _start(evidence, log, number, spec, run)) is not None]


def members(evidence: TriggerEvidence, log: TriggerLog, run: RunShown) -> list[EventLog]:
    """The events for which a run stands, and those of which no client knows for which one."""
    return [
        event
        for event in evidence.events
        if event.tenant == log.tenant and (event.id == run.event or _may_share(event, log, run))
    ]


def _may_share(event: EventLog, log: TriggerLog, run: RunShown) -> bool:
    told = {
        match.execution_id
        for answer in event.answers
        for match in answer.matches
        if match.trigger == log.name and match.execution_id is not None
    }
    return run.execution_id in told or event.is_of_bus or event.acked_at is None


def _start(
    evidence: TriggerEvidence, log: TriggerLog, number: int, spec: Spec, run: RunShown
) -> Start | None:
    """The instant of its ID tells when the process that started it has begun, by the clock of that process. It may
    have stood still since."""
    error_ms = evidence.weather.clock_error_ms
    event = next(each for each in evidence.events if each.id == run.event)
    planned_at = run.scheduled_at - (spec.debounce_seconds or spec.delay_seconds) * 1000
    first_at = (event.begun_at or 0) if event.deliver_at is not None else planned_at
    asks = [ask for each in members(evidence, log, run) for ask in each.asks]
    if event.deliver_at is None:
        asks = [
            ask for ask in asks if ask.begun_at - error_ms <= planned_at <= (ask.ended_at or 0) + error_ms
        ]
    until_ms = max([first_at, *(ask.ended_at or 0 for ask in asks)]) + error_ms
    if log.in_force(event.begun_at or 0, event.ended_at) != [number]:
        return None
    return Start(run=run, from_ms=first_at - error_ms, until_ms=until_ms)
