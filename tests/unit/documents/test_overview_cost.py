"""The table of what the console's overview reads is the one that `make bench` saved."""

from tests.bench.overview import RANGES, overview_table, saved
from tests.support.sources import ROOT


def test_document_shows_the_saved_figures_of_the_overview() -> None:
    assert overview_table(saved()) in (ROOT / "docs" / "performance.md").read_text()


def test_overview_opens_with_few_requests_to_the_tables() -> None:
    """Bounds of the requests that a page sends at once, whatever the tenant has."""
    rows = {row.name: row for row in saved()}
    assert len(rows) == len(RANGES) + 4
    assert max(row.read_units for row in rows.values()) < 1_100
