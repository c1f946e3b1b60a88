"""The heat map of the future in the console."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.console.visit import Console


def test_cell_opens_its_runs_by_the_keyboard(console: Console) -> None:
    page = console.page
    console.open("#/upcoming?view=day")
    grid = page.get_by_role("grid", name="Runs that are due")
    expect(grid).to_be_visible()
    console.check_access()
    first = grid.locator("button[tabindex='0']")
    first.focus()
    before = first.get_attribute("aria-label")
    page.keyboard.press("ArrowDown")
    moved = grid.locator("button:focus")
    expect(moved).not_to_have_attribute("aria-label", before or "")
    count = int(re.findall(r": ([\d,]+) runs?$", moved.get_attribute("aria-label") or "")[0])
    page.keyboard.press("Enter")
    runs = page.get_by_role("region", name="Runs of the cell")
    expect(runs.locator("tbody tr")).to_have_count(count)
    expect(runs.get_by_role("link", name="price feed").first).to_be_visible()
    console.check_access()
    runs.get_by_role("link", name="price feed").first.click()
    expect(page.get_by_role("heading", name="price feed", level=1)).to_be_visible()


def test_runs_of_a_cell_beyond_a_day_are_listed(console: Console) -> None:
    page = console.page
    console.open("#/upcoming?view=week")
    cell = page.get_by_role("button", name=re.compile("Tue 25 Feb.*10:00: "))
    count = int(re.findall(r": (\d+) run", cell.get_attribute("aria-label") or "")[0])
    cell.click()
    runs = page.get_by_role("region", name="Runs of the cell")
    expect(runs.locator("tbody tr")).to_have_count(count)
    console.go("#/upcoming?view=week&as=table")
    expect(page.get_by_role("row", name=re.compile(rf"Tue 25 Feb.*10:00 {count}"))).to_be_visible()
    console.check_access()


@pytest.mark.parametrize("view", ["hour", "week"])
def test_page_fits_the_narrowest_window_in_every_view(console: Console, view: str) -> None:
    page = console.page
    page.set_viewport_size({"width": 320, "height": 800})
    console.open(f"#/upcoming?view={view}")
    expect(page.get_by_role("grid", name="Runs that are due")).to_be_visible()
    console.check_access()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_empty_future_teaches_the_command(empty_console: Console) -> None:
    empty_console.open("#/upcoming")
    expect(empty_console.page.get_by_text("punctual create --every 5m")).to_be_visible()
    empty_console.check_access()
