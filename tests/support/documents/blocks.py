"""Every block of code in the documents."""

from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from tests.support.sources import ROOT

_AT_ROOT = [path for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md") if path.exists()]
DOCUMENTS = [*_AT_ROOT, *sorted((ROOT / "docs").rglob("*.md"))]


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced or indented block. An indented block has no language."""

    document: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{name_of(self.document)}:{self.line}"


def name_of(document: Path) -> str:
    """The path of a document in the repository, such as `docs/reference/api.md`."""
    return document.relative_to(ROOT).as_posix()


def blocks_of(document: Path) -> list[Block]:
    """The blocks of a document, in order."""
    return [
        Block(document, token.map[0] + 1, token.info.strip(), token.content)
        for token in MarkdownIt().parse(document.read_text(encoding="utf-8"))
        if token.type in ("fence", "code_block") and token.map is not None
    ]


BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]
