"""`pip install './client[cli]'` in an environment of its own gives a command that works, and loads little."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.sources import ROOT

PROGRAM = """
import sys
from punctual.cli.main import main
try:
    main()
except SystemExit as end:
    sys.stderr.write(" ".join([str(end.code or 0), *sorted(sys.modules)]))
"""
NOT_LOADED = {
    "boto3",
    "botocore",
    "cryptography",
    "functions",
    "h11",
    "httpx",
    "infra",
    "msgspec",
    "shared",
    "yaml",
}
MOST_MODULES = 450
"""Of an interpreter with the help of all commands; a third of them are those of the interpreter itself."""


def loaded(python: str, *arguments: str, environ: dict[str, str]) -> set[str]:
    """The modules that are loaded at the end of a command line that succeeds."""
    done = subprocess.run(
        [python, "-c", PROGRAM, *arguments], env=environ, capture_output=True, text=True, check=True
    )
    code, *modules = done.stderr.split()
    assert code == "0" and done.stdout
    return set(modules)


def check_help(python: str, environ: dict[str, str]) -> set[str]:
    """The help of all commands, which imports the module of each, loads nothing that a command needs at work."""
    modules = loaded(python, "--help", environ=environ)
    assert not modules & NOT_LOADED
    assert len(modules) < MOST_MODULES, f"{len(modules)} modules"
    return modules


@pytest.mark.journey
def test_command_of_an_environment_of_its_own_works(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, environment = tmp_path / "client", tmp_path / "environment"
    # A build leaves files beside the sources.
    shutil.copytree(
        ROOT / "client", source, ignore=shutil.ignore_patterns("__pycache__", "tests", "*.egg-info")
    )
    python, program = environment / "bin" / "python", environment / "bin" / "punctual"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{source}[cli]"],
        check=True,
    )
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    shown = subprocess.run(
        [program, "--help"], env=environ, capture_output=True, text=True, check=True
    ).stdout
    assert "punctual login" in shown and "listen" in shown
    modules = check_help(str(python), environ)
    timed = subprocess.run(
        [python, "-X", "importtime", program, "--help"],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    microseconds = sum(int(line.split(":")[1].split("|")[0]) for line in timed.stderr.splitlines()[1:])
    with capfd.disabled():
        sys.stdout.write(
            f"\npunctual --help: {len(modules)} modules, imported in {microseconds / 1000:.0f} ms\n"
        )
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format", "freeze"], capture_output=True, text=True, check=True
    )
    installed = {line.partition("==")[0].lower() for line in listed.stdout.splitlines()}
    assert not installed & {"aiohttp", "boto3", "cryptography"}
    without_url = subprocess.run([program, "list"], env=environ, capture_output=True, text=True, check=False)
    assert without_url.returncode == 2 and "PUNCTUAL_URL" in without_url.stderr
