"""Requests with `auth` over HTTP: what is accepted, what is shown, what changes, and what a refusal says."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.builders import TENANT

AUDIENCE = "https://reports.example.com"
AUTH: dict[str, Any] = {"oidc": {"audience": AUDIENCE}}
URL = "https://reports.example.com/hook"
SOON: dict[str, Any] = {"schedule": {"delay_seconds": 60}}
NIGHTLY: dict[str, Any] = {"schedule": {"cron": "0 2 * * *"}}


def call(auth: Any = AUTH, **members: Any) -> dict[str, Any]:
    return {"request": {"url": URL, "auth": auth} | members}


def errors(answer: Answer) -> dict[str, str]:
    assert answer.status == 422, answer.text
    return {each["pointer"]: each["detail"] for each in answer.json["errors"]}


def send(made: ApiWorld, method: str, path: str, body: Any, **query: str) -> Answer:
    headers = made.credential | {"content-type": "application/json"}
    if method == "PATCH":
        headers |= {"if-match": "*"}
    return made.handle(
        Request(method=method, path=path, headers=headers, query=query, body=orjson.dumps(body))
    )


@pytest.mark.parametrize("schedule", [SOON, NIGHTLY], ids=["once", "recurring"])
def test_job_shows_the_audience_of_its_token(schedule: dict[str, Any]) -> None:
    made = ApiWorld()
    created = made.post(schedule | call())
    assert created.status == 201, created.text
    shown = {"method": "POST", "url": URL, "auth": AUTH}
    assert created.json["request"] == shown
    assert made.get(f"/v1/jobs/{created.json['id']}").json["request"] == shown


@pytest.mark.parametrize("auth", [None, ...], ids=["null", "missing"])
def test_job_without_a_token_shows_no_auth(auth: Any) -> None:
    document: Any = {"request": {"url": URL}}
    if auth is None:
        document["request"]["auth"] = None
    created = ApiWorld().post(SOON | document)
    assert created.status == 201, created.text
    assert "auth" not in created.json["request"]


@pytest.mark.parametrize(
    ("document", "pointer", "says"),
    [
        (call({}), "/request/auth/oidc", "name one way, oidc or sigv4"),
        (call({"oidc": None}), "/request/auth/oidc", "must be an object"),
        (call({"oidc": {}}), "/request/auth/oidc/audience", "required"),
        (call({"oidc": {"audience": None}}), "/request/auth/oidc/audience", "must be a string"),
        (call({"oidc": {"audience": 7}}), "/request/auth/oidc/audience", "must be a string"),
        (call({"oidc": {"audience": [AUDIENCE]}}), "/request/auth/oidc/audience", "must be a string"),
        (call({"oidc": {"audience": ""}}), "/request/auth/oidc/audience", "1 to 255"),
        (call({"oidc": {"audience": "x" * 256}}), "/request/auth/oidc/audience", "1 to 255"),
        (call({"oidc": {"audience": "a b"}}), "/request/auth/oidc/audience", "without spaces"),
        (call({"oidc": {"audience": "a\r\nX-A: b"}}), "/request/auth/oidc/audience", "printable"),
        (call({"oidc": {"audience": "\x00"}}), "/request/auth/oidc/audience", "printable"),
        (call({"oidc": {"audience": "é"}}), "/request/auth/oidc/audience", "ASCII"),
        (call({"oidc": {"audience": "a", "subject": "globex"}}), "/request/auth/oidc/subject", ""),
        (call(AUTH | {"basic": {}}), "/request/auth/basic", ""),
        (call("oidc"), "/request/auth", ""),
        (call([AUTH]), "/request/auth", ""),
        (
            call(headers={"authorization": "Basic eA=="}),
            "/request/headers/authorization",
            "leave out the header, or auth",
        ),
        ({"target": {"sqs": {"arn": "x", "body": "x", "auth": AUTH}}}, "/target/sqs/auth", ""),
        ({"workflow": "wfl_10000000000000000000000000000", "auth": AUTH}, "/auth", ""),
    ],
)
def test_refusal_names_the_member_and_what_to_send(document: dict[str, Any], pointer: str, says: str) -> None:
    found = errors(ApiWorld().post(SOON | document))
    assert pointer in found, found
    assert says in found[pointer]
    assert len(str(found)) < 1_000


def test_every_error_of_a_request_is_told_at_once() -> None:
    found = errors(
        ApiWorld().post(
            SOON | call({"oidc": {"audience": "a b"}}, headers={"Authorization": "x"}) | {"name": ""}
        )
    )
    assert {"/name", "/request/auth/oidc/audience", "/request/headers/Authorization"} <= found.keys()


@pytest.mark.parametrize("audience", ["a", "~" * 255, '"}', "//iam.googleapis.com/x", "\\u0000"])
def test_audience_is_shown_as_it_was_sent(audience: str) -> None:
    created = ApiWorld().post(SOON | call({"oidc": {"audience": audience}}))
    assert created.json["request"]["auth"] == {"oidc": {"audience": audience}}


@pytest.mark.parametrize("settings", [{"token_keys": ()}, {"token_issuer": None}], ids=["keys", "issuer"])
def test_stage_without_keys_says_what_its_operator_sets(settings: dict[str, Any]) -> None:
    made = ApiWorld(**settings)
    found = errors(made.post(SOON | call()))
    assert "token_keys = [1]" in found["/request/auth/oidc"]
    assert made.post(SOON | call(None)).status == 201
    task = {"key": "a"} | call()
    refused = errors(send(made, "POST", "/v1/workflows", {"tasks": [task]}))
    assert "token_keys = [1]" in refused["/tasks/0/request/auth/oidc"]


def test_patch_adds_changes_keeps_and_removes_the_token() -> None:
    made = ApiWorld()
    path = f"/v1/jobs/{made.post(NIGHTLY | call(None, body='kept')).json['id']}"
    assert send(made, "PATCH", path, {"request": {"auth": AUTH}}).json["request"]["auth"] == AUTH
    assert send(made, "PATCH", path, {"tags": ["a"]}).json["request"]["auth"] == AUTH
    kept = made.world.table.jobs[made.world.tenant.id, path.rpartition("/")[2]]
    assert kept.described.call.auth == "oidc", "an older release must leave it alone"
    other = send(made, "PATCH", path, {"request": {"auth": {"oidc": {"audience": "b"}}}})
    assert other.json["request"]["auth"] == {"oidc": {"audience": "b"}}
    found = errors(send(made, "PATCH", path, {"request": {"headers": {"Authorization": "Basic eA=="}}}))
    assert "/request/headers/Authorization" in found
    without = send(made, "PATCH", path, {"request": {"auth": None}})
    assert (without.status, "auth" in without.json["request"]) == (200, False)
    job = made.world.table.jobs[made.world.tenant.id, path.rpartition("/")[2]]
    assert job.call.auth is None
    assert made.world.open_request.execute(made.world.tenant, job.described).body == b"kept"


def test_put_by_key_tells_what_differs_of_the_token() -> None:
    made = ApiWorld()
    path = "/v1/jobs/by-key/nightly"
    assert send(made, "PUT", path, NIGHTLY | call(None)).json["change"] == "created"
    added = send(made, "PUT", path, NIGHTLY | call(), dry_run="true").json
    assert (added["change"], added["fields"]) == (
        "updated",
        [{"pointer": "/request/auth", "before": None, "after": AUTH, "hidden": False}],
    )
    assert send(made, "PUT", path, NIGHTLY | call()).json["job"]["request"]["auth"] == AUTH
    assert send(made, "PUT", path, NIGHTLY | call()).json["change"] == "unchanged"
    changed = send(made, "PUT", path, NIGHTLY | call({"oidc": {"audience": "b"}})).json
    assert changed["fields"] == [
        {"pointer": "/request/auth/oidc/audience", "before": AUDIENCE, "after": "b", "hidden": False}
    ]


def test_task_of_a_workflow_has_a_token_and_shows_it() -> None:
    made = ApiWorld()
    task = {"key": "a"} | call()
    created = send(made, "POST", "/v1/workflows", {"tasks": [task, {"key": "b"} | call(None)]})
    assert created.status == 201, created.text
    first, second = created.json["tasks"]
    assert (first["request"]["auth"], "auth" in second["request"]) == (AUTH, False)
    path = f"/v1/workflows/{created.json['id']}"
    assert send(made, "PATCH", path, {"name": "named"}).json["tasks"][0]["request"]["auth"] == AUTH
    refused = errors(send(made, "POST", "/v1/workflows", {"tasks": [{"key": "a"} | call({"oidc": {}})]}))
    assert "/tasks/0/request/auth/oidc/audience" in refused


def test_run_outside_the_schedule_and_job_of_a_batch_have_the_token() -> None:
    made = ApiWorld()
    job = made.post(NIGHTLY | call()).json
    triggered = send(made, "POST", f"/v1/jobs/{job['id']}/trigger", {})
    assert triggered.status in (201, 202), triggered.text
    batch = send(made, "POST", "/v1/jobs/batch", {"jobs": [SOON | call(), SOON | call({"oidc": {}})]})
    assert batch.status in (200, 201, 207), batch.text
    stored = [row.execution.call.auth for row in made.world.table.executions.values()]
    assert stored
    assert all(auth == "oidc" for auth in stored)


def test_audit_record_differs_after_a_change_of_the_audience() -> None:
    made = ApiWorld()
    path = "/v1/jobs/by-key/nightly"
    send(made, "PUT", path, NIGHTLY | call())
    send(made, "PUT", path, NIGHTLY | call({"oidc": {"audience": "b"}}))
    (record,) = [
        each for each in made.world.audit_log.records.values() if each.operation == "putJob" and each.before
    ]
    assert record.before != record.after


ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
SIGNED: dict[str, Any] = {"sigv4": {"role": ROLE, "service": "execute-api", "region": "eu-west-1"}}


def with_role() -> ApiWorld:
    made = ApiWorld()
    made.world.tenant = made.world.tenants.tenants[TENANT] = replace(made.world.tenant, target_roles=(ROLE,))
    return made


@pytest.mark.parametrize(
    "nope",
    [
        {"nope": None},
        {"oidc": {"nope": None}},
        {"sigv4": {"nope": None}},
        {"oidc": {"audience": "b"}, "nope": None},
    ],
)
def test_patch_that_removes_an_unknown_member_of_auth_is_refused(nope: dict[str, Any]) -> None:
    made = ApiWorld()
    path = f"/v1/jobs/{made.post(NIGHTLY | call()).json['id']}"
    found = errors(send(made, "PATCH", path, {"request": {"auth": nope}}))
    (pointer,) = found
    assert pointer.startswith("/request/auth/")
    assert pointer.endswith("/nope")
    assert found[pointer] == "there is no such member"
    assert made.get(path).json["request"]["auth"] == AUTH


def test_patch_that_removes_the_way_of_auth_alone_says_to_name_one() -> None:
    made = ApiWorld()
    path = f"/v1/jobs/{made.post(NIGHTLY | call()).json['id']}"
    found = errors(send(made, "PATCH", path, {"request": {"auth": {"oidc": None}}}))
    assert found == {"/request/auth/oidc": "name one way, oidc or sigv4"}


def test_job_shows_who_signs_it_and_a_patch_changes_the_way() -> None:
    made = with_role()
    created = made.post(NIGHTLY | call(SIGNED))
    assert created.status == 201, created.text
    assert created.json["request"]["auth"] == SIGNED
    path = f"/v1/jobs/{created.json['id']}"
    for auth in (AUTH, SIGNED):
        changed = send(made, "PATCH", path, {"request": {"auth": auth}})
        assert (changed.status, changed.json.get("request", {}).get("auth")) == (200, auth), changed.text
    service = send(made, "PATCH", path, {"request": {"auth": {"sigv4": {"service": "lambda"}}}})
    assert service.json["request"]["auth"]["sigv4"] == SIGNED["sigv4"] | {"service": "lambda"}
    assert "auth" not in send(made, "PATCH", path, {"request": {"auth": None}}).json["request"]


@pytest.mark.parametrize(
    ("auth", "pointer", "says"),
    [
        ({"sigv4": None}, "/sigv4", "must be an object"),
        ({"sigv4": {}}, "/sigv4/role", "required"),
        (
            {"sigv4": SIGNED["sigv4"] | {"role": ROLE.replace("acme", "globex")}},
            "/sigv4/role",
            "no role of this tenant",
        ),
        ({"sigv4": SIGNED["sigv4"] | {"role": 7}}, "/sigv4/role", "must be a string"),
        ({"sigv4": SIGNED["sigv4"] | {"service": "S3"}}, "/sigv4/service", "lower-case"),
        ({"sigv4": SIGNED["sigv4"] | {"region": "*"}}, "/sigv4/region", "name of a region"),
        ({"sigv4": SIGNED["sigv4"] | {"secret": "x"}}, "/sigv4/secret", ""),
        (AUTH | SIGNED, "/sigv4", "not both"),
    ],
)
def test_refusal_of_a_signature_names_the_member(auth: dict[str, Any], pointer: str, says: str) -> None:
    made = with_role()
    found = errors(made.post(SOON | call(auth)))
    assert says in found[f"/request/auth{pointer}"], found
    refused = errors(send(made, "POST", "/v1/workflows", {"tasks": [{"key": "a"} | call(auth)]}))
    assert f"/tasks/0/request/auth{pointer}" in refused


def test_task_is_signed_by_a_role_of_the_tenant() -> None:
    made = with_role()
    created = send(made, "POST", "/v1/workflows", {"tasks": [{"key": "a"} | call(SIGNED)]})
    assert created.status == 201, created.text
    assert created.json["tasks"][0]["request"]["auth"] == SIGNED


@pytest.mark.parametrize("auth", [AUTH, SIGNED], ids=["oidc", "sigv4"])
def test_dry_run_shows_how_an_added_task_authenticates_itself(auth: dict[str, Any]) -> None:
    made = with_role()
    path = "/v1/workflows/by-key/nightly"
    first = {"key": "a"} | call(None)
    assert send(made, "PUT", path, {"tasks": [first]}).status in (200, 201)
    added = {"key": "b"} | call(auth, body="a-secret", headers={"X-Key": "b-secret"})
    shown = send(made, "PUT", path, {"tasks": [first, added]}, dry_run="true")
    (change,) = [each for each in shown.json["fields"] if each["pointer"] == "/tasks/b"]
    assert change["after"]["request"] == {"url": URL, "method": "POST", "auth": auth}
    assert "secret" not in shown.text
