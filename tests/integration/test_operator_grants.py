"""The policy of the operators' command line allows the AWS calls of all commands, and no others."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from botocore.client import BaseClient

from functions.admin import __main__ as admin
from functions.admin.commands import COMMANDS
from infra.components.grant_table import API, ARCHIVE, function_name, grants_of_commands, parameter_name
from infra.local.stack import LocalStack
from shared.adapters.aws.http_call import HttpCall
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.domain.dead_letters.parked_message import park
from shared.domain.schedules.schedule import format_instant
from shared.names import CanarySecret, QueueName
from shared.settings import ApiSettings
from tests.support.archived_rows import archive_on
from tests.support.aws_calls import Need, needs
from tests.support.builders import api_key, deletion, tenant
from tests.support.function_grants import names_of
from tests.support.usecases.audit_trail import record

pytestmark = pytest.mark.integration

TENANT = "granted"
GONE = "granted-gone"
PARKED = "m-1"
FAR = {
    "schedule": {"delay_seconds": 1_800},
    # So large that it is stored apart from its execution.
    "request": {"url": "http://127.0.0.1:65000/never", "json": "x" * 4_000},
}


class Commands:
    """Runs commands with the credentials of an operator alone. `ran` has their names."""

    def __init__(self, function: str, capture: pytest.CaptureFixture[str]) -> None:
        self._function = function
        self._capture = capture
        self.ran: set[str] = set()

    def run(self, *arguments: str, may_be_refused: bool = False) -> Any:
        """What the command prints."""
        self.ran.add(arguments[0])
        status = admin.main(["--function", self._function, *arguments])
        printed = self._capture.readouterr()
        assert status == 0 or may_be_refused, printed.err
        return json.loads(printed.out or "null")


@pytest.fixture
def commands(
    stack: LocalStack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Commands:
    for name, value in stack.environment().items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    settings = ApiSettings.from_env(stack.environment())
    dynamo_ports(settings).parked_messages.park(
        park(PARKED, QueueName.BULK, "{", "no JSON", 1_740_000_000_000)
    )
    _delete_another(settings)
    archive_on(stack, TENANT)
    # Its first run writes the first segment.
    stack.invoke("auditor", {})
    return Commands(stack.functions["api"], capsys)


def _delete_another(settings: ApiSettings) -> None:
    """The deletion of a tenant has just ended."""
    ports = dynamo_ports(settings)
    before = tenant(id=GONE)
    assert ports.tenants.create(before, api_key(tenant_id=GONE))
    after = replace(before, is_being_deleted=True, revision=before.revision + 1)
    asked = deletion(tenant_id=GONE)
    assert ports.tenant_deletions.begin(before, after, asked)
    assert ports.tenant_deletions.finish(asked, asked.ended({}, ports.clock.now_ms()), after)


@pytest.fixture
def made(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> set[Need]:
    """What the calls of this process need, over both transports."""
    found: set[Need] = set()
    over_http: Any = HttpCall.__call__
    over_boto: Any = BaseClient._make_api_call  # type: ignore[attr-defined]

    def http_call(call: HttpCall, operation: str, params: Mapping[str, Any]) -> Any:
        found.update(needs(call.service.name, operation, params))
        return over_http(call, operation, params)

    def boto_call(client: Any, operation: str, params: Mapping[str, Any]) -> Any:
        found.update(needs(client.meta.service_model.service_name, operation, params))
        return over_boto(client, operation, params)

    monkeypatch.setattr(HttpCall, "__call__", http_call)
    monkeypatch.setattr(BaseClient, "_make_api_call", boto_call)
    return found


def test_commands_make_exactly_the_calls_that_the_policy_of_operators_allows(
    stack: LocalStack, commands: Commands, made: set[Need]
) -> None:
    _run_all(commands.run, stack)
    assert commands.ran == COMMANDS.keys(), "each command has to run"
    names = names_of(stack.environment()) | {f"function:{stack.functions['api']}": function_name(API)}
    names |= {f"parameter{each.parameter('local')}": parameter_name(each) for each in CanarySecret}
    allowed = {
        (action, name)
        for grant in grants_of_commands()
        for action in grant.actions
        for name in grant.resources
    }
    # No bucket is listed: without the grant, S3 denies to read an object that does not exist.
    allowed -= {("s3:ListBucket", ARCHIVE)}
    assert {(action, names.get(resource, resource)) for action, resource in made} == allowed


def _repeat_deletions(run: Callable[..., Any], stack: LocalStack) -> None:
    """After a restore, the rows of one tenant are back, and another tenant is back itself."""
    ports = dynamo_ports(ApiSettings.from_env(stack.environment()))
    request = record(1, ports.clock.now_ms(), tenant_id=TENANT, operation="deleteTenant", target=TENANT)
    ports.audit_log.append(request, 2_000_000_000)
    interval = [format_instant(request.at + moved) for moved in (-600_000, 0)]
    arguments = ("--from", interval[0], "--to", interval[1], "--asked-by", "restore")
    found = {each["tenant"]: each["step"] for each in run("repeat-deletions", *arguments)["tenants"]}
    assert (found[GONE], found[TENANT]) == ("deletes", "waits")


def _run_all(run: Callable[..., Any], stack: LocalStack) -> None:
    # The other tests of the stack may have made the operators' tenant.
    run("create-operator", may_be_refused=True)
    run("create-canary")
    api = stack.api(run("create-tenant", TENANT)["api_key"])
    assert api.request("POST", "/v1/jobs", FAR).status == 201
    (execution,) = api.request("GET", "/v1/executions").json()["executions"]
    run("show-execution", execution["id"])
    run("list-tenants")
    run("show-tenant", TENANT)
    run("change-tenant", TENANT, "--weight", "2")
    run("show-usage", TENANT)
    key = run("create-key", TENANT, "--scopes", "read")["id"]
    run("rotate-key", TENANT, key)
    run("revoke-key", TENANT, key)
    run("list-keys", TENANT)
    (first,) = run("list-signing-secrets", TENANT)["signing_secrets"]
    run("rotate-signing-secret", TENANT)
    run("retire-signing-secret", TENANT, first["id"])
    run("rotate-signing-secret", TENANT, "--name", "billing")
    run("remove-signing-secret-name", TENANT, "billing")
    run("list-audit", TENANT)
    run("verify-audit")
    with TemporaryDirectory() as folder:
        run("restore-history", TENANT, "--file", f"{folder}/restored.jsonl")
        run("export-tenant", TENANT, "--file", f"{folder}/exported.jsonl")
    run("change-tenant", TENANT, "--state", "suspended")
    # The suspension has not taken effect.
    run("delete-tenant", TENANT, "--asked-by", "ticket 7", may_be_refused=True)
    run("show-deletion", TENANT, may_be_refused=True)
    _repeat_deletions(run, stack)
    (message,) = (each for each in run("list-parked")["messages"] if each["message_id"] == PARKED)
    run("remove-parked", message["id"])
