"""The tables about the console's overview are those that `make bench` saved; what it reads has bounds."""

from tests.bench.overview import RANGES, overview_table, saved
from tests.bench.visits import saved as saved_visits
from tests.bench.visits import visits_table
from tests.support.sources import ROOT

PERFORMANCE = ROOT / "docs" / "performance.md"
OF_THE_PAGE = ("whoami", "statistics, 24h", "latest failures", "next six hours", "paused jobs among 1,000")
"""What the page asks for at its first visit, in the range that it opens with."""


def test_document_shows_the_saved_figures_of_the_overview() -> None:
    assert overview_table(saved()) in PERFORMANCE.read_text()


def test_document_shows_the_saved_times_of_the_visits() -> None:
    assert [row.range for row in saved_visits()] == list(RANGES)
    assert visits_table(saved_visits()) in PERFORMANCE.read_text()


def test_overview_opens_with_few_read_units_and_few_requests_to_the_tables() -> None:
    rows = {row.name: row for row in saved()}
    assert len(rows) == len(RANGES) + len(OF_THE_PAGE) - 1
    page = [rows[name] for name in OF_THE_PAGE]
    assert sum(row.read_units for row in page) < 500
    assert sum(row.dynamodb for row in page) < 45


def test_visit_of_the_overview_sends_few_requests() -> None:
    """The page, its script and its style sheet at a first visit, the owner of the key, and each of four parts."""
    assert {(row.first_requests, row.later_requests) for row in saved_visits()} == {(8, 6)}
