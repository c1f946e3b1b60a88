"""Product files stay short, docstrings say more than the names beside them, and test names begin with a noun."""

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
NO_SUBJECT = re.compile(
    r"test_(what|whatever|who|whom|whose|whoever|why|nobody|nothing|none|anything|everything|everybody"
    r"|something|somebody|another|others?|each|either|neither|both|it|they|this|that|these|those|of"
    r"|one(?!_off)|all_(?:of|that))_"
)
"""The beginning of a test's name that names nothing of the domain: a pronoun, or a preposition before the subject."""


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


def names_without_a_subject(tree: ast.AST) -> Iterator[str]:
    """Test functions whose names cannot be read alone in a log, since they begin without a noun."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and NO_SUBJECT.match(node.name):
            yield f"{node.lineno} {node.name}: begin with a noun of the domain, such as execution or tenant"


def test_no_product_file_is_longer_than_300_lines() -> None:
    lengths = {str(module): len(text(module).splitlines()) for module in modules(*PRODUCT)}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


def test_no_docstring_of_the_product_is_empty_of_meaning() -> None:
    offenders = [
        f"{module}:{each}" for module in modules(*PRODUCT) for each in empty_docstrings(parsed(module))
    ]
    assert not offenders, "\n".join(offenders)


def test_every_test_name_begins_with_its_subject() -> None:
    offenders = [
        f"{module}:{name}" for module in modules("tests") for name in names_without_a_subject(parsed(module))
    ]
    assert not offenders, "\n".join(offenders)


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("test_what_has_ended_is_not_claimed", True),
        ("test_one_tenant_waits_for_another", True),
        ("test_all_that_was_filed_is_found", True),
        ("test_one_off_job_is_called", False),
        ("test_italic_text_is_kept", False),
        ("what_is_due", False),
    ],
)
def test_names_without_a_subject_are_recognised(name: str, refused: bool) -> None:
    found = list(names_without_a_subject(ast.parse(f"class A:\n  def {name}(self): ...")))
    assert len(found) == refused


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
