"""Every page keeps the rules of all pages, for every width, in light and dark."""

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import axe
from tests.support.console.addresses import address, key_for, pages, pages_without_id
from tests.support.console.day import Day
from tests.support.console.served import ServedApi
from tests.support.console.visit import Console, visiting

WIDTHS = (320, 768, 1_440)
_SPILLS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
_LABELS_OVER_VALUES = """[...document.querySelectorAll(".rows [data-label]")].filter((cell) => {
  const label = getComputedStyle(cell, "::before");
  return label.content !== "none" && label.whiteSpace === "nowrap";
}).map((cell) => cell.dataset.label)"""
"""Labels beside a value, as in narrow windows, which cannot break where they are longer than their column."""


def judge(console: Console) -> None:
    """AssertionError for a fault of accessibility, or a page that has to be moved sideways or hides values."""
    faults = []
    for width in WIDTHS:
        console.page.set_viewport_size({"width": width, "height": 900})
        console.page.emulate_media(color_scheme="light")
        faults += [f"{width} light: {each}" for each in axe.violations(console.page)]
        if console.page.evaluate(_SPILLS):
            faults.append(f"{width}: the page is wider than its window")
        if labels := console.page.evaluate(_LABELS_OVER_VALUES):
            faults.append(f"{width}: labels that lie over their values: {sorted(set(labels))}")
        console.page.emulate_media(color_scheme="dark")
        faults += [f"{width} dark: {each}" for each in axe.violations(console.page, colours_alone=True)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("page", pages())
def test_page_keeps_all_rules_after_a_day_of_work(
    browser: Browser, lived: tuple[ServedApi, Day], page: str
) -> None:
    api, day = lived
    with visiting(browser, api, day) as console:
        console.open(address(page, day), key_for(page, day))
        console.settle()
        expect(console.page.get_by_role("heading", level=1)).to_have_count(1)
        judge(console)


@pytest.mark.parametrize("page", pages_without_id())
def test_page_without_anything_to_show_keeps_all_rules(empty_console: Console, page: str) -> None:
    empty_console.open(address(page, empty_console.day), key_for(page, empty_console.day))
    empty_console.settle()
    judge(empty_console)


def test_form_for_a_key_keeps_all_rules(empty_console: Console) -> None:
    empty_console.visit()
    expect(empty_console.page.get_by_label("API key")).to_be_visible()
    judge(empty_console)
