"""If-Match and If-None-Match on every route that has them: lists, `*`, weak tags, tags without quotes."""

from typing import Any

import pytest

from functions.api.http.route import Route
from functions.api.reference.pages import PAGES
from tests.support.api.api_world import JOB, Answer, ApiWorld, Request
from tests.support.api.job_requests import send
from tests.support.api.request_factory import BODIES, name_of, path_of, routes

OTHER_TAGS = [
    '""',
    '"0"',
    '"01"',
    '"-1"',
    '"1.0"',
    '"2"',
    'W/"1"',
    'W/"1", "2"',
    '"2", "3"',
    '"*"',
    '"1,2"',
    '"9999999999"',
]
"""ETags that no job at revision 1 has; a weak one never matches (RFC 9110, 13.1.1)."""
NO_TAGS = [
    "",
    " ",
    "1",
    '"1',
    '1"',
    "**",
    "null",
    '"1"x',
    "'1'",
    '"1" "1"',
    "1, 2",
    '"1",',
    '*, "1"',
    'w/"1"',
]
NO_TAGS += ['"\N{ARABIC-INDIC DIGIT ONE}"', '"a\nb"']
SAME_TAGS = ['"1"', ' "1" ', "*", '"7", "1"', 'W/"x", "1"', '"1","2"']
CONDITIONAL = routes(lambda route: "If-Match" in route.headers)
RECURRING = {"rate_seconds": 60}


NAMES = {"calendar": "plant", "trigger": "plant"}
KEYED = {"schedule": RECURRING, "request": JOB["request"]}


def is_of_workflows(route: Route) -> bool:
    return route.path.startswith("/v1/workflows")


def is_named(route: Route) -> bool:
    """Whether the route changes a calendar or a trigger, which have names."""
    return route.path.startswith(("/v1/calendars", "/v1/triggers"))


def described(route: Route, world: ApiWorld, **members: Any) -> dict[str, Any]:
    """A calendar or a trigger."""
    if route.path.startswith("/v1/calendars"):
        return {"dates_out": ["2030-12-24"], **members}
    listed = world.get("/v1/jobs").json["jobs"]
    job = listed[0] if listed else world.create(schedule=RECURRING)
    return {"job_id": job["id"], "pattern": {"source": ["shop"]}, **members}


def created(route: Route, world: ApiWorld) -> Any:
    """A job, a workflow, a calendar or a trigger that the route can change."""
    if is_named(route):
        path = path_of(route, NAMES)
        assert send(world, "PUT", path, described(route, world)).status == 200
        return world.get(path).json
    if is_of_workflows(route):
        if "key" in route.path_parts:
            path = path_of(route, {"key": "k"})
            return send(world, "PUT", path, BODIES["putWorkflow"]).json["workflow"]
        return send(world, "POST", "/v1/workflows", BODIES["createWorkflow"]).json
    if "key" not in route.path_parts:
        return world.create(schedule=RECURRING)
    job_id = send(world, "PUT", path_of(route, {"key": "k"}), KEYED).json["job"]["id"]
    return world.get(f"/v1/jobs/{job_id}").json


def changed(route: Route, world: ApiWorld, job: Any, tag: str) -> Answer:
    """The answer to the route's request under this condition."""
    if is_named(route):
        body = described(route, world, set="other") if route.method == "PUT" else None
        return send(world, route.method, path_of(route, NAMES), body, tag)
    whole = BODIES["putWorkflow"] if is_of_workflows(route) else KEYED
    body = {"PATCH": {"name": "other"}, "PUT": whole | {"name": "other"}}.get(route.method)
    ids = {"job_id": job["id"], "workflow_id": job["id"], "key": "k"}
    return send(world, route.method, path_of(route, ids), body, tag)


REFUSED = [
    *((tag, "precondition-failed", "If-Match") for tag in OTHER_TAGS),
    *((tag, "malformed-request", 'If-Match: "3"') for tag in NO_TAGS),
]


@pytest.mark.parametrize("route", CONDITIONAL, ids=name_of)
@pytest.mark.parametrize(("tag", "problem", "text"), REFUSED)
def test_if_match_that_does_not_hold_changes_nothing(route: Route, tag: str, problem: str, text: str) -> None:
    """A tag without quotes, as in `If-Match: 3`, used to be a 412 that told of revision 3."""
    world = ApiWorld()
    job = created(route, world)
    answer = changed(route, world, job, tag)
    assert (answer.problem, text in answer.json["detail"]) == (problem, True)
    if is_named(route):
        assert world.get(path_of(route, NAMES)).json == job
        return
    if is_of_workflows(route):
        assert world.get(f"/v1/workflows/{job['id']}").json == job
        return
    assert world.get(f"/v1/jobs/{job['id']}").json == job
    assert world.get(f"/v1/jobs/{job['id']}/executions").json["executions"][1:] == []


@pytest.mark.parametrize("route", CONDITIONAL, ids=name_of)
@pytest.mark.parametrize("tag", SAME_TAGS)
def test_if_match_accepts_the_tag_of_the_job_in_a_list_and_the_star(route: Route, tag: str) -> None:
    world = ApiWorld()
    assert changed(route, world, created(route, world), tag).status == route.success


@pytest.mark.parametrize("schedule", [{"rate_seconds": 60}, {"delay_seconds": 60}])
def test_a_deletion_may_be_repeated_with_its_tag_and_not_with_what_is_none(schedule: dict[str, int]) -> None:
    world = ApiWorld()
    path = f"/v1/jobs/{world.create(schedule=schedule)['id']}"
    first, again = (send(world, "DELETE", path, match='"1"') for _ in range(2))
    assert (first.status, again.status, again.json["state"]) == (200, 200, first.json["state"])
    assert first.headers["ETag"] == f'"{first.json["revision"]}"'
    for tag in ('W/"1"', '"0"', '"01"'):
        assert send(world, "DELETE", path, match=tag).problem == "precondition-failed"


def test_trigger_that_is_repeated_after_a_change_of_the_job_returns_its_run() -> None:
    world = ApiWorld()
    job = world.create(schedule=RECURRING)
    path = f"/v1/jobs/{job['id']}/trigger"
    first = send(world, "POST", path, match='"1"', idempotency_key="k")
    send(world, "PATCH", f"/v1/jobs/{job['id']}", {"name": "other"}, "*")
    again = send(world, "POST", path, match='"1"', idempotency_key="k")
    assert (first.status, again.status, again.json["id"]) == (201, 201, first.json["id"])
    assert send(world, "POST", path, match='"1"', idempotency_key="l").problem == "precondition-failed"


@pytest.mark.parametrize("rivals", [1, 4])
def test_star_applies_a_patch_to_what_a_rival_made_of_the_job(rivals: int) -> None:
    """Eight patches with `*` at once used to end with six 412, for which `*` has no rule."""
    world = ApiWorld()
    job = world.create(schedule=RECURRING)
    path = f"/v1/jobs/{job['id']}"

    def rival() -> None:
        send(world, "PATCH", path, {"tags": ["rival"]}, "*")

    for _ in range(rivals):
        world.world.steps.before("jobs.replace", rival)
    answer = send(world, "PATCH", path, {"name": "mine"}, "*")
    assert (answer.status, answer.json["name"], answer.json["tags"]) == (200, "mine", ["rival"])


def test_star_under_changes_without_end_is_503_and_not_412() -> None:
    world = ApiWorld()
    job = world.create(schedule=RECURRING)
    number = iter(range(1_000))

    def rival() -> None:
        send(world, "PATCH", f"/v1/jobs/{job['id']}", {"tags": [f"rival{next(number)}"]}, "*")

    for _ in range(40):
        world.world.steps.before("jobs.replace", rival)
    answer = send(world, "PATCH", f"/v1/jobs/{job['id']}", {"name": "mine"}, "*")
    assert (answer.status, answer.headers["Retry-After"]) == (503, "1")


@pytest.mark.parametrize("tag", ['"1"', 'W/"1"', "*", '"7", W/"1"'])
@pytest.mark.parametrize("schedule", [RECURRING, {"delay_seconds": 60}])
def test_job_that_the_client_knows_is_304_without_a_body(schedule: dict[str, int], tag: str) -> None:
    world = ApiWorld()
    path = f"/v1/jobs/{world.create(schedule=schedule)['id']}"
    answer = send(world, "GET", path, if_none_match=tag)
    assert (answer.status, answer.text, answer.headers["ETag"]) == (304, "", '"1"')
    assert send(world, "PATCH", path, {"name": "other"}, "*").status == 200
    changed_since = send(world, "GET", path, if_none_match=tag)
    assert changed_since.status == (304 if tag == "*" else 200)


@pytest.mark.parametrize("tag", NO_TAGS)
def test_if_none_match_that_is_no_tag_is_400(tag: str) -> None:
    world = ApiWorld()
    path = f"/v1/jobs/{world.create()['id']}"
    assert send(world, "GET", path, if_none_match=tag).problem == "malformed-request"


@pytest.mark.parametrize("page", PAGES)
def test_page_that_the_client_knows_is_304_by_its_tag_in_a_list_or_by_the_star(page: str) -> None:
    world = ApiWorld()
    tag = world.get(page).headers["ETag"]
    for known in (tag, f'"x", {tag}', tag.removeprefix("W/"), "*"):
        answer = world.handle(Request(method="GET", path=page, headers={"if-none-match": known}))
        assert (answer.status, answer.text) == (304, "")
    other = world.handle(Request(method="GET", path=page, headers={"if-none-match": '"x"'}))
    assert other.status == 200
