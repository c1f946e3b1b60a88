"""What is printed where there is no terminal, and the totals."""

import io
import json
from datetime import UTC, datetime

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
    return Call(method="POST", path="/rate", headers=headers, body=b"", arrived_at=NOW, genuine=genuine)


def test_retries_do_not_count_as_lag() -> None:
    totals = Totals()
    assert totals.line() == "0 calls, 0 of them retries"
    totals.add(call())
    totals.add(call(attempt=2, genuine=False))
    assert totals.line() == "2 calls, 1 of them retries, lag 120 to 120 ms, 1 with a bad signature"
    assert totals.as_dict()["max_lag_ms"] == 120


def shown(*calls: tuple[Call, int], as_json: bool = False) -> list[str]:
    """The lines in a pipe."""
    printed = io.StringIO()
    screen = Screen(Console(file=printed), as_json=as_json)
    with screen.live():
        for each in calls:
            screen.add(*each)
    return printed.getvalue().splitlines()


def test_calls_are_lines_under_heads_in_a_pipe() -> None:
    heads, first, second = shown((call(), 200), (call(attempt=2, genuine=False), 500))
    assert heads.split() == [
        *("arrived", "path", "status", "signature", "attempt", "execution", "scheduled", "lag", "ms")
    ]
    assert first.split()[1:6] == ["/rate", "200", "genuine", "1", "…89abcdef"]
    assert second.split()[1:5] == ["/rate", "500", "FORGED", "2"]
    for word, value in (("status", "500"), ("signature", "FORGED"), ("attempt", "2"), ("execution", "…")):
        assert second.index(value, heads.index(word)) == heads.index(word)


def test_call_without_a_secret_to_check_it_has_no_signature_state() -> None:
    assert shown((call(genuine=None), 200))[1].split()[3] == "-"


def test_calls_are_json_objects_without_heads_for_scripts() -> None:
    [line] = shown((call(), 503), as_json=True)
    fields = json.loads(line)
    assert (fields["path"], fields["status"], fields["genuine"]) == ("/rate", 503, True)
    assert (fields["attempt"], fields["lag_ms"]) == (1, 120.0)


def test_in_a_terminal_the_table_shows_the_latest_calls_that_fit() -> None:
    printed = io.StringIO()
    screen = Screen(Console(file=printed, force_terminal=True, width=100, height=12))
    with screen.live():
        for _ in range(20):
            screen.add(call(), 200)
    assert "20 calls" in printed.getvalue()
    assert "signature" in printed.getvalue()
