"""Published text: every relative link resolves, and no text contains a path of a developer's machine."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.sources import ROOT

DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "tests").glob("*.md")),
]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MODULE = re.compile(r"`((?:shared|functions|infra|tests)/[\w/.-]+)`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
MACHINE_PATH = re.compile(r"(?<![\w.~$}])/(?:work|root|farm)(?:/|\b)(?!-)")
TEXT_SUFFIXES = {".md", ".py", ".toml", ".json", ".yml", ".yaml", ".txt", ".lock", ".cfg", ".html", ".sh", ""}
MAX_BYTES = 2_000_000


def published() -> list[Path]:
    """Every text file of the project, committed or not, that git does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = listed.stdout.splitlines() or [str(path.relative_to(ROOT)) for path in ROOT.glob("*/**/*.py")]
    paths = [ROOT / name for name in found]
    return [path for path in paths if path.suffix in TEXT_SUFFIXES and path.is_file()]


def anchors(document: Path) -> set[str]:
    """The fragments under which a document's headings can be linked, as GitHub makes them."""
    headings = HEADING.findall(FENCED.sub("", document.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(document: Path) -> list[str]:
    """Relative links of a document that lead to no file, or to no heading of it."""
    broken = []
    for link in LINK.findall(document.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


def missing_modules(document: Path) -> list[str]:
    """Source paths that a document names and that do not exist."""
    named = MODULE.findall(document.read_text(encoding="utf-8"))
    return [path for path in named if not (ROOT / path).exists()]


def test_every_relative_link_of_a_document_resolves() -> None:
    assert len(DOCUMENTS) > 1
    broken = {str(document.relative_to(ROOT)): broken_links(document) for document in DOCUMENTS}
    assert {name: links for name, links in broken.items() if links} == {}


def test_every_source_path_that_a_document_names_exists() -> None:
    missing = {str(document.relative_to(ROOT)): missing_modules(document) for document in DOCUMENTS}
    assert {name: paths for name, paths in missing.items() if paths} == {}


def test_no_text_names_a_path_of_a_developers_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in published()
        if path.stat().st_size < MAX_BYTES
        for match in MACHINE_PATH.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "is_machine_path"),
    [
        ("/" + "work/main", True),
        (" /" + "root", True),
        ('"/' + "farm/x", True),
        ("https://example.com/" + "work/x", False),
        ("./" + "work/x", False),
        ("network/root", False),
        ("/workshop", False),
    ],
)
def test_machine_path_pattern_matches_only_absolute_machine_paths(text: str, is_machine_path: bool) -> None:
    assert bool(MACHINE_PATH.search(text)) is is_machine_path
