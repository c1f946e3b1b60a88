"""The operators' verification of the audit trail: findings in plain words, and an exit status for scripts."""

import json
from typing import Any

import pytest

from functions.admin import __main__ as admin
from functions.admin.trail import MOST_FINDINGS
from shared.domain.audit_trail.progress import GRACE_MS, HOUR_MS
from tests.support.builders import EXPIRES_AT_S
from tests.support.usecases.audit_trail import START_MS, auditor, record
from tests.support.usecases.world import World


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """A deployment behind the command, whose auditor has exported an hour with a record."""
    world = World(now_ms=START_MS)
    world.audit_log.append(record(1), EXPIRES_AT_S)
    for at in (START_MS + GRACE_MS, START_MS + HOUR_MS + GRACE_MS):
        world.clock.time_ms = at
        auditor(world, world.ports()).audit_trail.export.execute()
    monkeypatch.setattr(admin, "use_cases_from", lambda _: world.cases)
    monkeypatch.setenv("TENANTS_TABLE", "tenants")
    return world


def verify(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    """The exit status, and what is printed."""
    status = admin.main(["verify-audit", *arguments])
    return status, json.loads(capsys.readouterr().out)


def test_whole_trail_is_verified_with_exit_status_0(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown = verify(capsys)
    assert (status, shown) == (
        0,
        {
            "verified": True,
            "segments": 2,
            "records": 1,
            "through": "2025-02-19T22:00:00.000Z",
            "waiting_late_records": 0,
            "findings": [],
            "more_findings": 0,
        },
    )


def test_findings_are_printed_and_the_exit_status_is_1(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.trail_segments.destroy(0)
    status, shown = verify(capsys)
    assert (status, shown["verified"]) == (1, False)
    assert shown["findings"] == ["The segments before 1 are missing."]


def test_most_findings_are_counted_alone(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(MOST_FINDINGS + 3):
        world.trail_segments.write_over(0, b"forged")
    _, shown = verify(capsys)
    assert (len(shown["findings"]), shown["more_findings"]) == (MOST_FINDINGS, 3)


def test_interval_is_verified_alone(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown = verify(capsys, "--from", "2025-02-19T20:00:00Z", "--to", "2025-02-19T21:00:00Z")
    assert (status, shown["records"]) == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--from", "yesterday"), "--from is an instant such as 2026-01-31T00:00:00Z\n"),
        (("--to", "2025"), "--to is an instant such as 2026-01-31T00:00:00Z\n"),
        (("--from", "2025-02-20T00:00:00Z"), "--from is before --to\n"),
    ],
)
def test_unusable_interval_is_refused_with_a_line(
    world: World, arguments: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert admin.main(["verify-audit", *arguments]) == 1
    assert capsys.readouterr().err == line
