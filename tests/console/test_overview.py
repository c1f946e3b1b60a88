"""The overview: what it asks of the API, and what stays while it asks again."""

from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.console.failing import fail
from tests.support.console.visit import Console

AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"
"""A tab that is shown again asks at once."""


def asked_paths(console: Console) -> list[str]:
    """The paths of the requests to the API, without their queries."""
    return sorted(urlsplit(each.split(" ")[1]).path for each in console.api.paths())


def test_overview_opens_with_five_requests_and_asks_seldom_for_what_costs_most(
    empty_console: Console,
) -> None:
    console, page = empty_console, empty_console.page
    console.open("#/")
    expect(page.get_by_role("figure")).to_have_count(2)
    first = ["/v1/dead-letters", "/v1/jobs", "/v1/stats", "/v1/upcoming/density", "/v1/whoami"]
    assert asked_paths(console) == first
    console.api.sent.clear()
    page.get_by_role("link", name="14 d").click()
    expect(page.get_by_text("in the last 14 days").first).to_be_visible()
    assert asked_paths(console) == ["/v1/dead-letters", "/v1/stats"]


def test_overview_says_how_far_the_counts_go_and_has_each_chart_as_a_table(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    fail(console, "nightly report")
    console.open("#/")
    expect(page.get_by_text("1 failed").first).to_be_visible()
    expect(page.get_by_text("No step of this range is complete yet.")).to_be_visible()
    page.get_by_text("Runs by outcome as a table").click()
    table = page.get_by_role("table", name="Runs by outcome")
    expect(table.get_by_role("columnheader", name="failed")).to_be_visible()
    expect(table.get_by_role("row").last).to_contain_text("1")
    console.check_access()


def test_focus_text_and_choice_survive_a_new_answer(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    fail(console, "first", "second")
    console.open("#/dead-letters")
    page.get_by_role("checkbox", name="Choose the run of first").check()
    page.get_by_label("Tag").fill("bill")
    console.api.sent.clear()
    fail(console, "third")
    page.evaluate(AGAIN)
    expect(page.get_by_role("checkbox", name="Choose the run of third")).to_be_visible()
    expect(page.get_by_label("Tag")).to_be_focused()
    expect(page.get_by_label("Tag")).to_have_value("bill")
    expect(page.get_by_text("1 run chosen")).to_be_visible()
