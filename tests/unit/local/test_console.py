"""What is printed where there is no terminal, and the totals."""

import io
import json
from datetime import UTC, datetime

import pytest
from rich.console import Console

from infra.local.calls import Call
from infra.local.console import Screen, Totals

NOW = datetime(2026, 3, 1, 12, 0, 0, 120_000, tzinfo=UTC)


def call(attempt: int = 1, genuine: bool | None = True) -> Call:
    headers = {
        "webhook-id": "exe_0123456789abcdef",
        "x-attempt": str(attempt),
        "x-scheduled-at": "2026-03-01T12:00:00.000Z",
    }
    return Call(method="POST", path="/hooks/rate", headers=headers, body=b"", arrived_at=NOW, genuine=genuine)


def test_retries_do_not_count_as_lag() -> None:
    totals = Totals()
    assert totals.line() == "0 calls, 0 of them retries"
    totals.add(call())
    totals.add(call(attempt=2, genuine=False))
    assert totals.line() == "2 calls, 1 of them retries, lag 120 to 120 ms, 1 with a bad signature"
    assert totals.as_dict()["max_lag_ms"] == 120


@pytest.mark.parametrize("as_json", [False, True])
def test_without_a_terminal_each_call_is_a_line(as_json: bool) -> None:
    printed = io.StringIO()
    screen = Screen(Console(file=printed), as_json=as_json)
    with screen.live():
        screen.add(call())
    line = printed.getvalue()
    assert line.count("\n") == 1
    if as_json:
        shown = json.loads(line)
        assert (shown["hook"], shown["attempt"], shown["lag_ms"]) == ("rate", 1, 120.0)
    else:
        assert line.split()[1:4] == ["rate", "…9abcdef"[:1] + "89abcdef", "1"]


def test_in_a_terminal_the_table_shows_the_latest_calls_that_fit() -> None:
    printed = io.StringIO()
    screen = Screen(Console(file=printed, force_terminal=True, width=100, height=12))
    with screen.live():
        for _ in range(20):
            screen.add(call())
    assert "20 calls" in printed.getvalue()
