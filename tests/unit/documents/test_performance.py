"""The table of counted units shows what `make bench` saved."""

import json

from tests.support.sources import ROOT

SAVED = json.loads((ROOT / "tests" / "bench" / "counted.json").read_text())
COLUMNS = ("write_units", "lease_units", "refused_units", "read_units", "dynamodb", "sqs")


def test_document_shows_every_saved_figure() -> None:
    shown = (ROOT / "docs" / "performance.md").read_text().splitlines()
    for name, figures in SAVED.items():
        cells = [f"{figures[column]:.2f}" for column in COLUMNS]
        assert f"| {name} | {' | '.join(cells)} | {figures['log_bytes']:.0f} |" in shown
