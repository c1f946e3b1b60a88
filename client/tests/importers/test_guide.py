"""The guide to the importers: its command prints what the page shows."""

import shlex
from pathlib import Path

import pytest

from client.tests.cli.test_import import shell
from tests.support.documents.blocks import blocks_of
from tests.support.sources import ROOT

GUIDE = ROOT / "docs" / "guides" / "importers.md"


def test_command_of_the_guide_prints_the_file_and_the_report_that_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crontab, command, report, file = (
        block.text for block in blocks_of(GUIDE) if block.language.endswith(" importers")
    )
    monkeypatch.chdir(tmp_path)
    Path("crontab.txt").write_text(crontab)
    words = shlex.split(command.replace("\\\n", " "))
    assert (words[:2], words[-2:]) == (["punctual", "import"], [">", "jobs.yaml"])
    ran = shell().run(*words[1:-2])
    assert (ran.code, ran.err, ran.out) == (1, report, file)
