"""The API over real HTTP: hostile requests get a problem document, and never a 500 or a 502."""

import http.client
import json
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from infra.local.api import Api, ApiResponse
from infra.local.demo import load_demo
from infra.local.demo_receiver import DemoReceiver
from infra.local.receiver import Receiver
from infra.local.stack import LocalStack
from infra.local.state_dir import StateDir

pytestmark = pytest.mark.integration

URL = "http://127.0.0.1:65000/never"
PATIENCE = 90
"""Seconds that a busy machine may take over what takes a moment; nothing is judged by it."""
FAR = {"schedule": {"at": "2030-01-01T00:00:00Z"}, "request": {"url": URL}}


@pytest.fixture(scope="module")
def api(stack: LocalStack) -> Iterator[Api]:
    yield stack.api(stack.create_tenant("strict").api_key)


def job(**changes: Any) -> dict[str, Any]:
    return {**FAR, **changes}


def assert_problem(answer: ApiResponse, status: int, problem: str) -> None:
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["type"] == f"urn:punctual:problem:{problem}"
    assert document["status"] == status
    assert document["instance"].startswith("urn:punctual:request:")


BODIES: list[tuple[object, int, str]] = [
    (b"", 400, "malformed-request"),
    (b"{", 400, "malformed-request"),
    (b'{"a": NaN}', 400, "malformed-request"),
    (b'{"a": 1, "a": 1}', 400, "malformed-request"),
    (b"[" * 100_000, 400, "malformed-request"),
    (b'{"a": ' + b"9" * 5000 + b"}", 400, "malformed-request"),
    (b'{"a": "\\ud800"}', 400, "malformed-request"),
    ("{}".encode("utf-16"), 400, "malformed-request"),
    (b'{"a": "' + b"x" * (256 * 1024) + b'"}', 413, "payload-too-large"),
    ([], 422, "validation-failed"),
    ({}, 422, "validation-failed"),
    (job(extra=1), 422, "validation-failed"),
    (job(schedule={}), 422, "validation-failed"),
    (job(schedule={"delay_seconds": 1, "cron": "* * * * *"}), 422, "validation-failed"),
    (job(schedule={"delay_seconds": -1}), 422, "validation-failed"),
    (job(schedule={"delay_seconds": "3"}), 422, "validation-failed"),
    (job(schedule={"delay_seconds": True}), 422, "validation-failed"),
    (job(schedule={"delay_seconds": 1.0}), 422, "validation-failed"),
    (job(schedule={"rate_seconds": 0}), 422, "validation-failed"),
    (job(schedule={"rate_seconds": 10**9}), 422, "validation-failed"),
    (job(schedule={"cron": "61 * * * *"}), 422, "validation-failed"),
    (job(schedule={"cron": "* * * * * *"}), 422, "validation-failed"),
    (job(schedule={"cron": "*/5 * * * *", "timezone": "../etc/passwd"}), 422, "validation-failed"),
    (job(schedule={"cron": "*/5 * * * *", "timezone": "Mars/Olympus"}), 422, "validation-failed"),
    (job(schedule={"cron": "0 0 30 2 *"}), 422, "schedule-never-fires"),
    (job(schedule={"at": "2020-01-01T00:00:00Z"}), 422, "schedule-in-past"),
    (job(schedule={"at": "2999-01-01T00:00:00Z"}), 422, "schedule-too-far"),
    (job(schedule={"at": "tomorrow"}), 422, "validation-failed"),
    (job(request={}), 422, "validation-failed"),
    (job(request={"url": "ftp://example.com/"}), 422, "callback-url-not-allowed"),
    (job(request={"url": "https://user:pw@example.com/"}), 422, "callback-url-not-allowed"),
    (job(request={"url": "https://0x7f.1/"}), 422, "callback-url-not-allowed"),
    (job(request={"url": "https://exa mple.com/"}), 422, "callback-url-not-allowed"),
    (job(request={"url": "https://example.com:22/"}), 422, "callback-url-not-allowed"),
    (job(request={"url": "https://example.com:80/"}), 422, "callback-url-not-allowed"),
    (job(request={"url": "http://example.com/"}), 422, "callback-url-not-allowed"),
    (job(request={"url": "https://database/"}), 422, "callback-url-not-allowed"),
    (job(request={"url": URL, "method": "TRACE"}), 422, "validation-failed"),
    (job(request={"url": URL, "headers": {"Host": "x"}}), 422, "validation-failed"),
    (job(request={"url": URL, "headers": {"a": "b\r\nc: d"}}), 422, "validation-failed"),
    (job(request={"url": URL, "headers": {"webhook-id": "x"}}), 422, "validation-failed"),
    (job(request={"url": URL, "body": "x", "json": 1}), 422, "validation-failed"),
    (job(request={"url": URL, "body": 1}), 422, "validation-failed"),
    (job(lane="express"), 422, "validation-failed"),
    (job(timeout_seconds=61), 422, "validation-failed"),
    (job(timeout_seconds=0), 422, "validation-failed"),
    (job(name=""), 422, "validation-failed"),
    (job(retry={"max_attempts": 21}), 422, "validation-failed"),
    (job(retry={"base_seconds": 100, "cap_seconds": 10}), 422, "validation-failed"),
    (job(retry={"max_attempts": 20, "base_seconds": 86400, "cap_seconds": 86400}), 422, "validation-failed"),
]


@pytest.mark.parametrize(("body", "status", "problem"), BODIES)
def test_a_body_that_cannot_be_a_job_is_refused_by_its_rule(
    api: Api, body: object, status: int, problem: str
) -> None:
    headers = {"Content-Type": "application/json"}
    assert_problem(api.request("POST", "/v1/jobs", body, headers), status, problem)


@pytest.mark.parametrize(
    "credential",
    [
        None,
        "",
        "Bearer",
        "Bearer x",
        "Basic eDp5",
        "Bearer pk_0000000000000000_" + "0" * 32,
        "Bearer pk_\u00e9",
        "Bearer " + "p" * 6000,
    ],
)
def test_request_without_a_valid_key_is_unauthenticated(stack: LocalStack, credential: str | None) -> None:
    headers = {} if credential is None else {"Authorization": credential}
    for path in ("/v1/jobs/job_x", "/v1/no-such-path"):
        answer = stack.api().request("GET", path, headers=headers)
        assert_problem(answer, 401, "unauthenticated")
        assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    ("method", "path", "status", "problem"),
    [
        ("GET", "/nope", 404, "not-found"),
        ("GET", "/v1/nope", 404, "not-found"),
        ("GET", "/v1/jobs/job_x", 404, "not-found"),
        ("GET", "/v1/jobs/job_r" + "z" * 27, 404, "not-found"),
        ("GET", "/v1/jobs/job_1" + "z" * 30, 404, "not-found"),
        ("GET", "/v1/jobs/%00", 404, "not-found"),
        ("GET", "/v1/jobs/" + "a" * 5000, 404, "not-found"),
        ("DELETE", "/v1/jobs/job_x", 404, "not-found"),
        ("GET", "/v1/jobs/job_x/executions", 404, "not-found"),
        ("PUT", "/v1/jobs", 405, "method-not-allowed"),
        ("DELETE", "/v1/health", 405, "method-not-allowed"),
        ("GET", "/v1/jobs/job_x/executions?limit=0", 400, "malformed-request"),
        ("GET", "/v1/jobs/job_x/executions?limit=abc", 400, "malformed-request"),
        ("GET", "/v1/jobs/job_x/executions?nope=1", 400, "malformed-request"),
        ("GET", "/v1/jobs/job_x/executions?cursor=AAAA", 400, "invalid-cursor"),
        ("GET", "/v1/dead-letters?cursor=%F0%9F%92%A9", 400, "invalid-cursor"),
        ("DELETE", "/v1/jobs/job_x?stop_retries=yes", 400, "malformed-request"),
    ],
)
def test_a_path_or_query_that_means_nothing_is_refused(
    api: Api, method: str, path: str, status: int, problem: str
) -> None:
    assert_problem(api.request(method, path), status, problem)


def test_every_answer_that_refuses_a_method_names_the_right_ones(api: Api) -> None:
    assert api.request("PUT", "/v1/jobs").headers["allow"] == "GET, HEAD, POST"


def test_only_json_is_taken(api: Api) -> None:
    answer = api.request("POST", "/v1/jobs", json.dumps(FAR).encode(), {"Content-Type": "text/plain"})
    assert_problem(answer, 415, "unsupported-media-type")


def test_every_error_of_a_body_is_told_at_once_with_its_place(api: Api) -> None:
    answer = api.request("POST", "/v1/jobs", job(timeout_seconds=0, lane="x", request={"url": 1}))
    pointers = {error["pointer"] for error in answer.json()["errors"]}
    assert pointers == {"/timeout_seconds", "/lane", "/request/url"}


def test_a_created_job_is_where_the_answer_says(api: Api) -> None:
    created = api.request("POST", "/v1/jobs", job(name="n\u00e4me"))
    assert created.status == 201
    shown = api.request("GET", created.headers["location"])
    assert shown.json() == created.json()
    assert shown.headers["etag"] == created.headers["etag"]
    assert shown.json()["name"] == "n\u00e4me"


def test_sixteen_requests_with_one_key_make_one_job(api: Api) -> None:
    def create(_: int) -> tuple[int, str]:
        answer = api.request("POST", "/v1/jobs", FAR, {"Idempotency-Key": "sixteen"}, timeout=PATIENCE)
        return answer.status, answer.json()["id"]

    # Each request at the same time needs a process of its own; the stores meet all sixteen in their own suite.
    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(create, range(16)))
    assert len(answers) == 1
    assert answers.pop()[0] == 201
    other = api.request("POST", "/v1/jobs", job(name="other"), {"Idempotency-Key": "sixteen"})
    assert_problem(other, 422, "idempotency-key-reused")
    again = api.request("POST", "/v1/jobs", FAR, {"Idempotency-Key": "sixteen"})
    assert again.headers["idempotency-replayed"] == "true"


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256, "\u00e9"])
def test_a_malformed_idempotency_key_is_refused(api: Api, key: str) -> None:
    answer = api.request("POST", "/v1/jobs", FAR, {"Idempotency-Key": key})
    assert_problem(answer, 400, "idempotency-key-invalid")


def test_a_foreign_job_is_answered_like_an_unknown_one(stack: LocalStack, api: Api) -> None:
    other = stack.api(stack.create_tenant("foreign").api_key)
    once = api.request("POST", "/v1/jobs", FAR).json()["id"]
    often = api.request("POST", "/v1/jobs", job(schedule={"cron": "@yearly"})).json()["id"]
    for job_id in (once, often):
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/executions")):
            foreign = other.request(method, f"/v1/jobs/{job_id}{path}")
            unknown = other.request(method, f"/v1/jobs/job_x{path}")
            assert_problem(foreign, 404, "not-found")
            assert {**foreign.json(), "instance": ""} == {**unknown.json(), "instance": ""}
        assert api.request("GET", f"/v1/jobs/{job_id}").json()["state"] in ("pending", "active")


def test_a_cancelled_job_is_never_called(api: Api) -> None:
    with Receiver() as receiver:
        body = {"schedule": {"delay_seconds": 20}, "request": {"url": f"{receiver.url}/cancelled"}}
        job_id = api.request("POST", "/v1/jobs", body).json()["id"]
        assert api.request("DELETE", f"/v1/jobs/{job_id}").json()["state"] == "cancelled"
        assert api.request("DELETE", f"/v1/jobs/{job_id}").status == 200
        sentinel = {"schedule": {"delay_seconds": 21}, "request": {"url": f"{receiver.url}/sentinel"}}
        assert api.request("POST", "/v1/jobs", sentinel).status == 201
        receiver.wait_for(1, path="/sentinel", timeout=PATIENCE)
        assert receiver.calls("/cancelled") == []


def test_a_large_body_reaches_the_receiver_whole(api: Api) -> None:
    text = "\u00e4" * 40_000
    with Receiver() as receiver:
        request = {"url": f"{receiver.url}/large", "body": text}
        created = api.request("POST", "/v1/jobs", {"schedule": {"delay_seconds": 1}, "request": request})
        assert created.status == 201, created.body
        (call,) = receiver.wait_for(1, path="/large", timeout=PATIENCE)
    assert call.body == text.encode()


def test_health_and_description_are_open_to_all(stack: LocalStack) -> None:
    assert stack.api().request("GET", "/v1/health").json() == {"status": "ok"}
    document = stack.api().request("GET", "/v1/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    assert "/v1/jobs/{job_id}/executions" in document["paths"]


def test_root_leads_to_the_docs_page_and_guides_are_part_of_the_deployment(stack: LocalStack) -> None:
    root = stack.api().request("GET", "/")
    assert (root.status, root.headers["location"]) == (302, "/v1/docs")
    for path in ("/v1/docs", "/v1/docs/guides/verify-calls", "/v1/docs/reference/schedules"):
        assert stack.api().request("GET", path).status == 200


def test_a_request_that_is_cut_off_does_no_harm(stack: LocalStack, api: Api) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", stack.emulator.port, timeout=5)
    connection.putrequest("POST", "/v1/jobs", skip_host=True)
    connection.putheader("Host", stack.api().host)
    connection.putheader("Content-Length", "1000")
    connection.endheaders(b"{")
    connection.close()
    assert api.request("GET", "/v1/health").status == 200


def test_api_serves_clients_that_send_no_host_header_of_its_own(stack: LocalStack, api: Api) -> None:
    """Through the front door: what any program, in any language, does with the URL that is printed."""
    for path, wanted in (("/v1/health", "application/json"), ("/v1/docs", "text/html")):
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(stack.api_url + path) as page:
            assert (page.status, page.headers.get_content_type()) == (200, wanted)


def test_receiver_reports_back_through_the_front_door(stack: LocalStack, api: Api) -> None:
    demo = DemoReceiver(stack.api_url, sleep=lambda _: None)
    with Receiver(respond=demo.respond) as receiver:
        body = {"schedule": {"delay_seconds": 1}, "request": {"url": f"{receiver.url}/async"}}
        job_id = api.request("POST", "/v1/jobs", body).json()["id"]
        deadline = time.monotonic() + PATIENCE
        while api.request("GET", f"/v1/jobs/{job_id}").json()["state"] != "succeeded":
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert len(receiver.calls("/async")) == 1


def test_tenant_of_the_demo_may_manage_its_keys(stack: LocalStack, tmp_path: Path) -> None:
    demo = load_demo(stack, StateDir(tmp_path))
    assert demo.api.request("GET", "/v1/keys").status == 200
    assert demo.api.request("POST", "/v1/keys", {"scopes": ["read"]}).status == 201
