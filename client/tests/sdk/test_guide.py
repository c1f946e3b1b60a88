"""The code of the guide and of the README does what its comments say, in front of an API in memory."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomllib

from client.tests.sdk.deployment import Deployment, reached_by_clients
from punctual._config import config_path, resolve
from tests.support.documents.blocks import blocks_of
from tests.support.documents.programs import run_program
from tests.support.sources import ROOT

GUIDE, README = ROOT / "docs" / "guides" / "python-sdk.md", ROOT / "client" / "README.md"


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    """An API that every connection of httpx leads to, and the variables that the documents name."""
    made = Deployment()
    with reached_by_clients(made, {"XDG_CONFIG_HOME": str(tmp_path)}):
        yield made


@pytest.mark.parametrize("document", [GUIDE, README], ids=lambda each: each.name)
def test_code_of_a_document_prints_what_is_shown(document: Path, deployment: Deployment) -> None:
    namespace: dict[str, Any] = {}
    blocks = [block for block in blocks_of(document) if block.language == "python sdk"]
    assert len(blocks) > 2
    for block in blocks:
        run_program(block, namespace)
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
