"""Checks the instants of a recurring job that is changed: each of an active time is accounted for, once, and truly."""

from collections import defaultdict
from collections.abc import Iterator

from tests.simulation.active_windows import Window, paused_windows, windows
from tests.simulation.bounds import CATCH_UP_MS, lag_ms
from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.habits import Habits
from tests.simulation.verdicts import Fault, Verdict

CATCH_UP_REASONS = {
    "coalesce": {"coalesced", "catch_up_window"},
    "skip": {"catch_up_skip"},
    "all": {"catch_up_limit", "catch_up_window"},
}


def verify_instants(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """Every instant of the schedule's own."""
    habits = order.habits
    assert habits is not None
    yield from _once(records)
    for record in records:
        if record.missed is not None:
            yield from _passed_over(order, habits, record)
    begun = [one for one in records if one.missed is None and (one.state != "cancelled" or one.has_begun)]
    runs = sorted(one.nominal_at for one in begun)
    if habits.max_runs is not None and len(runs) > habits.max_runs:
        yield _fault(Verdict.INSTANTS, f"{len(runs)} runs of {habits.max_runs}", records[0])
    # A run that waits for its turn completes the job when it is the last, and may be deleted before it begins.
    held = [one.nominal_at for one in records if one.reason == "job_deleted" and _queues(habits)]
    is_used_up = habits.max_runs is not None and len(runs + held) >= habits.max_runs
    last_at = max(runs + held) if is_used_up else evidence.ended_at
    for window in windows(evidence, order):
        yield from _accounted(evidence, order, window, records, last_at)
        if _is_prompt(evidence, habits):
            yield from _punctual(evidence, habits, window, calls)
    for window in paused_windows(evidence, order):
        yield from _told(evidence, habits, window, records)


def _told(evidence: Evidence, habits: Habits, window: Window, records: list[Record]) -> Iterator[Fault]:
    """What a pause passed over has a tombstone, or is told of by a record."""
    seen = {record.nominal_at for record in records}
    gaps = [record.missed for record in records if record.missed is not None]
    for instant in window.instants(habits, evidence.weather.clock_error_ms):
        if instant not in seen and not any(first <= instant <= last for first, last in gaps):
            text = f"{instant} passed in a pause, and nothing tells of it"
            yield Fault(verdict=Verdict.LOST, text=text, job_id=records[0].job_id if records else None)
            return


def _once(records: list[Record]) -> Iterator[Fault]:
    """No instant is run by two definitions."""
    run: dict[int, Record] = {}
    for record in records:
        if not record.has_begun:
            continue
        if record.nominal_at in run:
            yield _fault(Verdict.DOUBLED, f"{run[record.nominal_at].execution_id} ran for it too", record)
        run[record.nominal_at] = record


def _passed_over(order: Order, habits: Habits, record: Record) -> Iterator[Fault]:
    """The right reason, and the right number."""
    first_at, last_at = record.missed or (0, 0)
    reasons = CATCH_UP_REASONS[habits.catch_up] | _reasons_to_cancel(order, habits)
    if record.state != "skipped" or record.reason not in reasons:
        yield _fault(Verdict.SKIPPED, f"{record.state} as {record.reason}, not {sorted(reasons)}", record)
    counts = [
        sum(first_at <= instant <= last_at for instant in version.rhythm.instants(version.since, last_at))
        for version in habits.versions.values()
    ]
    if record.nominal_at != first_at or record.count not in counts:
        text = f"{record.count} instants from {first_at} to {last_at} are {sorted(set(counts))}"
        yield _fault(Verdict.SKIPPED, text, record)


def _accounted(
    evidence: Evidence, order: Order, window: Window, records: list[Record], last_at: int
) -> Iterator[Fault]:
    habits = order.habits
    assert habits is not None
    by_instant: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        by_instant[record.nominal_at].append(record)
    gaps = [(one.missed, one.reason) for one in records if one.missed is not None]
    reasons = _reasons_to_cancel(order, habits)
    for instant in window.instants(habits, evidence.weather.clock_error_ms):
        if instant > last_at:
            return
        allowed = set() if _must_run(evidence, habits, window, instant) else reasons
        is_there = any(
            record.missed is None
            and (record.state != "cancelled" or record.reason in (reasons if record.has_begun else allowed))
            for record in by_instant[instant]
        )
        is_passed_over = any(
            first <= instant <= last and (reason in allowed or reason not in reasons)
            for (first, last), reason in gaps
        )
        if not is_there and not is_passed_over:
            seen = [f"{one.state} {one.reason}" for one in by_instant[instant]]
            text = f"{instant} is not accounted for: {seen or 'no record'}"
            yield Fault(verdict=Verdict.LOST, text=text, job_id=order.job_id)
            return


def _queues(habits: Habits) -> bool:
    return habits.overlap_policy == "queue_one"


def _reasons_to_cancel(order: Order, habits: Habits) -> set[str]:
    """What may have ended the chain before it came to an instant that it was late with."""
    reasons = {"job_paused"} if habits.asked("pause") else set()
    if any(update.rhythm is not None for update in habits.asked("update")):
        reasons.add("job_updated")
    if _queues(habits) and habits.asked("update"):
        reasons.add("job_updated")
    return reasons | ({"job_deleted"} if order.cancel_asked_at is not None else set())


def _must_run(evidence: Evidence, habits: Habits, window: Window, instant: int) -> bool:
    """Where no chain falls behind, whatever came due well before a change has started by then."""
    late_ms = lag_ms(evidence.weather) + habits.jitter_seconds * 1000
    is_early = window.known_at + CATCH_UP_MS <= instant < window.until - late_ms
    return _is_prompt(evidence, habits) and is_early


def _is_prompt(evidence: Evidence, habits: Habits) -> bool:
    return evidence.weather.is_mild and habits.is_prompt and habits.overlap_policy == "allow"


def _punctual(evidence: Evidence, habits: Habits, window: Window, calls: list[Arrival]) -> Iterator[Fault]:
    allowed_ms = lag_ms(evidence.weather) + habits.jitter_seconds * 1000
    for call in calls:
        is_within = window.known_at + CATCH_UP_MS <= call.scheduled_at < window.until - allowed_ms
        if is_within and call.attempt == 1 and call.began_at - call.scheduled_at > allowed_ms:
            text = f"an occurrence, {call.began_at - call.scheduled_at} ms"
            yield Fault(verdict=Verdict.LATE, text=text, job_id=call.job_id, execution_id=call.execution_id)
            return


def _fault(verdict: Verdict, text: str, record: Record) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=record.job_id, execution_id=record.execution_id)
