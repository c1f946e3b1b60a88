"""Commands print no warning about a release of Node that the project promises, and one about older ones."""

import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from tests.support.sources import ROOT


@pytest.mark.parametrize("release", ["v20.20.2", "v24.1.0", "v26.0.0"])
def test_import_of_the_app_prints_nothing(release: str, tmp_path: Path) -> None:
    assert _printed(release, tmp_path) == ""


def test_end_of_a_release_that_the_project_does_not_promise_is_told(tmp_path: Path) -> None:
    assert "Node 18 is end-of-life" in _printed("v18.20.0", tmp_path)


def _printed(release: str, tmp_path: Path) -> str:
    """Node is the installed one, and only says that it is of that release."""
    spoof = tmp_path / "spoof.js"
    spoof.write_text(f"Object.defineProperty(process, 'version', {{value: '{release}'}});")
    node = tmp_path / "node"
    node.write_text(f'#!/bin/sh\nexec "{which("node")}" --require "{spoof}" "$@"\n')
    node.chmod(0o755)
    loaded = subprocess.run(
        [sys.executable, "-c", "import infra.app"],
        env={"PATH": "/usr/bin:/bin", "JSII_NODE": str(node), "HOME": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return loaded.stdout + loaded.stderr
