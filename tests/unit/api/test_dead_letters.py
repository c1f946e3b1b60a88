"""Dead letters over the API: listed, narrowed, inspected without what was entrusted, redriven and taken back."""

from typing import Any

import pytest

from shared.domain.dead_letters.parked_message import park
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Scope
from shared.names import Metric, QueueName
from shared.observability import metrics
from tests.support.api.api_world import ApiWorld, Request
from tests.support.api.failed_jobs import FAILING, SECRET, failed_jobs
from tests.support.api.request_factory import ask
from tests.support.builders import DUE_AT, with_changes
from tests.support.usecases.lanes import Lanes


def press(world: ApiWorld, execution_id: str) -> Any:
    return world.handle(
        Request(method="POST", path=f"/v1/executions/{execution_id}/redrive", headers=world.credential)
    )


def test_dead_letter_shows_its_end_reason_last_response_and_redrive() -> None:
    _, (dead,) = failed_jobs(lane="critical")
    assert dead["state"] == "failed"
    assert (dead["end_reason"], dead["last_status"], dead["last_reason"]) == (
        "not_retryable",
        410,
        "http_status",
    )
    assert (dead["last_response_body"], dead["lane"], dead["redriven_by"]) == (
        "gone for good",
        "critical",
        None,
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"lane": "standard"}, 3),
        ({"lane": "bulk"}, 0),
        ({"status": "410"}, 3),
        ({"status": "500"}, 0),
        ({"reason": "not_retryable"}, 3),
        ({"reason": "http_status"}, 3),
        ({"reason": "timeout"}, 0),
        ({"tag": "billing"}, 3),
        ({"tag": "other"}, 0),
        ({"job": "job_r" + "0" * 27}, 0),
        ({"from": "2025-02-19T21:10:14Z"}, 1),
        ({"to": "2025-02-19T21:10:13Z"}, 1),
        ({"from": "2025-02-19T21:10:13Z", "to": "2025-02-19T21:10:14Z"}, 1),
        ({"lane": "standard", "status": "410", "tag": "billing", "reason": "http_status"}, 3),
    ],
)
def test_the_list_is_narrowed(query: dict[str, str], found: int) -> None:
    world, _ = failed_jobs(3, tags=["billing"])
    assert len(world.get("/v1/dead-letters", **query).json["executions"]) == found


def test_dead_letters_are_filtered_by_job() -> None:
    world, (first, _) = failed_jobs(2)
    shown = world.get("/v1/dead-letters", job=first["job_id"]).json["executions"]
    assert [one["id"] for one in shown] == [first["id"]]


def test_dead_letter_of_a_recurring_job_has_the_tags_of_the_job() -> None:
    world = ApiWorld()
    world.world.sender.answer_to = lambda _: FAILING
    world.create(schedule={"rate_seconds": 600, "start_at": "2025-02-19T21:10:15Z"}, tags=["nightly"])
    Lanes(world.world).until(world.world.clock.time_ms + 30_000)
    assert len(world.get("/v1/dead-letters", tag="nightly").json["executions"]) == 1
    assert world.get("/v1/dead-letters", tag="daily").json["executions"] == []


@pytest.mark.parametrize("limit", ["1", "2", "5"])
def test_pages_are_stable_while_others_come(limit: str) -> None:
    world, made = failed_jobs(5)
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = world.get("/v1/dead-letters", limit=limit, **cursor).json
        found += [one["id"] for one in page["executions"]]
        press(world, made[0]["id"])
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert found == [one["id"] for one in made[::-1]]


@pytest.mark.parametrize(
    "query",
    [
        {"job": "x"},
        {"job": "exe_1" + "0" * 30},
        {"job": ""},
        {"tag": "A B"},
        {"tag": ""},
        {"reason": "because"},
        {"reason": ""},
        {"reason": "ok"},
        {"status": "99"},
        {"status": "600"},
        {"status": "4e2"},
        {"status": "٤١٠"},
        {"status": ""},
        {"lane": "fast"},
        {"from": "yesterday"},
        {"to": "2025-02-19T21:10:13"},
        {"from": "2025-02-19T21:10:14Z", "to": "2025-02-19T21:10:14Z"},
        {"state": "failed"},
        {"limit": "0"},
    ],
)
def test_a_filter_that_is_none_is_refused(query: dict[str, str]) -> None:
    answer = ApiWorld().get("/v1/dead-letters", **query)
    assert (answer.status, answer.problem) == (400, "malformed-request")


def test_a_cursor_is_of_no_use_for_another_filter() -> None:
    world, _ = failed_jobs(3)
    cursor = world.get("/v1/dead-letters", limit="1", status="410").json["next_cursor"]
    assert world.get("/v1/dead-letters", limit="1", status="500", cursor=cursor).problem == "invalid-cursor"


def test_inspected_dead_letter_shows_no_secret_of_its_request() -> None:
    world, (dead,) = failed_jobs()
    answer = world.get(f"/v1/dead-letters/{dead['id']}")
    assert SECRET not in answer.text
    request = answer.json["request"]
    assert (request["method"], request["url"]) == ("POST", "https://receiver.example/hook")
    assert {"name": "X-Key", "value": "[redacted]"} in request["headers"]
    assert (request["body"], request["body_bytes"], request["revealed"]) == (
        None,
        len(f'{{"pin":"{SECRET}"}}'),
        False,
    )


def test_request_is_revealed_only_to_an_admin_who_may_read_and_audited() -> None:
    world, (dead,) = failed_jobs()
    path = f"/v1/dead-letters/{dead['id']}"
    before = len(world.world.audit_log.records)
    for scopes in ((Scope.READ,), (Scope.READ, Scope.WRITE), (Scope.ADMIN,)):
        world.limit_to(*scopes)
        world.world.clock.time_ms += 60_000
        answer = world.get(path, reveal="true")
        assert (answer.status, answer.problem) == (403, "forbidden")
        assert SECRET not in answer.text
    assert len(world.world.audit_log.records) == before
    world.limit_to(Scope.READ, Scope.ADMIN)
    world.world.clock.time_ms += 60_000
    request = world.get(path, reveal="true").json["request"]
    assert request["body"] == f'{{"pin":"{SECRET}"}}'
    assert {"name": "X-Key", "value": SECRET} in request["headers"]
    (record,) = world.world.audit_log.of("acme")[:1]
    assert (record.operation, record.target) == ("revealRequest", dead["id"])
    assert SECRET not in repr(world.world.audit_log.records)


def test_request_is_not_revealed_where_the_audit_record_cannot_be_written() -> None:
    world, (dead,) = failed_jobs()
    world.limit_to(Scope.READ, Scope.ADMIN)
    world.world.clock.time_ms += 60_000
    world.world.steps.fail("audit.append")
    answer = world.get(f"/v1/dead-letters/{dead['id']}", reveal="true")
    assert answer.problem == "service-unavailable"
    assert SECRET not in answer.text


def test_dead_letter_whose_request_has_expired_is_shown_without_it() -> None:
    world, (dead,) = failed_jobs()
    row = next(iter(world.world.table.executions.values()))
    row.execution = with_changes(row.execution, request=b"")
    assert world.get(f"/v1/dead-letters/{dead['id']}").json["request"] is None


def test_pending_execution_is_not_found_among_dead_letters() -> None:
    world = ApiWorld()
    job = world.create()
    execution = world.get(f"/v1/jobs/{job['id']}/executions").json["executions"][0]
    assert world.get(f"/v1/dead-letters/{execution['id']}").problem == "not-found"


@pytest.mark.parametrize("value", ["1", "yes", "TRUE", ""])
def test_a_flag_is_true_or_false(value: str) -> None:
    world, (dead,) = failed_jobs()
    assert world.get(f"/v1/dead-letters/{dead['id']}", reveal=value).problem == "malformed-request"


def test_dead_letter_is_redriven_once_despite_repeated_requests() -> None:
    world, (dead,) = failed_jobs()
    metrics.clear_metrics()
    first, again = press(world, dead["id"]), press(world, dead["id"])
    assert (first.status, again.status) == (201, 201)
    assert first.json == again.json
    assert first.headers["Location"] == f"/v1/executions/{first.json['id']}"
    assert ("Idempotency-Replayed" in first.headers, again.headers["Idempotency-Replayed"]) == (False, "true")
    assert metrics.metric_set[Metric.REDRIVEN] == [1]
    assert first.json["redrive_of"] == dead["id"]
    assert world.get(f"/v1/executions/{dead['id']}").json["redriven_by"] == first.json["id"]


def test_redrive_runs_and_the_history_of_the_job_shows_both_executions() -> None:
    world, (dead,) = failed_jobs()
    redrive = press(world, dead["id"]).json["id"]
    Lanes(world.world).until(world.world.clock.time_ms + 5_000)
    shown = world.get(f"/v1/jobs/{dead['job_id']}/executions").json["executions"]
    assert [(one["id"], one["state"]) for one in shown] == [(redrive, "succeeded"), (dead["id"], "failed")]
    assert redrive in world.get("/v1/executions").text
    assert world.get(f"/v1/jobs/{dead['job_id']}").json["state"] == "failed"
    assert [one["id"] for one in world.get("/v1/jobs").json["jobs"]] == [dead["job_id"]]


def test_pending_execution_is_not_redriven() -> None:
    world = ApiWorld()
    job = world.create()
    execution = world.get(f"/v1/jobs/{job['id']}/executions").json["executions"][0]
    assert press(world, execution["id"]).problem == "invalid-state"


def test_a_redrive_is_cancelled_and_nothing_else_is() -> None:
    world, (dead,) = failed_jobs()
    redrive = press(world, dead["id"]).json["id"]
    for _ in range(2):
        answer = world.delete(f"/v1/executions/{redrive}")
        assert (answer.status, answer.json["state"], answer.json["end_reason"]) == (
            200,
            "cancelled",
            "cancelled",
        )
    assert world.delete(f"/v1/executions/{dead['id']}").problem == "invalid-state"
    job = world.create()
    execution = world.get(f"/v1/jobs/{job['id']}/executions").json["executions"][0]
    assert world.delete(f"/v1/executions/{execution['id']}").problem == "invalid-state"


def test_redrive_that_has_ended_cannot_be_cancelled() -> None:
    world, (dead,) = failed_jobs()
    redrive = press(world, dead["id"]).json["id"]
    Lanes(world.world).until(world.world.clock.time_ms + 5_000)
    answer = world.delete(f"/v1/executions/{redrive}")
    assert (answer.status, answer.problem) == (409, "invalid-state")


def test_redrives_are_counted_as_creations() -> None:
    world, (dead,) = failed_jobs()
    world.allow(Quota.CREATES_PER_SECOND, 1)
    assert press(world, dead["id"]).status == 201
    assert press(world, dead["id"]).problem == "rate-limited"
    assert world.post({}, "/v1/dead-letters/redrive").problem == "rate-limited"


def test_parked_messages_are_shown_to_operators_page_by_page_and_harmless() -> None:
    world = ApiWorld()
    operator = world.world.create_tenant.operator().api_key
    for number in range(3):
        world.world.parked_messages.park(
            park(f"m-{number}", QueueName.SLOW_STANDARD, "\x1b[2J<b>", "no JSON", DUE_AT + number)
        )
    first = ask(world, operator, "GET", "/v1/admin/parked", limit="2").json
    rest = ask(world, operator, "GET", "/v1/admin/parked", limit="2", cursor=first["next_cursor"]).json
    assert [one["message_id"] for one in first["messages"] + rest["messages"]] == ["m-2", "m-1", "m-0"]
    assert rest["next_cursor"] is None
    assert (first["messages"][0]["body"], first["messages"][0]["size"]) == ("\\x1b[2J<b>", 7)
    assert world.get("/v1/admin/parked").problem == "forbidden"


def test_parked_message_is_removed_once_and_its_record_is_kept() -> None:
    world = ApiWorld()
    operator = world.world.create_tenant.operator().api_key
    parked = [park(f"m-{number}", QueueName.BULK, "{", "no JSON", DUE_AT + number) for number in range(2)]
    for message in parked:
        world.world.parked_messages.park(message)
    path = f"/v1/admin/parked/{parked[0].id}"
    assert world.delete(path).problem == "forbidden"
    shown = ask(world, operator, "GET", "/v1/admin/parked").json["messages"][1]
    removed = ask(world, operator, "DELETE", path)
    assert (removed.status, removed.json) == (200, shown)
    left = ask(world, operator, "GET", "/v1/admin/parked").json["messages"]
    assert [one["message_id"] for one in left] == ["m-1"]
    assert ask(world, operator, "DELETE", path).problem == "not-found"
    (record,) = ask(world, operator, "GET", "/v1/audit", target=parked[0].id).json["records"]
    assert (record["operation"], record["after"], record["actor"]) == ("removeParked", None, "operator")


@pytest.mark.parametrize("parked_id", ["x", "-", "1-", "1740000000000", "9" * 16 + "-m", "1-" + "m" * 129])
def test_id_that_no_parked_message_can_have_is_not_found(parked_id: str) -> None:
    world = ApiWorld()
    operator = world.world.create_tenant.operator().api_key
    assert ask(world, operator, "DELETE", f"/v1/admin/parked/{parked_id}").problem == "not-found"
