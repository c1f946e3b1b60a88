"""The tables of counted units and of the laptop's burst show what `make bench` saved."""

import json

from tests.bench.checked import checked, laptop_tables, saved_run
from tests.support.sources import ROOT

SAVED = json.loads((ROOT / "tests" / "bench" / "counted.json").read_text())
COLUMNS = ("write_units", "lease_units", "refused_units", "read_units", "dynamodb", "sqs")


def test_document_shows_every_saved_figure() -> None:
    shown = (ROOT / "docs" / "performance.md").read_text().splitlines()
    for name, figures in SAVED.items():
        cells = [f"{figures[column]:.2f}" for column in COLUMNS]
        assert f"| {name} | {' | '.join(cells)} | {figures['log_bytes']:.0f} |" in shown


def test_document_shows_the_saved_burst_whose_counts_are_equal_and_whose_lag_is_within_15_percent() -> None:
    run = saved_run()
    rows = checked(run)
    assert laptop_tables(run, rows) in (ROOT / "docs" / "performance.md").read_text()
    assert [row.name for row in rows if (row.is_wrong if row.is_count else abs(row.off) > 0.15)] == []
