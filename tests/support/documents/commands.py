"""Commands of the project that a document shows: each exists, and accepts the flags that it is given.

The commands are checked and not executed: they deploy, run test suites or change tenants.
"""

import argparse
import re
import shlex
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from functions.admin.commands import add_commands
from infra import config
from tests.support.sources import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def check_command(words: list[str]) -> None:
    """AssertionError or SystemExit for a command that would be refused."""
    COMMANDS[words[0]](words[1:])


def _make(words: list[str]) -> None:
    for target in (word for word in words if "=" not in word):
        recipe = re.search(rf"^{target}:[^\n]*\n((?:\t[^\n]*\n)*)", MAKEFILE, re.MULTILINE)
        assert recipe, f"make has no target {target}"
        for variable, value in (word.split("=", 1) for word in words if "=" in word):
            assert f"$({variable})" in recipe[1], f"make {target} takes no {variable}"
            if variable == "ARGS":
                _arguments(recipe[1], shlex.split(value))


def _arguments(recipe: str, words: list[str]) -> None:
    """The program of a recipe knows each flag, and each path exists."""
    module = re.search(r"-m ([a-z_.]+)", recipe)
    for word in words:
        if word.startswith("--"):
            assert module and f'"{word}"' in _source(module[1]), f"{recipe.strip()} knows no {word}"
        elif word.startswith(("tests/", "docs/")):
            assert (ROOT / word).exists(), f"{word} does not exist"


def _source(module: str) -> str:
    path = ROOT / module.replace(".", "/")
    return (path / "__main__.py" if path.is_dir() else Path(f"{path}.py")).read_text(encoding="utf-8")


def _cdk(words: list[str]) -> None:
    assert words[0] in ("bootstrap", "deploy", "synth", "diff", "destroy")
    sources = (ROOT / "infra" / "app.py", Path(config.__file__))
    app = "".join(source.read_text(encoding="utf-8") for source in sources)
    for flag, value in pairwise(words):
        if flag == "-c":
            assert f'"{value.partition("=")[0]}"' in app, f"the app reads no setting {value}"


def _python(words: list[str]) -> None:
    assert words[:1] == ["-m"], words
    if words[1] == "functions.admin":
        _admin(words[2:])
    elif words[1] == "pytest":
        _arguments("", [word for word in words[2:] if not word.startswith("-")])
    else:
        _arguments(f"-m {words[1]}", words[2:])


def _admin(words: list[str]) -> None:
    """SystemExit where the operator's command line would refuse the arguments."""
    if words == ["--help"]:
        return
    parser = argparse.ArgumentParser(exit_on_error=True)
    parser.add_argument("--function")
    add_commands(parser)
    parser.parse_args(words)


def _copy(words: list[str]) -> None:
    assert (ROOT / words[0]).is_file(), f"{words[0]} does not exist"


def _anything(_words: list[str]) -> None:
    """A program that does not belong to the project."""


COMMANDS: dict[str, Callable[[list[str]], None]] = {
    "make": _make,
    "cdk": _cdk,
    "python": _python,
    ".venv/bin/python": _python,
    "punctual": _admin,
    "cp": _copy,
    "git": _anything,
}
