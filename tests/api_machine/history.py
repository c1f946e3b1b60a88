"""What the API says of the past, held against what the receiver saw."""

from typing import Any

from tests.api_machine.executions import Call, PromisedExecution
from tests.api_machine.instants import instant, milliseconds
from tests.api_machine.promised import GUARD_MS, PromisedJob
from tests.api_machine.receiver import DURATION_MS, LATE_MS, Receiver, earliest_retry, latest_retry
from tests.api_machine.sightings import SEEN

NOT_BEGUN: dict[str, Any] = {
    "attempts_begun": 0,
    "attempts": [],
    "next_attempt_at": None,
    "last_response_body": None,
}
REASONS = {200: "ok", 0: "connect_failed"}


def check_history(job: PromisedJob, records: list[dict[str, Any]], receiver: Receiver) -> None:
    """Each call is in the history, each outcome of it was a call, and no instant is passed over in silence."""
    by_instant = {milliseconds(record["scheduled_at"]): record for record in records}
    assert set(job.executions) <= set(by_instant), "every execution that has begun"
    for scheduled_at, record in by_instant.items():
        assert record["job_id"] == job.id
        execution = job.executions.get(scheduled_at)
        if execution is None:
            _check_not_begun(job, record)
        elif execution.is_open:
            assert record["state"] in ("waiting", "succeeded", "failed", "cancelled")
        else:
            _check_begun(job, execution, record, receiver)


def _check_not_begun(job: PromisedJob, record: dict[str, Any]) -> None:
    assert {name: record[name] for name in NOT_BEGUN} == NOT_BEGUN
    if job.is_recurring and record["state"] == "skipped":
        assert record["end_reason"] == "coalesced" or job.paused_at is not None
        assert record["missed"]["count"] == len(missed_instants(job, record))
    elif job.is_untouched:
        assert record["state"] in ("pending", "queued"), record
        assert record["end_reason"] is None
    else:
        reasons = ("job_deleted", "job_paused") if job.is_recurring else ("cancelled",)
        assert record["state"] == "cancelled", record
        assert record["end_reason"] in reasons


def _check_begun(
    job: PromisedJob, execution: PromisedExecution, record: dict[str, Any], receiver: Receiver
) -> None:
    expected = {
        "id": execution.id,
        "state": execution.state,
        "end_reason": execution.end_reason,
        "attempts_begun": len(execution.calls),
        "attempts": [_attempt(call) for call in execution.calls[: _answered(execution)]],
        "last_response_body": _last_body(execution.calls[: _answered(execution)]),
        "missed": None,
    }
    assert {name: record[name] for name in expected} == expected
    assert (record["next_attempt_at"] is not None) == (execution.state == "waiting")
    if execution.state == "waiting":
        retry_at = milliseconds(record["next_attempt_at"])
        slack_ms = LATE_MS if execution.retry_at is None else 0
        assert earliest_retry(job, execution) <= retry_at <= latest_retry(job, execution) + slack_ms
        assert retry_at > receiver.clock.now_ms() - LATE_MS or receiver.is_excused, "a retry in time"
        execution.retry_at = retry_at


def _answered(execution: PromisedExecution) -> int:
    """How many of its calls have an answer."""
    return len(execution.calls) - (execution.state == "running")


def _attempt(call: Call) -> dict[str, Any]:
    return {
        "number": call.attempt,
        "started_at": instant(call.began_at),
        "duration_ms": DURATION_MS,
        "status": call.status or None,
        "reason": REASONS.get(call.status, "http_status"),
    }


def _last_body(calls: list[Call]) -> str | None:
    return "no" if any(call.status not in (0, 200) for call in calls) else None


def check_instants(job: PromisedJob, records: list[dict[str, Any]], receiver: Receiver) -> None:
    """Each instant of a recurring job was called in time or lies in a recorded gap; the next one is filed."""
    now_ms = receiver.clock.now_ms()
    recorded = {milliseconds(record["scheduled_at"]) for record in records}
    skipped = [record for record in records if record["state"] == "skipped"]
    gaps = {due_at for record in skipped for due_at in missed_instants(job, record)}
    next_at = job.timetable.next_after(now_ms + GUARD_MS)
    assert recorded <= set(job.timetable.up_to(now_ms if next_at is None else next_at))
    SEEN["instants missed"] += len(gaps)
    assert not gaps & set(job.executions), "missed, and called nevertheless"
    assert all(_is_lawful(job, due_at, receiver) for due_at in gaps), "missed without need"
    if receiver.is_excused:
        return
    stopped_at = min(job.ended_at or now_ms, job.paused_at or now_ms)
    until_ms = min(now_ms, stopped_at) - LATE_MS
    due = set(job.timetable.up_to(until_ms))
    assert due <= recorded | gaps, "passed over in silence"
    if not receiver.was_excused(stopped_at):
        assert due <= set(job.executions) | gaps, "never called"
    if job.is_untouched:
        assert job.timetable.next_after(max(due | set(job.executions), default=0)) in recorded, "the next one"


def _is_lawful(job: PromisedJob, due_at: int, receiver: Receiver) -> bool:
    """Whether an instant may be missed: while nothing ran, or while its job was paused."""
    is_paused = job.paused_at is not None and due_at > job.paused_at - LATE_MS
    return is_paused or receiver.was_excused(due_at)


def missed_instants(job: PromisedJob, record: dict[str, Any]) -> list[int]:
    """The instants of a gap."""
    first_at, last_at = (milliseconds(record["missed"][name]) for name in ("first_at", "last_at"))
    assert first_at == milliseconds(record["scheduled_at"])
    return [due_at for due_at in job.timetable.up_to(last_at) if due_at >= first_at]


def check_once(
    job: PromisedJob, records: list[dict[str, Any]], shown: dict[str, Any], receiver: Receiver
) -> None:
    """A job that runs once is its one execution, and is called in time."""
    (record,) = records
    assert shown["state"] == record["state"]
    if record["state"] in ("pending", "queued"):
        assert shown["next_due_at"] == instant(job.timetable.due_at)
        due_at = max(job.timetable.due_at, job.created_at)
        assert receiver.clock.now_ms() <= due_at + LATE_MS or receiver.is_excused, "never called"
    else:
        assert shown["next_due_at"] == record["next_attempt_at"]
