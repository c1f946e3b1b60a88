"""The shell blocks of the runbooks, by section and number, as the drills name them."""

from pathlib import Path

from markdown_it import MarkdownIt

from tests.drills.drill import Steps
from tests.support.documents.blocks import Block
from tests.support.sources import ROOT

RUNBOOKS = ROOT / "docs" / "runbooks"
SETUP = Steps(page="README", section="Set up the shell", numbers=(1,))


def blocks_of_steps(*steps: Steps, folder: Path = RUNBOOKS) -> list[Block]:
    """The blocks of these steps in order, after the setup of the shell and the variables of each page.

    KeyError for a section or a number that the page does not have.
    """
    blocks = _chosen(SETUP, folder)
    pages: list[str] = []
    for each in steps:
        if each.page not in pages:
            pages.append(each.page)
            blocks += _sections(folder / f"{each.page}.md").get("", [])
        blocks += _chosen(each, folder)
    return blocks


def _chosen(steps: Steps, folder: Path) -> list[Block]:
    found = dict(enumerate(_sections(folder / f"{steps.page}.md")[steps.section], start=1))
    return [found[number] for number in steps.numbers]


def _sections(page: Path) -> dict[str, list[Block]]:
    """The shell blocks below each heading of the second level; below an empty one, those before the first."""
    sections: dict[str, list[Block]] = {"": []}
    heading, is_title = "", False
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "heading_open":
            is_title = token.tag == "h2"
        elif token.type == "inline" and is_title:
            heading, is_title = token.content, False
            sections[heading] = []
        elif token.type == "fence" and token.info.strip() == "sh" and token.map is not None:
            sections[heading].append(Block(page, token.map[0] + 1, "sh", token.content))
    return sections
