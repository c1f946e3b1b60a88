"""The guide to the importers: its command prints what the page shows."""

import shlex
from pathlib import Path

import pytest

from client.tests.importers.test_command import Process
from punctual.importers.command import MISFITS
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
    assert (words[:3], words[-2:]) == (["python", "-m", "punctual.importers"], [">", "jobs.yaml"])
    process = Process()
    assert process.run(*words[3:-2]) == MISFITS
    assert process.stderr.getvalue() == report
    assert process.stdout.getvalue() == file
