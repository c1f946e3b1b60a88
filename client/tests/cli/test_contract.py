"""Every operation of the API is reached by a command."""

import json
import re
from pathlib import Path

import httpx
import pytest

from client.tests.cli.scene import Scene

OPENAPI = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text(encoding="utf-8"))
OPERATIONS = {
    each["operationId"]: (method.upper(), path)
    for path, methods in OPENAPI["paths"].items()
    for method, each in methods.items()
    if "operationId" in each
}
REACHED = {
    "backfillJob": "backfill {job} --from 2025-02-02T00:00:00Z --to 2025-02-02T05:00:00Z",
    "cancelJob": "delete {once}",
    "changeJobs": "pause --tag t --dry-run",
    "completeExecution": "report complete {accepted}",
    "createJob": "create --url {hook} --delay 1h",
    "createJobs": "batch -",
    "failExecution": "report fail {accepted} --reason broken --final",
    "getExecution": "trigger {job} --wait",
    "getHealth": "health",
    "getJob": "get {job}",
    "getJobByKey": "get {key}",
    "getUsage": "login --url https://api.example --key-stdin",
    "heartbeatExecution": "report heartbeat {accepted}",
    "listJobs": "list",
    "pauseJob": "pause {job}",
    "putJob": "create --url {hook} --cron @daily --key a.key",
    "resumeJob": "resume {job}",
    "triggerJob": "trigger {job}",
    "updateJob": "edit {job} --name new",
}
"""A command line for each operation; `punctual api`, which reaches all, does not count."""
BY_ADMINISTRATORS = "admin"
"""Command lines that begin so are given an operator's key."""
WITH_ALL_SCOPES: frozenset[str] = frozenset()
"""Operations that need a key with the scope `admin`."""
STDIN = {
    "createJobs": '{"schedule": {"delay_seconds": 60}, "request": {"url": "https://receiver.example/hook"}}',
    "getUsage": "{key}",
}
NOT_YET = frozenset(
    {
        # why, runs, run, tail, next, preview, stats
        "cancelExecution",
        "cancelSearch",
        "explainExecution",
        "getSearch",
        "getStatistics",
        "listExecutions",
        "listExecutionsByTime",
        "listNextRuns",
        "listSearches",
        "listUpcoming",
        "previewSchedule",
        "searchExecutions",
        # dead, redrives, bulk
        "cancelBulkTask",
        "getBulkTask",
        "getRedrive",
        "inspectDeadLetter",
        "listBulkTasks",
        "listDeadLetters",
        "redriveDeadLetters",
        "redriveExecution",
        "undoBulkTask",
        "undoRedrive",
        # keys, secrets, settings, audit
        "changeSettings",
        "createKey",
        "getSettings",
        "listAudit",
        "listKeys",
        "listSigningSecrets",
        "retireSigningSecret",
        "revokeKey",
        "rotateKey",
        "rotateSigningSecret",
        # admin
        "changeTenant",
        "createKeyOfTenant",
        "createTenant",
        "deleteTenant",
        "getStatisticsOfAllTenants",
        "getStatisticsOfTenant",
        "getTenant",
        "getTenantDeletion",
        "getUsageOfTenant",
        "listAuditOfTenant",
        "listDue",
        "listKeysOfTenant",
        "listParked",
        "listSigningSecretsOfTenant",
        "listTenants",
        "retireSigningSecretOfTenant",
        "revokeKeyOfTenant",
        "rotateKeyOfTenant",
        "rotateSigningSecretOfTenant",
    }
)
"""Operations whose commands are still to be written."""


def test_every_operation_has_a_command_line() -> None:
    assert not NOT_YET & REACHED.keys()
    assert NOT_YET | REACHED.keys() == OPERATIONS.keys()


@pytest.mark.parametrize("operation", sorted(REACHED))
def test_command_line_reaches_its_operation(operation: str, tmp_path: Path) -> None:
    scene = Scene()
    scene.shell.environ["XDG_CONFIG_HOME"] = str(tmp_path)
    line = scene.line(REACHED[operation])
    if line[0] == BY_ADMINISTRATORS:
        scene.operate()
    elif operation in WITH_ALL_SCOPES:
        scene.administer()
    before = len(scene.shell.deployment.sent)
    stdin = STDIN.get(operation, "").replace("{key}", scene.shell.deployment.key)
    ran = scene.shell.run(*line, stdin=stdin)
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
