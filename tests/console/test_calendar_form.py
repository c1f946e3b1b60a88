"""The form of a calendar in the console: creation, edits, and changes that another request has made meanwhile."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.console.failing import asked
from tests.support.console.served import problem
from tests.support.console.visit import Console

MARKUP = "<img src=x onerror=alert(1)>"
PLANT = "/v1/calendars/plant"


@pytest.fixture
def calendars(empty_console: Console) -> Console:
    """A tenant with the calendar `plant`."""
    made = asked(empty_console, "PUT", PLANT, {"country": "DE", "dates_out": ["2030-12-24"]})
    assert made["version"] == 1
    return empty_console


def save(page: Page) -> None:
    """Then wait for what the form does not have: its heading may be that of the page."""
    page.get_by_role("button", name="Save the calendar").click()


def test_calendar_is_created_corrected_and_edited(calendars: Console) -> None:
    page = calendars.page
    calendars.gates.allow(422)
    calendars.open("#/calendars")
    page.get_by_role("link", name="New calendar").click()
    name, out = page.get_by_label("Name", exact=True), page.get_by_role("textbox", name="Excluded dates")
    name.fill("Release")
    out.fill("soon")
    save(page)
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("soon is no date")).to_be_visible()
    calendars.check_access()
    name.fill("release")
    out.fill("2030-12-24, 2030-12-31")
    page.get_by_label("Weekend", exact=True).select_option("own")
    page.get_by_label("Sunday").check()
    page.get_by_role("button", name="Add a window").click()
    page.get_by_label("From of window 1").fill("2030-01-01T20:00:00Z")
    page.get_by_label("Until of window 1").fill("2030-01-01T19:00:00Z")
    page.get_by_label("Reason of window 1").fill(MARKUP)
    save(page)
    expect(page.get_by_text("window 1: until: must be after from")).to_be_visible()
    expect(page.get_by_label("Reason of window 1")).to_have_value(MARKUP)
    calendars.check_access()
    page.get_by_label("Until of window 1").fill("2030-01-02T04:00:00+01:00")
    expect(page.get_by_label("What the calendar will do")).to_contain_text("2 dates out, 1 window")
    save(page)
    expect(page.get_by_role("heading", name="Calendar release", level=1)).to_be_visible()
    expect(page.get_by_role("table", name="Windows without runs")).to_contain_text(MARKUP)
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("button", name="Drop window 1").click()
    page.get_by_label("Set", exact=True).fill("shop")
    save(page)
    expect(page.get_by_role("link", name="Edit")).to_be_visible()
    kept = asked(calendars, "GET", "/v1/calendars/release")
    assert (kept["version"], kept["blackouts"], kept["set"]) == (2, [], "shop")
    assert (kept["weekend"], kept["dates_out"]) == (["sunday"], ["2030-12-24", "2030-12-31"])


def test_calendar_of_another_request_is_neither_replaced_unseen_nor_created_again(calendars: Console) -> None:
    page = calendars.page
    calendars.gates.allow(412)
    calendars.gates.allow(409)
    calendars.open("#/calendars/plant")
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("textbox", name="Excluded dates").fill("2030-12-31")
    asked(calendars, "PUT", PLANT, {"country": "FR", "dates_out": ["2030-12-26", "2030-12-27"]})
    save(page)
    rival = page.get_by_role("alert")
    expect(rival).to_contain_text("The calendar was changed meanwhile")
    expect(rival).to_contain_text("2 dates out, and the holidays of FR")
    calendars.check_access()
    page.get_by_role("button", name="Keep my entries").click()
    expect(page.get_by_role("textbox", name="Excluded dates")).to_have_value("2030-12-31")
    assert asked(calendars, "GET", PLANT)["version"] == 2
    save(page)
    expect(page.get_by_role("link", name="Edit")).to_be_visible()
    kept = asked(calendars, "GET", PLANT)
    assert (kept["version"], kept["country"], kept["dates_out"]) == (3, "DE", ["2030-12-31"])
    page.get_by_role("link", name="All calendars").click()
    page.get_by_role("link", name="New calendar").click()
    page.get_by_label("Name", exact=True).fill("plant")
    save(page)
    expect(page.get_by_text("a calendar has this name")).to_be_visible()
    assert asked(calendars, "GET", PLANT)["version"] == 3


def test_calendar_that_was_deleted_meanwhile_is_created_anew_by_a_second_saving(calendars: Console) -> None:
    page = calendars.page
    calendars.gates.allow(412)
    calendars.gates.allow(404)
    calendars.open("#/new-calendar?name=plant")
    page.get_by_role("textbox", name="Excluded dates").fill("2030-12-31")
    asked(calendars, "DELETE", PLANT)
    save(page)
    expect(page.get_by_role("alert")).to_contain_text("The calendar was deleted meanwhile")
    assert asked(calendars, "GET", "/v1/calendars")["calendars"] == []
    page.get_by_role("button", name="Keep my entries").click()
    expect(page.get_by_role("textbox", name="Excluded dates")).to_have_value("2030-12-31")
    save(page)
    expect(page.get_by_role("link", name="Edit")).to_be_visible()
    assert asked(calendars, "GET", PLANT)["dates_out"] == ["2030-12-31"]


def test_calendar_of_another_request_that_is_taken_over_leaves_nothing_to_lose(calendars: Console) -> None:
    page = calendars.page
    calendars.gates.allow(412)
    calendars.open("#/new-calendar?name=plant")
    page.get_by_role("textbox", name="Excluded dates").fill("2030-12-31")
    asked(calendars, "PUT", PLANT, {"dates_out": ["2030-12-26"]})
    save(page)
    page.get_by_role("button", name="Take the other side").click()
    expect(page.get_by_role("textbox", name="Excluded dates")).to_have_value("2030-12-26")
    questions: list[str] = []

    def leave(dialog: Dialog) -> None:
        questions.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.reload()
    expect(page.get_by_role("textbox", name="Excluded dates")).to_have_value("2030-12-26")
    assert questions == []


def test_typed_calendar_is_there_again_after_the_session_ended(calendars: Console) -> None:
    page = calendars.page
    calendars.gates.allow(401)
    calendars.open("#/new-calendar?name=plant")
    page.get_by_role("textbox", name="Excluded dates").fill("2030-12-31")
    calendars.api.fault = lambda sent: (
        problem(401, "unauthenticated", "send a valid API key") if sent.target.startswith("/v1/") else None
    )
    save(page)
    expect(page.get_by_text("The form is kept until this page is closed")).to_be_visible()
    calendars.api.fault = lambda _: None
    page.get_by_label("API key").fill(calendars.day.key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("textbox", name="Excluded dates")).to_have_value("2030-12-31")
    assert asked(calendars, "GET", PLANT)["version"] == 1


def test_reader_of_calendars_cannot_save_one(calendars: Console) -> None:
    page = calendars.page
    calendars.open("#/calendars", calendars.day.reader_key)
    expect(page.get_by_text("scope write")).to_be_visible()
    expect(page.get_by_role("link", name="New calendar")).to_have_count(0)
    calendars.go("#/new-calendar?name=plant")
    page.get_by_role("textbox", name="Excluded dates").fill("2030-12-31")
    page.get_by_role("button", name="Save the calendar").press("Enter")
    expect(page.get_by_text("scope write")).to_be_visible()
    assert asked(calendars, "GET", PLANT)["version"] == 1
