"""The guides and the reference in docs/, as HTML."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath
from string import Template
from typing import Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCS: Final = Path(__file__).resolve().parents[3] / "docs"
"""At the same place in a bundle as in a checkout."""
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
_PAGE: Final = Template(Path(__file__).with_name("guide.html").read_text(encoding="utf-8"))


def guide_html(name: str, served: frozenset[str]) -> str:
    """Return the page of a guide, such as `guides/retries`.

    Links to a document that is not `served` become plain text. The page is a fragment of this project's own
    text, and HTML inside of it is escaped.
    """
    tokens = _MARKDOWN.parse((DOCS / f"{name}.md").read_text(encoding="utf-8"))
    title = ""
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open":
            title = title or content.content
            heading.attrSet("id", anchor(content.content))
    for token in tokens:
        if token.children:
            token.children = list(_linked(token.children, name, served))
    body = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return _PAGE.substitute(title=title, body=body)


def anchor(heading: str) -> str:
    """Return the fragment of a heading, as GitHub and the links in docs/ spell it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _linked(tokens: list[Token], name: str, served: frozenset[str]) -> Iterator[Token]:
    """Rewrite links between documents to links between pages."""
    is_dropped = False
    for token in tokens:
        if token.type == "link_open":
            reference = urlsplit(str(token.attrGet("href")))
            if not reference.scheme and reference.path:
                is_dropped = _target(name, reference.path) not in served
                page = reference.path.removesuffix(".md")
                token.attrSet("href", f"{page}#{reference.fragment}" if reference.fragment else page)
        if not (is_dropped and token.type in ("link_open", "link_close")):
            yield token
        if token.type == "link_close":
            is_dropped = False


def _target(name: str, path: str) -> str:
    """Return the name of the document that a relative link leads to."""
    parts: list[str] = []
    for part in (PurePosixPath(name).parent / path).parts:
        if part == "..":
            del parts[-1:]
        else:
            parts.append(part)
    return "/".join(parts).removesuffix(".md")
