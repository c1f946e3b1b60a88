"""Every operation of the API is reached by a command."""

import json
import re
from pathlib import Path

import httpx
import pytest

from client.tests.cli.scene import DIAMOND, Scene

OPENAPI = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text(encoding="utf-8"))
OPERATIONS = {
    each["operationId"]: (method.upper(), path)
    for path, methods in OPENAPI["paths"].items()
    for method, each in methods.items()
    if "operationId" in each
}
REACHED = {
    "backfillJob": "backfill {job} --from 2025-02-02T00:00:00Z --to 2025-02-02T05:00:00Z",
    "cancelBulkTask": "bulk cancel {task}",
    "cancelExecution": "run cancel {waiting}",
    "cancelJob": "delete {once}",
    "cancelRun": "run cancel {workflow_run}",
    "cancelSearch": "searches cancel {search}",
    "changeJobs": "pause --tag t --dry-run",
    "changeSettings": "settings set --on-failure https://example.com/failed",
    "changeTenant": "admin tenants change acme --weight 2",
    "completeExecution": "report complete {accepted}",
    "createJob": "create --url {hook} --delay 1h",
    "createJobs": "batch -",
    "createKey": "keys create --scope read",
    "createKeyOfTenant": "admin keys create acme --scope read",
    "createTenant": "admin tenants create fourth",
    "createWorkflow": "workflows create -",
    "deleteCalendar": "calendars delete {calendar}",
    "deleteEventSource": "admin event-sources delete {account}",
    "deleteSharedCalendar": "admin calendars delete {shared}",
    "deleteTrigger": "triggers delete {trigger}",
    "deleteWorkflow": "workflows delete {workflow}",
    "deleteTenant": "admin tenants delete {suspended} --asked-by TICKET-1 --confirm {suspended}",
    "explainExecution": "why {run}",
    "failExecution": "report fail {accepted} --reason broken --final",
    "getBulkTask": "bulk show {task}",
    "getCalendar": "calendars get {calendar}",
    "getEventSource": "admin event-sources get {account}",
    "getSharedCalendar": "admin calendars get {shared}",
    "getTrigger": "triggers get {trigger}",
    "getExecution": "run show {run}",
    "getHealth": "health",
    "getJob": "get {job}",
    "getJobByKey": "get {key}",
    "getRedrive": "redrives show {redrive}",
    "getRun": "run show {workflow_run}",
    "getWorkflow": "workflows get {workflow}",
    "listRuns": "workflows runs {workflow}",
    "listWorkflows": "workflows list",
    "redriveRun": "run redrive {cancelled_run}",
    "startRun": "workflows start {workflow}",
    "updateWorkflow": "workflows edit {workflow} -",
    "getSearch": "searches show {search}",
    "getSettings": "settings get",
    "getBusiestJobs": "busiest",
    "getBusiestJobsOfAllTenants": "admin busiest",
    "getBusiestJobsOfTenant": "admin busiest acme",
    "getStatistics": "stats",
    "getStatisticsOfAllTenants": "admin stats",
    "getStatisticsOfTenant": "admin stats acme",
    "getTenant": "admin tenants get acme",
    "getTenantDeletion": "admin tenants deletion {deleted}",
    "getUpcomingDensity": "upcoming",
    "getUsage": "usage",
    "getUsageOfTenant": "admin usage acme",
    "getWhoami": "whoami",
    "getWorkflowByKey": "workflows get {workflow_key}",
    "heartbeatExecution": "report heartbeat {accepted}",
    "inspectDeadLetter": "dead get {dead}",
    "listAudit": "audit",
    "listAlarms": "admin alarms",
    "listAuditOfTenant": "admin audit acme",
    "listBulkTasks": "bulk list",
    "listCalendars": "calendars list",
    "listSharedCalendars": "admin calendars list",
    "listDeadLetters": "dead list",
    "listDue": "admin due",
    "listEventSources": "admin event-sources list",
    "listExecutions": "runs {job}",
    "listExecutionsByTime": "runs --failed --since 24h",
    "listJobs": "list",
    "listKeys": "keys list",
    "listKeysOfTenant": "admin keys list acme",
    "listNextRuns": "next {job}",
    "listLanes": "admin lanes",
    "listParked": "admin parked list",
    "listSearches": "searches list",
    "listSigningSecrets": "secrets list",
    "listSigningSecretsOfTenant": "admin secrets list acme",
    "listTenants": "admin tenants list",
    "listTriggers": "triggers list",
    "listUpcoming": "next",
    "pauseJob": "pause {job}",
    "previewSchedule": "preview @daily",
    "putCalendar": "calendars put works --country DE",
    "putEventSource": "admin event-sources put 222233334444 --route shop.=acme",
    "putSharedCalendar": "admin calendars put works --country DE",
    "putWorkflow": "workflows put shop.order -",
    "putJob": "create --url {hook} --cron @daily --key a.key",
    "putTrigger": "triggers put orders --job {job} --pattern -",
    "redriveDeadLetters": "dead redrive --dry-run",
    "redriveExecution": "run redrive {dead}",
    "removeParked": "admin parked remove {parked}",
    "resumeJob": "resume {job}",
    "retireSigningSecret": "secrets retire {secret}",
    "retireSigningSecretOfTenant": "admin secrets retire acme {tenant_secret}",
    "revokeKey": "keys revoke {other_key}",
    "revokeKeyOfTenant": "admin keys revoke acme {tenant_key}",
    "rotateKey": "keys rotate {other_key}",
    "rotateKeyOfTenant": "admin keys rotate acme {tenant_key}",
    "rotateSigningSecret": "secrets rotate",
    "rotateSigningSecretOfTenant": "admin secrets rotate acme",
    "searchExecutions": "searches create --since 24h",
    "sendEvent": "events send --source shop --type order.paid --id order-1",
    "triggerJob": "trigger {job}",
    "undoBulkTask": "bulk undo {task}",
    "undoRedrive": "redrives undo {redrive}",
    "updateJob": "edit {job} --name new",
}
"""A command line for each operation; `punctual api`, which reaches all, does not count."""
OPERATORS = ("admin",)
"""The first words of command lines that are given an operator's key."""
ADMINISTRATORS = ("keys", "secrets", "settings")
"""The first words of those that are given a key with every scope."""
STDIN = {
    "putTrigger": '{"source": ["shop"]}',
    "createWorkflow": json.dumps(DIAMOND),
    "putWorkflow": json.dumps(DIAMOND),
    "updateWorkflow": '{"name": "renamed"}',
    "createJobs": '{"schedule": {"delay_seconds": 60}, "request": {"url": "https://receiver.example/hook"}}',
}


def test_every_operation_has_a_command_line() -> None:
    assert REACHED.keys() == OPERATIONS.keys()


@pytest.mark.parametrize("operation", sorted(REACHED))
def test_command_line_reaches_its_operation(operation: str) -> None:
    scene, text = Scene(), REACHED[operation]
    if text.startswith(OPERATORS):
        scene.operate()
    elif text.startswith(ADMINISTRATORS):
        scene.administer()
    line = scene.line(text)
    before = len(scene.shell.deployment.sent)
    ran = scene.shell.run(*line, stdin=STDIN.get(operation, ""))
    assert ran.code == 0, ran
    assert operation in {operation_of(each) for each in scene.shell.deployment.sent[before:]}


def operation_of(request: httpx.Request) -> str | None:
    """The operation of a request; literal paths count before those with variables."""
    found = [
        (path.count("{"), operation)
        for operation, (method, path) in OPERATIONS.items()
        if method == request.method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path)
    ]
    return min(found)[1] if found else None
