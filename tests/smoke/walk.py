"""One request of every operation of the API, in an order in which each has something to act on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.smoke.http_client import Site

LARGE = "x" * 4_000
"""A body that is stored apart from its execution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    operation: str
    """As the OpenAPI document names it."""
    method: str
    path: str
    """With names in braces: the values that earlier answers gave."""
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    statuses: tuple[int, ...] = (200,)
    keeps: Mapping[str, str] = field(default_factory=dict)
    """Names of values, by the member of the answer that has them."""
    by_operator: bool = False


def _get(operation: str, path: str, **more: Any) -> Call:
    return Call(operation=operation, method="GET", path=path, **more)


def _post(operation: str, path: str, body: Any = None, *statuses: int, **more: Any) -> Call:
    return Call(operation=operation, method="POST", path=path, body=body, statuses=statuses or (200,), **more)


def _delete(operation: str, path: str, *statuses: int, **more: Any) -> Call:
    return Call(operation=operation, method="DELETE", path=path, statuses=statuses or (200,), **more)


NO_JOB = {"filter": {"tag": "of-no-job"}, "action": "pause"}


def calls(url: str, name: str) -> tuple[Call, ...]:
    """The requests of a tenant and of an operator; jobs call `url`, and the operator opens the account `name`."""
    once = {"schedule": {"delay_seconds": 3_600}, "request": {"url": url, "json": {}}}
    each_hour = {"schedule": {"cron": "0 * * * *"}, "request": {"url": url, "body": LARGE}}
    return (*_jobs(once, each_hour), *_workflows(url), *_lists(), *_own(), *_operators(name))


def _jobs(once: dict[str, Any], each_hour: dict[str, Any]) -> tuple[Call, ...]:
    last_hours = {"from": "{three_hours_ago}", "to": "{now}"}
    return (
        _get("getHealth", "/v1/health"),
        _post("previewSchedule", "/v1/schedules/preview", {"cron": "0 * * * *"}),
        _post("createJob", "/v1/jobs", once, 201, keeps={"once": "id"}),
        _post("createJob", "/v1/jobs", each_hour, 201, keeps={"job": "id"}),
        _post("createJobs", "/v1/jobs/batch", {"jobs": [once, once]}),
        Call(
            operation="putJob",
            method="PUT",
            path="/v1/jobs/by-key/smoke",
            body=each_hour,
            statuses=(200, 201),
            keeps={"keyed": "job.id"},
        ),
        _get("getJobByKey", "/v1/jobs/by-key/smoke"),
        Call(operation="putCalendar", method="PUT", path="/v1/calendars/smoke", body={"country": "DE"}),
        _get("getCalendar", "/v1/calendars/smoke"),
        _get("listCalendars", "/v1/calendars"),
        _delete("deleteCalendar", "/v1/calendars/smoke"),
        Call(
            operation="putTrigger",
            method="PUT",
            path="/v1/triggers/smoke",
            body={"pattern": {"source": ["smoke"]}, "job_id": "{keyed}"},
        ),
        _get("getTrigger", "/v1/triggers/smoke"),
        _get("listTriggers", "/v1/triggers"),
        Call(
            operation="sendEvent",
            method="POST",
            path="/v1/events",
            body={"source": "not-smoke", "type": "smoke", "id": "1"},
        ),
        _delete("deleteTrigger", "/v1/triggers/smoke"),
        _get("listJobs", "/v1/jobs"),
        _get("getJob", "/v1/jobs/{job}"),
        Call(
            operation="updateJob",
            method="PATCH",
            path="/v1/jobs/{job}",
            body={"name": "walked"},
            headers={"If-Match": "*"},
        ),
        _post("pauseJob", "/v1/jobs/{job}/pause", {"reason": "smoke"}),
        _post("resumeJob", "/v1/jobs/{job}/resume"),
        _post("triggerJob", "/v1/jobs/{job}/trigger", None, 201),
        _post("backfillJob", "/v1/jobs/{job}/backfill", last_hours, 201),
        _post("changeJobs", "/v1/jobs/bulk", NO_JOB, 202, keeps={"operation": "id"}),
        _get("listBulkTasks", "/v1/bulk-tasks"),
        _get("getBulkTask", "/v1/bulk-tasks/{operation}"),
        _delete("cancelBulkTask", "/v1/bulk-tasks/{operation}", 200, 409),
        _post("undoBulkTask", "/v1/bulk-tasks/{operation}/undo", None, 202),
        _get("listExecutions", "/v1/jobs/{job}/executions"),
        _get("listNextRuns", "/v1/jobs/{job}/upcoming"),
        _delete("cancelJob", "/v1/jobs/{once}"),
        _delete("cancelJob", "/v1/jobs/{job}", 200, 202),
        _delete("cancelJob", "/v1/jobs/{keyed}", 200, 202),
    )


def _workflows(url: str) -> tuple[Call, ...]:
    workflow, run = "/v1/workflows/{workflow}", "/v1/runs/{run}"
    tasks = [
        {"key": "first", "request": {"url": url, "body": LARGE}},
        {"key": "second", "after": ["first"], "request": {"url": url}},
    ]
    return (
        _post("createWorkflow", "/v1/workflows", {"tasks": tasks}, 201, keeps={"workflow": "id"}),
        Call(
            operation="putWorkflow",
            method="PUT",
            path="/v1/workflows/by-key/smoke",
            body={"tasks": tasks},
            keeps={"keyed_workflow": "workflow.id"},
        ),
        _get("getWorkflowByKey", "/v1/workflows/by-key/smoke"),
        _get("listWorkflows", "/v1/workflows"),
        _get("getWorkflow", workflow),
        Call(
            operation="updateWorkflow",
            method="PATCH",
            path=workflow,
            body={"name": "walked"},
            headers={"If-Match": "*"},
        ),
        _post("startRun", f"{workflow}/runs", None, 201, keeps={"run": "id"}),
        _get("listRuns", f"{workflow}/runs"),
        _get("getRun", run),
        # Its calls may be under way, or have been made.
        _post("cancelRun", f"{run}/cancel", None, 200, 202, 409),
        _post("redriveRun", f"{run}/redrive", {"epoch": 1}, 200, 409),
        _delete("deleteWorkflow", workflow),
        _delete("deleteWorkflow", "/v1/workflows/{keyed_workflow}"),
    )


def _lists() -> tuple[Call, ...]:
    """`failed` is an execution that ended without success, and `working` one that its receiver works on."""
    return (
        _get("listExecutionsByTime", "/v1/executions"),
        _get("getExecution", "/v1/executions/{failed}"),
        _get("explainExecution", "/v1/executions/{failed}/explain"),
        _post(
            "searchExecutions",
            "/v1/executions/search",
            {"from": "{three_hours_ago}", "to": "{now}"},
            202,
            keeps={"search": "id"},
        ),
        _get("listSearches", "/v1/searches"),
        _get("getSearch", "/v1/searches/{search}"),
        _delete("cancelSearch", "/v1/searches/{search}", 200, 409),
        _get("listUpcoming", "/v1/upcoming?within=3600"),
        _get("getUpcomingDensity", "/v1/upcoming/density?step_seconds=3600"),
        _get("listDeadLetters", "/v1/dead-letters"),
        _get("inspectDeadLetter", "/v1/dead-letters/{failed}"),
        _post("redriveExecution", "/v1/executions/{failed}/redrive", None, 201, keeps={"redriven": "id"}),
        _delete("cancelExecution", "/v1/executions/{redriven}", 200, 202, 409),
        _post("redriveDeadLetters", "/v1/dead-letters/redrive", {"rate": 1}, 202, keeps={"bulk": "id"}),
        _get("getRedrive", "/v1/redrives/{bulk}"),
        _delete("undoRedrive", "/v1/redrives/{bulk}", 202),
        # Without a token of a call in progress these are refused, after the execution was read.
        _post("heartbeatExecution", "/v1/executions/{failed}/heartbeat", None, 401, 403, 404, 409),
        _post("completeExecution", "/v1/executions/{failed}/complete", None, 401, 403, 404, 409),
        _post("failExecution", "/v1/executions/{failed}/fail", {}, 401, 403, 404, 409),
    )


def _an_hour_ago() -> str:
    return f"{datetime.now(UTC) - timedelta(hours=1):%Y-%m-%dT%H:00:00Z}"


def _own() -> tuple[Call, ...]:
    overlap = {"overlap_seconds": 60}
    return (
        _get("getWhoami", "/v1/whoami"),
        _get("listKeys", "/v1/keys"),
        _post("createKey", "/v1/keys", {"scopes": ["read"]}, 201, keeps={"key": "id"}),
        _post("rotateKey", "/v1/keys/{key}/rotate", overlap, 201, keeps={"key": "id"}),
        _delete("revokeKey", "/v1/keys/{key}"),
        _post("rotateSigningSecret", "/v1/signing-secrets", overlap, 201),
        _get("listSigningSecrets", "/v1/signing-secrets", keeps={"secret": "signing_secrets.-1.id"}),
        _delete("retireSigningSecret", "/v1/signing-secrets/{secret}", 200, 409),
        _get("getSettings", "/v1/settings"),
        Call(operation="changeSettings", method="PATCH", path="/v1/settings", body={"on_success": None}),
        _get("listAudit", "/v1/audit"),
        _get("getUsage", "/v1/usage"),
        _get("getStatistics", f"/v1/stats?from={_an_hour_ago()}"),
        _get("getBusiestJobs", "/v1/stats/jobs"),
    )


def _operators(name: str) -> tuple[Call, ...]:
    tenant, overlap = f"/v1/admin/tenants/{name}", {"overlap_seconds": 60}
    found = (
        _get("listParked", "/v1/admin/parked"),
        # There is none: where messages are parked, an operator looks at them.
        _delete("removeParked", "/v1/admin/parked/1740000000000-none", 404),
        Call(
            operation="putSharedCalendar",
            method="PUT",
            path="/v1/admin/calendars/smoke",
            body={"country": "DE"},
        ),
        _get("getSharedCalendar", "/v1/admin/calendars/smoke"),
        _get("listSharedCalendars", "/v1/admin/calendars"),
        _delete("deleteSharedCalendar", "/v1/admin/calendars/smoke"),
        _get("listTenants", "/v1/admin/tenants"),
        _post("createTenant", "/v1/admin/tenants", {"id": name}, 201),
        _get("getTenant", tenant),
        Call(
            operation="putEventSource",
            method="PUT",
            path="/v1/admin/event-sources/999999999999",
            body={"routes": [{"source_prefix": "smoke.", "tenant_id": name}]},
        ),
        _get("getEventSource", "/v1/admin/event-sources/999999999999"),
        _get("listEventSources", "/v1/admin/event-sources"),
        _delete("deleteEventSource", "/v1/admin/event-sources/999999999999"),
        Call(operation="changeTenant", method="PATCH", path=tenant, body={"weight": 2}),
        _get("listAuditOfTenant", f"{tenant}/audit"),
        _post("createKeyOfTenant", f"{tenant}/keys", {"scopes": ["read"]}, 201, keeps={"key": "id"}),
        _get("listKeysOfTenant", f"{tenant}/keys"),
        _post("rotateKeyOfTenant", f"{tenant}/keys/{{key}}/rotate", overlap, 201, keeps={"key": "id"}),
        _delete("revokeKeyOfTenant", f"{tenant}/keys/{{key}}"),
        _post("rotateSigningSecretOfTenant", f"{tenant}/signing-secrets", overlap, 201),
        _get(
            "listSigningSecretsOfTenant",
            f"{tenant}/signing-secrets",
            keeps={"secret": "signing_secrets.-1.id"},
        ),
        _delete("retireSigningSecretOfTenant", f"{tenant}/signing-secrets/{{secret}}", 200, 409),
        _get("getUsageOfTenant", f"{tenant}/usage"),
        # It is active, and is kept.
        _post("deleteTenant", f"{tenant}/deletion", {"confirm": name, "asked_by": "smoke"}, 409),
        Call(operation="getTenantDeletion", method="GET", path=f"{tenant}/deletion", statuses=(404,)),
        _get("getStatisticsOfTenant", f"{tenant}/stats?from={_an_hour_ago()}"),
        _get("getStatisticsOfAllTenants", f"/v1/admin/stats?from={_an_hour_ago()}"),
        _get("getBusiestJobsOfTenant", f"{tenant}/stats/jobs"),
        _get("getBusiestJobsOfAllTenants", "/v1/admin/stats/jobs"),
        _get("listLanes", "/v1/admin/lanes"),
        _get("listAlarms", "/v1/admin/alarms"),
        _get("listDue", "/v1/admin/upcoming?within=60"),
    )
    return tuple(
        Call(**{name: getattr(call, name) for name in Call.__dataclass_fields__} | {"by_operator": True})
        for call in found
    )


def walk(
    planned: tuple[Call, ...], tenant: Site, operator: Site, values: Mapping[str, str]
) -> dict[str, str]:
    """Send each request. What was answered otherwise than planned, by operation."""
    known, wrong = dict(values), {}
    for call in planned:
        try:
            path, body = call.path.format(**known), _filled(call.body, known)
        except KeyError as missing:
            wrong[call.operation] = f"no earlier answer gave {missing}"
            continue
        answer = (operator if call.by_operator else tenant).request(
            call.method, path, body, headers=dict(call.headers)
        )
        if answer.status not in call.statuses:
            wrong[call.operation] = f"{answer.status} {answer.body[:200]!r}"
            continue
        for name, member in call.keeps.items():
            known[name] = _member(answer.json(), member)
    return wrong


def _member(document: Any, path: str) -> str:
    for part in path.split("."):
        document = document[int(part)] if isinstance(document, list) else document[part]
    return str(document)


def _filled(body: Any, known: Mapping[str, str]) -> Any:
    if isinstance(body, dict):
        return {name: _filled(value, known) for name, value in body.items()}
    if isinstance(body, str) and body.startswith("{") and body.endswith("}"):
        return known[body[1:-1]]
    return body
