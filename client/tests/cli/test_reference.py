"""The reference of the command line and the app agree."""

import re
import shlex
from pathlib import Path

import pytest

from client.tests.cli.commands import commands
from client.tests.cli.shell import Shell
from client.tests.sdk.deployment import Deployment
from punctual.cli.exits import Exit
from tests.support.documents.blocks import DOCUMENTS, blocks_of, name_of
from tests.support.sources import ROOT

PAGE = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
LANGUAGE = "sh cli"
WITH_COMMANDS = [
    document
    for document in (*sorted(ROOT.glob("docs/**/*.md")), ROOT / "client" / "README.md")
    if f"```{LANGUAGE}\n" in document.read_text(encoding="utf-8")
]


def test_page_lists_every_command_with_its_help() -> None:
    wanted = [f"| `punctual {' '.join(each.names)}` | {each.sentence} |" for each in commands()]
    found = [line for line in PAGE.splitlines() if line.startswith("| `punctual ")]
    assert found == wanted, "\n".join(["the table should be:", *wanted])


def test_page_lists_every_exit_code() -> None:
    codes = re.findall(r"^\| ([0-9]+) \|", PAGE, re.MULTILINE)
    assert codes == [*(str(int(each)) for each in Exit), "130"]


def test_client_is_installed_in_one_way() -> None:
    documents = (*DOCUMENTS, ROOT / "client" / "README.md")
    found = [
        command
        for document in documents
        for command in re.findall(
            r"pipx? install [^\n`]*\bclient\b[^\n`]*", document.read_text(encoding="utf-8")
        )
    ]
    assert set(found) == {"pip install ./client", "pipx install './client[cli]'"}


@pytest.mark.parametrize("document", WITH_COMMANDS, ids=name_of)
def test_every_command_line_of_a_document_succeeds(document: Path, tmp_path: Path) -> None:
    deployment = Deployment()
    shell = Shell(deployment, is_terminal=True, width=100, hidden=lambda _: deployment.key)
    shell.environ["XDG_CONFIG_HOME"] = str(tmp_path)
    for block in blocks_of(document):
        if block.language == LANGUAGE:
            for line in block.text.splitlines():
                program, *arguments = shlex.split(line, comments=True) or ["punctual", "--help"]
                assert program == "punctual", line
                shell.ok(*arguments)
