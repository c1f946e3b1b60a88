"""The operators' command that repeats deletions after a restore: what it prints, and the records that it leaves."""

import json
from typing import Any

import pytest

from functions.admin import __main__ as admin
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.suspension import EFFECTIVE_AFTER_MS
from shared.domain.tenancy.tenant import TenantState
from tests.support.builders import EXPIRES_AT_S, TENANT, deletion
from tests.support.usecases.audit_trail import record
from tests.support.usecases.world import World

GONE = "globex"
MINUTE_MS = 60_000


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Restored tables: a tenant is back with a request for its deletion, and the rows of another one may be."""
    world = World()
    world.clock.time_ms += 10 * MINUTE_MS
    asked_at = world.clock.time_ms
    request = record(1, asked_at, operation="deleteTenant", target=TENANT)
    world.audit_log.append(request, EXPIRES_AT_S)
    world.deletions.records[GONE] = deletion(tenant_id=GONE).ended({}, asked_at)
    world.deletions.waiting[GONE] = asked_at
    world.clock.time_ms += 10 * MINUTE_MS
    monkeypatch.setattr(admin, "use_cases_from", lambda _: world.cases)
    monkeypatch.setenv("TENANTS_TABLE", "tenants")
    return world


def repeat(world: World, capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What the command prints, for a restore to five minutes before the requests."""
    requests_at = world.audit_log.of(TENANT)[0].at
    bounds = [format_instant(requests_at + minutes * MINUTE_MS) for minutes in (-5, 5)]
    own = ["repeat-deletions", "--from", bounds[0], "--to", bounds[1], "--asked-by", "restore", *arguments]
    assert admin.main(own) == 0
    return json.loads(capsys.readouterr().out)


def operations(world: World) -> list[tuple[str, str]]:
    """The audit records after the first request."""
    records = [each for name in (TENANT, GONE) for each in world.audit_log.of(name)]
    return [(each.tenant_id, each.operation) for each in records][1:]


def test_step_of_each_tenant_is_shown_and_recorded(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    asked_at = format_instant(world.audit_log.of(TENANT)[0].at)
    effective_at = format_instant(world.clock.time_ms + EFFECTIVE_AFTER_MS)
    gone_asked_at = format_instant(world.deletions.records[GONE].asked_at)
    assert repeat(world, capsys) == {
        "dry_run": False,
        "tenants": [
            {"tenant": GONE, "step": "deletes", "asked_at": gone_asked_at, "effective_at": None},
            {"tenant": TENANT, "step": "suspends", "asked_at": asked_at, "effective_at": effective_at},
        ],
        "again_after": effective_at,
    }
    assert operations(world) == [(TENANT, "changeTenant"), (GONE, "repeatDeletion")]
    world.clock.time_ms += EFFECTIVE_AFTER_MS
    shown = repeat(world, capsys)
    assert [(each["tenant"], each["step"]) for each in shown["tenants"]] == [(TENANT, "deletes")]
    assert shown["again_after"] is None
    assert world.deletions.records[TENANT].asked_by == "restore"
    assert operations(world) == [
        (TENANT, "changeTenant"),
        (TENANT, "deleteTenant"),
        (GONE, "repeatDeletion"),
    ]
    assert repeat(world, capsys)["tenants"] == []


def test_dry_run_shows_the_steps_and_records_nothing(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = repeat(world, capsys, "--dry-run")
    steps = [(each["tenant"], each["step"]) for each in shown["tenants"]]
    assert (shown["dry_run"], steps) == (True, [(GONE, "deletes"), (TENANT, "suspends")])
    assert (operations(world), world.tenants.tenants[TENANT].state) == ([], TenantState.ACTIVE)


@pytest.mark.parametrize("bounds", [(), ("--from", "2025-02-19T00:00:00Z"), ("--to", "2025-02-19T00:00:00Z")])
def test_interval_without_both_instants_is_refused(
    world: World, bounds: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert admin.main(["repeat-deletions", *bounds, "--asked-by", "restore"]) == 1
    assert capsys.readouterr().err.startswith("name the instant of the restore with --from")
