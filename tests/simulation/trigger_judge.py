"""The judge of triggers: each accepted event has started what it should, once, with its own data, and nothing else."""

from collections import defaultdict
from collections.abc import Iterator

from tests.simulation.bounds import lag_ms
from tests.simulation.trigger_bursts import check_bursts
from tests.simulation.trigger_evidence import (
    NEVER,
    Answer,
    Ask,
    EventLog,
    JobLog,
    MatchShown,
    RunShown,
    Spec,
    TriggerEvidence,
    TriggerLog,
)
from tests.simulation.trigger_windows import check_windows, is_throttled
from tests.simulation.verdicts import Fault, Verdict

STARTED = ("filed", "repeated", "debounced")
PAST_MS = 60_000
ENDED = ("succeeded", "failed", "cancelled")


def judge(evidence: TriggerEvidence) -> Iterator[Fault]:
    """Every broken promise."""
    yield from (Fault(verdict=Verdict.BROKEN, text=text) for text in evidence.broken)
    for event in evidence.events:
        for log in (log for log in evidence.triggers if log.tenant == event.tenant):
            yield from _check_event(evidence, event, log)
        yield from _check_refusals(evidence, event)
    for run in evidence.runs:
        yield from _check_run(evidence, run)
    yield from _check_strays(evidence)
    for log in evidence.triggers:
        yield from check_bursts(evidence, log)
        yield from check_windows(evidence, log)


def _check_event(evidence: TriggerEvidence, event: EventLog, log: TriggerLog) -> Iterator[Fault]:
    started = set[tuple[str, str]]()
    for answer in event.answers:
        match = next((each for each in answer.matches if each.trigger == log.name), None)
        specs = _specs(log, answer.ask.begun_at, answer.ask.ended_at or NEVER)
        matching = [spec for spec in specs if spec is not None and event.kind in spec.kinds]
        if match is None:
            if len(matching) == len(specs):
                yield _of_event(Verdict.LOST, event, f"{log.name} did not match")
            continue
        own = [spec for spec in matching if evidence.job(log.tenant, spec.job).job_id == match.job_id]
        if not own:
            yield _of_event(Verdict.TRIGGER, event, f"{log.name} matched for {match.job_id}")
            continue
        yield from _check_match(evidence, event, log, answer, match, own)
        if match.execution_id is not None:
            started.add((match.job_id, match.execution_id))
    if len({job_id for job_id, _ in started}) < len(started):
        yield _of_event(Verdict.DOUBLED, event, f"{log.name} has told of {sorted(started)}")
    if event.is_of_bus and event.acked_at is not None:
        yield from _check_received(evidence, event, log)


def _check_refusals(evidence: TriggerEvidence, event: EventLog) -> Iterator[Fault]:
    """An event is refused as a whole only later than a minute after its instant, and only if it has started nothing."""
    for ask in event.refusals:
        latest_at = (ask.ended_at or NEVER) + evidence.weather.clock_error_ms
        if event.deliver_at is None or latest_at <= event.deliver_at + PAST_MS:
            yield _of_event(Verdict.LOST, event, "it was refused")
        others = [each for each in event.asks if each is not ask]
        has_begun = any(_has_started(evidence, event, log, ask) for log in evidence.triggers)
        if has_begun and all((each.ended_at or NEVER) < ask.begun_at for each in others):
            yield _of_event(Verdict.LOST, event, "it was refused, and has started a run")


def _has_started(evidence: TriggerEvidence, event: EventLog, log: TriggerLog, ask: Ask) -> bool:
    """Whether a trigger, as it is for sure at a request, has a run of the event."""
    specs = _specs(log, ask.begun_at, ask.ended_at or NEVER)
    if len(specs) != 1 or specs[0] is None or event.tenant != log.tenant or event.kind not in specs[0].kinds:
        return False
    job_id = evidence.job(log.tenant, specs[0].job).job_id
    wanted = (job_id, log.name, event.id)
    return any((run.job_id, run.trigger, run.event) == wanted for run in evidence.runs)


def _check_match(
    evidence: TriggerEvidence,
    event: EventLog,
    log: TriggerLog,
    answer: Answer,
    match: MatchShown,
    specs: list[Spec],
) -> Iterator[Fault]:
    job = evidence.job(log.tenant, specs[0].job)
    if match.outcome == "refused":
        is_deleted = (job.deletion.begun_at or NEVER) <= (answer.ask.ended_at or NEVER)
        is_of_future = event.deliver_at is not None and any(spec.debounce_seconds for spec in specs)
        if not is_deleted and not is_of_future:
            yield _of_event(Verdict.LOST, event, f"{log.name} refused it")
        return
    if match.outcome == "throttled":
        if not any(is_throttled(evidence, log, answer.ask, match, spec) for spec in specs):
            yield _of_event(Verdict.LIMIT, event, f"{log.name} throttled it until {match.throttled_until}")
        return
    if match.outcome == "debounced" and not any(spec.debounce_seconds for spec in specs):
        yield _of_event(Verdict.TRIGGER, event, f"{log.name} debounced it")
    run = next((run for run in evidence.runs if run.execution_id == match.execution_id), None)
    if run is None or not match.is_durable:
        yield _of_event(Verdict.LOST, event, f"{log.name} told of {match.execution_id}, which did not stand")
    elif run.job_id != match.job_id or run.trigger != log.name:
        yield _of_event(Verdict.TRIGGER, event, f"{log.name} told of {run}")
    elif run.event != event.id and not _is_later(evidence, run, event, log):
        yield _of_event(Verdict.LOST, event, f"{run.execution_id} has the event {run.event}")


def _is_later(evidence: TriggerEvidence, run: RunShown, event: EventLog, log: TriggerLog) -> bool:
    """Whether a run may stand for an event with the data of another one: the trigger debounces, and the other one
    was not over before this one was sent first."""
    other = next((each for each in evidence.events if each.id == run.event), None)
    specs = _specs(log, event.begun_at or 0, event.ended_at)
    is_debounced = any(spec is not None and spec.debounce_seconds for spec in specs)
    return other is not None and is_debounced and other.ended_at >= (event.begun_at or 0)


def _check_received(evidence: TriggerEvidence, event: EventLog, log: TriggerLog) -> Iterator[Fault]:
    """The bus tells no client what came of an event. It has a run where nothing could have kept it from one."""
    specs = _specs(log, event.begun_at or 0, event.ended_at)
    if len(specs) != 1 or specs[0] is None or event.kind not in specs[0].kinds or specs[0].throttle:
        return
    spec = specs[0]
    job = evidence.job(log.tenant, spec.job)
    if (job.deletion.begun_at or NEVER) <= event.ended_at:
        return
    runs = [run for run in evidence.runs if (run.job_id, run.trigger) == (job.job_id, log.name)]
    if any(run.event == event.id for run in runs):
        return
    if not spec.debounce_seconds or not any(_is_later(evidence, run, event, log) for run in runs):
        yield _of_event(Verdict.LOST, event, f"{log.name} has received it and started nothing")


def _check_run(evidence: TriggerEvidence, run: RunShown) -> Iterator[Fault]:
    event = next(
        (each for each in evidence.events if (each.id, each.tenant) == (run.event, run.tenant)), None
    )
    log = next(
        (log for log in evidence.triggers if (log.name, log.tenant) == (run.trigger, run.tenant)), None
    )
    if event is None or log is None:
        yield _of_run(Verdict.TRIGGER, run, f"{run.trigger} was started by {run.event}, which was never sent")
        return
    job = next(job for job in evidence.jobs if job.job_id == run.job_id)
    specs = [
        spec
        for spec in _specs(log, event.begun_at or NEVER, event.ended_at)
        if spec is not None and spec.job == job.number and event.kind in spec.kinds
    ]
    if not specs:
        yield _of_run(Verdict.TRIGGER, run, f"{log.name} did not match {event.id} when it was sent")
        return
    twins = [
        each.execution_id
        for each in evidence.runs
        if (each.job_id, each.trigger, each.event) == (run.job_id, run.trigger, run.event)
    ]
    if run.execution_id != min(twins):
        yield _of_run(Verdict.DOUBLED, run, f"{event.id} has started {sorted(twins)}")
    yield from _check_due(evidence, run, event, specs)
    yield from _check_calls(evidence, run, event, job)


def _check_due(
    evidence: TriggerEvidence, run: RunShown, event: EventLog, specs: list[Spec]
) -> Iterator[Fault]:
    """Of a run that no event postpones. Clocks of processes differ."""
    if any(spec.debounce_seconds for spec in specs):
        return
    error_ms, counts_at = evidence.weather.clock_error_ms, event.deliver_at or 0
    earliest = max((event.begun_at or 0) - error_ms, counts_at)
    latest = max(event.ended_at + error_ms, counts_at)
    delays = [spec.delay_seconds * 1000 for spec in specs]
    if not any(earliest + delay <= run.due_at <= latest + delay for delay in delays):
        yield _of_run(Verdict.INSTANTS, run, f"due at {run.due_at}, not at {earliest} to {latest} + {delays}")


def _check_calls(evidence: TriggerEvidence, run: RunShown, event: EventLog, job: JobLog) -> Iterator[Fault]:
    calls = list(evidence.calls_of(run))
    if run.state not in ENDED or (run.state == "cancelled" and job.deletion.begun_at is None):
        yield _of_run(Verdict.LOST, run, f"{run.state} as {run.reason}")
    if run.state == "succeeded" and not any(call.status == 200 for call in calls):
        yield _of_run(Verdict.HISTORY, run, "succeeded without a call")
    for call in calls:
        told = evidence.told_of(call)
        if told != event.document:
            yield _of_run(Verdict.PAYLOAD, run, f"{event.id} has started it, and its call has {told}")
        if not job.is_workflow and not call.body.endswith(f',"body":{job.own_body}}}'):
            yield _of_run(Verdict.PAYLOAD, run, f"its call lacks the body of the job: {call.body[-80:]}")
        if call.due_clock_at < run.due_at:
            yield _of_run(Verdict.EARLY, run, f"called {run.due_at - call.due_clock_at} ms early")
        is_last = job.running.get(call.execution_id) == call.attempt
        if (job.deletion.acked_at or NEVER) < call.began_at and not is_last:
            yield _of_run(Verdict.CANCEL, run, "called after its job was deleted")
    if evidence.weather.is_mild and job.deletion.begun_at is None and not job.is_workflow:
        yield from _check_lag(evidence, run, event, min((call.began_at for call in calls), default=NEVER))


def _check_lag(evidence: TriggerEvidence, run: RunShown, event: EventLog, began_at: int) -> Iterator[Fault]:
    """A run that was answered waits for no sweep. If a clock is set back while a run is filed, it may wait for one."""
    told_at = [
        answer.ask.ended_at or NEVER
        for answer in event.answers
        if any(match.execution_id == run.execution_id for match in answer.matches)
    ]
    if told_at and not evidence.weather.wrong_clocks:
        known_at = max(run.due_at, min(told_at))
        if began_at - known_at > lag_ms(evidence.weather):
            yield _of_run(Verdict.LATE, run, f"called {began_at - known_at} ms after {known_at}")


def _check_strays(evidence: TriggerEvidence) -> Iterator[Fault]:
    """Each call is that of a run, and the run of a workflow has one execution of its task."""
    known = {run.execution_id for run in evidence.runs}
    called = defaultdict[str, set[str]](set)
    for call in evidence.calls:
        called[evidence.run_of(call)].add(call.execution_id)
        if evidence.run_of(call) not in known:
            yield Fault(
                verdict=Verdict.TRIGGER, text=f"{call.url} was called", execution_id=call.execution_id
            )
    for run_id, executions in called.items():
        if len(executions) > 1:
            yield Fault(
                verdict=Verdict.DOUBLED, text=f"its calls are those of {executions}", execution_id=run_id
            )


def _specs(log: TriggerLog, from_ms: int, until_ms: int) -> list[Spec | None]:
    return [log.spec(number) for number in log.in_force(from_ms, until_ms)]


def _of_event(verdict: Verdict, event: EventLog, text: str) -> Fault:
    return Fault(verdict=verdict, text=f"{event.id} of {event.begun_at}: {text}")


def _of_run(verdict: Verdict, run: RunShown, text: str) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=run.job_id, execution_id=run.execution_id)
