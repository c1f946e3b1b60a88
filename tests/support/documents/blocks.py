"""Every block of code in the documents, and the directives for whoever runs them."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

from tests.support.sources import ROOT

DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_DIRECTIVE = re.compile(r"<!-- example: (.+?) -->")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced or indented block, and what was said to its runner since the one before, where readers do not see it."""

    document: Path
    line: int
    language: str
    text: str
    directives: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"


def blocks_of(document: Path) -> list[Block]:
    """The blocks of a document, in order."""
    found, waiting = [], list[str]()
    for token in MarkdownIt().parse(document.read_text(encoding="utf-8")):
        if token.type == "html_block":
            waiting += _DIRECTIVE.findall(token.content)
        elif token.type in ("fence", "code_block") and token.map is not None:
            language = token.info.strip()
            found.append(Block(document, token.map[0] + 1, language, token.content, tuple(waiting)))
            waiting = []
    return found


BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]
