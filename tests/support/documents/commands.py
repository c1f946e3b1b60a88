"""Shell commands that a document shows: each is one that is there, with flags that it knows. `curl` is carried out."""

import argparse
import re
import shlex
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import orjson

from functions.admin.commands import add_commands
from infra import config
from tests.support.documents.exchanges import Story
from tests.support.sources import ROOT

_PLACEHOLDER = re.compile(r"<[A-Za-z][^<>]*>")
_COMMENT = re.compile(r"(?:^|\s)#\s.*$", re.MULTILINE)
_VARIABLE = re.compile(r"[A-Z_]+=")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def run_commands(text: str, story: Story) -> None:
    """Check or carry out each command of a block; ValueError for one that nobody here knows."""
    for command in _commands(text):
        if command.startswith("{"):
            assert story.heard is not None
            story.compare(orjson.loads(command), story.heard.json)
            continue
        words = shlex.split(_PLACEHOLDER.sub("X", command))
        while _VARIABLE.match(words[0]):
            words.pop(0)
        if words[0] not in COMMANDS:
            raise ValueError(f"nobody knows how to run: {command}")
        COMMANDS[words[0]](words[1:], story)


def _commands(text: str) -> list[str]:
    """Logical lines: what a shell would read as one command, without comments."""
    found, open_lines = [], ""
    for line in _COMMENT.sub("", text).splitlines():
        open_lines += line.removesuffix("\\") + ("" if line.endswith("\\") else "\n")
        if not line.endswith("\\") and _is_whole(open_lines):
            found.append(open_lines.strip())
            open_lines = ""
    assert not open_lines.strip(), f"a command without an end: {open_lines}"
    return [command for command in found if command]


def _is_whole(text: str) -> bool:
    if text.startswith("{"):
        return True
    try:
        shlex.split(text)
    except ValueError:
        return False
    return True


def _make(words: list[str], _: Story) -> None:
    targets = [word for word in words if "=" not in word]
    for target in targets:
        recipe = re.search(rf"^{target}:[^\n]*\n((?:\t[^\n]*\n)*)", MAKEFILE, re.MULTILINE)
        assert recipe, f"make has no target {target}"
        for variable, value in (word.split("=", 1) for word in words if "=" in word):
            assert f"$({variable})" in recipe[1], f"make {target} takes no {variable}"
            if variable == "ARGS":
                _arguments(recipe[1], shlex.split(value))


def _arguments(recipe: str, words: list[str]) -> None:
    """Each flag is one that the program of a recipe knows; paths are there."""
    module = re.search(r"-m ([a-z_.]+)", recipe)
    for word in words:
        if word.startswith("--"):
            assert module and f'"{word}"' in _source(module[1]), f"{recipe.strip()} knows no {word}"
        elif word.startswith(("tests/", "docs/")):
            assert (ROOT / word).exists(), f"{word} is not there"


def _source(module: str) -> str:
    path = ROOT / module.replace(".", "/")
    return (path / "__main__.py" if path.is_dir() else Path(f"{path}.py")).read_text(encoding="utf-8")


def _cdk(words: list[str], _: Story) -> None:
    assert words[0] in ("bootstrap", "deploy", "synth", "diff", "destroy")
    app = (ROOT / "infra" / "app.py").read_text(encoding="utf-8") + Path(config.__file__).read_text(
        encoding="utf-8"
    )
    for flag, value in pairwise(words):
        if flag == "-c":
            assert f'"{value.partition("=")[0]}"' in app, f"the app asks for no {value}"


def _python(words: list[str], story: Story) -> None:
    assert words[:2] == ["-m", "functions.admin"], words
    _admin(words[2:], story)


def _admin(words: list[str], _: Story) -> None:
    """SystemExit where the operator's command line would refuse it."""
    if words == ["--help"]:
        return
    parser = argparse.ArgumentParser(exit_on_error=True)
    parser.add_argument("--function")
    add_commands(parser)
    parser.parse_args(words)


def _curl(words: list[str], story: Story) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("-X", dest="method")
    parser.add_argument("-H", dest="headers", action="append", default=[])
    parser.add_argument("-d", dest="body", default="")
    asked = parser.parse_args(words)
    headers = dict(header.split(": ", 1) for header in asked.headers)
    headers.pop("Authorization", None)
    target = urlsplit(asked.url.replace("$PUNCTUAL", "https://punctual.example"))
    method = asked.method or ("POST" if asked.body else "GET")
    story.send(method, target.path + (f"?{target.query}" if target.query else ""), headers, asked.body)
    assert story.heard is not None and story.heard.status < 300, story.heard


def _nothing(_words: list[str], _: Story) -> None:
    """Sets up the shell that the next commands are for."""


COMMANDS: dict[str, Callable[[list[str], Story], None]] = {
    "make": _make,
    "cdk": _cdk,
    "python": _python,
    "punctual": _admin,
    "curl": _curl,
    "export": _nothing,
    "source": _nothing,
    "alias": _nothing,
}
