"""Checks of every response, in addition to those of Schemathesis."""

import re
from typing import Any, cast

import schemathesis
from schemathesis import Case, CheckContext, Response
from schemathesis.core.parameters import ParameterLocation

from functions.api.http.admission import OPERATORS_PATH
from functions.api.http.problems import CONTENT_TYPE
from functions.api.routes import every_route
from tests.support.contract.gateway import Got, Sent
from tests.support.contract.neighbours import Neighbours

_BY_OPERATION = {route.operation: route for route in every_route()}
REFUSALS = [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 428]
_OF_HTTP = {"content-type", "content-length", "content-encoding", "date", "server", "connection"}
_RULES = {
    "already-exists",
    "callback-url-not-allowed",
    "schedule-never-fires",
    "schedule-in-past",
    "schedule-too-far",
    "invalid-cursor",
    "idempotency-key-reused",
    "invalid-state",
    "not-found",
    "precondition-failed",
    "quota-exceeded",
    "unauthenticated",
}
"""Problems that depend on state and not on the schema of a request."""
_UNTOLD = (
    "from must be before to",
    "from is at most",
    "must be an RFC 3339 instant",
    "beyond 64 bits",
    "range of doubles",
    "a range has at most",
    "to must be in the future",
    "statistics of one job reach back",
    "the jobs of a day are counted when it is over",
)
"""Rules that a schema cannot express, as worded in the error messages."""
_RULED = (
    "/schedule",
    "/at",
    "/cron",
    "/expression",
    "/timezone",
    "/start_at",
    "/end_at",
    "/from",
    "/to",
    "/when_suspended",
    "/id",
    "/retry",
    "/scopes",
    "/request/headers",
    "/target",
    "/request/url",
    "/on_success",
    "/on_failure",
    "/overlap_policy",
    "/alerts",
    "/async_deadline_seconds",
    "/blackouts",
    "/debounce_seconds",
    "/debounce_max_seconds",
    "/routes",
    "/catch_up",
    "/late_tolerance_seconds",
    "/signing_secret",
    "/start_deadline_seconds",
    "/action",
    "/confirm",
    "/country",
    "/data",
    "/debounce_max_seconds",
    "/dates_in",
    "/dates_out",
    "/weekend",
    "/deliver_at",
    "/filter/created_from",
    "/filter/created_to",
    "/filter/q",
    "/filter/set",
    "/filter/state",
    "/grace_hours",
    "/input",
    "/job_id",
    "/patch",
    "/pattern",
    "/plan",
    "/reason",
    "/result",
    "/source",
    "/tasks",
    "/type",
    "/workflow",
)
"""Parts of bodies that have a grammar of their own, or a rule about two members or about what is stored, by how their
pointers begin."""


_MAKES = {
    "createJob": "job_id",
    "createKey": "key_id",
    "rotateSigningSecret": "secret_id",
    "redriveDeadLetters": "redrive_id",
    "changeJobs": "bulk_task_id",
    "searchExecutions": "search_id",
    "createWorkflow": "workflow_id",
    "startRun": "run_id",
}


class UnderTest:
    """Checks against one deployment. Only one is active at a time: Schemathesis identifies checks by name."""

    neighbours: Neighbours


def _slug(response: Response) -> str:
    document = response.json() if response.headers.get("content-type", [""])[0] == CONTENT_TYPE else {}
    return str(document.get("type", "")).removeprefix("urn:punctual:problem:")


@schemathesis.check
def reaches_its_operation(ctx: CheckContext, response: Response, case: Case) -> None:
    """Records the response, to detect runs that tested nothing and to reuse ids later."""
    near, operation = UnderTest.neighbours, case.operation.definition.raw["operationId"]
    near.statuses.setdefault(operation, set()).add(response.status_code)
    if response.status_code in (201, 202) and operation in _MAKES:
        near.ours.ids[_MAKES[operation]].append(response.json()["id"])


@schemathesis.check
def every_error_is_a_problem_of_its_operation(ctx: CheckContext, response: Response, case: Case) -> None:
    """Every problem type must be documented for the operation."""
    if response.status_code < 400 or case.method != case.operation.method.upper():
        return
    route = _BY_OPERATION[case.operation.definition.raw["operationId"]]
    allowed = {problem.slug for problem in route.all_problems if problem.status == response.status_code}
    assert _slug(response) in allowed, f"{_slug(response)} is not one of {sorted(allowed)}"


@schemathesis.check
def every_header_is_described(ctx: CheckContext, response: Response, case: Case) -> None:
    """Every header of the API must be documented."""
    described = case.operation.definition.raw["responses"].get(str(response.status_code))
    if described is None or "$ref" in described:
        return
    unknown = {name.lower() for name in response.headers} - _OF_HTTP
    unknown -= {name.lower() for name in described.get("headers", {})}
    assert not unknown, f"not described: {sorted(unknown)}"


@schemathesis.check
def what_fits_the_schema_is_not_called_malformed(ctx: CheckContext, response: Response, case: Case) -> None:
    """A request that fits the schema may be refused only by a rule that a schema cannot express."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code < 400:
        return
    slug = _slug(response)
    if (
        slug == "validation-failed" and case.method != "PATCH"
    ):  # What comes of a patch is judged, not the patch.
        pointers = [error["pointer"] for error in response.json()["errors"]]
        assert all(_is_ruled(pointer) for pointer in pointers), f"refused at {pointers}: {response.text}"
    elif slug == "malformed-request":
        assert any(rule in response.text for rule in _UNTOLD), response.text
    elif slug != "validation-failed":
        assert slug in _RULES, f"refused as {slug}"


def _is_ruled(pointer: str) -> bool:
    return not pointer or pointer.startswith(_RULED)


@schemathesis.check
def a_batch_answers_for_each_job(ctx: CheckContext, response: Response, case: Case) -> None:
    """An error in one job of a batch is reported in the result of that job."""
    if case.operation.path == "/v1/jobs/batch" and response.status_code == 200:
        results = response.json()["results"]
        body = cast(dict[str, Any], case.body)
        assert len(results) == len(body["jobs"])
        is_negative = case.meta is not None and not case.meta.generation.mode.is_positive
        assert not is_negative or any(result["status"] >= 400 for result in results)


@schemathesis.check
def a_wrong_body_is_refused_where_none_is_needed(ctx: CheckContext, response: Response, case: Case) -> None:
    """Where no body at all is fine, Schemathesis takes its absence for wrong data: see the configuration."""
    route = _BY_OPERATION[case.operation.definition.raw["operationId"]]
    is_wrong = case.meta is not None and case.meta.is_negative_at(ParameterLocation.BODY)
    if route.body_is_optional and is_wrong and response.request.body:
        assert response.status_code in REFUSALS, f"accepted with {response.status_code}"


@schemathesis.check
def nothing_of_another_tenant_is_shown(ctx: CheckContext, response: Response, case: Case) -> None:
    """No response contains the other tenant's ids, except ids that the request named."""
    near, path = UnderTest.neighbours, case.operation.path
    if path.startswith(OPERATORS_PATH):
        return
    asked = f"{response.request.url} {response.request.body!r}"
    shown = {one for one in near.their_ids if one in response.text and one not in asked}
    assert not shown, f"of another tenant: {sorted(shown)}"


@schemathesis.check
def nobody_else_can_do_the_same(ctx: CheckContext, response: Response, case: Case) -> None:
    """The other tenant gets 404 for the same request on the same object; a key is a name that each tenant may use."""
    near, route = UnderTest.neighbours, _BY_OPERATION[case.operation.definition.raw["operationId"]]
    is_ours = bool(route.path_parts) and not route.is_open and not route.path.startswith(OPERATORS_PATH)
    if route.operation in ("putCalendar", "putTrigger"):
        return  # The other tenant would make one of its own, under which later requests succeed.
    if is_ours and 200 <= response.status_code < 300:
        theirs = near.answer(_as_theirs(near, response.request))
        if "key" in route.path_parts:
            ours = _job_id(response.text)  # A dry run of a creation shows no job.
            assert ours is None or ours != _job_id(str(theirs.body)), "one job under a key of two tenants"
        else:
            assert theirs.status == 404, f"{theirs.status}: {theirs.body[:200]!r}"


def _job_id(text: str) -> str | None:
    found = re.search(r"job_\w+", text)
    return found and found[0]


def _as_theirs(near: Neighbours, request: Any) -> Sent:
    headers = {name: str(value) for name, value in request.headers.items() if name.lower() != "authorization"}
    body = request.body or b""
    return Sent(
        method=request.method,
        target=request.path_url,
        headers=headers | {"Authorization": f"Bearer {near.theirs.key}"},
        body=body.encode() if isinstance(body, str) else body,
    )


@schemathesis.check
def what_was_cancelled_stays_so(ctx: CheckContext, response: Response, case: Case) -> None:
    """Jobs are kept after they have ended, so that "no use after free" means: shown, and shown as ended."""
    if case.operation.path == "/v1/jobs/{job_id}" and case.method == "DELETE" and response.status_code == 200:
        near = UnderTest.neighbours
        headers = {"Authorization": f"Bearer {near.ours.key}"}
        path = response.request.path_url.partition("?")[0]
        again: Got = near.answer(Sent(method="GET", target=path, headers=headers, body=b""))
        assert again.status == 200
        assert response.json()["next_due_at"] is None
        assert response.json()["state"] in ("cancelled", "deleted")
