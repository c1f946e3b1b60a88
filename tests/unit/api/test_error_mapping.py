"""Every error is a problem document: the first rule that is broken, and nothing that is not the client's to know."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import orjson
import pytest

from functions.api.http.admission import MAX_BODY_BYTES
from functions.api.http.problems import Problem
from functions.api.resources.jobs.models import JobIn
from shared.domain.errors import RequestRejectedError, UnavailableError, UnknownVersionError
from shared.domain.tenancy.tenant import Scope
from shared.names import Metric
from shared.observability import metrics
from tests.support.api.api_world import JOB, REQUEST_ID, ApiWorld, Request, logged
from tests.support.api.reached_problems import REACHED, SECRET, broken, schedule, with_body


def test_every_type_of_problem_is_reached_by_these_tests() -> None:
    assert set(REACHED) == set(Problem)


@pytest.mark.parametrize("problem", Problem)
def test_every_problem_is_a_document_with_the_request_id_and_without_caching(problem: Problem) -> None:
    status, ask = REACHED[problem]
    answer = ask(ApiWorld())
    assert (answer.status, answer.problem) == (status, problem.slug)
    assert answer.json["title"] == problem.title
    assert answer.json["instance"] == f"urn:punctual:request:{REQUEST_ID}"
    assert answer.headers["Cache-Control"] == "no-store"


def test_item_of_a_newer_version_is_503_with_retry_after() -> None:
    """While a deployment is replaced, whoever is asked next may be of that version."""
    answer = broken(UnknownVersionError("item has version 2"))(ApiWorld())
    assert (answer.status, answer.problem) == (503, "service-unavailable")
    assert answer.headers["Retry-After"] == "1"
    assert "version" not in answer.json["detail"]


@pytest.mark.parametrize("problem", Problem)
def test_no_problem_repeats_a_credential(problem: Problem) -> None:
    world = ApiWorld()
    answer = REACHED[problem][1](world)
    assert world.world.credentials.api_key.split("_")[2] not in answer.text
    assert SECRET not in answer.text


def test_an_unexpected_error_is_logged_and_counted_and_told_to_nobody() -> None:
    world = ApiWorld()
    with logged() as records:
        answer = broken(RuntimeError(SECRET))(world)
    assert (answer.status, SECRET in answer.text, "RuntimeError" in answer.text) == (500, False, False)
    (record,) = records
    assert record.__dict__["request_id"] == REQUEST_ID
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], RuntimeError)
    assert Metric.API_ERRORS in metrics.metric_set


def test_a_schema_that_our_own_answer_breaks_is_no_fault_of_the_clients() -> None:
    world = ApiWorld()
    world.world.steps.before("jobs.get", lambda: JobIn.model_validate({}))
    with logged() as records:
        answer = world.get("/v1/jobs/job_r" + "0" * 27)
    assert (answer.problem, len(records)) == ("internal-error", 1)


def test_a_store_that_does_not_answer_is_no_error_of_ours_and_may_be_asked_again() -> None:
    with logged() as records:
        answer = broken(UnavailableError("internal name of a table"))(ApiWorld())
    assert (answer.headers["Retry-After"], records) == ("1", [])
    assert "table" not in answer.text


def test_request_that_a_service_rejected_is_an_error_of_ours_and_not_worth_a_retry() -> None:
    with logged() as records:
        answer = broken(RequestRejectedError("PutItem: ValidationException: name of a table"))(ApiWorld())
    assert (answer.status, answer.problem, len(records)) == (500, "internal-error", 1)
    assert "Retry-After" not in answer.headers
    assert "table" not in answer.text


def test_validation_error_does_not_repeat_the_value_sent() -> None:
    world = ApiWorld()
    target = {"url": "https://receiver.example/", "headers": {"X-Token": SECRET, "X-Bad": SECRET + "\n"}}
    wrong_types = JOB | {"name": [SECRET], "retry": {"max_attempts": SECRET}}
    for document in (wrong_types, JOB | {"request": target}):
        answer = world.post(document)
        assert (answer.problem, SECRET in answer.text) == ("validation-failed", False)


def test_all_errors_of_a_body_come_at_once_each_with_its_pointer() -> None:
    answer = ApiWorld().post({"schedule": {"delay_seconds": -1}, "request": {"url": 7}, "x/y~z": 1})
    assert {error["pointer"] for error in answer.json["errors"]} == {
        "/schedule/delay_seconds",
        "/request/url",
        "/x~1y~0z",
    }


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"at": "tomorrow"}, "/schedule/at"),
        ({"at": "2030-01-01T09:00:00", "timezone": "Mars/Phobos"}, "/schedule/timezone"),
        ({"cron": "61 * * * *"}, "/schedule/cron"),
        ({"cron": "0 0 30 2 *"}, "/schedule"),
    ],
)
def test_a_fault_of_the_schedule_names_its_field(asked: dict[str, str], pointer: str) -> None:
    errors = schedule(**asked)(ApiWorld()).json["errors"]
    assert [error["pointer"].startswith(pointer) for error in errors] == [True]


def test_a_fault_of_the_target_names_its_field() -> None:
    answer = ApiWorld().post(JOB | {"request": {"url": "https://user@receiver.example/"}})
    assert [error["pointer"] for error in answer.json["errors"]] == ["/request/url"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request in the making, that breaks one rule after the other."""

    world: ApiWorld
    method: str = "POST"
    path: str = "/v1/jobs"
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = orjson.dumps(JOB)


def forget_key(attempt: Attempt) -> Attempt:
    return replace(attempt, headers=attempt.headers | {"authorization": "Bearer nobody"})


def suspend(attempt: Attempt) -> Attempt:
    attempt.world.suspend()
    return attempt


def read_only(attempt: Attempt) -> Attempt:
    attempt.world.limit_to(Scope.READ)
    return attempt


RULES: list[tuple[str, Callable[[Attempt], Attempt]]] = [
    ("payload-too-large", lambda attempt: replace(attempt, body=b"{" * (MAX_BODY_BYTES + 1))),
    ("unauthenticated", forget_key),
    ("forbidden: this tenant is suspended", suspend),
    ("forbidden: this key lacks the scope write", read_only),
    ("method-not-allowed", lambda attempt: replace(attempt, method="PUT")),
    (
        "unsupported-media-type",
        lambda attempt: replace(attempt, headers=attempt.headers | {"content-type": "text/plain"}),
    ),
    ("malformed-request", lambda attempt: replace(attempt, body=b'{"schedule":')),
    ("validation-failed", lambda attempt: replace(attempt, body=b"{}")),
    (
        "idempotency-key-invalid",
        lambda attempt: replace(attempt, headers=attempt.headers | {"idempotency-key": "two words"}),
    ),
]


@pytest.mark.parametrize("first", range(len(RULES)), ids=[name for name, _ in RULES])
def test_request_is_answered_with_the_first_rule_that_the_request_breaks(first: int) -> None:
    world = ApiWorld()
    attempt = Attempt(world, headers=world.credential | {"content-type": "application/json"})
    for _, break_rule in reversed(RULES[first:]):
        attempt = break_rule(attempt)
    answer = world.handle(
        Request(method=attempt.method, path=attempt.path, headers=attempt.headers, body=attempt.body)
    )
    problem, _, detail = RULES[first][0].partition(": ")
    assert (answer.problem, detail in answer.json["detail"]) == (problem, True)


def test_a_request_that_breaks_none_of_them_is_accepted() -> None:
    assert ApiWorld().post(JOB, idempotency_key="k").status == 201


def test_an_unknown_path_comes_before_the_media_type() -> None:
    world = ApiWorld()
    request = Request(method="POST", path="/v1/nowhere", headers=world.credential, body="{")
    assert world.handle(request).problem == "not-found"


def test_405_says_what_is_allowed() -> None:
    world = ApiWorld()
    answer = world.handle(Request(method="PUT", path="/v1/jobs/x", headers=world.credential))
    assert (answer.problem, answer.headers["Allow"]) == ("method-not-allowed", "DELETE, GET, HEAD, PATCH")


@pytest.mark.parametrize("media", ["", "text/json", "application/jsonp", "application/json; charset=latin-1"])
def test_a_body_that_does_not_say_it_is_json_is_not_read(media: str) -> None:
    assert with_body("{}", **{"content-type": media})(ApiWorld()).problem == "unsupported-media-type"


@pytest.mark.parametrize(
    "media",
    ["application/json", "Application/JSON", 'application/json; charset="UTF-8"', "application/json;"],
)
def test_json_may_be_announced_in_every_lawful_spelling(media: str) -> None:
    assert with_body("{}", **{"content-type": media})(ApiWorld()).problem == "validation-failed"


@pytest.mark.parametrize(
    "query",
    [
        {"limit": "0"},
        {"limit": "101"},
        {"limit": "-1"},
        {"limit": "1.5"},
        {"limit": ""},
        {"limit": "\N{ARABIC-INDIC DIGIT THREE}"},
        {"limit": "1" * 5_000},
        {"Limit": "5"},
        {"curser": "x"},
    ],
)
def test_a_query_that_could_mean_something_else_is_refused(query: dict[str, str]) -> None:
    assert ApiWorld().get("/v1/dead-letters", **query).problem == "malformed-request"


@pytest.mark.parametrize("value", ["", "1", "True", "yes"])
def test_a_flag_is_true_or_false(value: str) -> None:
    assert ApiWorld().delete("/v1/jobs/x", stop_retries=value).problem == "malformed-request"


@pytest.mark.parametrize("key", ["", " ", "a b", "ä", "x" * 256, "tab\there"])
def test_an_idempotency_key_is_visible_ascii(key: str) -> None:
    world = ApiWorld()
    assert world.post(JOB, idempotency_key=key).problem == "idempotency-key-invalid"
    assert world.world.table.executions == {}
