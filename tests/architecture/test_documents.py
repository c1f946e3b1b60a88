"""Published texts: relative links lead to files, and no text names a path of the author's machine."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.sources import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MACHINE_PATH = re.compile(r"(?<![\w.~$}])/(?:work|root|farm)(?:/|\b)(?!-)")
TEXT_SUFFIXES = {".md", ".py", ".toml", ".json", ".yml", ".yaml", ".txt", ".lock", ".cfg", ".html", ".sh", ""}
MAX_BYTES = 2_000_000


def published() -> list[Path]:
    """Every text file of the project, committed or not."""
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


def broken_links(document: Path) -> list[str]:
    """The relative links of a document that lead to no file."""
    links = [link.partition("#")[0] for link in LINK.findall(document.read_text(encoding="utf-8"))]
    relative = [link for link in links if link and not re.match(r"[a-z]+:", link)]
    return [link for link in relative if not (document.parent / link).exists()]


def test_every_relative_link_leads_to_a_file() -> None:
    assert len(DOCUMENTS) > 1
    broken = {document.name: broken_links(document) for document in DOCUMENTS}
    assert {name: links for name, links in broken.items() if links} == {}


def test_no_text_names_a_path_of_the_authors_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in published()
        if path.stat().st_size < MAX_BYTES
        for match in MACHINE_PATH.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "is_found"),
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
def test_the_search_for_machine_paths_finds_them_and_nothing_else(text: str, is_found: bool) -> None:
    assert bool(MACHINE_PATH.search(text)) is is_found
