"""Bulk operations on jobs over the API: planned, started, shown, cancelled, undone, and refused in words."""

from typing import Any

import pytest

from shared.domain.bulk.task import SETTLED_MS
from shared.domain.tenancy.quota import Quota
from shared.usecases.bulk.start_job_task import FREE_OF_PLAN
from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.api.job_requests import DAILY, MINUTELY, send

PATH = "/v1/jobs/bulk"
KEYED: dict[str, Any] = DAILY | {"request": {"url": "https://receiver.example/hook"}}
BILLING: dict[str, Any] = {"filter": {"tag": "billing"}, "action": "pause"}


def tagged(count: int) -> tuple[ApiWorld, list[Any]]:
    """A deployment with recurring jobs of one tag, a second after the last was created."""
    world = ApiWorld()
    made = [world.create(**MINUTELY, tags=["billing"], name=f"job {number}") for number in range(count)]
    world.world.clock.time_ms += 1_000
    return world, made


def states(world: ApiWorld, jobs: list[Any]) -> list[str]:
    return [world.get(f"/v1/jobs/{job['id']}").json["state"] for job in jobs]


def task_of(world: ApiWorld, answer: Answer) -> Any:
    return world.get(f"/v1/bulk-tasks/{answer.json['id']}").json


def test_dry_run_counts_shows_examples_and_warnings_and_changes_nothing() -> None:
    world, made = tagged(3)
    answer = world.post(BILLING | {"dry_run": True}, PATH)
    assert answer.status == 200, answer.text
    plan = answer.json
    assert (plan["count"], plan["complete"], plan["unchanged"], plan["refused"]) == (3, True, 0, {})
    assert [one["id"] for one in plan["examples"]] == sorted(job["id"] for job in made)
    assert plan["warnings"] == ["one-off jobs are not selected: send the kind once for them"]
    assert states(world, made) == ["active"] * 3
    assert world.get("/v1/bulk-tasks").json["operations"] == []


@pytest.mark.parametrize(
    ("body", "warning"),
    [
        ({"filter": {}}, "the filter selects every recurring job of the tenant"),
        ({"action": "delete"}, "the backfills of a deleted job are deleted with it"),
        ({"action": "delete", "grace_hours": 0}, "without grace_hours the operation cannot be undone"),
        ({"action": "trigger"}, "1 of the jobs are paused, and run as well"),
        ({"rate": 1}, "at 1 a second the operation takes 1 minutes or more"),
    ],
)
def test_warnings_say_what_to_consider(body: dict[str, Any], warning: str) -> None:
    world, made = tagged(61)
    world.post({}, f"/v1/jobs/{made[0]['id']}/pause")
    assert warning in world.post(BILLING | body | {"dry_run": True}, PATH).json["warnings"]


def test_small_operation_is_done_when_it_is_answered() -> None:
    world, made = tagged(3)
    answer = world.post(BILLING | {"reason": "moving"}, PATH)
    assert answer.status == 202, answer.text
    task = answer.json
    assert answer.headers["Location"] == f"/v1/bulk-tasks/{task['id']}"
    assert (task["counts"]["done"], task["total"], task["left"]) == (3, 3, 0)
    assert states(world, made) == ["paused"] * 3
    shown = world.get(f"/v1/jobs/{made[0]['id']}").json
    assert shown["pause_reason"] == f"moving ({task['id']})"
    world.world.process_bulk_tasks.execute()
    assert task_of(world, answer)["state"] == "finished"


def test_large_operation_needs_its_plan() -> None:
    world, made = tagged(FREE_OF_PLAN + 1)
    refused = world.post(BILLING, PATH)
    assert (refused.status, refused.problem) == (409, "invalid-state")
    assert "dry_run" in refused.json["detail"]
    plan = world.post(BILLING | {"dry_run": True}, PATH).json["plan"]
    assert world.post(BILLING | {"action": "delete", "plan": plan}, PATH).status == 409
    started = world.post(BILLING | {"plan": plan, "rate": 100}, PATH)
    assert (started.status, started.json["left"]) == (202, FREE_OF_PLAN + 1 - 50)
    assert started.json["ends_at"] > started.json["created_at"]
    world.world.process_bulk_tasks.execute()
    assert states(world, made) == ["paused"] * (FREE_OF_PLAN + 1)


def test_the_same_request_under_the_same_key_is_one_operation() -> None:
    world, _ = tagged(2)
    first = world.post(BILLING, PATH, idempotency_key="k")
    again = world.post(BILLING, PATH, idempotency_key="k")
    assert (again.status, again.json["id"]) == (202, first.json["id"])
    assert again.headers["Idempotency-Replayed"] == "true"
    assert world.post(BILLING | {"rate": 3}, PATH, idempotency_key="k").problem == "idempotency-key-reused"


def test_deletion_pauses_waits_and_can_be_undone() -> None:
    world, made = tagged(3)
    answer = world.post(BILLING | {"action": "delete", "grace_hours": 2}, PATH)
    world.world.process_bulk_tasks.execute()
    waiting = task_of(world, answer)
    assert (waiting["state"], waiting["grace_hours"], waiting["left"]) == ("waiting", 2, 3)
    assert waiting["ends_at"] >= waiting["deletes_at"] > waiting["created_at"]
    assert states(world, made) == ["paused"] * 3
    undo = world.post({}, f"/v1/bulk-tasks/{answer.json['id']}/undo")
    assert (undo.status, undo.json["state"]) == (202, "undoing")
    assert states(world, made) == ["active"] * 3
    world.world.clock.time_ms += SETTLED_MS
    world.world.process_bulk_tasks.execute()
    undone = task_of(world, answer)
    assert (undone["state"], undone["counts"]["undone"], undone["ends_at"]) == ("undone", 3, None)


def test_operation_is_cancelled_once_and_not_after_its_end() -> None:
    world, made = tagged(60)
    answer = world.post(BILLING | {"rate": 20}, PATH)
    path = f"/v1/bulk-tasks/{answer.json['id']}"
    cancelled = world.delete(path)
    assert (cancelled.status, cancelled.json["state"]) == (200, "cancelled")
    assert world.delete(path).json == cancelled.json
    world.world.process_bulk_tasks.execute()
    assert states(world, made).count("paused") == 20
    world.post({}, f"{path}/undo")
    assert world.delete(path).problem == "invalid-state"


def test_operations_are_listed_newest_first_page_by_page() -> None:
    world, _ = tagged(1)
    ids = []
    for _ in range(3):
        ids.append(world.post(BILLING, PATH).json["id"])
        world.world.clock.time_ms += 1_000
    first = world.get("/v1/bulk-tasks", limit="2").json
    assert [one["id"] for one in first["operations"]] == ids[:0:-1]
    second = world.get("/v1/bulk-tasks", limit="2", cursor=first["next_cursor"]).json
    assert ([one["id"] for one in second["operations"]], second["next_cursor"]) == (ids[:1], None)
    assert world.get("/v1/bulk-tasks", cursor="x").problem == "invalid-cursor"


def test_start_cancel_and_undo_are_on_record_and_single_jobs_are_not() -> None:
    world, _ = tagged(2)
    task = world.post(BILLING | {"reason": "moving"}, PATH).json
    world.world.clock.time_ms += 1
    world.delete(f"/v1/bulk-tasks/{task['id']}")
    world.world.clock.time_ms += 1
    world.post({}, f"/v1/bulk-tasks/{task['id']}/undo")
    records = world.get("/v1/audit").json["records"]
    assert [one["operation"] for one in records[:3]] == ["undoBulkTask", "cancelBulkTask", "changeJobs"]
    assert {one["target"] for one in records[:3]} == {task["id"]}
    assert "pauseJob" not in {one["operation"] for one in records}


def test_one_off_jobs_are_cancelled_by_kind_alone() -> None:
    world, made = tagged(1)
    once = world.create(tags=["billing"])
    world.world.clock.time_ms += 1_000
    body = {"filter": {"tag": "billing", "kind": "once"}, "action": "delete", "grace_hours": 0}
    answer = world.post(body, PATH)
    assert (answer.status, answer.json["counts"]["done"]) == (202, 1)
    assert states(world, [once, *made]) == ["cancelled", "active"]
    assert world.post({}, f"/v1/bulk-tasks/{answer.json['id']}/undo").problem == "invalid-state"


def test_patch_is_applied_shown_and_undone() -> None:
    world, made = tagged(2)
    patch = {"lane": "bulk", "timeout_seconds": 9, "add_tags": ["slow"]}
    answer = world.post(BILLING | {"action": "patch", "patch": patch}, PATH)
    assert (answer.status, answer.json["counts"]["done"]) == (202, 2), answer.text
    assert answer.json["patch"] == patch | {"remove_tags": [], "removed": []}
    job = world.get(f"/v1/jobs/{made[0]['id']}").json
    assert (job["lane"], job["timeout_seconds"], job["tags"]) == ("bulk", 9, ["billing", "slow"])
    world.post({}, f"/v1/bulk-tasks/{answer.json['id']}/undo")
    job = world.get(f"/v1/jobs/{made[0]['id']}").json
    assert (job["lane"], job["timeout_seconds"], job["tags"]) == ("standard", 30, ["billing"])


FULL_PATCH: dict[str, Any] = {
    "lane": "critical",
    "timeout_seconds": 9,
    "retry": {"max_attempts": 2, "base_seconds": 5, "factor": 3, "cap_seconds": 50},
    "async_deadline_seconds": 120,
    "heartbeat_seconds": 20,
    "catch_up": "all",
    "catch_up_limit": 5,
    "catch_up_window_seconds": 600,
    "late_tolerance_seconds": 7,
    "overlap_policy": "skip",
    "on_success": "none",
    "on_failure": "https://told.example/lost",
    "alerts": {
        "url": "https://told.example/alerts",
        "events": ["late"],
        "late_after_seconds": 60,
        "format": "slack",
    },
}


def members(job: Any) -> dict[str, Any]:
    return {name: job[name] for name in FULL_PATCH}


def test_patch_of_each_member_is_what_the_patch_of_a_single_job_would_be() -> None:
    world, made = tagged(2)
    before = members(world.get(f"/v1/jobs/{made[0]['id']}").json)
    patch = FULL_PATCH | {"jitter_seconds": 4}
    answer = world.post(BILLING | {"action": "patch", "patch": patch}, PATH)
    assert (answer.status, answer.json["counts"]["done"]) == (202, 2), answer.text
    assert answer.json["patch"] == patch | {"add_tags": [], "remove_tags": [], "removed": []}
    assert task_of(world, answer)["patch"] == answer.json["patch"]
    for job in made:
        shown = world.get(f"/v1/jobs/{job['id']}").json
        assert members(shown) == FULL_PATCH
        assert shown["schedule"]["jitter_seconds"] == 4
    renamed = world.handle(
        Request(
            method="PATCH",
            path=f"/v1/jobs/{made[0]['id']}",
            body=b'{"name": "renamed", "request": {"json": 1}}',
            headers=world.credential | {"content-type": "application/json", "if-match": "*"},
        )
    )
    assert members(renamed.json) == FULL_PATCH
    restored = world.post(BILLING | {"action": "patch", "patch": dict.fromkeys(patch)}, PATH)
    assert restored.json["patch"]["removed"] == ["on_success", "on_failure", "alerts"]
    assert members(world.get(f"/v1/jobs/{made[0]['id']}").json) == before


@pytest.mark.parametrize(
    ("patch", "pointer"),
    [
        ({"retry": {"max_attempts": 0}}, "/patch/retry/max_attempts"),
        ({"retry": {"delays_seconds": [1], "factor": 2}}, "/patch/retry/delays_seconds"),
        ({"heartbeat_seconds": 1}, "/patch/heartbeat_seconds"),
        ({"jitter_seconds": 86_401}, "/patch/jitter_seconds"),
        ({"overlap_policy": "queue"}, "/patch/overlap_policy"),
        ({"catch_up_limit": 0}, "/patch/catch_up_limit"),
        ({"alerts": {"url": "https://told.example/", "events": ["limit_reached"]}}, "/patch/alerts/events"),
        ({"on_failure": "https://localhost/"}, "/patch/on_failure"),
        ({"alerts": {"url": "https://10.0.0.1/"}}, "/patch/alerts/url"),
        ({"signing_secret": "unknown"}, "/patch/signing_secret"),
        ({"name": "x"}, "/patch/name"),
        ({"schedule": {"rate_seconds": 60}}, "/patch/schedule"),
        ({"request": {"url": "https://receiver.example/"}}, "/patch/request"),
        ({}, "/patch"),
    ],
)
def test_patch_that_cannot_be_is_refused_at_its_member(patch: Any, pointer: str) -> None:
    world, made = tagged(1)
    for extra in ({}, {"dry_run": True}):
        answer = world.post(BILLING | {"action": "patch", "patch": patch} | extra, PATH)
        assert answer.status == 422, answer.text
        assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
    assert world.get(f"/v1/jobs/{made[0]['id']}").json["revision"] == 1


def test_patch_keeps_to_the_quota_of_tags() -> None:
    world, _ = tagged(2)
    world.allow(Quota.TAGS, 1)
    answer = world.post(BILLING | {"action": "patch", "patch": {"add_tags": ["slow"]}}, PATH)
    assert answer.json["counts"]["refused"] == {"quota": 2}


def test_filter_has_the_words_of_the_listing_and_the_creation() -> None:
    world, made = tagged(2)
    daily = world.create(**DAILY, tags=["billing"], name="other")
    world.world.clock.time_ms += 1_000
    for criteria, count in (
        ({"kind": "cron"}, 1),
        ({"q": "job"}, 2),
        ({"state": "paused"}, 0),
        ({"created_to": daily["created_at"]}, 2),
        ({"created_from": daily["created_at"]}, 1),
        ({"tag": "other"}, 0),
    ):
        body = {"filter": criteria, "action": "pause", "dry_run": True}
        assert world.post(body, PATH).json["count"] == count, criteria
    assert len(made) == 2


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"action": "multiply"}, "/action"),
        ({"filter": {"tag": "No Tag"}}, "/filter/tag"),
        ({"filter": {"state": "sideways"}}, "/filter/state"),
        ({"filter": {"state": "pending"}}, "/filter/state"),
        ({"filter": {"q": ""}}, "/filter/q"),
        ({"filter": {"q": "a\u0000"}}, "/filter/q"),
        ({"filter": {"kind": "weekly"}}, "/filter/kind"),
        ({"filter": {"set": ""}}, "/filter/set"),
        ({"filter": {"set": "-a"}}, "/filter/set"),
        ({"filter": {"set": "a\n"}}, "/filter/set"),
        ({"filter": {"set": "a" * 65}}, "/filter/set"),
        ({"filter": {"set": 1}}, "/filter/set"),
        ({"filter": {"set_": "a"}}, "/filter/set_"),
        ({"filter": {"set": "a", "kind": "once"}, "action": "delete", "grace_hours": 0}, "/filter/set"),
        ({"filter": {"kind": "once"}}, "/action"),
        ({"filter": {"kind": "once"}, "action": "delete"}, "/grace_hours"),
        ({"filter": {"created_from": "yesterday"}}, "/filter/created_from"),
        (
            {"filter": {"created_from": "2025-01-02T00:00:00Z", "created_to": "2025-01-01T00:00:00Z"}},
            "/filter/created_to",
        ),
        ({"filter": {"colour": "red"}}, "/filter/colour"),
        ({"filter": None}, "/filter"),
        ({"rate": 0}, "/rate"),
        ({"rate": 101}, "/rate"),
        ({"rate": 1.5}, "/rate"),
        ({"grace_hours": 1}, "/grace_hours"),
        ({"action": "delete", "grace_hours": 169}, "/grace_hours"),
        ({"action": "resume", "reason": "r"}, "/reason"),
        ({"reason": "r" * 201}, "/reason"),
        ({"dry_run": True, "plan": "pln_"}, "/plan"),
        ({"action": "patch"}, "/patch"),
        ({"patch": {"lane": "bulk"}}, "/patch"),
        ({"action": "patch", "patch": {}}, "/patch"),
        ({"action": "patch", "patch": {"lane": "fast"}}, "/patch/lane"),
        ({"action": "patch", "patch": {"name": "n"}}, "/patch/name"),
        ({"action": "patch", "patch": {"timeout_seconds": 61}}, "/patch/timeout_seconds"),
        ({"action": "patch", "patch": {"add_tags": ["a"], "remove_tags": ["a"]}}, "/patch/remove_tags"),
        ({"filter": {"kind": "once"}, "action": "patch", "patch": {"lane": "bulk"}}, "/action"),
    ],
)
def test_body_that_makes_no_sense_is_refused_with_a_pointer(body: dict[str, Any], pointer: str) -> None:
    world, made = tagged(1)
    refused = world.post(BILLING | body, PATH)
    assert (refused.status, refused.problem) == (422, "validation-failed"), refused.text
    assert pointer in [one["pointer"] for one in refused.json["errors"]]
    assert states(world, made) == ["active"]


def test_filter_by_set_selects_the_recurring_jobs_of_the_set() -> None:
    world, made = tagged(2)
    for key, set_ in (("a", "nightly"), ("b", "nightly"), ("c", "other")):
        answer = send(world, "PUT", f"/v1/jobs/by-key/{key}", KEYED | {"set": set_})
        assert answer.status == 200, answer.text
    world.create(tags=["billing"])
    world.world.clock.time_ms += 1_000
    plan = world.post({"filter": {"set": "nightly"}, "action": "pause", "dry_run": True}, PATH).json
    assert (plan["count"], plan["warnings"]) == (2, [])
    answer = world.post({"filter": {"set": "nightly"}, "action": "pause", "plan": plan["plan"]}, PATH)
    assert (answer.status, answer.json["counts"]["done"]) == (202, 2), answer.text
    assert (answer.json["filter"]["set"], answer.json["filter"]["tag"]) == ("nightly", None)
    assert task_of(world, answer)["filter"] == answer.json["filter"]
    by_key = {key: world.get(f"/v1/jobs/by-key/{key}").json["state"] for key in "abc"}
    assert by_key == {"a": "paused", "b": "paused", "c": "active"}
    assert states(world, made) == ["active"] * 2


def test_plan_of_one_set_is_not_good_for_another() -> None:
    world, _ = tagged(1)
    plan = world.post({"filter": {"set": "a"}, "action": "pause", "dry_run": True}, PATH).json["plan"]
    for criteria in ({"set": "b"}, {}, {"set": "a", "tag": "a"}):
        refused = world.post({"filter": criteria, "action": "pause", "plan": plan}, PATH)
        assert (refused.status, refused.problem) == (409, "invalid-state"), criteria


def test_filter_has_to_be_given() -> None:
    world, _ = tagged(1)
    assert world.post({"action": "pause"}, PATH).status == 422


def test_operation_that_nobody_has_is_not_found() -> None:
    world = ApiWorld()
    for path in ("/v1/bulk-tasks/blk_" + "0" * 26, "/v1/bulk-tasks/x", "/v1/bulk-tasks/rdr_" + "0" * 26):
        assert world.get(path).problem == "not-found"
        assert world.delete(path).problem == "not-found"
        assert world.post({}, f"{path}/undo").problem == "not-found"
    assert world.get(PATH).status == 405
