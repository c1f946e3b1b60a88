"""Executions whose records have expired are shown from the archive."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.archive.row import ArchiveRow, row_of
from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.stages import AttemptStages, WaitCause, code_of, following
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import parse_execution_id
from shared.domain.schedules.schedule import Rate, format_instant
from shared.domain.schedules.skipped_range import SkippedRange
from tests.support.api.api_world import ApiWorld, Request
from tests.support.builders import DUE_AT, in_state
from tests.support.usecases.archived import archive

DAY_MS = 86_400_000
LATER = DUE_AT + 40 * DAY_MS
BODY = b"no such invoice"


def failed(execution: Execution) -> Execution:
    outcome = AttemptOutcome(
        attempt=1,
        started_at=execution.id.dispatch_at + 23,
        duration_ms=5,
        status=500,
        reason=Reason.HTTP_STATUS,
    )
    return in_state(
        execution, State.FAILED, attempt=1, outcomes=(outcome,), end_reason=EndReason.ATTEMPTS_USED_UP
    )


class Expired:
    """Records of forty days ago are gone."""

    def __init__(self) -> None:
        self.api = ApiWorld()
        self.world = self.api.world

    def keep(self, execution: Execution, **changes: Any) -> ArchiveRow:
        """In the archive alone."""
        self.world.table.executions.pop(execution.id, None)
        tenant = self.world.tenant
        body = self.world.vault.seal(tenant, str(execution.id), BODY)
        row = replace(row_of(execution, body), **changes)
        archive(self.world.archive_reader, self.world.history, [row])
        self.world.clock.time_ms = LATER
        return row


def test_execution_is_shown_by_its_id_with_its_attempts_and_its_last_response() -> None:
    expired = Expired()
    row = expired.keep(failed(expired.world.one_off(1, name="import")))
    shown = expired.api.get(f"/v1/executions/{row.id}").json
    assert shown["archived"] is True
    assert (shown["name"], shown["state"], shown["end_reason"]) == ("import", "failed", "attempts_used_up")
    assert (shown["lag_ms"], shown["attempts_begun"]) == (23, 1)
    assert shown["attempts"] == [
        {
            "number": 1,
            "started_at": format_instant(row.due_at + 23),
            "duration_ms": 5,
            "status": 500,
            "reason": "http_status",
        }
    ]
    assert shown["last_response_body"] == BODY.decode()
    assert (shown["redriven_by"], shown["notification"], shown["waiting_for"]) == (None, None, None)


def test_archived_execution_is_shown_as_it_was_before() -> None:
    expired = Expired()
    execution = failed(expired.world.one_off(1, name="import"))
    expired.world.put(execution)
    before = expired.api.get(f"/v1/executions/{execution.id}").json
    expired.keep(execution)
    after = expired.api.get(f"/v1/executions/{execution.id}").json
    assert after == before | {"archived": True, "last_response_body": BODY.decode()}


def test_response_that_the_present_key_does_not_open_is_null() -> None:
    expired = Expired()
    row = expired.keep(failed(expired.world.one_off(1)), body=b"sealed under a key that is gone")
    assert expired.api.get(f"/v1/executions/{row.id}").json["last_response_body"] is None


def test_list_goes_on_in_the_archive_under_the_same_cursor() -> None:
    expired = Expired()
    old = [expired.keep(failed(expired.world.one_off(number))) for number in range(5)]
    fresh = expired.world.put(failed(expired.world.one_off(9, due_at=LATER - MINUTE_MS)))
    first = expired.api.get("/v1/executions", limit="3").json
    assert [(each["id"], each["archived"]) for each in first["executions"]] == [(str(fresh.id), False)]
    found, cursor = [], first["next_cursor"]
    while cursor:
        page = expired.api.get("/v1/executions", limit="3", cursor=cursor).json
        found += [each["id"] for each in page["executions"]]
        cursor = page["next_cursor"]
    assert found == sorted((row.id for row in old), reverse=True)


def test_history_of_a_recurring_job_goes_on_in_the_archive() -> None:
    expired = Expired()
    job = expired.world.recurring(name="nightly", schedule=Rate(interval_ms=DAY_MS, anchor=DUE_AT))
    runs = [failed(job.occurrence(DUE_AT + day * DAY_MS, created_at=DUE_AT)) for day in range(40)]
    for run in runs:
        expired.keep(run)
    for run in runs[-14:]:
        expired.world.put(run)
    found: list[Any] = []
    cursor: dict[str, str] = {}
    while cursor.get("cursor", "first"):
        page = expired.api.get(f"/v1/jobs/{job.id}/executions", limit="100", **cursor).json
        found += page["executions"]
        cursor = {"cursor": page["next_cursor"] or ""}
    assert [each["id"] for each in found] == [str(run.id) for run in reversed(runs)]
    assert [each["archived"] for each in found].count(True) == 26
    assert {each["name"] for each in found} == {"nightly"}


def test_history_of_a_one_off_job_whose_record_is_gone_is_its_row() -> None:
    expired = Expired()
    row = expired.keep(failed(expired.world.one_off(1)))
    path = f"/v1/jobs/{row.job_id}/executions"
    (shown,) = expired.api.get(path).json["executions"]
    assert shown["id"] == row.id
    assert expired.api.get(path, state="succeeded").json["executions"] == []
    assert expired.api.get(f"/v1/jobs/{row.job_id}").status == 404


def test_archived_execution_is_explained_as_its_record_was() -> None:
    """The record and the row of a call that was late, and came back to its queue once."""
    expired = Expired()
    first = AttemptStages(bytes(map(code_of, (40, 9_000, 30, 20, 3, 2))), WaitCause.DESTINATION_RATE)
    begun_at = DUE_AT + 12_000
    late = replace(failed(expired.world.one_off(1, name="import")).progress.outcomes[0], started_at=begun_at)
    execution = failed(expired.world.one_off(1, name="import")).progressed(
        outcomes=(late,), stages=following(None, 1, first), claims=2, refunded=1, refunded_since=DUE_AT + 50
    )
    expired.world.put(execution)
    before = expired.api.get(f"/v1/executions/{execution.id}/explain").json
    assert before["longest"]["text"].endswith(" s: limit of calls per second to the destination")
    row = expired.keep(execution)
    assert expired.api.get(f"/v1/executions/{row.id}/explain").json == before


def test_retry_of_an_archived_execution_has_its_call_alone() -> None:
    expired = Expired()
    call = failed(expired.world.one_off(1)).progress.outcomes[0]
    again = replace(call, attempt=3, started_at=call.started_at + 90_000)
    retried = failed(expired.world.one_off(1)).progressed(outcomes=(call, again), claims=3)
    row = expired.keep(retried)
    shown = expired.api.get(f"/v1/executions/{row.id}/explain").json
    assert [each["number"] for each in shown["attempts"]] == [1, 3]
    assert [each["due_at"] is None for each in shown["attempts"]] == [False, True]
    assert [each["stage"] for each in shown["attempts"][1]["stages"]] == ["done"]


@pytest.mark.parametrize("state", [State.SKIPPED, State.CANCELLED])
def test_archived_execution_without_a_call_is_explained_in_words(state: State) -> None:
    expired = Expired()
    row = expired.keep(in_state(expired.world.one_off(1), state, end_reason=EndReason.CANCELLED))
    shown = expired.api.get(f"/v1/executions/{row.id}/explain").json
    assert shown["attempts"] == []
    assert shown["summary"]
    assert shown["lag_ms"] is None


def test_archived_execution_stands_for_the_instants_that_its_record_had() -> None:
    expired = Expired()
    missed = SkippedRange(count=2, first_at=DUE_AT, last_at=DUE_AT + 60_000, resumed_at=DUE_AT + 120_000)
    skipped = in_state(expired.world.one_off(1), State.SKIPPED, end_reason=EndReason.COALESCED, missed=missed)
    expired.world.put(skipped)
    path = f"/v1/executions/{skipped.id}/explain"
    before = expired.api.get(path).json["summary"]
    assert "It stands for 2 instants, from" in before
    expired.keep(skipped)
    assert expired.api.get(path).json["summary"] == before


def test_row_of_an_earlier_release_is_explained_without_its_stages() -> None:
    expired = Expired()
    row = expired.keep(failed(expired.world.one_off(1)), queue_ms=4, wait_ms=5)
    (attempt,) = expired.api.get(f"/v1/executions/{row.id}/explain").json["attempts"]
    assert attempt["lag_ms"] == 23
    precisions = {each["stage"]: each["precision"] for each in attempt["stages"]}
    assert precisions == {
        "queue": "about",
        "wait": "about",
        "claim": "unknown",
        "ready": "unknown",
        "done": "exact",
    }


def test_row_with_words_of_a_later_release_is_explained() -> None:
    expired = Expired()
    words = {"wait_cause": "moonlight", "end_reason": "eclipse"}
    row = expired.keep(failed(expired.world.one_off(1)), **words)
    shown = expired.api.get(f"/v1/executions/{row.id}/explain").json
    assert (shown["end_reason"], shown["lag_ms"]) == ("eclipse", 23)


def test_triggered_run_is_found_and_explained_by_its_id_after_it_has_left_the_history_of_its_job() -> None:
    expired = Expired()
    job = expired.world.recurring(name="nightly", schedule=Rate(interval_ms=DAY_MS, anchor=DUE_AT))
    triggered = expired.api.post({}, f"/v1/jobs/{job.id}/trigger").json["id"]
    row = expired.keep(failed(expired.world.table.executions[parse_execution_id(triggered)].execution))
    expired.world.table.drop_expired(LATER, lambda: True)
    assert expired.world.table.extras == {}
    shown = expired.api.get(f"/v1/executions/{row.id}").json
    assert (shown["id"], shown["job_id"], shown["archived"]) == (triggered, job.id, True)
    assert expired.api.get(f"/v1/executions/{row.id}/explain").json["state"] == "failed"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/executions/{id}/redrive"),
        ("DELETE", "/v1/executions/{id}"),
        ("GET", "/v1/dead-letters/{id}"),
    ],
)
def test_archived_execution_has_no_request_to_repeat_or_to_show(method: str, path: str) -> None:
    expired = Expired()
    row = expired.keep(failed(expired.world.one_off(1)))
    refused = expired.api.handle(
        Request(method=method, path=path.format(id=row.id), headers=expired.api.credential)
    )
    assert (refused.status, refused.json["detail"]) == (404, "no such execution, or its record has expired")


@pytest.mark.parametrize(
    "path", ["/v1/executions/{id}", "/v1/jobs/{job_id}/executions", "/v1/executions/{id}/explain"]
)
def test_archived_execution_of_another_tenant_is_not_found(path: str) -> None:
    expired = Expired()
    row = expired.keep(failed(expired.world.one_off(1)), tenant="globex")
    assert expired.api.get(path.format(id=row.id, job_id=row.job_id)).status == 404
    assert expired.api.get("/v1/executions").json["executions"] == []


@pytest.mark.parametrize("path", ["/v1/executions", "/v1/executions/{id}"])
def test_archive_that_does_not_respond_is_no_empty_answer(path: str) -> None:
    expired = Expired()
    row = expired.keep(failed(expired.world.one_off(1)))
    for call in ("archive_reader.newest", "archive_reader.by_ids"):
        expired.world.steps.fail(call, times=5)
    assert expired.api.get(path.format(id=row.id)).status == 503
