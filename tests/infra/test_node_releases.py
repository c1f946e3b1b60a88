"""Commands print no warnings about the release of Node."""

import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from tests.support.sources import ROOT


@pytest.mark.parametrize("release", ["v20.20.2", "v22.11.0", "v24.1.0", "v26.0.0"])
def test_import_of_the_app_prints_nothing_on_any_release_of_node(release: str, tmp_path: Path) -> None:
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
    assert (loaded.stdout, loaded.stderr) == ("", "")
