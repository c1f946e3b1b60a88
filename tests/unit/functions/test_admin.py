"""The operator's commands: the same operations as over HTTP; what is shown once, and what is refused with a line."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import pytest

from functions.admin import __main__ as admin
from functions.admin.commands import COMMANDS
from shared.domain.dead_letters.parked_message import park
from shared.domain.errors import InvalidStateError, InvalidValueError, PunctualError, UnavailableError
from shared.domain.tenancy.tenant import CANARY, OPERATOR, Scope
from shared.names import QueueName
from tests.support.usecases.world import World

Run = Callable[..., Any]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """A deployment behind the command, and its settings in the environment."""
    world = World()

    monkeypatch.setattr(admin, "use_cases_from", lambda _: world.cases)
    monkeypatch.setenv("TENANTS_TABLE", "tenants")
    return world


@pytest.fixture
def run(world: World, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command that is done, and what it shows."""

    def run(*arguments: str) -> Any:
        assert admin.main(list(arguments)) == 0, capsys.readouterr().err
        output = capsys.readouterr()
        assert output.err == ""
        return json.loads(output.out)

    return run


def test_a_new_tenants_credentials_are_shown_once(world: World, run: Run) -> None:
    shown = run("create-tenant", "other")
    assert shown.keys() == {"tenant", "api_key", "signing_secret"}
    assert shown["tenant"] == "other"
    principal = world.authenticate.execute(shown["api_key"])
    assert principal is not None
    assert principal.key.scopes == {Scope.READ, Scope.WRITE}
    again = json.dumps([run("show-tenant", "other"), run("list-keys", "other"), run("list-tenants")])
    assert shown["api_key"].rpartition("_")[2] not in again


def test_a_tenants_first_key_may_be_its_own_manager(world: World, run: Run) -> None:
    principal = world.authenticate.execute(run("create-tenant", "other", "--scopes", "read,admin")["api_key"])
    assert principal is not None
    assert principal.key.scopes == {Scope.READ, Scope.ADMIN}


def test_the_first_operator_is_made_here(world: World, run: Run) -> None:
    shown = run("create-operator")
    assert shown.keys() == {"tenant", "api_key"}
    principal = world.authenticate.execute(shown["api_key"])
    assert principal is not None
    assert (principal.tenant.id, set(principal.key.scopes)) == (OPERATOR, {Scope.ADMIN})


def test_operator_key_can_be_created_where_all_keys_are_lost(world: World, run: Run) -> None:
    first = run("create-operator")["api_key"]
    run("revoke-key", OPERATOR, first.split("_")[1])
    second = run("create-key", OPERATOR, "--scopes", "admin")["api_key"]
    assert (world.authenticate.execute(first), world.authenticate.execute(second) is not None) == (None, True)


def test_a_tenant_is_suspended_limited_and_let_in_again(run: Run) -> None:
    changed = run(
        "change-tenant",
        "acme",
        *("--state", "suspended", "--weight", "5", "--index-shards", "2"),
        *("--quota", "tags=3", "--quota", "recurring_jobs=7"),
    )
    assert (changed["state"], changed["weight"], changed["index_shards"]) == ("suspended", 5, 2)
    assert changed["effective_at"] is not None
    assert changed["own_quotas"] == ["recurring_jobs", "tags"]
    assert run("show-usage", "acme")["quotas"]["recurring_jobs"] == {
        "limit": 7,
        "used": 0,
        "is_lower_bound": False,
        "is_enforced": True,
    }
    back = run("change-tenant", "acme", "--state", "active", "--quota", "tags=default")
    assert (back["state"], back["own_quotas"]) == ("active", ["recurring_jobs"])


def test_keys_are_made_rotated_and_revoked(world: World, run: Run) -> None:
    made = run("create-key", "acme", "--scopes", "read", "--name", "ci", "--expires-in-seconds", "3600")
    assert (made["scopes"], made["name"], made["state"]) == (["read"], "ci", "live")
    rotated = run("rotate-key", "acme", made["id"], "--overlap-seconds", "60")
    run("revoke-key", "acme", made["id"])
    assert world.authenticate.execute(rotated["api_key"]) is not None
    states = {key["id"]: key["state"] for key in run("list-keys", "acme")["keys"]}
    assert (states[made["id"]], states[rotated["id"]]) == ("revoked", "live")


def test_signing_secrets_are_rotated_and_retired(run: Run) -> None:
    (old,) = run("list-signing-secrets", "acme")["signing_secrets"]
    new = run("rotate-signing-secret", "acme")
    assert new["signing_secret"].startswith("whsec_")
    assert run("retire-signing-secret", "acme", old["id"])["state"] == "retired"
    assert [each["id"] for each in run("list-signing-secrets", "acme")["signing_secrets"]] == [new["id"]]
    assert run("rotate-signing-secret", "acme", "--name", "billing")["name"] == "billing"
    named = [each["name"] for each in run("list-signing-secrets", "acme")["signing_secrets"]]
    assert named == [None, "billing"]
    (removed,) = run("remove-signing-secret-name", "acme", "billing")["signing_secrets"]
    assert removed["name"] == "billing"
    assert [each["name"] for each in run("list-signing-secrets", "acme")["signing_secrets"]] == [None]


def test_all_tenants_are_listed_however_many_there_are(world: World, run: Run) -> None:
    for number in range(201):
        world.create_tenant.execute(f"t{number:03d}")
    assert len(run("list-tenants")["tenants"]) == 202


def test_admin_command_is_audited_as_the_operators(world: World, run: Run) -> None:
    run("create-tenant", "other")
    run("create-key", "other", "--scopes", "read")
    records = world.audit_log.of("other")
    assert {record.operation for record in records} == {"createTenant", "createKey"}
    assert {(record.actor.tenant_id, record.actor.key_id) for record in records} == {(OPERATOR, None)}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["create-tenant", "acme"], "exists already"),
        (["create-tenant", "No Such Id"], "a tenant id is"),
        (["create-tenant", "operator"], "reserved"),
        (["show-tenant", "nobody"], "no such tenant"),
        (["change-tenant", "acme"], "nothing is to be changed"),
        (["change-tenant", "acme", "--weight", "101"], "weight"),
        (["change-tenant", "acme", "--quota", "tags=11"], "tags"),
        (["create-key", "acme"], "scopes"),
        (["revoke-key", "acme", "unknown"], "no such key"),
        (["retire-signing-secret", "acme", "unknown"], "no such secret"),
        (["remove-signing-secret-name", "acme", "unknown"], "no signing secret has this name"),
    ],
)
def test_a_refusal_is_a_line_and_a_status(
    world: World, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    assert admin.main(arguments) == 1
    output = capsys.readouterr()
    assert (output.out, why in output.err, output.err.count("\n")) == ("", True, 1)


@pytest.mark.parametrize("fault", [UnavailableError("no"), InvalidStateError("no"), InvalidValueError("no")])
def test_every_error_of_punctual_is_a_line_and_a_status(
    world: World, capsys: pytest.CaptureFixture[str], fault: PunctualError
) -> None:
    def refuse() -> None:
        raise fault

    world.steps.before("tenants.get", refuse)
    assert admin.main(["show-tenant", "acme"]) == 1
    assert capsys.readouterr().err == "no\n"


def test_the_settings_may_come_from_a_deployed_function(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, str | None]] = []
    seen: list[Mapping[str, str]] = []

    def variables(name: str, region: str | None) -> dict[str, str]:
        asked.append((name, region))
        return {"FROM": "the function"}

    monkeypatch.setattr(admin, "function_environment", variables)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    behind = admin.use_cases_from

    def use_cases_from(given: Mapping[str, str]) -> Any:
        seen.append(given)
        return behind(given)

    monkeypatch.setattr(admin, "use_cases_from", use_cases_from)
    assert admin.main(["--function", "punctual-test-api", "create-tenant", "other"]) == 0
    assert (asked, seen) == ([("punctual-test-api", "eu-central-1")], [{"FROM": "the function"}])
    assert capsys.readouterr().out


AWS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_REGION": "eu-central-1"}


@pytest.mark.parametrize(
    ("aws", "told"),
    [
        (AWS, "Could not connect"),
        (AWS | {"AWS_REGION": ""}, "You must specify a region"),
        (AWS | {"AWS_REGION": "no region"}, "no region"),
        ({"AWS_REGION": "eu-central-1"}, "Unable to locate credentials"),
        (AWS | {"AWS_ENDPOINT_URL": "nowhere"}, "Invalid endpoint"),
    ],
)
def test_failure_to_read_the_settings_is_reported_in_a_single_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], aws: dict[str, str], told: str
) -> None:
    """Nobody listens at the endpoint."""
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    elsewhere = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_EC2_METADATA_DISABLED": "true"}
    for name, value in (
        elsewhere | {"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"} | aws
    ).items():
        monkeypatch.setenv(name, value)
    assert admin.main(["--function", "punctual-test-api", "list-tenants"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("could not read the settings of punctual-test-api: ")
    assert told in said
    assert said.count("\n") == 1


def test_admin_command_without_settings_asks_for_the_function(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TENANTS_TABLE", raising=False)
    assert admin.main(["list-tenants"]) == 1
    assert "--function" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["create-tenant"],
        ["drop-tenant", "x"],
        ["create-tenant", "a", "b"],
        ["create-key", "acme", "--scopes", "root"],
        ["change-tenant", "acme", "--state", "gone"],
        ["change-tenant", "acme", "--quota", "moon=1"],
        ["change-tenant", "acme", "--quota", "tags=many"],
        ["rotate-key", "acme", "k", "--overlap-seconds", "soon"],
    ],
)
def test_an_unknown_command_is_refused_with_the_usage(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        admin.main(arguments)
    assert ended.value.code == 2
    assert "usage: python -m functions.admin" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        admin.main([command, "--help"])
    assert ended.value.code == 0
    assert "usage" in capsys.readouterr().out


def test_parked_messages_are_listed_and_removed_with_a_record(world: World, run: Run) -> None:
    for number in range(3):
        world.parked_messages.park(
            park(f"m-{number}", QueueName.BULK, "\x1b[2J", "no JSON", 1_740_000_000_000 + number)
        )
    listed = run("list-parked", "--limit", "2")["messages"]
    assert [one["message_id"] for one in listed] == ["m-2", "m-1"]
    assert listed[0]["body"] == "\\x1b[2J"
    assert run("remove-parked", listed[0]["id"]) == listed[0]
    assert [one["message_id"] for one in run("list-parked")["messages"]] == ["m-1", "m-0"]
    (record,) = world.audit_log.of(OPERATOR)
    assert (record.operation, record.target, record.after) == ("removeParked", listed[0]["id"], None)


@pytest.mark.parametrize("message", ["", "x", "5-nobody"])
def test_a_message_that_is_not_parked_is_not_removed(
    world: World, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert admin.main(["remove-parked", message]) == 1
    assert capsys.readouterr().err == "no such message\n"


def test_a_tenant_is_told_of_outcomes_and_no_more(run: Run) -> None:
    url = "https://told.example/lost"
    assert run("change-tenant", "acme", "--on-failure", url)["on_failure"] == url
    shown = run("show-tenant", "acme")
    assert (shown["on_success"], shown["on_failure"]) == (None, url)
    assert run("change-tenant", "acme", "--on-failure", "none")["on_failure"] is None


def test_secrets_of_the_canary_are_stored_and_neither_shown_nor_audited(world: World, run: Run) -> None:
    shown = run("create-canary")
    key, secret = (world.parameters.texts[name] for name in shown["parameters"])
    assert world.authenticate.execute(key) is not None
    (record,) = world.audit_log.of(CANARY)
    assert record.operation == "createCanary"
    everything = json.dumps([shown, asdict(record)], default=str)
    assert shown["key_id"] in everything
    assert not [text for text in (key.rpartition("_")[2], secret) if text in everything]


def test_canary_whose_parameters_are_refused_is_told_in_one_line_and_audited(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.parameters.is_down = True
    assert admin.main(["create-canary"]) == 1
    assert capsys.readouterr().err == "the fake is down\n"
    (record,) = world.audit_log.of(CANARY)
    assert (record.operation, record.target, record.before) == ("createCanaryFailed", CANARY, None)
