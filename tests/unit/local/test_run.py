"""What `make run` prints can be pasted as it is, and its options are obeyed or refused."""

import io
import json
import shlex
import socket
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from infra.local import run
from infra.local.api import Api
from infra.local.demo import Demo
from infra.local.introduction import as_json, introduce
from infra.local.progress import progress
from infra.local.stack import Tenant
from infra.local.state_dir import StateDir

KEY = "pk_0123456789abcdef_0123456789abcdef0123456789abcdef"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
API = "http://127.0.0.1:14568"
RECEIVER = "http://127.0.0.1:14567"
EXPORT = f"export PUNCTUAL={API} KEY={KEY} SECRET={SECRET}"
CLIENT_EXPORT = 'export PUNCTUAL_URL="$PUNCTUAL" PUNCTUAL_KEY="$KEY" PUNCTUAL_SIGNING_SECRET="$SECRET"'
STACK: Any = SimpleNamespace(
    api_url=API,
    clock_offset=0,
    endpoint="http://127.0.0.1:14566",
    emulator=SimpleNamespace(home=SimpleNamespace(log="emulator.log")),
    functions={"api": "punctual-api"},
)


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    tenant = Tenant(name="demo-1", api_key=KEY, signing_secret=SECRET)
    return Demo(home=StateDir(tmp_path), api=Api(port=14566, host="h", key=KEY), tenant=tenant, jobs=[])


def test_variables_command_and_docs_page_are_each_one_line_of_their_own(demo: Demo) -> None:
    printed = io.StringIO()
    introduce(STACK, demo, RECEIVER, Console(file=printed, width=40))
    lines = printed.getvalue().splitlines()
    assert EXPORT in lines
    assert lines[lines.index(EXPORT) + 1] == CLIENT_EXPORT
    assert f"{API}/v1/docs" in lines
    assert f"{API}/console#key={KEY}" in lines
    [curl] = [line for line in lines if line.startswith("curl ")]
    words = shlex.split(curl)
    assert words[2] == "$PUNCTUAL/v1/jobs"
    assert "Authorization: Bearer $KEY" in words
    assert "Host:" not in curl
    assert json.loads(words[-1])["request"]["url"] == f"{RECEIVER}/ok"
    for path in ("/ok", "/fail", "/flaky", "/slow", "/async", "/gone"):
        assert any(f"{RECEIVER}{path} " in line for line in lines), path


def test_lines_set_the_variables_of_the_clients_in_a_shell(demo: Demo) -> None:
    script = f"{demo.exports(API)}\n{demo.client_exports()}\nenv"
    done = subprocess.run(
        ["/bin/sh", "-c", script], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True
    )
    assert {f"PUNCTUAL_URL={API}", f"PUNCTUAL_KEY={KEY}", f"PUNCTUAL_SIGNING_SECRET={SECRET}"} <= set(
        done.stdout.split()
    )


def test_scripts_get_the_same_as_one_json_object(demo: Demo) -> None:
    ready = json.loads(as_json(STACK, demo, RECEIVER, 1.0))
    assert ready.keys() == {
        *("event", "seconds", "clock_offset", "api", "console", "docs", "key", "secret"),
        *("receiver", "curl", "admin"),
    }
    assert (ready["api"], ready["key"], ready["secret"]) == (API, KEY, SECRET)
    assert ready["console"] == f"{API}/console#key={KEY}"
    assert (ready["docs"], ready["receiver"]) == (f"{API}/v1/docs", RECEIVER)
    assert ready["curl"].startswith(f"{EXPORT}; curl ")


def test_clock_of_the_stack_is_told_and_operators_commands_have_it_too(demo: Demo) -> None:
    for offset, told in ((90, "90 s ahead of this machine's"), (-90, "90 s behind this machine's")):
        shifted: Any = SimpleNamespace(**vars(STACK) | {"clock_offset": offset})
        printed = io.StringIO()
        introduce(shifted, demo, RECEIVER, Console(file=printed, width=40))
        assert told in printed.getvalue()
        ready = json.loads(as_json(shifted, demo, RECEIVER, 1.0))
        assert ready["clock_offset"] == offset
        assert f" CLOCK_OFFSET_SECONDS={offset} " in ready["admin"]
    printed = io.StringIO()
    introduce(STACK, demo, RECEIVER, Console(file=printed, width=40))
    assert "The stack's clock" not in printed.getvalue()


def test_phases_of_the_start_are_lines_when_they_begin() -> None:
    printed = io.StringIO()
    with progress(Console(file=printed, width=40)) as report:
        report("starting the AWS emulator")
        assert "starting the AWS emulator …\n" in printed.getvalue()
        report("a phase whose description is longer than the terminal is wide")
    assert len(printed.getvalue().splitlines()) == 2


def test_chosen_port_is_the_port_of_the_api_even_if_the_usual_one_is_free() -> None:
    assert run.api_port(run.parse_options(["--port", "26566"]).port) == 26566


def test_any_free_port_serves_if_no_port_is_chosen_and_the_usual_one_is_in_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        monkeypatch.setattr(run, "API_PORT", other.getsockname()[1])
        assert run.api_port(None) == 0
    assert run.api_port(None) == run.API_PORT


@pytest.mark.parametrize("text", ["0", "65536", "-1", "http", "", "٣"])
def test_port_that_is_none_is_refused_aloud(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run.parse_options([f"--port={text}"])
    assert "a port is a number from 1 to 65535" in capsys.readouterr().err


def test_clock_offset_is_obeyed_or_refused_aloud(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.parse_options([]).clock_offset == 0
    assert run.parse_options(["--clock-offset", "-90"]).clock_offset == -90
    with pytest.raises(SystemExit):
        run.parse_options(["--clock-offset", "5m"])
    assert "a whole number of seconds from -3600 to 3600" in capsys.readouterr().err


def test_chosen_port_in_use_ends_the_start_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("infra.local.run.signal.signal", lambda *_: None)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert run.main(["--home", str(tmp_path / "local"), "--port", str(port)]) == 1
    assert f"port {port}" in capsys.readouterr().out
    assert not (tmp_path / "local").exists()
