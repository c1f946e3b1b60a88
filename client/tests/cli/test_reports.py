"""`punctual report`: the token is no argument, and each report takes effect."""

import pytest

from client.tests.cli.scene import Scene
from punctual.cli.reports import TOKEN


def test_reports_take_effect_and_do_not_show_the_token() -> None:
    scene = Scene()
    run = scene.accepted
    ran = scene.shell.ok("report", "heartbeat", run)
    assert "lost after" in ran.out
    done = scene.shell.ok("report", "complete", run)
    assert "succeeded" in done.out
    assert scene.shell.environ[TOKEN] not in ran.out + ran.err + done.out + done.err
    assert scene.shell.json("run", "show", run)["execution"]["state"] == "succeeded"


@pytest.mark.parametrize(("options", "state"), [([], "waiting"), (["--final"], "failed")])
def test_failure_is_retried_unless_it_is_final(options: list[str], state: str) -> None:
    scene = Scene()
    scene.shell.ok("report", "fail", scene.accepted, "--reason", "broken", *options)
    found = scene.shell.json("run", "show", scene.accepted)["execution"]
    assert found["state"] == state
    assert found["last_response_body"] == "broken"


@pytest.mark.parametrize("words", [["heartbeat"], ["complete"], ["fail"]])
def test_token_is_required_and_comes_from_the_environment(words: list[str]) -> None:
    scene = Scene()
    run = scene.accepted
    before = len(scene.shell.deployment.sent)
    del scene.shell.environ[TOKEN]
    ran = scene.shell.run("report", *words, run)
    assert ran.code == 2
    assert TOKEN in ran.err
    assert len(scene.shell.deployment.sent) == before


def test_foreign_token_is_refused() -> None:
    scene = Scene()
    run = scene.accepted
    scene.shell.environ[TOKEN] = "ct1_foreign"
    assert scene.shell.run("report", "complete", run).code == 3
