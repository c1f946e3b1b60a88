"""The guide to files of jobs: its commands print what the page shows."""

import shlex
from pathlib import Path

import pytest

from client.tests.cli.shell import Shell
from client.tests.cli.test_import import shell
from punctual.cli.exits import Exit
from tests.support.documents.blocks import Block, blocks_of
from tests.support.sources import ROOT

GUIDE = ROOT / "docs" / "guides" / "apply.md"
BLOCKS = [block for block in blocks_of(GUIDE) if block.language.endswith(" apply")]
FILE = "jobs.yaml"


def run(around: Shell, line: str) -> str:
    """What a line of a shell block prints."""
    if line.startswith("export "):
        name, _, value = line.removeprefix("export ").partition("=")
        around.environ[name] = value
        return ""
    first, _, last = line.rpartition(" | ")
    words = shlex.split(last)
    assert words[0] == "punctual"
    return around.ok(*words[1:], stdin=Path(FILE).read_text() if f"< {FILE}" in first else "").out


def test_commands_of_the_guide_print_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    around, printed = shell(), ""
    for block in BLOCKS:
        kind = block.language.split()[0]
        if kind == "sh":
            for line in block.text.splitlines():
                printed = run(around, line)
        elif kind == "text" or is_output(block):
            assert printed == block.text, str(block)
        else:
            Path(FILE).write_text(block.text)


def is_output(block: Block) -> bool:
    """Whether a file in YAML is what the last command printed."""
    before = BLOCKS[BLOCKS.index(block) - 1]
    return "punctual export" in before.text


def test_guide_has_the_exit_codes() -> None:
    text = GUIDE.read_text()
    for code in Exit:
        # No command of the guide looks for one thing by its id.
        assert (f"\n| {code.value} |" in text) == (code is not Exit.NOT_FOUND)
