"""Calendars in the console: the list, one calendar with its windows, and a deletion."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.console.failing import asked
from tests.support.console.day import CALENDAR
from tests.support.console.visit import Console

MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture
def calendars(empty_console: Console) -> Console:
    """A tenant with the calendar `plant`; it is half past midnight in UTC."""
    window = {"from": "2025-02-20T00:00:00Z", "until": "2025-02-20T01:00:00Z", "reason": MARKUP}
    body = CALENDAR | {"set": "shop", "blackouts": [window, *CALENDAR["blackouts"]]}
    assert asked(empty_console, "PUT", "/v1/calendars/plant", body)["version"] == 1
    return empty_console


def share(console: Console) -> None:
    asked(
        console, "PUT", "/v1/admin/calendars/freeze", {"dates_out": ["2025-12-24"]}, console.day.operator_key
    )


def test_calendar_is_listed_and_shows_its_dates_and_windows(calendars: Console) -> None:
    page = calendars.page
    share(calendars)
    calendars.open("#/calendars")
    row = page.get_by_role("table", name="Calendars", exact=True).locator("tbody tr")
    expect(row).to_have_count(1)
    for text in ("DE", "that of DE", "2 dates out, 1 date in, 3 windows", "in a window", "shop", "version 1"):
        expect(row).to_contain_text(text)
    shared = page.get_by_role("table", name="Calendars of the operators").locator("tbody tr")
    expect(shared).to_contain_text("operator/freeze")
    expect(shared).not_to_contain_text("in a window")
    calendars.check_access()
    row.get_by_role("link", name="plant").click()
    expect(page.get_by_role("heading", name="Calendar plant", level=1)).to_be_visible()
    expect(page.get_by_label("Excluded dates")).to_contain_text("Wed 24 Dec")
    expect(page.get_by_label("Business days in any case")).to_contain_text("Sat 29 Nov")
    windows = page.get_by_role("table", name="Windows without runs").locator("tbody tr")
    expect(windows).to_have_count(3)
    for number, (reason, state) in enumerate(
        [("new warehouse", "over"), (MARKUP, "now"), ("deployment", "ahead")]
    ):
        expect(windows.nth(number)).to_contain_text(reason)
        expect(windows.nth(number)).to_contain_text(state)
    calendars.check_access()


def test_calendar_of_the_operators_is_shown_and_not_changed(calendars: Console) -> None:
    page = calendars.page
    share(calendars)
    calendars.open("#/calendars")
    page.get_by_role("link", name="operator/freeze").click()
    expect(page.get_by_role("heading", name="Calendar operator/freeze", level=1)).to_be_visible()
    expect(page.get_by_label("Excluded dates")).to_contain_text("Wed 24 Dec")
    expect(page.get_by_text("The operators change this calendar.")).to_be_visible()
    expect(page.get_by_role("button", name="Delete")).to_have_count(0)
    calendars.go("#/calendars/operator%2Fplant")
    expect(page.get_by_text("The operators have no calendar of this name.")).to_be_visible()


def test_calendar_in_use_is_kept_and_its_job_is_named_until_no_job_names_it(calendars: Console) -> None:
    page = calendars.page
    calendars.gates.allow(409)
    schedule: dict[str, Any] = {"cron": "0 9 * * *", "calendar": "plant"}
    request = {"url": "https://hooks.northwind.example/x"}
    job = asked(calendars, "POST", "/v1/jobs", {"schedule": schedule, "request": request})["id"]
    calendars.open("#/calendars/plant")
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("A calendar that jobs name is not deleted")
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog.get_by_role("alert")).to_contain_text(f"in use by {job}")
    assert asked(calendars, "GET", "/v1/calendars/plant")["version"] == 1
    asked(calendars, "DELETE", f"/v1/jobs/{job}")
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("There are no calendars yet")).to_be_visible()
    assert asked(calendars, "GET", "/v1/calendars")["calendars"] == []


def test_calendar_that_was_changed_meanwhile_is_not_deleted_unseen(calendars: Console) -> None:
    page = calendars.page
    calendars.gates.allow(412)
    calendars.open("#/calendars/plant")
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    asked(calendars, "PUT", "/v1/calendars/plant", {"dates_out": ["2025-12-26"]})
    # The page asks again before the answer: the dialog still stands for the calendar that it was opened on.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_label("Excluded dates")).to_contain_text("Fri 26 Dec")
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog.get_by_role("alert")).to_contain_text("412")
    assert asked(calendars, "GET", "/v1/calendars/plant")["version"] == 2
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("There are no calendars yet")).to_be_visible()


def test_reader_of_a_calendar_cannot_delete_it(calendars: Console) -> None:
    page = calendars.page
    calendars.open("#/calendars/plant", calendars.day.reader_key)
    page.get_by_role("button", name="Delete").press("Enter")
    expect(page.get_by_text("scope write")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert asked(calendars, "GET", "/v1/calendars/plant")["version"] == 1


def test_calendars_are_not_shown_to_an_operator_or_a_neighbour(calendars: Console) -> None:
    page = calendars.page
    calendars.gates.allow(404)
    calendars.open("#/calendars", calendars.day.operator_key)
    expect(page.get_by_text("This key cannot see this page")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    calendars.open("#/calendars/plant", calendars.day.neighbour_key)
    expect(page.get_by_role("alert")).to_contain_text("no such calendar")
