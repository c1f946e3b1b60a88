"""Searches of executions over the API: started, shown with URLs, listed, cancelled, and refused in words."""

from typing import Any

import pytest

from shared.domain.archive.row import row_of
from shared.domain.bucket import MINUTE_MS
from shared.domain.executions.states import State
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.tenant import Scope
from shared.usecases.archive import find_matching
from tests.support.api.api_world import Answer, ApiWorld
from tests.support.builders import TENANT, in_state
from tests.support.usecases.archived import archive
from tests.support.usecases.ports import EARLY

PATH = "/v1/executions/search"
DAY_MS = 86_400_000
ALL: dict[str, Any] = {"from": "2020-01-01T00:00:00Z"}


def filled(**settings: Any) -> ApiWorld:
    """A deployment with an execution in its records, and one that the archive has alone."""
    api = ApiWorld(**settings)
    recent = api.world.one_off(1, due_at=EARLY - 3 * MINUTE_MS, name="import")
    api.world.put(in_state(recent, State.SUCCEEDED))
    old = in_state(api.world.one_off(2, due_at=EARLY - 30 * DAY_MS), State.FAILED)
    archive(api.world.archive_reader, api.world.history, [row_of(old)])
    return api


def path_of(answer: Answer) -> str:
    return f"/v1/searches/{answer.json['id']}"


def test_search_is_accepted_followed_and_read_through_its_urls() -> None:
    api = filled()
    started = api.post(ALL, PATH)
    assert started.status == 202, started.text
    assert started.headers["Location"] == path_of(started)
    search = started.json
    assert (search["state"], search["found"], search["to"]) == ("running", 0, search["created_at"])
    assert search["from"] == format_instant(EARLY - 400 * DAY_MS)
    running = api.get(path_of(started)).json
    assert (running["files"], running["urls_expire_at"]) == ([], None)
    assert running["progress_at"] == search["to"]
    api.world.process_bulk_tasks.execute()
    ended = api.get(path_of(started)).json
    assert (ended["state"], ended["found"], ended["progress_at"]) == ("finished", 2, None)
    assert (ended["truncated"], ended["next_to"]) == (False, None)
    (file,) = ended["files"]
    assert (file["rows"], file["bytes"] > 0) == (2, True)
    assert f"/{TENANT}/{search['id']}/" in file["url"]
    assert ended["urls_expire_at"] == format_instant(EARLY + 900_000)
    assert ended["expires_at"] == format_instant(EARLY + 7 * DAY_MS)


def test_expired_urls_are_renewed_by_another_request() -> None:
    api = filled()
    path = path_of(api.post(ALL, PATH))
    api.world.process_bulk_tasks.execute()
    first = api.get(path).json
    api.world.clock.time_ms += 3_600_000
    second = api.get(path).json
    assert first["files"][0]["url"] != second["files"][0]["url"]
    assert second["urls_expire_at"] > first["urls_expire_at"]
    api.world.clock.time_ms += 7 * DAY_MS
    assert (api.get(path).json["files"], api.get(path).json["found"]) == ([], 2)


def test_lines_are_those_of_the_list_without_the_response(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    real = find_matching._line

    def line(*args: Any) -> bytes:
        written.append(real(*args))
        return written[-1]

    monkeypatch.setattr(find_matching, "_line", line)
    api = filled()
    api.post(ALL, PATH)
    api.world.process_bulk_tasks.execute()
    shown: list[Any] = []
    cursor: dict[str, str] = {}
    while cursor.get("cursor", "first"):
        page = api.get("/v1/executions", **cursor).json
        shown += page["executions"]
        cursor = {"cursor": page["next_cursor"] or ""}
    lines = [Answer(200, {}, each.decode()).json for each in written]
    assert [each | {"last_response_body": None} for each in lines] == shown
    assert [list(each) for each in lines] == [
        [name for name in each if name != "last_response_body"] for each in shown
    ]


def test_truncated_search_names_where_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.domain.archive.search_task.MOST_FOUND", 1)
    monkeypatch.setattr(find_matching, "PAGE_ROWS", 1)
    api = filled()
    path = path_of(api.post(ALL, PATH))
    api.world.process_bulk_tasks.execute()
    first = api.get(path).json
    assert (first["found"], first["truncated"]) == (1, True)
    second = api.post(ALL | {"to": first["next_to"]}, PATH)
    api.world.process_bulk_tasks.execute()
    assert (api.get(path_of(second)).json["found"], api.get(path_of(second)).json["next_to"]) == (1, None)


def test_filter_is_shown_and_applied() -> None:
    api = filled()
    wanted = {"state": "failed", "job": None, "tag": None, "reason": None, "status": None, "lane": "standard"}
    sent = {name: value for name, value in wanted.items() if value is not None}
    started = api.post(ALL | {"filter": sent}, PATH)
    assert started.json["filter"] == wanted
    api.world.process_bulk_tasks.execute()
    assert api.get(path_of(started)).json["found"] == 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/from"),
        ({"from": None}, "/from"),
        ({"from": "yesterday"}, "/from"),
        ({"from": "2020-01-01T00:00:00"}, "/from"),
        ({"from": 5}, "/from"),
        ({"to": "2020-01-01T00:00:00Z"}, "/to"),
        ({"to": "2019-01-01T00:00:00Z"}, "/to"),
        ({"to": "x" * 65}, "/to"),
        ({"to": "2020-06-01T00:00:00Z"}, "/from"),
        ({"from": "9990-01-01T00:00:00Z"}, "/from"),
        ({"filter": None}, "/filter"),
        ({"filter": []}, "/filter"),
        ({"filter": {"state": "moved"}}, "/filter/state"),
        ({"filter": {"state": "FAILED"}}, "/filter/state"),
        ({"filter": {"job": "exe_1"}}, "/filter/job"),
        ({"filter": {"job": "' OR true"}}, "/filter/job"),
        ({"filter": {"tag": ""}}, "/filter/tag"),
        ({"filter": {"tag": "a b"}}, "/filter/tag"),
        ({"filter": {"reason": "ok"}}, "/filter/reason"),
        ({"filter": {"status": 99}}, "/filter/status"),
        ({"filter": {"status": 600}}, "/filter/status"),
        ({"filter": {"status": "503"}}, "/filter/status"),
        ({"filter": {"status": True}}, "/filter/status"),
        ({"filter": {"lane": "express"}}, "/filter/lane"),
        ({"filter": {"states": ["failed"]}}, "/filter/states"),
        ({"tenant": "globex"}, "/tenant"),
        ({"limit": 5}, "/limit"),
    ],
)
def test_body_that_is_not_exactly_right_is_refused(body: dict[str, Any], pointer: str) -> None:
    api = filled()
    base = {} if body in ({},) else ALL
    answer = api.post(base | body, PATH)
    assert (answer.status, answer.problem) == (422, "validation-failed"), answer.text
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
    assert api.world.search_tasks.tasks == {}


def test_every_fault_of_a_body_is_named() -> None:
    body = {"from": "x", "to": "y", "filter": {"state": "x", "job": "x", "tag": "", "reason": "x"}}
    pointers = {error["pointer"] for error in filled().post(body, PATH).json["errors"]}
    assert pointers == {"/from", "/to", "/filter/state", "/filter/job", "/filter/tag", "/filter/reason"}


def test_the_same_request_under_the_same_key_is_one_search() -> None:
    api = filled()
    first = api.post(ALL, PATH, idempotency_key="k")
    api.world.clock.time_ms += 60_000
    again = api.post(ALL, PATH, idempotency_key="k")
    assert (again.status, again.json) == (202, first.json)
    assert again.headers["Idempotency-Replayed"] == "true"
    other = api.post(ALL | {"filter": {"status": 503}}, PATH, idempotency_key="k")
    assert other.problem == "idempotency-key-reused"


def test_fourth_open_search_is_refused() -> None:
    api = filled()
    paths = [path_of(api.post(ALL, PATH)) for _ in range(3)]
    refused = api.post(ALL, PATH)
    assert (refused.status, refused.problem) == (409, "invalid-state")
    api.delete(paths[0])
    assert api.post(ALL, PATH).status == 202


def test_search_is_cancelled_once_and_not_after_its_end() -> None:
    api = filled()
    path = path_of(api.post(ALL, PATH))
    cancelled = api.delete(path)
    assert (cancelled.status, cancelled.json["state"]) == (200, "cancelled")
    assert api.delete(path).json == cancelled.json
    ended = path_of(api.post(ALL, PATH))
    api.world.process_bulk_tasks.execute()
    assert api.delete(ended).problem == "invalid-state"
    assert api.get(path).json["files"] == []


def test_searches_are_listed_newest_first_page_by_page() -> None:
    api, ids = filled(), []
    for _ in range(3):
        ids.append(api.post(ALL, PATH).json["id"])
        api.world.clock.time_ms += 1_000
    first = api.get("/v1/searches", limit="2").json
    assert [each["id"] for each in first["searches"]] == ids[:0:-1]
    assert not any("files" in each for each in first["searches"])
    second = api.get("/v1/searches", limit="2", cursor=first["next_cursor"]).json
    assert ([each["id"] for each in second["searches"]], second["next_cursor"]) == (ids[:1], None)
    assert api.get("/v1/searches", cursor="x").problem == "invalid-cursor"


def test_searches_of_another_tenant_are_not_found() -> None:
    api = filled()
    started = api.post(ALL, PATH)
    api.world.process_bulk_tasks.execute()
    other = api.world.create_tenant.execute("globex")
    api.credential = {"authorization": f"Bearer {other.api_key}"}
    assert api.get(path_of(started)).status == api.delete(path_of(started)).status == 404
    assert api.get("/v1/searches").json["searches"] == []
    own = api.post(ALL, PATH)
    api.world.process_bulk_tasks.execute()
    assert (api.get(path_of(own)).json["found"], api.get(path_of(own)).json["files"]) == (0, [])


@pytest.mark.parametrize(
    "search_id", ["srh_x", "blk_01jmg0r03sg2c8k9w3qdm7vtqn6y", "%2e%2e", "srh_" + "9" * 500]
)
def test_malformed_ids_are_not_found(search_id: str) -> None:
    api = filled()
    assert (
        api.get(f"/v1/searches/{search_id}").status == api.delete(f"/v1/searches/{search_id}").status == 404
    )


def test_scope_read_is_enough_and_necessary() -> None:
    api = filled()
    api.limit_to(Scope.READ)
    path = path_of(api.post(ALL, PATH))
    assert (api.get(path).status, api.delete(path).status) == (200, 200)
    api.limit_to(Scope.WRITE, Scope.ADMIN)
    api.world.clock.time_ms += 120_000
    for answer in (api.post(ALL, PATH), api.get(path), api.delete(path), api.get("/v1/searches")):
        assert (answer.status, answer.problem) == (403, "forbidden")


def test_start_and_cancellation_are_on_record() -> None:
    api = filled()
    started = api.post(ALL, PATH)
    api.world.clock.time_ms += 1
    api.delete(path_of(started))
    records = api.get("/v1/audit").json["records"][:2]
    assert [each["operation"] for each in records] == ["cancelSearch", "searchExecutions"]
    assert {each["target"] for each in records} == {started.json["id"]}


def test_stage_without_an_archive_has_no_searches() -> None:
    api = filled(archive_reader=None, archive_bucket=None)
    answer = api.post(ALL, PATH)
    assert (answer.status, answer.problem) == (409, "invalid-state")
    assert "list the executions" in answer.json["detail"]
    assert api.get("/v1/searches").json["searches"] == []
    assert api.get("/v1/searches/srh_01jmg0r03sg2c8k9w3qdm7vtqn6y").status == 404
    api.world.process_bulk_tasks.execute()


def test_unavailable_store_is_no_empty_answer() -> None:
    api = filled()
    api.world.steps.fail("search_tasks.create")
    assert api.post(ALL, PATH).status == 503
    api.world.steps.fail("search_tasks.latest")
    assert api.get("/v1/searches").status == 503
