"""What operators look up without a tenant's key: an execution by its id, and who changed what."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from functions.admin import __main__ as admin
from functions.admin.lookups import HOUR_MS
from shared.domain.executions.execution import EventRef
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.tenant import OPERATOR
from tests.support.usecases.world import World

Run = Callable[..., Any]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """A deployment behind the command."""
    world = World()
    monkeypatch.setattr(admin, "use_cases_from", lambda _: world.cases)
    monkeypatch.setenv("TENANTS_TABLE", "tenants")
    return world


@pytest.fixture
def run(world: World, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> Any:
        assert admin.main(list(arguments)) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return run


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert admin.main(list(arguments)) == 1
    return capsys.readouterr().err


def test_execution_is_shown_with_its_tenant_and_without_its_request(world: World, run: Run) -> None:
    execution = world.put(world.one_off())
    shown = run("show-execution", str(execution.id))
    assert (shown["tenant"], shown["job"], shown["state"]) == ("acme", execution.job_id, "pending")
    assert shown["attempts"] == []
    assert "example" not in json.dumps(shown), "nothing of the request"
    world.clock.time_ms = execution.id.dispatch_at
    world.attempt(execution)
    shown = run("show-execution", str(execution.id))
    assert shown["attempts_begun"] == len(shown["attempts"]) == 1


def test_postponed_execution_is_shown_as_due_where_its_events_have_put_it(world: World, run: Run) -> None:
    due_at = world.clock.time_ms + 7_200_000
    event = EventRef(trigger="paid", source="shop", id="order-1", recorded_at=1, due_at=due_at)
    execution = world.put(replace(world.one_off(), event=event))
    assert run("show-execution", str(execution.id))["due_at"] == format_instant(due_at)


@pytest.mark.parametrize("execution", ["", "exe_1", "job_10"])
def test_unknown_execution_is_refused_with_a_line(
    world: World, execution: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(capsys, "show-execution", execution) == "no such execution\n"


def test_execution_that_is_not_stored_is_refused_with_the_same_line(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(capsys, "show-execution", str(world.one_off().id)) == "no such execution\n"


def test_audit_trail_has_the_newest_changes_first_and_says_if_there_are_more(world: World, run: Run) -> None:
    for name in ("first", "second"):
        run("create-key", "acme", "--scopes", "read", "--name", name)
        world.clock.time_ms += 1
    shown = run("list-audit", "acme", "--limit", "1")
    assert [record["operation"] for record in shown["records"]] == ["createKey"]
    assert (shown["records"][0]["actor"], shown["complete"]) == (OPERATOR, False)
    every = run("list-audit", "acme")
    assert every["complete"]
    assert [record["at"] for record in every["records"]] == sorted(
        (record["at"] for record in every["records"]), reverse=True
    )


def test_audit_trail_is_limited_to_a_key_a_target_and_some_hours(world: World, run: Run) -> None:
    made = run("create-key", "acme", "--scopes", "read")
    assert run("list-audit", "acme", "--target", made["id"])["records"]
    assert run("list-audit", "acme", "--target", "other")["records"] == []
    assert run("list-audit", "acme", "--key", made["id"])["records"] == [], "the key has changed nothing"
    world.clock.time_ms += 2 * HOUR_MS
    assert run("list-audit", "acme", "--hours", "1")["records"] == []
    assert run("list-audit", "acme", "--hours", "3")["records"]


def test_audit_trail_is_read_over_many_pages(world: World, run: Run) -> None:
    for _ in range(205):
        run("change-tenant", "acme", "--weight", "2")
    assert len(run("list-audit", "acme", "--limit", "1000")["records"]) == 205


@pytest.mark.parametrize("words", [["none"], ["acme", "--limit", "0"], ["acme", "--hours", "0"]])
def test_audit_of_an_unknown_tenant_or_without_a_span_is_refused(
    world: World, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(capsys, "list-audit", *words)
