"""Programs of the documents that use the SDK pass the strict type check that their readers may have."""

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from tests.support.documents.blocks import DOCUMENTS, blocks_of
from tests.support.sources import ROOT

CACHE = ROOT / "build" / "types-of-documents"


def programs() -> Iterator[tuple[str, str]]:
    """A name and the source of each program; the blocks of a page that go on with its variables are one."""
    for document in (*DOCUMENTS, ROOT / "client" / "README.md"):
        name = "_".join(document.relative_to(ROOT).with_suffix("").parts).replace("-", "_")
        for language, blocks in groupby(blocks_of(document), key=lambda block: block.language):
            if language == "python example":
                yield from ((f"{name}_{block.line}", block.text) for block in blocks)
        session = [block.text for block in blocks_of(document) if block.language == "python sdk"]
        if session:
            yield name, "".join(session)


def check(folder: Path, sources: dict[str, str]) -> str:
    """What mypy prints about programs, each of which is a module of its own; nothing if it accepts them."""
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(CACHE)]
        + [f"{name}.py" for name in sources],
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(ROOT / "client" / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_programs_pass_a_strict_type_check(tmp_path: Path) -> None:
    sources = dict(programs())
    assert len(sources) > 10
    assert check(tmp_path, sources) == ""


@pytest.mark.parametrize(
    "line",
    [
        "p.jobs.create(url='https://example.com/', cron='@daily').no_such_member",
        "p.jobs.create(url='https://example.com/', cron='@daily', colour='red')",
        "p.jobs.pause()",
    ],
)
def test_wrong_use_of_the_sdk_is_noticed(tmp_path: Path, line: str) -> None:
    assert "error:" in check(
        tmp_path, {"wrong": f"from punctual import Punctual\n\np = Punctual()\n{line}\n"}
    )
