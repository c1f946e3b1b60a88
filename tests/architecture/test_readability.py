"""Product files stay short enough to read in one sitting, and docstrings say more than the names beside them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.sources import PRODUCT, modules, parsed, text

MAX_LINES = 300
EMPTY_PHRASES = {
    "see the port.",
    "see the protocol.",
    "see the base class.",
    "the inverse.",
    "the whole item.",
    "a whole item.",
    "all of it.",
    "read one.",
    "stop.",
}
SHOUTED = re.compile(r"[A-Z ]+\.?")
"""The name of a use case in capitals, such as `SWEEP.`, adds nothing to the class's name."""
FILLERS = {"a", "an", "the", "of", "to", "from", "one", "all", "s"}


def is_empty(docstring: str, name: str) -> bool:
    """Whether a docstring only points elsewhere, shouts, or repeats the words of the name that it belongs to."""
    if docstring.lower() in EMPTY_PHRASES or SHOUTED.fullmatch(docstring):
        return True
    in_name = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    said = set(re.findall(r"[a-z]+", docstring.lower())) - FILLERS
    return {_stem(word) for word in said} <= {_stem(word) for word in in_name}


def _stem(word: str) -> str:
    return word.removesuffix("s").removesuffix("e")


def empty_docstrings(tree: ast.AST) -> Iterator[str]:
    """Functions and types whose docstrings say nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            docstring = ast.get_docstring(node)
            if docstring is not None and is_empty(docstring, node.name):
                yield f"{node.lineno} {node.name}: {docstring}"


def test_no_product_file_is_longer_than_300_lines() -> None:
    lengths = {str(module): len(text(module).splitlines()) for module in modules(*PRODUCT)}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


def test_no_docstring_of_the_product_is_empty_of_meaning() -> None:
    offenders = [
        f"{module}:{each}" for module in modules(*PRODUCT) for each in empty_docstrings(parsed(module))
    ]
    assert not offenders, "\n".join(offenders)


@pytest.mark.parametrize(
    ("docstring", "name", "expected"),
    [
        ("See the port.", "send", True),
        ("SWEEP.", "SweepBuckets", True),
        ("One tenant.", "read_tenant", True),
        ("The lanes.", "lane", True),
        ("Path(module)", "resolve", False),
        ("Raises UnavailableError.", "send", False),
        ("The tenant, cached for a minute.", "tenant", False),
    ],
)
def test_docstrings_without_meaning_are_recognised(docstring: str, name: str, expected: bool) -> None:
    assert is_empty(docstring, name) is expected


def test_the_scan_reads_every_part_of_the_product() -> None:
    parts = {Path(module).parts[0] for module in modules(*PRODUCT)}
    assert parts == set(PRODUCT)
