"""Triggers and events, as clients and receivers see them."""

import json
from dataclasses import replace
from typing import Any

import pytest

from shared.domain.ids import parse_execution_id
from shared.domain.tenancy.quota import Quota
from shared.domain.triggers.trigger import MAX_TRIGGERS
from tests.support.api.api_world import JOB
from tests.support.api.event_shop import DAILY, LARGE, PAID, Shop
from tests.support.api.job_requests import post, send
from tests.support.builders import TENANT
from tests.support.usecases.reconciling import collected_in_a_day

DAY_MS = 86_400_000


def test_trigger_is_shown_as_it_was_put_and_listed_by_name() -> None:
    shop = Shop()
    shown = shop.api.get("/v1/triggers/large").json
    assert shown == {
        "name": "large",
        "version": 1,
        "pattern": LARGE,
        "job_id": shop.job["id"],
        "delay_seconds": 0,
        "changed_at": shown["changed_at"],
    }
    other = shop.put("a-1", delay_seconds=5).json
    assert shop.api.get("/v1/triggers").json == {"triggers": [other, shown]}


def test_trigger_version_grows_with_each_change_alone() -> None:
    shop = Shop()
    assert shop.put("large").json["version"] == 1
    assert shop.put("large", delay_seconds=1).json["version"] == 2
    assert send(shop.api, "DELETE", "/v1/triggers/large").json["version"] == 2
    assert shop.api.get("/v1/triggers/large").status == 404
    assert send(shop.api, "DELETE", "/v1/triggers/large").status == 404
    assert shop.put("large").json["version"] == 1


def test_event_starts_the_job_with_its_data_beside_the_body() -> None:
    shop = Shop()
    match = shop.started()
    assert (match["trigger"], match["job_id"], match["outcome"]) == ("large", shop.job["id"], "filed")
    shop.pass_seconds(2)
    (body,) = shop.bodies()
    assert body == {"event": PAID, "body": JOB["request"]["json"]}
    (call,) = shop.api.world.sender.calls
    headers = dict(call.callback.headers)
    assert headers["webhook-id"] == match["execution_id"]
    assert headers["Content-Type"] == "application/json"
    shown = shop.api.get(f"/v1/executions/{match['execution_id']}").json
    assert (shown["state"], shown["job_id"]) == ("succeeded", shop.job["id"])
    assert shown["event"] == {"trigger": "large", "source": "shop", "id": "order-1"}
    listed = shop.api.get(f"/v1/jobs/{shop.job['id']}/executions").json["executions"]
    assert match["execution_id"] in [each["id"] for each in listed]


@pytest.mark.parametrize("changes", [{"source": "other"}, {"data": {"amount": 99}}, {"data": {}}])
def test_event_that_matches_no_trigger_starts_nothing(changes: dict[str, Any]) -> None:
    shop = Shop()
    assert shop.send(**changes).json["matches"] == []
    shop.pass_seconds(60)
    assert shop.bodies() == []


def test_event_sent_again_starts_nothing_more_for_a_day() -> None:
    shop = Shop()
    first = shop.started()
    shop.pass_seconds(10)
    assert shop.started() == first | {"outcome": "repeated"}
    shop.pass_seconds(10)
    assert len(shop.bodies()) == 1
    shop.api.world.clock.time_ms += DAY_MS
    assert shop.started()["outcome"] == "filed"


def test_event_with_the_id_of_another_one_is_refused() -> None:
    shop = Shop()
    first = shop.started()
    refused = shop.send(data={"amount": 121})
    assert (refused.status, refused.problem) == (422, "idempotency-key-reused")
    assert "source and id" in refused.json["detail"]
    assert shop.started(source="shop", id="order-2")["outcome"] == "filed"
    assert shop.started() == first | {"outcome": "repeated"}


def test_refused_event_leaves_no_record_for_a_trigger_that_it_would_match_anew() -> None:
    shop = Shop()
    shop.started()
    shop.put("a-new")
    assert shop.send(type="order.cancelled").status == 422
    outcomes = {each["trigger"]: each["outcome"] for each in shop.send().json["matches"]}
    assert outcomes == {"a-new": "filed", "large": "repeated"}


def test_event_starts_a_run_of_its_own_for_each_matching_trigger() -> None:
    shop = Shop()
    shop.put("also", pattern={"$or": [{"type": ["order.paid"]}, {"source": ["x"]}]})
    shop.put("never", pattern={"type": ["refund"]})
    matches = shop.send().json["matches"]
    assert [each["trigger"] for each in matches] == ["also", "large"]
    assert len({each["execution_id"] for each in matches}) == 2
    shop.pass_seconds(2)
    assert len(shop.bodies()) == 2


def test_run_is_due_after_the_delay_of_its_trigger() -> None:
    shop = Shop()
    shop.put("large", delay_seconds=7_200)
    match = shop.started()
    now_ms = shop.api.world.clock.time_ms
    shop.pass_seconds(7_190)
    assert shop.bodies() == []
    shop.pass_seconds(20)
    assert len(shop.bodies()) == 1
    (call,) = shop.api.world.sender.calls
    assert call.at >= now_ms + 7_200_000
    assert shop.started() == match | {"outcome": "repeated"}


def test_event_of_the_future_counts_when_it_is_to_be_delivered() -> None:
    shop = Shop()
    shop.put("large", delay_seconds=60)
    match = shop.started(deliver_at="2025-02-19T23:00:00+01:00")
    assert match["due_at"] == "2025-02-19T22:01:00.000Z"
    assert "deliver_at" not in shop.api.get("/v1/events").text


@pytest.mark.parametrize("deliver_at", ["tomorrow", "2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"])
def test_instant_of_an_event_that_cannot_be_is_refused(deliver_at: str) -> None:
    refused = Shop().send(deliver_at=deliver_at)
    assert refused.problem == "validation-failed"
    assert refused.json["errors"][0]["pointer"] == "/deliver_at"


def test_paused_job_is_started_by_events_all_the_same() -> None:
    shop = Shop()
    post(shop.api, shop.job, "pause")
    assert shop.started()["outcome"] == "filed"
    shop.pass_seconds(2)
    assert len(shop.bodies()) == 1


def test_event_says_that_a_deleted_job_starts_no_more() -> None:
    shop = Shop()
    send(shop.api, "DELETE", f"/v1/jobs/{shop.job['id']}")
    match = shop.started()
    assert (match["outcome"], match["reason"]) == ("refused", "the job is deleted")
    assert "execution_id" not in match


def test_run_that_waits_for_its_delay_ends_with_its_job() -> None:
    shop = Shop()
    shop.put("large", delay_seconds=600)
    match = shop.started()
    send(shop.api, "DELETE", f"/v1/jobs/{shop.job['id']}")
    shop.pass_seconds(700)
    assert shop.bodies() == []
    shown = shop.api.get(f"/v1/executions/{match['execution_id']}").json
    assert shown["state"] in ("cancelled", "failed", "skipped")


def test_large_body_with_an_event_is_stored_apart() -> None:
    own = {"text": "a" * 5_000}
    shop = Shop(request={"url": "https://receiver.example/hook", "json": own})
    match = shop.started(data={"amount": 100, "note": "b" * 30_000})
    shop.pass_seconds(2)
    (body,) = shop.bodies()
    assert body["body"] == own
    assert len(body["event"]["data"]["note"]) == 30_000
    redriven = shop.api.get(f"/v1/executions/{match['execution_id']}").json
    assert redriven["state"] == "succeeded"


def test_event_that_does_not_fit_beside_the_body_is_refused_for_its_trigger() -> None:
    shop = Shop(request={"url": "https://receiver.example/hook", "body": "a" * 199_000})
    match = shop.started(data={"amount": 100, "note": "b" * 30_000})
    assert (match["outcome"], "at most 204800" in match["reason"]) == ("refused", True)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"data": {"a": "b" * 40_000}}, "/data"),
        ({"source": ""}, "/source"),
        ({"type": "a\nb"}, "/type"),
        ({"id": "a" * 257}, "/id"),
        ({"data": []}, "/data"),
        ({"detail": {}}, "/detail"),
    ],
)
def test_event_that_cannot_be_is_refused_with_a_pointer(changes: dict[str, Any], pointer: str) -> None:
    refused = Shop().send(**changes)
    assert refused.problem == "validation-failed"
    assert refused.json["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"pattern": {"source": "shop"}}, "/pattern/source"),
        ({"pattern": {"data": {"amount": [{"numeric": [">", "1"]}]}}}, "/pattern/data/amount/0/numeric/1"),
        ({"pattern": {}}, "/pattern"),
        ({"pattern": {"source": ["a" * 5_000]}}, "/pattern"),
        ({"job_id": "job_r" + "0" * 27}, "/job_id"),
        ({"job_id": "nonsense"}, "/job_id"),
        ({"delay_seconds": -1}, "/delay_seconds"),
        ({"delay_seconds": 32_000_000}, "/delay_seconds"),
    ],
)
def test_trigger_that_cannot_be_is_refused_with_a_pointer(changes: dict[str, Any], pointer: str) -> None:
    refused = Shop().put("large", **changes)
    assert refused.problem == "validation-failed"
    assert refused.json["errors"][0]["pointer"] == pointer


def test_trigger_of_a_one_off_or_deleted_job_is_refused() -> None:
    shop = Shop()
    once = shop.api.create()
    refused = shop.put("other", job_id=once["id"])
    assert "a recurring job" in refused.json["errors"][0]["detail"]
    send(shop.api, "DELETE", f"/v1/jobs/{shop.job['id']}")
    refused = shop.put("other")
    assert "the job is deleted" in refused.json["errors"][0]["detail"]


def test_tenant_has_a_limited_number_of_triggers() -> None:
    shop = Shop()
    for number in range(MAX_TRIGGERS - 1):
        assert shop.put(f"t{number}").status == 200
    refused = shop.put("one-more")
    assert (refused.status, refused.problem) == (409, "invalid-state")
    assert shop.put("large", delay_seconds=1).status == 200
    assert len(shop.send().json["matches"]) == MAX_TRIGGERS


def test_name_that_no_trigger_can_have_is_not_found() -> None:
    shop = Shop()
    assert shop.put("No.Trigger").status == 404
    assert shop.api.get("/v1/triggers/No.Trigger").status == 404


def test_event_starts_a_run_of_the_workflow_that_a_job_names() -> None:
    shop = Shop()
    task = {"key": "a", "request": {"url": "https://receiver.example/task"}}
    workflow = send(shop.api, "POST", "/v1/workflows", {"tasks": [task]}).json["id"]
    document = {"schedule": {"rate_seconds": 86_400}, "workflow": workflow}
    job = send(shop.api, "POST", "/v1/jobs", document).json
    shop.put("large", job_id=job["id"])
    assert shop.started()["outcome"] == "filed"
    shop.pass_seconds(60)
    runs = shop.api.get(f"/v1/workflows/{workflow}/runs").json["runs"]
    assert [run["state"] for run in runs] == ["succeeded"]


ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
QUEUE = "arn:aws:sqs:eu-west-1:111122223333:orders"


class QueueShop(Shop):
    """The job sends to a queue."""

    def __init__(self, **message: Any) -> None:
        super().__init__()
        world = self.api.world
        world.tenants.tenants[TENANT] = replace(world.tenant, target_roles=(ROLE,))
        target = {"sqs": {"arn": QUEUE} | message}
        made = send(self.api, "POST", "/v1/jobs", DAILY | {"target": target})
        assert made.status == 201, made.text
        self.job = made.json
        assert self.put("large").status == 200


@pytest.mark.parametrize(
    ("message", "own"), [({"json": {"n": 1}}, {"n": 1}), ({"body": "plain text"}, "plain text")]
)
def test_message_of_a_job_with_a_queue_has_the_event(message: dict[str, Any], own: Any) -> None:
    shop = QueueShop(**message)
    data = {"amount": 100, "note": "a\x00b\ufffe\uffff"}
    assert shop.started(data=data)["outcome"] == "filed"
    shop.pass_seconds(2)
    [sent] = shop.api.world.targets.calls
    assert json.loads(sent.call.body) == {"event": PAID | {"data": data}, "body": own}
    assert not set("\x00\ufffe\uffff") & set(sent.call.body.decode())


def test_event_that_does_not_fit_beside_the_message_is_refused_for_its_trigger() -> None:
    shop = QueueShop(body="a" * 199_000)
    match = shop.started(data={"amount": 100, "note": "b" * 30_000})
    assert (match["outcome"], "at most 204800" in match["reason"]) == ("refused", True)


def test_runs_of_an_event_count_in_the_minute_in_which_they_are_due() -> None:
    shop = Shop()
    shop.put("also", delay_seconds=600)
    shop.put("third", delay_seconds=600)
    shop.api.allow(Quota.DUE_PER_MINUTE, 1)
    refused = shop.send()
    assert (refused.status, refused.problem, refused.json["quota"]) == (
        429,
        "quota-exceeded",
        "due_per_minute",
    )
    shop.pass_seconds(700)
    assert shop.bodies() == []
    shop.api.allow(Quota.DUE_PER_MINUTE, 2)
    # The refused event has claimed nothing, so another one may take its ID.
    first = shop.send(data={"amount": 300})
    assert [each["outcome"] for each in first.json["matches"]] == ["filed"] * 3
    shop.api.allow(Quota.DUE_PER_MINUTE, 0)
    again = shop.send(data={"amount": 300})
    assert [each["outcome"] for each in again.json["matches"]] == ["repeated"] * 3


def test_run_that_is_refused_needs_no_place_in_its_minute() -> None:
    shop = Shop()
    send(shop.api, "DELETE", f"/v1/jobs/{shop.job['id']}")
    shop.api.allow(Quota.DUE_PER_MINUTE, 0)
    assert shop.started()["outcome"] == "refused"


def test_trigger_that_gets_another_job_starts_that_job_for_the_same_event() -> None:
    shop = Shop()
    first = shop.started()
    shop.job = shop.api.create(**DAILY)
    shop.put("large")
    second = shop.started()
    assert (second["outcome"], second["job_id"]) == ("filed", shop.job["id"])
    shown = shop.api.get(f"/v1/executions/{second['execution_id']}").json
    assert (shown["job_id"], shown["id"] == first["execution_id"]) == (shop.job["id"], False)


GET = {"method": "GET", "url": "https://receiver.example/hook", "headers": {"X-Long": "a" * 2_000}}
HOOK = "https://receiver.example/" + "a" * 1_500


@pytest.mark.parametrize("described", ["request", "target", "workflow"])
def test_run_that_waits_has_a_request_of_its_own(described: str) -> None:
    shop = QueueShop(body="a" * 2_000) if described == "target" else Shop(request=GET)
    if described == "workflow":
        task = {"key": "a", "request": {"url": "https://receiver.example/task"}}
        workflow = send(shop.api, "POST", "/v1/workflows", {"tasks": [task]}).json["id"]
        document = DAILY | {"workflow": workflow, "on_success": HOOK}
        shop.job = send(shop.api, "POST", "/v1/jobs", document).json
    shop.put("large", delay_seconds=366 * 86_400)
    run_id = parse_execution_id(shop.started()["execution_id"])
    other = {"request": {"url": "https://other.example/"}, "target": None, "workflow": None}
    changed = send(shop.api, "PATCH", f"/v1/jobs/{shop.job['id']}", other, match='"1"')
    assert changed.status == 200, changed.text
    world = shop.api.world
    world.clock.time_ms += 30 * DAY_MS
    assert collected_in_a_day(world) == 1
    payload_id = world.standing(run_id).call.payload_id
    assert payload_id is not None
    expires_at_s = world.table.payload_expires_at_s[TENANT, payload_id]
    assert expires_at_s * 1000 > run_id.dispatch_at + 14 * DAY_MS


def test_event_that_takes_too_many_comparisons_is_refused_before_anything_is_claimed() -> None:
    shop = Shop()
    prefixes = [{"prefix": f"p{number}"} for number in range(200)]
    shop.put("slow", pattern={"data": {"items": prefixes}})
    refused = shop.send(data={"amount": 120, "items": ["a"] * 6_000})
    assert refused.problem == "validation-failed"
    (error,) = refused.json["errors"]
    assert error["pointer"] == "/data"
    assert "more than 1,000,000 comparisons" in error["detail"]
    assert shop.started(data={"amount": 120, "items": ["a"] * 600})["outcome"] == "filed"


def test_triggers_that_race_beyond_their_number_start_nothing() -> None:
    shop = Shop()
    stored = shop.api.world.cases.triggers.triggers.get(TENANT, "large")
    for number in range(MAX_TRIGGERS + 5):
        shop.api.world.triggers.put(TENANT, replace(stored, name=f"a{number:02}"), None)
    names = [each["trigger"] for each in shop.send().json["matches"]]
    assert names == [f"a{number:02}" for number in range(MAX_TRIGGERS)]
