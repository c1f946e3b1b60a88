"""The lines that `make run` prints can be pasted as they are."""

import argparse
import io
import json
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from infra.local.api import Api
from infra.local.demo import Demo
from infra.local.run import _introduce
from infra.local.stack import Tenant
from infra.local.state_dir import StateDir

KEY = "pk_0123456789abcdef_0123456789abcdef0123456789abcdef"
HOST = "a1b2c3.execute-api.localhost:14566"
RECEIVER = "http://127.0.0.1:14567"


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    tenant = Tenant(name="demo-1", api_key=KEY, signing_secret="whsec_x")
    api = Api(port=14566, host=HOST, key=KEY)
    return Demo(home=StateDir(tmp_path), api=api, tenant=tenant, jobs=[])


def introduced(demo: Demo, *, as_json: bool, capsys: pytest.CaptureFixture[str]) -> str:
    """What is printed, on a terminal that is narrower than the lines."""
    stack: Any = SimpleNamespace(
        api_url=f"http://{HOST}",
        endpoint="http://127.0.0.1:14566",
        emulator=SimpleNamespace(home=SimpleNamespace(log="emulator.log")),
        functions={"api": "punctual-api"},
    )
    printed = io.StringIO()
    _introduce(stack, demo, RECEIVER, 1.0, Console(file=printed, width=40), argparse.Namespace(json=as_json))
    return capsys.readouterr().out if as_json else printed.getvalue()


def test_the_variables_and_the_command_are_each_one_line(
    demo: Demo, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = introduced(demo, as_json=False, capsys=capsys).splitlines()
    assert f"export PUNCTUAL=http://{HOST} KEY={KEY}" in lines
    assert f"http://{HOST}/v1/docs" in lines
    [curl] = [line for line in lines if line.startswith("curl ")]
    words = shlex.split(curl)
    assert words[2] == "$PUNCTUAL/v1/jobs"
    assert "Authorization: Bearer $KEY" in words
    job = json.loads(words[-1])
    assert job["request"]["url"] == f"{RECEIVER}/hooks/mine"


def test_scripts_get_the_url_the_key_and_the_command(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    ready = json.loads(introduced(demo, as_json=True, capsys=capsys))
    assert ready.keys() == {"event", "seconds", "api", "key", "curl", "admin"}
    assert (ready["api"], ready["key"]) == (f"http://{HOST}", KEY)
    assert ready["curl"].startswith(f"export PUNCTUAL=http://{HOST} KEY={KEY}; curl ")
