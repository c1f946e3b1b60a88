"""`punctual admin event-sources`, and the commands of the pages about events of AWS."""

import json
import re
import shlex
from pathlib import Path

import pytest

from client.tests.cli.scene import Scene
from punctual.cli.exits import Exit

DOCS = Path(__file__).parents[3] / "docs"


def test_event_sources_are_put_shown_listed_and_deleted() -> None:
    scene = Scene()
    scene.operate()
    (line,) = re.findall(r"```sh bus\n(.*)\n```", (DOCS / "operations" / "event-bus.md").read_text())
    program, *words = shlex.split(line)
    assert program == "punctual"
    made = scene.shell.json(*words)
    assert made["account"] == "222222222222"
    assert [each["source_prefix"] for each in made["routes"]] == ["aws.s3", "com.acme."]
    assert {each["tenant_id"] for each in made["routes"]} == {"acme"}
    listed = scene.shell.ok("admin", "event-sources", "list").out
    assert "aws.s3=acme" in listed
    assert "222222222222" in scene.shell.ok("admin", "event-sources", "get", "222222222222").out
    assert "222222222222" in scene.shell.ok("admin", "event-sources", "delete", "222222222222").out
    assert scene.shell.run("admin", "event-sources", "get", "222222222222").code == Exit.NOT_FOUND


@pytest.mark.parametrize("route", ["acme", "=acme", "aws.s3="])
def test_route_without_a_prefix_or_a_tenant_is_refused(route: str) -> None:
    scene = Scene()
    scene.operate()
    ran = scene.shell.run("admin", "event-sources", "put", "222222222222", "--route", route)
    assert ran.code == Exit.USAGE
    assert "--route" in ran.err


def test_command_of_the_guide_makes_its_trigger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene()
    guide = (DOCS / "guides" / "react-to-files.md").read_text()
    (pattern,) = re.findall(r"```json bus trigger\n(.*?)```", guide, re.DOTALL)
    (line,) = re.findall(r"```sh bus\n(.*)\n```", guide)
    (tmp_path / "pattern.json").write_text(pattern)
    monkeypatch.chdir(tmp_path)
    _, *words = shlex.split(line.replace("$JOB", scene.job))
    assert scene.shell.json(*words)["pattern"] == json.loads(pattern)
