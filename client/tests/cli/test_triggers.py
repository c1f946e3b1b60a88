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


@pytest.mark.parametrize(
    ("group", "options"), [("triggers", ("--pattern", '{"source": ["shop"]}', "--job")), ("calendars", ())]
)
def test_change_names_a_set_and_is_made_at_a_version_alone(group: str, options: tuple[str, ...]) -> None:
    scene = Scene()
    put = (group, "put", "mine", *options, *((scene.job,) if options else ()))
    shown = scene.shell.json(*put, "--set", "billing")
    assert (shown["set"], shown["version"]) == ("billing", 1)
    assert "billing" in scene.shell.ok(group, "list").out
    assert scene.shell.run(*put, "--if-match", "2").code == Exit.CONFLICT
    assert scene.shell.json(*put, "--if-match", "1").get("set") is None
    assert scene.shell.run(group, "delete", "mine", "--if-match", "1").code == Exit.CONFLICT
    scene.shell.ok(group, "delete", "mine", "--if-match", "2")


def test_event_shows_the_runs_that_it_starts() -> None:
    scene = Scene()
    sent = ("events", "send", "--source", "shop", "--type", "order.paid", "--id", "order-1")
    assert "no trigger matches" in scene.shell.ok(*sent).err
    assert scene.trigger == "orders"
    (match,) = scene.shell.json(*sent, "--data", '{"amount": 120}', "--at", "2030-01-01T09:00:00Z")
    assert (match["trigger"], match["outcome"]) == ("orders", "filed")
    assert match["due_at"].startswith("2030-01-01T09:00:00")
    scene.shell.ok("run", "show", match["execution_id"])


def test_trigger_with_limits_shows_what_becomes_of_events() -> None:
    scene = Scene()
    put = ("triggers", "put", "stock", "--job", scene.job, "--pattern", '{"source": ["stock"]}')
    shown = scene.shell.json(*put, "--debounce", "30s", "--debounce-max", "5m", "--throttle", "10/1h")
    assert (shown["debounce_seconds"], shown["debounce_max_seconds"]) == (30, 300)
    assert shown["throttle"] == {"count": 10, "per_seconds": 3_600}
    listed = scene.shell.ok("triggers", "list").out
    assert "30, at most 300" in listed
    assert "10 in 3600 s" in listed
    sent = ("events", "send", "--source", "stock", "--type", "changed", "--id")
    outcomes = [scene.shell.json(*sent, number)[0]["outcome"] for number in ("1", "2")]
    assert outcomes == ["filed", "debounced"]
    scene.shell.ok(*put, "--throttle", "1/1h")
    assert scene.shell.json(*sent, "3")[0]["outcome"] == "filed"
    assert "throttled" in scene.shell.ok(*sent, "4").out


@pytest.mark.parametrize("throttle", ["10", "10/", "x/1m", "/1m", "10/soon"])
def test_throttle_that_is_no_count_and_duration_is_refused(throttle: str) -> None:
    scene = Scene()
    put = ("triggers", "put", "stock", "--job", scene.job, "--pattern", '{"source": ["stock"]}')
    ran = scene.shell.run(*put, "--throttle", throttle)
    assert ran.code == Exit.USAGE
    assert "--throttle" in ran.err


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
