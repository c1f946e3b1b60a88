"""`punctual triggers` and `punctual events send`."""

import json
from pathlib import Path

import pytest

from client.tests.cli.scene import Scene
from punctual.cli.exits import Exit


def test_triggers_are_put_shown_listed_and_deleted(tmp_path: Path) -> None:
    scene = Scene()
    file = tmp_path / "pattern.json"
    file.write_text('{"source": ["shop"], "data": {"amount": [{"numeric": [">", 100]}]}}')
    shown = scene.shell.json(
        "triggers", "put", "orders", "--job", scene.job, "--pattern", f"@{file}", "--delay", "5m"
    )
    assert shown["pattern"] == json.loads(file.read_text())
    assert shown["delay_seconds"] == 300
    assert [each["name"] for each in scene.shell.json("triggers", "list")] == ["orders"]
    assert "orders" in scene.shell.ok("triggers", "get", "orders").out
    assert "orders" in scene.shell.ok("triggers", "delete", "orders").out
    assert scene.shell.run("triggers", "get", "orders").code == Exit.NOT_FOUND


def test_event_shows_the_runs_that_it_starts() -> None:
    scene = Scene()
    sent = ("events", "send", "--source", "shop", "--type", "order.paid", "--id", "order-1")
    assert "no trigger matches" in scene.shell.ok(*sent).err
    assert scene.trigger == "orders"
    (match,) = scene.shell.json(*sent, "--data", '{"amount": 120}', "--at", "2030-01-01T09:00:00Z")
    assert (match["trigger"], match["outcome"]) == ("orders", "filed")
    assert match["due_at"].startswith("2030-01-01T09:00:00")
    scene.shell.ok("run", "show", match["execution_id"])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--pattern", "{"], "--pattern: no JSON"),
        (["--pattern", "[]"], "--pattern needs a JSON object"),
        (["--pattern", "@missing.json"], "missing.json: No such file"),
    ],
)
def test_pattern_that_is_no_json_object_is_refused(options: list[str], error: str) -> None:
    scene = Scene()
    ran = scene.shell.run("triggers", "put", "orders", "--job", scene.job, *options)
    assert ran.code == Exit.USAGE
    assert error in ran.err
