"""The code of the guide and of the README does what its comments say, in front of an API in memory."""

import contextlib
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import tomllib

from client.tests.sdk.deployment import Deployment
from punctual._config import config_path, resolve
from tests.support.documents.answers import compare
from tests.support.documents.blocks import Block, blocks_of
from tests.support.sources import ROOT

GUIDE, README = ROOT / "docs" / "guides" / "python-sdk.md", ROOT / "client" / "README.md"
EXPECTED = re.compile(r"print\(.*\)  # (.*)$", re.MULTILINE)


@pytest.fixture
def deployment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Deployment]:
    """An API that every connection of httpx leads to, and the variables that the documents name."""
    made = Deployment()

    async def answer(_: Any, request: httpx.Request) -> httpx.Response:
        return made.answer(request)

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: made.answer(request))
    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", answer)
    for module in ("client", "async_client"):
        monkeypatch.setattr(f"punctual.{module}.SYSTEM", made.runtime)
    monkeypatch.setenv("PUNCTUAL_URL", "https://api.example")
    monkeypatch.setenv("PUNCTUAL_KEY", made.key)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    yield made


def run(block: Block, namespace: dict[str, Any]) -> None:
    """Execute a block, and compare what it prints with its comments."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, str(block), "exec"), namespace)
    compare(EXPECTED.findall(block.text), printed.getvalue().splitlines(), str(block))


@pytest.mark.parametrize("document", [GUIDE, README], ids=lambda each: each.name)
def test_code_of_a_document_prints_what_is_shown(document: Path, deployment: Deployment) -> None:
    namespace: dict[str, Any] = {}
    blocks = [block for block in blocks_of(document) if block.language == "python sdk"]
    assert len(blocks) > 2
    for block in blocks:
        run(block, namespace)
    namespace["p"].close()


@pytest.mark.parametrize("document", [GUIDE, README], ids=lambda each: each.name)
def test_profiles_of_a_document_are_ones(document: Path, tmp_path: Path) -> None:
    [block] = [block for block in blocks_of(document) if block.language == "toml"]
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    path = config_path(environ)
    path.parent.mkdir()
    path.touch(0o600)
    text = re.sub(r"key_command = .*", 'key_command = ["echo", "pk_1"]', block.text)
    path.write_text(text, encoding="utf-8")
    for profile, table in tomllib.loads(text)["profiles"].items():
        config = resolve(None, None, profile, environ | dict(os.environ))
        assert config.url == table["url"]
        assert config.key is not None
