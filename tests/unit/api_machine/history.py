"""What the API says of the past, held against what the receiver saw."""

from collections.abc import Iterator
from typing import Any

from tests.unit.api_machine.deployment import Deployment
from tests.unit.api_machine.promised import Call, PromisedJob, milliseconds
from tests.unit.api_machine.receiver import LATE_MS


def pages(
    deployment: Deployment, tenant: str, path: str, limit: int
) -> Iterator[tuple[list[dict[str, Any]], str | None]]:
    """Every page, with the cursor to the next one."""
    cursor: str | None = None
    while True:
        query = {"limit": str(limit)} | ({"cursor": cursor} if cursor else {})
        answer = deployment.ask(tenant, "GET", path, **query)
        assert answer.status == 200, answer.text
        cursor = answer.json["next_cursor"]
        assert len(answer.json["executions"]) <= limit
        yield answer.json["executions"], cursor
        if cursor is None:
            return


def listed(deployment: Deployment, tenant: str, path: str, limit: int) -> list[dict[str, Any]]:
    """All pages in one."""
    found = [record for page, _ in pages(deployment, tenant, path, limit) for record in page]
    instants = [record["scheduled_at"] for record in found]
    assert instants == sorted(instants, reverse=True), "newest first"
    assert len({record["id"] for record in found}) == len(found), "each once"
    return found


def check_history(deployment: Deployment, job: PromisedJob, limit: int) -> None:
    """Each call is in the history and each outcome of the history was a call; no instant is passed over in silence."""
    records = listed(deployment, job.tenant, f"/v1/jobs/{job.id}/executions", limit)
    by_instant = {milliseconds(record["scheduled_at"]): record for record in records}
    for call in job.calls:
        assert by_instant[call.scheduled_at]["id"] == call.execution_id
    for scheduled_at, record in by_instant.items():
        assert record["job_id"] == job.id
        _check_record(job, record, job.calls_of(scheduled_at))
    if job.is_recurring:
        _check_instants(deployment, job, by_instant)


def _check_record(job: PromisedJob, record: dict[str, Any], calls: list[Call]) -> None:
    assert [(one["number"], milliseconds(one["started_at"])) for one in record["attempts"]] == [
        (call.attempt, call.began_at) for call in calls
    ]
    assert [one["status"] or 0 for one in record["attempts"]] == [call.status for call in calls]
    assert record["attempts_begun"] == len(calls)
    assert record["state"] in expected_states(job, calls), record
    if record["state"] == "skipped":
        assert record["missed"]["count"] == len(_missed(job, record))


def expected_states(job: PromisedJob, calls: list[Call]) -> tuple[str, ...]:
    """Where an execution with these calls can stand between two requests."""
    if job.is_over(calls):
        return ("succeeded",) if calls[-1].status == 200 else ("failed",)
    if job.ended_at is not None:
        return ("cancelled", "skipped")
    if calls:
        return ("waiting",)
    return ("pending", "queued", "skipped") if job.is_recurring else ("pending", "queued")


def _missed(job: PromisedJob, record: dict[str, Any]) -> list[int]:
    first_at, last_at = (milliseconds(record["missed"][name]) for name in ("first_at", "last_at"))
    assert first_at == milliseconds(record["scheduled_at"])
    return [instant for instant in job.instants(last_at) if instant >= first_at]


def _check_instants(deployment: Deployment, job: PromisedJob, by_instant: dict[int, dict[str, Any]]) -> None:
    """Up to a moment ago each instant has a record or lies in a recorded gap; no record is at another instant."""
    now_ms = deployment.now_ms
    assert set(by_instant) <= set(job.instants(job.next_after(now_ms)))
    gaps = {
        instant
        for record in by_instant.values()
        if record["state"] == "skipped"
        for instant in _missed(job, record)
    }
    until_ms = min(now_ms, job.ended_at or now_ms) - LATE_MS
    if now_ms > deployment.receiver.excused_until:
        assert set(job.instants(until_ms)) <= set(by_instant) | gaps
    assert not gaps & {call.scheduled_at for call in job.calls}
