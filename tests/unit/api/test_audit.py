"""Who changed what: every operation that changes something leaves its record before it is acknowledged."""

from dataclasses import replace
from typing import Any

import pytest

from functions.api.http.route import Route
from shared.domain.ids import one_off_execution
from shared.domain.tenancy.audit import AuditRecord
from shared.domain.tenancy.suspension import Suspension
from shared.domain.tenancy.tenant import OPERATOR, TenantState
from shared.names import ACCEPTED_BATCH_LOG_LINE, ACCEPTED_LOG_LINE, Metric
from shared.observability import metrics
from tests.support.api.api_world import JOB, REQUEST_ID, Answer, ApiWorld, logged
from tests.support.api.request_factory import (
    BODIES,
    OF_TENANT,
    Party,
    ask,
    document_for,
    failed_of,
    name_of,
    parts_of,
    path_of,
    redrive_of,
    routes,
    settle,
)
from tests.support.settings import AUDIT_DAYS

CHANGES_NOTHING = {"previewSchedule"}
"""Operations that are no reading methods and yet change nothing."""
CHANGES = routes(
    lambda route: route.method != "GET" and not route.is_open and route.operation not in CHANGES_NOTHING
)
RECORDED_AS = {"createJobs": "createJob"}
"""Operations whose records bear the name of another."""
OWNERS = {
    "createTenant": "third",
    **dict.fromkeys(("removeParked", "putSharedCalendar", "deleteSharedCalendar"), OPERATOR),
    **dict.fromkeys(("putEventSource", "deleteEventSource"), OPERATOR),
}
"""In whose trail the record is, where it is not that of the tenant."""
RECURRING = JOB | {"schedule": {"rate_seconds": 3_600}}


class AuditedTenant:
    """A tenant with some of everything, and an operator."""

    def __init__(self) -> None:
        self.api = ApiWorld()
        self.operator = self.api.world.create_tenant.operator()
        self.party = settle(self.api, "ours")
        paused = ask(self.api, self.party.key, "POST", "/v1/jobs", RECURRING).json["id"]
        ask(self.api, self.party.key, "POST", f"/v1/jobs/{paused}/pause", {})
        self.executions = {"redriveExecution": failed_of, "cancelExecution": redrive_of}
        self.jobs = {"resumeJob": paused, "pauseJob": self.party.ids["job_id"][2]}

    def records(self, tenant_id: str = "ours") -> list[AuditRecord]:
        """All records of a tenant."""
        return self.api.world.audit_log.of(tenant_id)

    def do(self, route: Route) -> tuple[Answer, dict[str, str]]:
        """A change that succeeds, and the ids that it was asked for with."""
        ids = {name: self.party.ids[name][0] for name in parts_of(route)}
        if "execution_id" in ids:
            ids["execution_id"] = self.executions[route.operation](self.api, self.party)
        if "job_id" in ids:
            ids["job_id"] = self.jobs.get(route.operation, self.party.ids["job_id"][3])
        if route.operation == "cancelRun":
            ids["run_id"] = self.party.ids["run_id"][2]
        key = self.operator.api_key if route.path.startswith("/v1/admin") else self.party.key
        if route.operation == "deleteTenant":
            self.suspend()
        recurring = {
            "createJob": RECURRING,
            "createJobs": {"jobs": [RECURRING]},
            "putJob": BODIES["putJob"] | {"lane": "bulk"},
            "putCalendar": {"weekend": ["sunday"]},
            "putSharedCalendar": {"weekend": ["sunday"]},
            "putEventSource": {"routes": [{"source_prefix": "shop.", "tenant_id": "ours"}]},
            "putWorkflow": BODIES["putWorkflow"] | {"deadline_seconds": 60},
            "putTrigger": BODIES["putTrigger"] | {"job_id": self.party.ids["job_id"][2], "delay_seconds": 60},
        }
        document = recurring.get(route.operation) or document_for(route)
        return ask(self.api, key, route.method, path_of(route, ids), document), ids

    def suspend(self) -> None:
        """A while ago, and without a request, whose record would be one more."""
        tenants, now_ms = self.api.world.tenants.tenants, self.api.world.clock.now_ms()
        tenants["ours"] = replace(
            tenants["ours"], state=TenantState.SUSPENDED, suspensions=(Suspension(from_at=now_ms - 1),)
        )


def recorded_as(route: Route) -> str:
    """The name of an operation in its record."""
    return RECORDED_AS.get(route.operation, route.operation.removesuffix(OF_TENANT))


@pytest.mark.parametrize("route", CHANGES, ids=name_of)
def test_every_change_is_on_record_with_who_and_what(route: Route) -> None:
    audited = AuditedTenant()
    owner = OWNERS.get(route.operation, "ours")
    before = {record.id for record in audited.records(owner)}
    answer, ids = audited.do(route)
    assert answer.status in (200, 201, 202), f"{route.operation} needs a better document: {answer.text}"
    added = [record for record in audited.records(owner) if record.id not in before]
    assert added, f"{route.operation} left no record: let its route call context.audit.record"
    operation = recorded_as(route)
    record = next(each for each in added if each.operation == operation)
    acting = OPERATOR if route.path.startswith("/v1/admin") else "ours"
    key = audited.operator.api_key if acting == OPERATOR else audited.party.key
    assert (record.actor.tenant_id, record.actor.key_id) == (acting, key.split("_")[1])
    assert (record.request_id, record.at) == (REQUEST_ID, audited.api.world.clock.now_ms())
    makers = (
        "createKey",
        "rotateSigningSecret",
        "createTenant",
        "createJob",
        "putJob",
        "redriveDeadLetters",
        "changeJobs",
        "searchExecutions",
        "createWorkflow",
        "putWorkflow",
        "sendEvent",
    )
    if operation == "changeSettings":
        assert record.target == "ours"
    elif operation not in makers:
        assert record.target in ids.values()
    assert record.before != record.after
    removals = (
        "removeParked",
        "deleteCalendar",
        "deleteEventSource",
        "deleteSharedCalendar",
        "deleteTrigger",
    )
    assert (record.after is None) is (operation in removals)


@pytest.mark.parametrize("route", CHANGES, ids=name_of)
def test_a_change_that_could_not_be_recorded_is_not_acknowledged(route: Route) -> None:
    audited = AuditedTenant()
    audited.api.world.steps.fail("audit.append")
    metrics.clear_metrics()
    with logged() as lines:
        answer, _ = audited.do(route)
    if route.operation == "createJobs":
        (result,) = answer.json["results"]
        assert result["problem"]["type"].endswith("service-unavailable")
    else:
        assert (answer.problem, answer.headers["Retry-After"]) == ("service-unavailable", "1")
    assert Metric.AUDIT_FAILED in metrics.metric_set
    (line,) = [line for line in lines if line.levelname == "ERROR"]
    assert line.__dict__["operation"] == recorded_as(route)
    assert line.__dict__["actor"]["key_id"]
    accepted = (ACCEPTED_LOG_LINE, ACCEPTED_BATCH_LOG_LINE)
    assert not any(line.getMessage() in accepted for line in lines)


@pytest.mark.parametrize("route", CHANGES, ids=name_of)
def test_no_secret_is_recorded_or_logged(route: Route) -> None:
    audited = AuditedTenant()
    with logged() as lines:
        answer, _ = audited.do(route)
    kept = repr(audited.api.world.audit_log.records) + repr([line.__dict__ for line in lines])
    secrets = [answer.json.get("api_key", ""), answer.json.get("signing_secret", "")]
    for secret in [each.rpartition("_")[2] for each in secrets if each]:
        assert secret not in kept


def test_a_refused_change_leaves_no_record() -> None:
    audited = AuditedTenant()
    before = len(audited.api.world.audit_log.records)
    key = audited.party.key
    for method, path, document in (
        ("DELETE", "/v1/jobs/job_unknown", None),
        ("POST", "/v1/keys", {"scopes": []}),
        ("DELETE", f"/v1/keys/{key.split('_')[1]}", None),
        ("DELETE", "/v1/signing-secrets/sec_00000000", None),
        ("POST", "/v1/jobs", {}),
    ):
        assert ask(audited.api, key, method, path, document).status >= 400
    assert len(audited.api.world.audit_log.records) == before


def stored_trace(world: ApiWorld, job_id: str) -> str:
    execution_id = one_off_execution(job_id)
    assert execution_id is not None
    return world.world.standing(execution_id).trace.id


def test_one_off_jobs_are_on_record_in_the_log_of_the_api() -> None:
    world = ApiWorld()
    with logged() as lines:
        job = world.create()
    (line,) = [line.__dict__ for line in lines if line.getMessage() == ACCEPTED_LOG_LINE]
    key = world.world.credentials.api_key.split("_")[1]
    assert (line["tenant"], line["job"], line["key"], line["request_id"]) == (
        "acme",
        job["id"],
        key,
        REQUEST_ID,
    )
    assert len(line["after"]) == 32
    assert (line["trace"], line["replayed"]) == (stored_trace(world, job["id"]), None)
    assert world.world.audit_log.records == {}


def test_one_off_jobs_are_in_the_audit_table_too_where_configured() -> None:
    world = ApiWorld(audit_one_offs=True)
    job = world.create()
    (record,) = world.world.audit_log.of("acme")
    assert (record.operation, record.target, record.before) == ("createJob", job["id"], None)


def test_a_replay_is_no_second_creation() -> None:
    world = ApiWorld()
    first = world.post(RECURRING, idempotency_key="k")
    world.world.clock.time_ms += 1_000
    world.post(RECURRING, idempotency_key="k")
    created, replayed = world.world.audit_log.of("acme")
    assert (created.target, created.before) == (first.json["id"], None)
    assert replayed.before == replayed.after


def pages(audited: AuditedTenant, key: str, path: str = "/v1/audit", **query: str) -> list[Any]:
    found: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        answer = ask(audited.api, key, "GET", path, **query, **cursor)
        assert answer.status == 200, answer.text
        found += answer.json["records"]
        if answer.json["next_cursor"] is None:
            return found
        cursor = {"cursor": answer.json["next_cursor"]}


def change(audited: AuditedTenant, party: Party) -> str:
    job: str = ask(audited.api, party.key, "POST", "/v1/jobs", RECURRING).json["id"]
    audited.api.world.clock.time_ms += 1_000
    ask(audited.api, party.key, "DELETE", f"/v1/jobs/{job}")
    return job


def test_records_are_shown_newest_first_page_by_page() -> None:
    audited = AuditedTenant()
    job = change(audited, audited.party)
    everything = pages(audited, audited.party.key)
    assert len(everything) == len(audited.records())
    assert pages(audited, audited.party.key, limit="1") == everything
    assert [record["at"] for record in everything] == sorted(
        (record["at"] for record in everything), reverse=True
    )
    mine = pages(audited, audited.party.key, target=job, limit="1")
    assert [record["operation"] for record in mine] == ["cancelJob", "createJob"]
    assert mine[1]["after"] == mine[0]["before"]
    since = pages(audited, audited.party.key, **{"from": mine[0]["at"]})
    assert [record["id"] for record in since] == [mine[0]["id"]]
    assert mine[0]["id"] not in {r["id"] for r in pages(audited, audited.party.key, to=mine[0]["at"])}


def test_a_tenant_sees_that_an_operator_acted_and_not_by_which_key() -> None:
    audited = AuditedTenant()
    path = "/v1/admin/tenants/ours"
    audited.api.world.clock.time_ms += 1_000
    ask(audited.api, audited.operator.api_key, "PATCH", path, {"weight": 3})
    (seen, *_) = pages(audited, audited.party.key)
    assert (seen["operation"], seen["actor"], seen["key_id"]) == ("changeTenant", "operator", None)
    (told, *_) = pages(audited, audited.operator.api_key, f"{path}/audit")
    assert (told["id"], told["key_id"]) == (seen["id"], audited.operator.key.id)


@pytest.mark.parametrize(
    "query",
    [
        {"from": "yesterday"},
        {"from": "2026-01-01T00:00:00"},
        {"to": ""},
        {"target": ""},
        {"target": "x" * 129},
        {"limit": "0"},
        {"since": "2026-01-01T00:00:00Z"},
    ],
)
def test_a_question_that_cannot_be_read_is_malformed(query: dict[str, str]) -> None:
    audited = AuditedTenant()
    assert ask(audited.api, audited.party.key, "GET", "/v1/audit", **query).problem == "malformed-request"


def test_instants_before_and_behind_all_time_are_fine() -> None:
    audited = AuditedTenant()
    everything = {"from": "1970-01-01T00:00:00Z", "to": "2099-12-31T23:59:59Z"}
    assert len(pages(audited, audited.party.key, **everything)) == len(audited.records())


def test_a_cursor_belongs_to_its_filter() -> None:
    audited = AuditedTenant()
    cursor = ask(audited.api, audited.party.key, "GET", "/v1/audit", limit="1").json["next_cursor"]
    asked = ask(audited.api, audited.party.key, "GET", "/v1/audit", cursor=cursor, target="x")
    assert asked.problem == "invalid-cursor"


def test_records_expire_after_the_retention_of_the_deployment() -> None:
    audited = AuditedTenant()
    change(audited, audited.party)
    record = audited.records()[-1]
    expires_at_s = audited.api.world.audit_log.expiries[record.id]
    assert expires_at_s - record.at // 1_000 == AUDIT_DAYS * 86_400
