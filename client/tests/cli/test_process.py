"""The program as a process: its streams, its environment, a pipe and a terminal."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from types import SimpleNamespace

import pytest

from client.tests.sdk.deployment import HOOK, Deployment
from tests.support.contract.gateway import Got, Sent, got, serving

SOURCE = Path(__file__).parents[2] / "src"
NAME = "Übersicht \u4e16 [red]x[/red]"


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a user of a deployment that has one job."""
    deployment = Deployment()

    def answer(sent: Sent) -> Got:
        return got(deployment.world.api(sent.event(), SimpleNamespace(aws_request_id="cli")))

    with deployment.client() as client:
        client.jobs.create(url=HOOK, cron="30 2 * * *", name=NAME)
    with serving(answer) as url:
        yield {
            "HOME": str(tmp_path),
            "LC_ALL": "C.UTF-8",
            "PATH": os.environ["PATH"],
            "PUNCTUAL_KEY": deployment.key,
            "PUNCTUAL_URL": url,
            "PYTHONPATH": str(SOURCE),
            "TERM": "xterm-256color",
            "TZ": "UTC",
        }


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from punctual.cli.main import main; main()", *arguments]


def piped(environ: dict[str, str], *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        env=environ,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def at_a_terminal(environ: dict[str, str], *arguments: str, question: str = "", typed: str = "") -> str:
    """Everything that a terminal shows, with its sequences. The answer is typed when the question is there."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        command(*arguments), env={**environ, "COLUMNS": "150"}, stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    guard = Timer(120, process.kill)
    guard.start()
    shown, is_typed = b"", not question
    while True:
        try:
            part = os.read(master, 65_536)
        except OSError:  # Linux: the other side is closed.
            break
        if not part:
            break
        shown += part
        if not is_typed and question.encode() in shown:
            os.write(master, f"{typed}\n".encode())
            is_typed = True
    process.wait(timeout=120)
    guard.cancel()
    os.close(master)
    return shown.decode()


def test_pipe_gets_whole_lines_without_colour(environ: dict[str, str]) -> None:
    ran = piped(environ, "list")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert NAME in ran.stdout
    assert "\x1b" not in ran.stdout
    [found] = json.loads(piped(environ, "list", "--json").stdout)
    assert found["name"] == NAME


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_terminal_that_cannot_show_a_character_gets_its_escape(environ: dict[str, str]) -> None:
    assert "\\xdcbersicht \\u4e16" in at_a_terminal({**environ, **ASCII}, "list")


def test_pipe_gets_utf_8_whatever_the_terminal_can_show(environ: dict[str, str]) -> None:
    ran = piped({**environ, **ASCII}, "list", "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert json.loads(ran.stdout)[0]["name"] == NAME


def test_terminal_gets_colour_unless_it_wants_none(environ: dict[str, str]) -> None:
    assert "\x1b[1m" in at_a_terminal(environ, "list")
    assert "\x1b" not in at_a_terminal({**environ, "NO_COLOR": "1"}, "list")


def test_number_is_typed_at_a_terminal(environ: dict[str, str]) -> None:
    shown = at_a_terminal(environ, "pause", "--all", question="Type 1 to pause them", typed="2")
    assert "nothing was changed" in shown


def test_key_is_not_shown_when_it_is_typed(environ: dict[str, str]) -> None:
    typed = environ.pop("PUNCTUAL_KEY")
    shown = at_a_terminal(environ, "login", question="it is not shown", typed=typed)
    assert "stored the profile" in shown
    assert typed not in shown
    assert piped({**environ, "PUNCTUAL_URL": ""}, "whoami", "--json").returncode == 0


def test_missing_configuration_says_what_to_set(environ: dict[str, str]) -> None:
    ran = piped({**environ, "PUNCTUAL_URL": ""}, "list")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "PUNCTUAL_URL" in ran.stderr
