"""The console's scripts in Node, without a browser: each file `*.test.mjs` of this folder is a suite of node:test.

A suite imports from the folder in the variable CONSOLE: `await import(`${process.env.CONSOLE}/lib/format.js`)`.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.api import console_files

SUITES = sorted(Path(__file__).parent.glob("*.test.mjs"))


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the console's files, which Node reads as modules."""
    folder = tmp_path_factory.mktemp("console") / "static"
    shutil.copytree(console_files.STATIC, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def run_node(scripts: Path, *arguments: str, zone: str = "Europe/Berlin") -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    assert node is not None, "Node is a prerequisite of the project"
    variables = {**os.environ, "CONSOLE": str(scripts), "TZ": zone}
    # A coverage or an inspector of the outer process is not for these processes.
    variables.pop("NODE_OPTIONS", None)
    return subprocess.run([node, *arguments], env=variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name.removesuffix(".test.mjs"))
def test_suite_of_the_scripts_passes(suite: Path, scripts: Path) -> None:
    done = run_node(scripts, "--test", "--test-reporter=tap", str(suite))
    assert done.returncode == 0, done.stdout + done.stderr
    # A suite without a test would pass as well.
    assert "# tests 0\n" not in done.stdout


def test_every_script_is_a_module_that_node_can_read(scripts: Path) -> None:
    names = console_files.own(".js")
    loaded = "; ".join(f"await import({str(scripts / name)!r})" for name in names if name != "app.js")
    done = run_node(scripts, "--input-type=module", "--eval", loaded)
    assert done.returncode == 0, done.stderr
    assert run_node(scripts, "--check", str(scripts / "app.js")).returncode == 0
