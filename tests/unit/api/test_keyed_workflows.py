"""PUT /v1/workflows/by-key: what it creates, changes and leaves, what it tells of it, and what it refuses."""

from typing import Any

import orjson
import pytest

from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Scope
from shared.domain.workflows.workflow import WorkflowHead
from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.api.job_requests import send
from tests.support.usecases.steps import Crash, die

PATH = "/v1/workflows/by-key/shop.order"
CHARGE: dict[str, Any] = {
    "key": "charge",
    "request": {"url": "https://receiver.example/charge", "headers": {"X-Token": "s3cret"}, "body": "one"},
}
SHIP: dict[str, Any] = {
    "key": "ship",
    "after": ["charge"],
    "request": {"url": "https://receiver.example/ship"},
}
ORDER: dict[str, Any] = {"tasks": [CHARGE, SHIP]}
LARGE = "x" * 30_000


def put(
    world: ApiWorld,
    document: Any = ORDER,
    path: str = PATH,
    *,
    match: str | None = None,
    none_match: str | None = None,
    **query: str,
) -> Answer:
    given = {"if-match": match, "if-none-match": none_match}
    condition = {name: value for name, value in given.items() if value is not None}
    return world.handle(
        Request(
            method="PUT",
            path=path,
            headers=world.credential | {"content-type": "application/json"} | condition,
            query=query,
            body=orjson.dumps(document),
        )
    )


def live(world: ApiWorld) -> list[WorkflowHead]:
    return [each for each in world.world.table.workflows.values() if not each.is_deleted]


def fields_of(answer: Answer) -> dict[str, tuple[Any, Any]]:
    return {each["pointer"]: (each["before"], each["after"]) for each in answer.json["fields"]}


def with_charge(**members: Any) -> dict[str, Any]:
    return {"tasks": [CHARGE | members, SHIP]}


def with_request(**members: Any) -> dict[str, Any]:
    return with_charge(request=CHARGE["request"] | members)


def test_first_request_creates_the_workflow() -> None:
    world = ApiWorld()
    answer = put(world, ORDER | {"set": "shop"})
    assert (answer.status, answer.json["change"], answer.json["fields"]) == (200, "created", [])
    workflow = answer.json["workflow"]
    assert (workflow["key"], workflow["set"], workflow["revision"]) == ("shop.order", "shop", 1)
    assert world.get(PATH).json == world.get(f"/v1/workflows/{workflow['id']}").json == workflow
    assert world.get(PATH).headers["ETag"] == '"1"'
    assert "s3cret" not in answer.text


def test_repetition_changes_nothing_under_every_condition() -> None:
    world = ApiWorld()
    workflow = put(world).json["workflow"]
    for conditions in ({}, {"match": '"7"'}, {"none_match": "*"}, {"dry_run": "true"}):
        again = put(world, **conditions)
        assert (again.status, again.json["change"], again.json["workflow"]) == (200, "unchanged", workflow)


TASK = {"after": [], "run_if": "all_succeeded", "timeout_seconds": 30, "lane": "standard"}


@pytest.mark.parametrize(
    ("document", "fields"),
    [
        (ORDER | {"name": "order"}, {"/name": (None, "order")}),
        (ORDER | {"set": "shop"}, {"/set": (None, "shop")}),
        (ORDER | {"tags": ["x"]}, {"/tags": ([], ["x"])}),
        (ORDER | {"on_failure": "continue"}, {"/on_failure": ("fail_fast", "continue")}),
        (ORDER | {"deadline_seconds": 60}, {"/deadline_seconds": (86_400, 60)}),
        (with_charge(timeout_seconds=5), {"/tasks/charge/timeout_seconds": (30, 5)}),
        (with_charge(lane="bulk"), {"/tasks/charge/lane": ("standard", "bulk")}),
        (with_charge(retry={"max_attempts": 2}), {"/tasks/charge/retry/max_attempts": (5, 2)}),
        (with_request(body="two"), {"/tasks/charge/request/body": (None, None)}),
        (with_request(headers={"X-Token": "other"}), {"/tasks/charge/request/headers/X-Token": (None, None)}),
        (with_request(method="PUT"), {"/tasks/charge/request/method": ("POST", "PUT")}),
        ({"tasks": [SHIP, CHARGE]}, {"/tasks": (["charge", "ship"], ["ship", "charge"])}),
        ({"tasks": [CHARGE, SHIP | {"after": []}]}, {"/tasks/ship/after": (["charge"], [])}),
        ({"tasks": [CHARGE, SHIP | {"needs": ["charge"]}]}, {"/tasks/ship/needs": ([], ["charge"])}),
    ],
)
def test_changed_members_are_told_and_values_of_requests_are_not(
    document: dict[str, Any], fields: dict[str, tuple[Any, Any]]
) -> None:
    world = ApiWorld()
    workflow = put(world).json["workflow"]
    dry = put(world, document, dry_run="true")
    assert (dry.json["change"], fields_of(dry), dry.json["workflow"]) == ("updated", fields, workflow)
    assert world.get(PATH).json == workflow
    answer = put(world, document)
    assert (answer.json["change"], fields_of(answer)) == ("updated", fields)
    changed = answer.json["workflow"]
    assert (changed["id"], changed["revision"], changed["key"]) == (workflow["id"], 2, "shop.order")
    assert "s3cret" not in answer.text and "other" not in answer.text
    assert put(world, document).json["change"] == "unchanged"
    assert put(world).json["change"] == "updated"


def test_added_and_removed_tasks_are_told_without_their_headers_and_bodies() -> None:
    world = ApiWorld()
    put(world, {"tasks": [SHIP | {"after": []}]})
    added = fields_of(put(world))
    assert added.keys() == {"/tasks/charge", "/tasks/ship/after"}
    before, after = added["/tasks/charge"]
    assert (before, after["request"]) == (None, {"method": "POST", "url": "https://receiver.example/charge"})
    removed = put(world, {"tasks": [CHARGE]})
    assert fields_of(removed)["/tasks/ship"][1] is None
    assert "s3cret" not in removed.text


def test_dry_run_of_a_creation_creates_nothing() -> None:
    world = ApiWorld()
    answer = put(world, dry_run="true")
    assert (answer.json["change"], answer.json["workflow"]) == ("created", None)
    assert (live(world), world.get(PATH).status) == ([], 404)


def test_deleted_workflow_is_created_anew_with_another_id() -> None:
    world = ApiWorld()
    workflow = put(world).json["workflow"]
    world.delete(f"/v1/workflows/{workflow['id']}")
    assert world.get(PATH).problem == "not-found"
    again = put(world)
    assert again.json["change"] == "created"
    assert again.json["workflow"]["id"] != workflow["id"]


def test_patch_keeps_the_key_and_the_set() -> None:
    world = ApiWorld()
    workflow = put(world, ORDER | {"set": "shop"}).json["workflow"]
    changed = send(world, "PATCH", f"/v1/workflows/{workflow['id']}", {"name": "n"}, '"1"').json
    assert (changed["key"], changed["set"], changed["revision"]) == ("shop.order", "shop", 2)
    assert fields_of(put(world, ORDER | {"set": "shop"})) == {"/name": ("n", None)}


def test_keys_of_tenants_are_apart_and_workflows_share_none_with_jobs() -> None:
    world = ApiWorld()
    put(world)
    other = world.world.create_tenant.execute("globex")
    headers = {"authorization": f"Bearer {other.api_key}"}
    assert world.handle(Request(method="GET", path=PATH, headers=headers)).status == 404
    assert world.get("/v1/jobs/by-key/shop.order").status == 404


def test_list_shows_keys_and_is_filtered_by_set_page_by_page() -> None:
    world = ApiWorld()
    for number, name in enumerate(("shop", "other", "shop")):
        put(world, ORDER | {"set": name}, f"/v1/workflows/by-key/{name}.{number}")
        world.world.clock.time_ms += 1_000
    found: list[str] = []
    cursor, pages = "", 0
    while cursor is not None:
        page = world.get(
            "/v1/workflows", set="shop", limit="1", **({"cursor": cursor} if cursor else {})
        ).json
        found += [each["key"] for each in page["workflows"]]
        cursor, pages = page["next_cursor"], pages + 1
    assert (found, pages) == (["shop.0", "shop.2"], 4)
    assert world.get("/v1/workflows", set="a b").status == 400
    first = world.get("/v1/workflows", set="shop", limit="1").json["next_cursor"]
    assert world.get("/v1/workflows", set="other", limit="1", cursor=first).status == 400


@pytest.mark.parametrize("key", ["", "-x", ".x", "a b", "a%2Fb", "é", "x" * 129, "a\n", "a/b"])
def test_key_that_is_none_is_refused(key: str) -> None:
    world = ApiWorld()
    answer = put(world, path=f"/v1/workflows/by-key/{key}")
    assert answer.status in (404, 405)
    assert world.world.table.workflows == {}


@pytest.mark.parametrize("key", ["runs", "by-key", "x" * 128, "1"])
def test_key_that_looks_like_a_part_of_a_path_is_a_key(key: str) -> None:
    world = ApiWorld()
    assert put(world, path=f"/v1/workflows/by-key/{key}").json["change"] == "created"
    assert world.get(f"/v1/workflows/by-key/{key}").json["key"] == key


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"set": "a b"}, "/set"),
        ({"key": "other"}, "/key"),
        ({"tasks": []}, "/tasks"),
        ({"tasks": [SHIP]}, "/tasks/0/after/0"),
        (with_request(url="https://169.254.169.254/"), "/tasks/0/request/url"),
        (with_request(headers={"webhook-id": "x"}), "/tasks/0/request/headers/webhook-id"),
    ],
)
@pytest.mark.parametrize("stands", [False, True])
def test_refused_description_changes_nothing(change: dict[str, Any], pointer: str, stands: bool) -> None:
    world = ApiWorld()
    if stands:
        put(world)
    before = dict(world.world.table.workflows)
    for query in ({}, {"dry_run": "true"}):
        answer = put(world, ORDER | change, **query)
        assert answer.status == 422, answer.text
        assert pointer in {each["pointer"] for each in answer.json["errors"]}
    assert world.world.table.workflows == before


def test_set_of_a_workflow_without_a_key_is_refused() -> None:
    assert ApiWorld().post(ORDER | {"set": "shop"}, "/v1/workflows").status == 422


def test_quota_of_a_body_holds_for_a_dry_run_too() -> None:
    world = ApiWorld()
    world.allow(Quota.PAYLOAD_BYTES, 2)
    assert put(world, dry_run="true").problem == "quota-exceeded"


def test_key_without_the_scope_to_write_may_not_put() -> None:
    world = ApiWorld()
    world.limit_to(Scope.READ)
    assert put(world).problem == "forbidden"


def test_condition_decides_about_creations_and_changes() -> None:
    world = ApiWorld()
    assert put(world, match="*").problem == "precondition-failed"
    assert put(world, none_match="*").json["change"] == "created"
    other = ORDER | {"name": "n"}
    for query in ({}, {"dry_run": "true"}):
        refused = put(world, other, none_match="*", **query)
        assert (refused.status, refused.problem, refused.headers["ETag"]) == (412, "already-exists", '"1"')
        refused = put(world, other, match='"2"', **query)
        assert (refused.problem, refused.headers["ETag"]) == ("precondition-failed", '"1"')
    assert put(world, other, match='"1"').json["change"] == "updated"
    assert put(world, ORDER, match="*").json["workflow"]["revision"] == 3


def test_change_by_key_has_an_audit_record() -> None:
    world = ApiWorld()
    put(world)
    put(world)
    put(world, dry_run="true")
    put(world, ORDER | {"name": "n"})
    records = [each for each in world.world.audit_log.of("acme") if each.operation == "putWorkflow"]
    made, changed = sorted(records, key=lambda each: each.before is not None)
    assert (made.before, changed.before) == (None, made.after)
    assert changed.after != changed.before


def test_rival_that_creates_first_is_followed_by_an_update() -> None:
    world = ApiWorld()
    world.world.steps.before("workflows.create", lambda: put(world, ORDER | {"name": "rival"}))
    answer = put(world)
    assert (answer.json["change"], fields_of(answer)) == ("updated", {"/name": ("rival", None)})
    assert len(live(world)) == 1


def test_creation_whose_rival_creates_the_same_is_unchanged() -> None:
    world = ApiWorld()
    world.world.steps.before("workflows.create", lambda: put(world))
    assert put(world).json["change"] == "unchanged"
    assert len(live(world)) == 1


def test_rival_that_changes_first_is_changed_in_turn_and_is_not_under_a_condition() -> None:
    world = ApiWorld()
    put(world)
    world.world.steps.before("workflows.replace", lambda: put(world, ORDER | {"name": "rival"}))
    answer = put(world, ORDER | {"tags": ["mine"]})
    assert fields_of(answer) == {"/name": ("rival", None), "/tags": ([], ["mine"])}
    world.world.steps.before("workflows.replace", lambda: put(world, ORDER | {"name": "rival"}))
    refused = put(world, match='"3"')
    assert (refused.problem, refused.headers["ETag"]) == ("precondition-failed", '"4"')


def test_rival_that_deletes_first_is_followed_by_a_creation() -> None:
    world = ApiWorld()
    first = put(world).json["workflow"]["id"]
    world.world.steps.before("workflows.replace", lambda: world.delete(f"/v1/workflows/{first}"))
    answer = put(world, ORDER | {"name": "n"})
    assert (answer.json["change"], len(live(world))) == ("created", 1)
    assert answer.json["workflow"]["id"] != first


def test_workflow_that_is_deleted_after_its_key_was_read_is_created_anew() -> None:
    world = ApiWorld()
    first = put(world).json["workflow"]["id"]
    world.world.steps.after("workflows.keyed", lambda: world.delete(f"/v1/workflows/{first}"))
    assert put(world).json["change"] == "created"


@pytest.mark.parametrize("step", ["jobs.put_payload", "workflows.create"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_creation_that_crashed_leaves_one_workflow_once_it_is_repeated(step: str, moment: str) -> None:
    world = ApiWorld()
    getattr(world.world.steps, moment)(step, die)
    document = with_request(body=LARGE)
    with pytest.raises(Crash):
        put(world, document)
    assert put(world, document).json["change"] in ("created", "unchanged")
    assert len(live(world)) == 1


def test_large_body_of_a_rival_for_the_same_revision_does_not_become_that_of_the_winner() -> None:
    world = ApiWorld()
    put(world)
    mine, theirs = with_request(body=f"mine{LARGE}"), with_request(body=f"theirs{LARGE}")
    world.world.steps.before("workflows.replace", lambda: put(world, theirs))
    assert put(world, mine, match='"1"').problem == "precondition-failed"
    assert put(world, theirs).json["change"] == "unchanged"
    assert put(world, mine).json["change"] == "updated"
