"""The tables of counted units and of the laptop's burst show what `make bench` saved, and other pages cite them."""

import json
import re

import pytest

from infra.sizing.figures import EXECUTOR_CPU_MS, EXECUTOR_START_CPU_MS, OCCURRENCE_CPU_MS, Figure
from infra.sizing.prices import DEFAULT_REGION, PRICES
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


def test_delivery_page_cites_the_write_units_of_the_bench() -> None:
    page = " ".join((ROOT / "docs" / "reference" / "delivery.md").read_text().split())
    alone, limited, poll = (
        SAVED[name]["write_units"]
        for name in (
            "one-off, body of 70 B",
            "one-off, its tenant limited, with room",
            "wait for a limit, one poll",
        )
    )
    assert (
        f"[{alone:.2f} write units](../performance.md#counted-units) for a one-off job, {limited:.2f} if"
        in page
    )
    assert f"and {poll:.2f} for a check of a deferred call" in page


@pytest.mark.parametrize(
    ("row", "counted"),
    [
        ("one-off job", "one-off, body of 70 B"),
        ("message to a queue, whose own bill is the tenant's", "one-off, a message to a queue of SQS"),
        ("task of a workflow, in a diamond of four", "task of a run: a diamond of four"),
        ("event that starts a job, with its call", "event that starts a job, with its call"),
        ("event in a burst of 30 that starts one run", "event in a burst of 30 that starts one run"),
        ("event that no trigger matches", "event that no trigger matches"),
    ],
)
def test_cost_page_has_the_units_of_the_bench_at_list_prices(row: str, counted: str) -> None:
    prices, cells = PRICES[DEFAULT_REGION], list[str]()
    for units, price in (("write_units", prices.write_units), ("read_units", prices.read_units)):
        figure = SAVED[counted][units]
        cells += [f"{figure:.2f}", f"{figure * price.each * 1_000_000:.2f}"]
    assert f"| {row} | {' | '.join(cells)} |" in (ROOT / "docs" / "cost.md").read_text().splitlines()


@pytest.mark.parametrize(
    ("row", "figure", "units_a_ms"),
    [
        ("executor, one-off", EXECUTOR_CPU_MS, 1_000),
        ("executor, occurrence of a recurring job", OCCURRENCE_CPU_MS, 1_000),
        ("cold start, executor", EXECUTOR_START_CPU_MS, 1),
    ],
)
def test_sizing_computes_with_no_less_processor_time_than_the_document_shows(
    row: str, figure: Figure, units_a_ms: int
) -> None:
    shown = re.search(
        rf"^\| {re.escape(row)} \| ([\d,]+) \|", (ROOT / "docs" / "performance.md").read_text(), re.MULTILINE
    )
    assert shown is not None
    assert int(shown[1].replace(",", "")) / units_a_ms <= figure.value
