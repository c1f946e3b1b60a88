"""Backfills over HTTP: what is answered, what is shown of them, and what is refused, in which words."""

from typing import Any

import pytest

from shared.domain.tenancy.tenant import Scope
from shared.observability import metrics
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.backfills import NIGHTLY, RANGE, backfilled
from tests.support.api.job_requests import patch, post, send
from tests.support.usecases.lanes import Lanes

NIGHTS = ["2025-02-15T01:30:00.000Z", "2025-02-16T01:30:00.000Z", "2025-02-17T01:30:00.000Z"]


def worked(world: ApiWorld, seconds: int = 10) -> None:
    Lanes(world.world).until(world.world.clock.time_ms + seconds * 1000)


def executions(world: ApiWorld, job: Any) -> list[Any]:
    found: list[Any] = world.get(f"/v1/jobs/{job['id']}/executions").json["executions"]
    return found[::-1]


def test_a_backfill_is_a_job_of_its_own() -> None:
    world = ApiWorld()
    job = world.create(**NIGHTLY)
    metrics.clear_metrics()
    answer = post(world, job, "backfill", RANGE | {"every_seconds": 60})
    made = answer.json
    assert answer.status == 201
    assert answer.headers["Location"] == f"/v1/jobs/{made['id']}"
    assert answer.headers["ETag"] == '"1"'
    assert "Idempotency-Replayed" not in answer.headers
    assert made["id"].startswith(f"{job['id']}_b")
    assert made["backfill"] == {
        "of": job["id"],
        "from": "2025-02-14T23:00:00.000Z",
        "to": "2025-02-17T23:00:00.000Z",
        "every_seconds": 60,
        "count": 3,
    }
    assert (made["kind"], made["state"], made["lane"]) == ("backfill", "active", "bulk")
    for inherited in ("schedule", "name", "tags", "request", "retry", "timeout_seconds"):
        assert made[inherited] == job[inherited]
    assert world.get(f"/v1/jobs/{made['id']}").json == made
    assert world.get(f"/v1/jobs/{job['id']}").json == job
    assert job["backfill"] is None


def test_executions_of_a_backfill_show_their_past_instants() -> None:
    world = ApiWorld()
    job, made = backfilled(world)
    worked(world)
    shown = executions(world, made)
    assert [one["scheduled_at"] for one in shown] == NIGHTS
    assert {one["backfill_of"] for one in shown} == {job["id"]}
    assert {one["state"] for one in shown} == {"succeeded"}
    assert all(one["due_at"] > "2025-02-19T21:10" for one in shown)
    assert {one["job_id"] for one in shown} == {made["id"]}
    assert world.get(f"/v1/jobs/{made['id']}").json["state"] == "completed"
    assert world.get(f"/v1/executions/{shown[0]['id']}").json == shown[0] | {"waiting_for": None}
    (own,) = executions(world, job)
    assert own["backfill_of"] is None


def test_upcoming_runs_of_a_backfill_show_their_past_instants() -> None:
    world = ApiWorld()
    _, made = backfilled(world, every_seconds=60)
    worked(world, 2)
    runs = world.get(f"/v1/jobs/{made['id']}/upcoming").json
    assert runs["timezone"] == "Europe/Berlin"
    assert [(run["scheduled_at"], run["local"]) for run in runs["runs"]] == [
        (NIGHTS[1], "2025-02-16T02:30:00"),
        (NIGHTS[2], "2025-02-17T02:30:00"),
    ]
    told = [run for run in world.get("/v1/upcoming").json["runs"] if run["job_id"] == made["id"]]
    assert [run["scheduled_at"] for run in told] == NIGHTS[1:]
    assert world.get(f"/v1/jobs/{made['id']}").json["next_due_at"] == runs["runs"][0]["due_at"]


def test_a_dry_run_tells_what_would_be_run_and_makes_nothing() -> None:
    world = ApiWorld()
    job = world.create(**NIGHTLY)
    before = (dict(world.world.table.jobs), dict(world.world.table.executions))
    audited = len(world.world.audit_log.records)
    answer = post(world, job, "backfill", RANGE | {"dry_run": True}, idempotency_key="k")
    assert answer.status == 200
    assert answer.json == {
        "of": job["id"],
        "from": "2025-02-14T23:00:00.000Z",
        "to": "2025-02-17T23:00:00.000Z",
        "every_seconds": 1,
        "count": 3,
        "first_at": NIGHTS[0],
        "last_at": NIGHTS[2],
        "instants": NIGHTS,
    }
    assert (world.world.table.jobs, world.world.table.executions) == before
    assert len(world.world.audit_log.records) == audited
    assert post(world, job, "backfill", RANGE, idempotency_key="k").status == 201


def test_a_dry_run_of_many_instants_shows_the_first_hundred() -> None:
    world = ApiWorld()
    job = world.create(schedule={"cron": "* * * * *"})
    many = {"from": "2025-02-19T00:00:00Z", "to": "2025-02-19T16:40:00Z", "dry_run": True}
    answer = post(world, job, "backfill", many).json
    assert (answer["count"], len(answer["instants"])) == (1_000, 100)
    assert answer["last_at"] == "2025-02-19T16:39:00.000Z"


@pytest.mark.parametrize("kind", ["list", "filter"])
def test_the_backfills_of_a_job_are_listed(kind: str) -> None:
    world = ApiWorld()
    job, first = backfilled(world)
    second = post(world, job, "backfill", RANGE).json
    other, _ = backfilled(world)
    world.create()
    query = {"backfill_of": job["id"]} if kind == "filter" else {"kind": "backfill"}
    shown: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = world.get("/v1/jobs", limit="1", **query, **cursor).json
        shown += [one["id"] for one in page["jobs"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    mine = [one for one in shown if one.startswith(job["id"])]
    assert mine == sorted([first["id"], second["id"]])
    assert (len(shown) == 2) is (kind == "filter")
    assert world.get("/v1/jobs", backfill_of=other["id"], state="paused").json["jobs"] == []
    assert world.get("/v1/jobs", backfill_of=first["id"]).json["jobs"] == []
    assert world.get("/v1/jobs", backfill_of=job["id"], kind="once").json["jobs"] == []


def test_a_stranger_is_shown_no_backfill() -> None:
    world = ApiWorld()
    job, made = backfilled(world)
    stranger = world.world.create_tenant.execute("stranger", frozenset(Scope)).api_key
    world.credential = {"authorization": f"Bearer {stranger}"}
    assert world.get("/v1/jobs", backfill_of=job["id"]).json == {"jobs": [], "next_cursor": None}
    unknown = f"job_r{'0' * 27}"
    for path, document in ((f"/v1/jobs/{job['id']}/backfill", RANGE), (f"/v1/jobs/{made['id']}/pause", {})):
        foreign = send(world, "POST", path, document)
        nobodys = send(world, "POST", path.replace(job["id"], unknown), document)
        assert foreign.status == nobodys.status == 404
        assert foreign.json["detail"] == nobodys.json["detail"]
    plan = RANGE | {"dry_run": True}
    assert send(world, "POST", f"/v1/jobs/{job['id']}/backfill", plan).problem == "not-found"


@pytest.mark.parametrize("text", ["", "x", "job_1", "job_r", "job_r" + "z" * 28, "job_R" + "0" * 27])
def test_malformed_job_id_is_refused_as_backfill_filter(text: str) -> None:
    answer = ApiWorld().get("/v1/jobs", backfill_of=text)
    assert (answer.status, answer.problem) == (400, "malformed-request")


def test_backfill_is_paused_resumed_renamed_and_deleted_by_its_own_id() -> None:
    world = ApiWorld()
    job, made = backfilled(world, every_seconds=5)
    paused = post(world, made, "pause", {"reason": "the receiver sleeps"}).json
    assert (paused["state"], paused["pause_reason"]) == ("paused", "the receiver sleeps")
    worked(world, 60)
    renamed = patch(world, paused, {"name": "february", "tags": None})
    assert (renamed.status, renamed.json["name"], renamed.json["tags"]) == (200, "february", [])
    assert renamed.json["backfill"] == made["backfill"]
    assert post(world, made, "resume").json["state"] == "active"
    worked(world, 7)
    deleted = world.delete(f"/v1/jobs/{made['id']}")
    assert (deleted.status, deleted.json["state"]) == (200, "deleted")
    worked(world, 60)
    assert [one["scheduled_at"] for one in executions(world, made) if one["state"] == "succeeded"] == NIGHTS[
        :2
    ]
    assert world.get(f"/v1/jobs/{job['id']}").json["state"] == "active"


def test_a_deleted_backfill_tells_with_past_instants_what_it_passed_over() -> None:
    world = ApiWorld()
    _, made = backfilled(world)
    post(world, made, "pause")
    world.world.clock.time_ms += 60_000
    world.delete(f"/v1/jobs/{made['id']}")
    told = [one["missed"] or one["scheduled_at"] for one in executions(world, made)]
    assert told[0] == NIGHTS[0]
    assert all(one in NIGHTS or one["first_at"] in NIGHTS for one in told)


def test_to_delete_the_job_deletes_its_backfills() -> None:
    world = ApiWorld()
    job, made = backfilled(world)
    assert world.delete(f"/v1/jobs/{job['id']}").json["state"] == "deleted"
    assert world.get(f"/v1/jobs/{made['id']}").json["state"] == "deleted"
    worked(world)
    assert world.world.sender.calls == []


@pytest.mark.parametrize(
    "change",
    [
        {"schedule": {"cron": "0 3 * * *"}},
        {"schedule": {"rate_seconds": 60}},
        {"schedule": {"timezone": "UTC"}},
        {"lane": "critical"},
        {"retry": {"max_attempts": 1}},
        {"request": {"url": "https://other.example/"}},
        {"catch_up": "skip"},
        {"name": "fine", "overlap_policy": "skip"},
        {"schedule": {"max_runs": 1}, "tags": []},
    ],
)
def test_a_backfill_keeps_what_it_began_with(change: dict[str, Any]) -> None:
    world = ApiWorld()
    _, made = backfilled(world)
    answer = patch(world, made, change)
    assert (answer.status, answer.problem) == (422, "validation-failed")
    pointers = [error["pointer"] for error in answer.json["errors"]]
    assert pointers == [f"/{name}" for name in change if name not in ("name", "tags")]
    assert "begin another one" in answer.json["errors"][0]["detail"]
    assert world.get(f"/v1/jobs/{made['id']}").json == made


def test_a_rename_of_a_backfill_is_judged_as_any_other() -> None:
    world = ApiWorld()
    _, made = backfilled(world)
    assert patch(world, made, {"tags": ["no tag"]}).problem == "validation-failed"
    assert patch(world, made, {"name": "x"}, None).problem == "precondition-required"
    assert patch(world, made, {"name": "x"}, '"7"').problem == "precondition-failed"


def test_the_key_is_looked_at_before_the_range() -> None:
    world = ApiWorld()
    job = world.create(**NIGHTLY)
    first = post(world, job, "backfill", RANGE, idempotency_key="k")
    again = post(world, job, "backfill", RANGE, idempotency_key="k")
    assert (again.status, again.headers["Idempotency-Replayed"]) == (201, "true")
    assert again.json == first.json
    assert again.headers["Location"] == first.headers["Location"]
    other = post(world, job, "backfill", RANGE | {"every_seconds": 9}, idempotency_key="k")
    assert (other.status, other.problem) == (422, "idempotency-key-reused")
    assert world.post(JOB, idempotency_key="k").problem == "idempotency-key-reused"
    assert post(world, job, "backfill", RANGE, idempotency_key="no key").problem == "idempotency-key-invalid"
