"""What the API says of the past, held against what the receiver saw."""

from typing import Any

from tests.api_machine.executions import Call, PromisedExecution
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.instants import instant, milliseconds
from tests.api_machine.receiver import DURATION_MS, LATE_MS, Receiver, earliest_retry, latest_retry

NOT_BEGUN: dict[str, Any] = {
    "attempts_begun": 0,
    "attempts": [],
    "next_attempt_at": None,
    "last_response_body": None,
}
REASONS = {200: "ok", 0: "connect_failed"}
STATES = {"queued": ("pending", "queued")}
"""As which an execution may be shown; which of the two a triggered one is in, is not promised."""
OPEN = ("waiting", "succeeded", "failed", "cancelled")


def check_history(job: PromisedJob, records: list[dict[str, Any]], receiver: Receiver) -> None:
    """Each call is in the history, each outcome of it was a call, and each execution is there once."""
    by_id = {record["id"]: record for record in records}
    assert len(by_id) == len(records)
    assert set(job.executions) <= set(by_id), "every execution that has begun"
    for record in records:
        assert record["job_id"] == job.id
        execution = job.executions.get(record["id"])
        if execution is None:
            _check_not_begun(job, record)
        elif execution.is_open:
            assert record["state"] in OPEN
        else:
            _check_begun(job, execution, record, receiver)


def _check_not_begun(job: PromisedJob, record: dict[str, Any]) -> None:
    assert {name: record[name] for name in NOT_BEGUN} == NOT_BEGUN
    chain = job.chain_of(milliseconds(record["scheduled_at"]))
    assert chain is not None, "at no instant of its job"
    match record["state"]:
        case "pending" | "queued":
            assert chain is job.chain
            assert job.is_active or job.state == ("pending", "queued")
            assert record["end_reason"] is None
        case "cancelled":
            assert record["end_reason"] == chain.stop_reason
        case "skipped":
            passed = "catch_up_skip" if chain.terms.document["catch_up"] == "skip" else "coalesced"
            # The instants behind the last tombstone of a chain that was behind have one record, with its reason.
            assert record["end_reason"] in (passed, chain.stop_reason) or chain.is_paused
        case other:
            raise AssertionError(other)


def _check_begun(
    job: PromisedJob, execution: PromisedExecution, record: dict[str, Any], receiver: Receiver
) -> None:
    expected = {
        "scheduled_at": instant(execution.scheduled_at),
        "end_reason": execution.end_reason,
        "attempts_begun": len(execution.calls),
        "attempts": [_attempt(call) for call in execution.calls[: _answered(execution)]],
        "last_response_body": _last_body(execution.calls[: _answered(execution)]),
        "missed": None,
    }
    assert {name: record[name] for name in expected} == expected
    assert record["state"] in STATES.get(execution.state, (execution.state,))
    assert (record["next_attempt_at"] is not None) == (execution.state == "waiting")
    now_ms = receiver.clock.now_ms()
    if execution.state == "queued":
        assert now_ms <= execution.scheduled_at + LATE_MS or receiver.is_excused(job), "never called"
    if execution.state == "waiting":
        retry_at = milliseconds(record["next_attempt_at"])
        slack_ms = LATE_MS if execution.retry_at is None else 0
        assert earliest_retry(execution) <= retry_at <= latest_retry(execution) + slack_ms
        assert retry_at > now_ms - LATE_MS or receiver.is_excused(job), "a retry in time"
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


def check_once(
    job: PromisedJob, records: list[dict[str, Any]], shown: dict[str, Any], receiver: Receiver
) -> None:
    """A job that runs once is its one execution, and is called in time."""
    (record,) = records
    assert shown["state"] == record["state"]
    if record["state"] in ("pending", "queued"):
        assert shown["next_due_at"] == instant(job.timetable.due_at)
        due_at = max(job.timetable.due_at, job.chain.begun_at)
        assert receiver.clock.now_ms() <= due_at + LATE_MS or receiver.is_excused(job), "never called"
    else:
        assert shown["next_due_at"] == record["next_attempt_at"]


def as_recorded(shown: dict[str, Any]) -> dict[str, Any]:
    """The view of one execution without the hint of what it waits for, which lists and answers do not have."""
    assert "waiting_for" in shown
    return {name: value for name, value in shown.items() if name != "waiting_for"}
