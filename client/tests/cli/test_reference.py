"""The reference of the command line and the app agree."""

import re

from client.tests.cli.commands import commands
from punctual.cli.exits import Exit
from tests.support.sources import ROOT

PAGE = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


def test_page_lists_every_command_with_its_help() -> None:
    wanted = [f"| `punctual {' '.join(each.names)}` | {each.sentence} |" for each in commands()]
    found = [line for line in PAGE.splitlines() if line.startswith("| `punctual ")]
    assert found == wanted, "\n".join(["the table should be:", *wanted])


def test_page_lists_every_exit_code() -> None:
    codes = re.findall(r"^\| ([0-9]+) \|", PAGE, re.MULTILINE)
    assert codes == [*(str(int(each)) for each in Exit), "130"]


def test_every_command_of_the_page_and_of_the_readme_exists() -> None:
    readme = (ROOT / "client" / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\$? ?punctual (.*)$", PAGE + readme, re.MULTILINE)
    names = {each.names for each in commands()}
    for line in lines:
        words = tuple(line.split())
        assert any(words[: len(name)] == name for name in names), line
