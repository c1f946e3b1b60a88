"""The operator's commands: what is shown once, and what is refused with a line and a status."""

import json
from collections.abc import Callable, Mapping

import pytest

from functions.admin import __main__ as admin
from shared.domain.errors import InvalidStateError, InvalidValueError, PunctualError, UnavailableError
from shared.usecases.create_tenant import NewTenant
from tests.unit.usecases.world import World


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """A deployment behind the command, and its settings in the environment."""
    world = World()
    monkeypatch.setattr(admin, "parts_from", lambda environment: environment)
    monkeypatch.setattr(admin, "create_tenant", lambda _: world.create_tenant)
    return world


def test_a_new_tenants_credentials_are_shown_once(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert admin.main(["create-tenant", "other"]) == 0
    output = capsys.readouterr()
    shown = json.loads(output.out)
    assert shown.keys() == {"tenant", "api_key", "signing_secret"}
    assert shown["tenant"] == "other"
    assert world.authenticate(shown["api_key"]) is not None
    assert output.err == ""


@pytest.mark.parametrize(("tenant", "why"), [("acme", "exists already"), ("No Such Id", "a tenant id is")])
def test_a_refusal_is_a_line_and_a_status(
    world: World, capsys: pytest.CaptureFixture[str], tenant: str, why: str
) -> None:
    assert admin.main(["create-tenant", tenant]) == 1
    output = capsys.readouterr()
    assert (output.out, why in output.err, output.err.count("\n")) == ("", True, 1)


def refusing(fault: PunctualError) -> Callable[[Mapping[str, str]], Callable[[str], NewTenant]]:
    def create(_: str) -> NewTenant:
        raise fault

    return lambda _: create


@pytest.mark.parametrize("fault", [UnavailableError("no"), InvalidStateError("no"), InvalidValueError("no")])
def test_so_is_every_error_of_punctuals_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: PunctualError
) -> None:
    monkeypatch.setattr(admin, "parts_from", lambda environment: environment)
    monkeypatch.setattr(admin, "create_tenant", refusing(fault))
    assert admin.main(["create-tenant", "other"]) == 1
    assert capsys.readouterr().err == "no\n"


def test_the_settings_may_come_from_a_deployed_function(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    seen: list[Mapping[str, str]] = []
    monkeypatch.setattr(
        admin, "function_environment", lambda name: asked.append(name) or {"FROM": "the function"}
    )
    monkeypatch.setattr(admin, "parts_from", seen.append)
    assert admin.main(["--function", "punctual-test-api", "create-tenant", "other"]) == 0
    assert (asked, seen) == (["punctual-test-api"], [{"FROM": "the function"}])
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [[], ["create-tenant"], ["drop-tenant", "x"], ["create-tenant", "a", "b"]]
)
def test_an_unknown_command_is_refused_with_the_usage(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        admin.main(arguments)
    assert ended.value.code == 2
    assert "usage: python -m functions.admin" in capsys.readouterr().err
