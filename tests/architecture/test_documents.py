"""What is published: links that lead somewhere, and no trace of the machine that it was written on."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.sources import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MACHINE_PATH = re.compile(r"(?<![\w.~$}])/(?:work|root|farm)(?:/|\b)(?!-)")
TEXT_SUFFIXES = {".md", ".py", ".toml", ".json", ".yml", ".yaml", ".txt", ".lock", ".cfg", ".html", ".sh", ""}
MAX_BYTES = 2_000_000


def published() -> list[Path]:
    """Every text of the project, whether it is committed yet or not."""
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


@pytest.mark.parametrize("document", DOCUMENTS, ids=[path.name for path in DOCUMENTS])
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    links = [link.partition("#")[0] for link in LINK.findall(document.read_text(encoding="utf-8"))]
    relative = [link for link in links if link and not re.match(r"[a-z]+:", link)]
    missing = [link for link in relative if not (document.parent / link).exists()]
    assert missing == []


def test_no_text_names_a_path_of_the_machine_that_it_was_written_on() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in published()
        if path.stat().st_size < MAX_BYTES
        for match in MACHINE_PATH.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "is_one"),
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
def test_the_search_finds_such_paths_and_nothing_else(text: str, is_one: bool) -> None:
    assert bool(MACHINE_PATH.search(text)) is is_one
