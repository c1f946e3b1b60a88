"""Whole errands without a mouse: what has the focus, where Tab leads, and where the focus is after a dialog."""

import re
from itertools import pairwise
from unittest.mock import ANY

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from shared.domain.dead_letters.parked_message import park
from shared.names import QueueName
from tests.console.delayed_requests import DelayedRequests
from tests.console.failing import SECRET, asked, fail
from tests.console.keys import Keys
from tests.support.console.addresses import address, key_for
from tests.support.console.day import Day
from tests.support.console.served import ServedApi
from tests.support.console.visit import Console, visiting


@pytest.fixture
def keys(empty_console: Console) -> Keys:
    """The keyboard of a person of a tenant without jobs."""
    return Keys(empty_console)


def region(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def button(within: Page | Locator, name: str) -> Locator:
    return within.get_by_role("button", name=name, exact=True)


def opener(within: Page | Locator, name: str) -> Locator:
    """A button that opens a dialog, whose own button has the same name."""
    return within.locator(".act > button").filter(has_text=re.compile(f"^{name}$"))


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("heading", level=1, name=name)


@pytest.mark.parametrize("page", ["overview", "run", "dead", "usage", "operator"])
def test_focus_goes_down_the_page_and_is_always_seen(
    browser: Browser, lived: tuple[ServedApi, Day], page: str
) -> None:
    api, day = lived
    with visiting(browser, api, day, width=1_440) as console:
        keys = Keys(console)
        keys.sign_in(address(page, day), key_for(page, day))
        stops = keys.walk()
        assert len(stops) > 3
        risen = [(one.name, other.name) for one, other in pairwise(stops) if other.bottom < one.top]
        assert risen == []


def test_overview_leads_to_its_charts_as_tables_and_to_what_failed(keys: Keys) -> None:
    page = keys.console.page
    fail(keys.console, "nightly report")
    keys.sign_in()
    names = keys.tab_to(page.get_by_role("link", name="See and redrive it"))
    assert names == [
        *("Refresh", "1 h", "24 h", "14 d"),
        *("Runs by outcome as a table", "Lag of first calls as a table", "How runs are counted"),
        *("Upcoming", "All dead letters", "nightly report", ANY, "See and redrive it"),
    ]
    range_link = page.get_by_role("link", name="14 d")
    keys.tab_to(range_link, backwards=True)
    keys.press("Enter")
    expect(region(page, "Statistics")).to_contain_text("in the last 14 days")
    expect(range_link).to_be_focused()
    keys.open(page.get_by_text("Runs by outcome as a table"))
    expect(page.get_by_role("table", name="Runs by outcome")).to_be_visible()
    keys.open(page.get_by_role("link", name="See and redrive it"))
    expect(heading(page, "Dead letters")).to_be_focused()


def at_a_failed_run(keys: Keys) -> str:
    """The id of the run whose page is open."""
    fail(keys.console, "nightly report")
    run = asked(keys.console, "GET", "/v1/dead-letters")["executions"][0]["id"]
    keys.sign_in(f"#/runs/{run}")
    return str(run)


def test_run_is_redriven_after_second_thoughts(keys: Keys) -> None:
    page = keys.console.page
    run = at_a_failed_run(keys)
    redrive = opener(page, "Redrive")
    keys.open(redrive)
    keys.in_dialog("Redrive")
    keys.press("Escape")
    expect(redrive).to_be_focused()
    keys.press("Space")
    keys.open(button(keys.in_dialog("Redrive"), "Cancel"))
    expect(redrive).to_be_focused()
    assert asked(keys.console, "GET", f"/v1/executions/{run}")["redriven_by"] is None
    keys.press("Enter")
    keys.open(button(keys.in_dialog("Redrive"), "Redrive"))
    expect(page.get_by_text("Redrive of", exact=True)).to_be_visible()
    expect(heading(page, "Run of nightly report")).to_be_focused()


def test_second_press_while_an_act_is_under_way_does_nothing_and_the_focus_stays(keys: Keys) -> None:
    page = keys.console.page
    run = at_a_failed_run(keys)
    path = f"/v1/executions/{run}/redrive"
    delayed = DelayedRequests(page, path)
    keys.open(opener(page, "Redrive"))
    confirm = button(keys.in_dialog("Redrive"), "Redrive")
    keys.open(confirm)
    expect(confirm).to_have_attribute("aria-busy", "true")
    keys.press("Enter", "Space")
    expect(confirm).to_be_focused()
    delayed.release(path)
    expect(page.get_by_text("Redrive of", exact=True)).to_be_visible()
    assert delayed.count(path) == 1


def test_request_of_a_run_is_shown_revealed_and_hidden(keys: Keys) -> None:
    page = keys.console.page
    at_a_failed_run(keys)
    request = region(page, "Request")
    keys.open(button(request, "Show the request without its values"))
    expect(request).to_be_focused()
    reveal = opener(request, "Reveal header values and body")
    keys.open(reveal)
    dialog = keys.in_dialog("Reveal header values and body")
    keys.open(button(dialog, "Reveal header values and body"))
    expect(request).to_contain_text(SECRET)
    expect(request).to_be_focused()
    keys.open(button(request, "Hide the request"))
    expect(request).not_to_contain_text(SECRET)
    expect(request).to_be_focused()


def test_dead_letters_are_chosen_redriven_and_taken_back(keys: Keys) -> None:
    page = keys.console.page
    fail(keys.console, "first", "second", "third")
    keys.sign_in("#/dead-letters")
    rows = page.locator("main [data-row]")
    keys.press("j", "x", "j", "x")
    expect(rows.nth(1).get_by_role("link").first).to_be_focused()
    keys.press("k")
    expect(rows.nth(0).get_by_role("link").first).to_be_focused()
    redrive = opener(page, "Redrive 2")
    keys.tab_to(redrive, backwards=True)
    keys.press("Enter")
    keys.in_dialog("Redrive 2")
    keys.press("Escape")
    expect(redrive).to_be_focused()
    keys.press("Enter")
    keys.open(button(keys.in_dialog("Redrive 2"), "Redrive 2"))
    expect(page.get_by_text("2 runs redriven.")).to_be_visible()
    expect(region(page, "Runs that failed")).to_be_focused()
    keys.open(button(page, "Undo"))
    expect(page.get_by_text("2 runs cancelled.")).to_be_visible()
    expect(page.locator("main:focus, main :focus")).to_have_count(1)


def test_dead_letters_are_redriven_by_filter_at_a_pace(keys: Keys) -> None:
    page = keys.console.page
    fail(keys.console, "first", "second")
    keys.sign_in("#/dead-letters")
    by_filter = region(page, "Redrive by filter")
    dry_run = button(by_filter, "Dry run")
    keys.open(dry_run)
    expect(by_filter.get_by_text("Dry run.", exact=True)).to_be_visible()
    expect(dry_run).to_be_focused()
    keys.tab_to(page.get_by_label("Pace: redrives a second"))
    keys.type("2")
    keys.press("Enter")
    task = region(page, "Bulk redrive")
    expect(task).to_be_visible()
    expect(by_filter).to_be_focused()
    undo = opener(task, "Stop and undo")
    keys.tab_to(undo, backwards=True)
    keys.press("Enter")
    keys.in_dialog("Stop and undo")
    keys.press("Escape")
    expect(undo).to_be_focused()
    keys.open(button(task, "Close"))
    expect(task).to_have_count(0)
    expect(page.locator("main:focus, main :focus")).to_have_count(1)


def test_filter_of_dead_letters_keeps_the_focus_where_it_is_changed(keys: Keys) -> None:
    page = keys.console.page
    fail(keys.console, "nightly report")
    keys.sign_in("#/dead-letters")
    reason = page.get_by_label("Reason")
    keys.tab_to(reason)
    keys.press("ArrowDown")
    expect(page).to_have_url(re.compile("reason="))
    expect(reason).to_be_focused()
    # Letters that a person types do not move the focus.
    tag = page.get_by_label("Tag")
    keys.tab_to(tag)
    keys.type("jxk")
    keys.press("Enter")
    expect(page).to_have_url(re.compile("tag=jxk"))
    expect(tag).to_be_focused()
    expect(tag).to_have_value("jxk")
    keys.open(button(page, "Clear"))
    expect(page.get_by_role("row", name="nightly report")).to_be_visible()
    expect(page.get_by_role("search")).to_be_focused()
    keys.press("/")
    expect(page.get_by_label("Job id")).to_be_focused()


def test_key_is_created_and_revoked(keys: Keys) -> None:
    page = keys.console.page
    keys.sign_in("#/usage")
    access = region(page, "Keys")
    keys.open(access.get_by_text("Create a key"))
    keys.tab_to(access.get_by_label("Name", exact=True))
    keys.type("ci")
    keys.tab_to(access.get_by_role("checkbox", name="read:"))
    keys.press("Space")
    create = button(access, "Create the key")
    keys.open(create)
    expect(page.locator(".once")).to_be_visible()
    expect(create).to_be_focused()
    keys.open(button(access, "I have stored it"))
    expect(access).to_be_focused()
    revoke = opener(page.get_by_role("row", name="ci").filter(has_text="90 d"), "Revoke")
    keys.open(revoke)
    keys.in_dialog("Revoke a key")
    keys.press("Escape")
    expect(revoke).to_be_focused()
    keys.press("Enter")
    keys.open(button(keys.in_dialog("Revoke a key"), "Revoke"))
    expect(page.get_by_text("The key ci is revoked.")).to_be_visible()
    expect(access).to_be_focused()


def test_signing_secret_is_rotated_and_the_defaults_are_saved(keys: Keys) -> None:
    page = keys.console.page
    keys.sign_in("#/usage")
    rotate = opener(page, "Rotate")
    keys.open(rotate)
    keys.open(button(keys.in_dialog("Rotate a signing secret"), "Rotate"))
    expect(page.locator(".once code")).to_contain_text("whsec_")
    expect(rotate).to_be_focused()
    failure = page.get_by_label("After a failure")
    keys.tab_to(failure)
    keys.type("https://hooks.northwind.example/failed")
    keys.press("Enter")
    expect(page.get_by_text("The defaults are saved.")).to_be_visible()
    expect(failure).to_be_focused()


def test_operator_suspends_a_tenant_and_resumes_it(keys: Keys) -> None:
    page = keys.console.page
    keys.sign_in("#/operator?view=tenants", keys.console.day.operator_key)
    row = page.get_by_role("row", name="globex")
    keys.open(opener(row, "Suspend"))
    dialog = keys.in_dialog("Suspend globex")
    keys.tab_to(dialog.get_by_role("textbox"))
    # Enter before the name is whole does nothing.
    keys.type("glob")
    keys.press("Enter")
    expect(dialog).to_be_visible()
    keys.type("globex")
    keys.press("Enter")
    expect(row).to_contain_text("suspended from")
    resume = opener(row, "Resume")
    expect(resume).to_be_focused()
    keys.press("Enter")
    keys.open(button(keys.in_dialog("Resume globex"), "Resume"))
    expect(row).to_contain_text("active")
    expect(opener(row, "Suspend")).to_be_focused()


def test_operator_removes_a_parked_message(keys: Keys) -> None:
    console, page = keys.console, keys.console.page
    message = park("message-1", QueueName.STANDARD, "<b>?</b>", "it is no JSON", console.api.now_ms)
    console.api.world.parked_messages.park(message)
    keys.sign_in("#/operator", console.day.operator_key)
    view = page.get_by_role("link", name="Parked messages")
    keys.open(view)
    expect(view).to_be_focused()
    row = page.get_by_role("row", name="it is no JSON")
    keys.open(row.get_by_text("Show"))
    expect(row).to_contain_text("<b>?</b>")
    remove = opener(row, "Remove")
    keys.open(remove)
    dialog = keys.in_dialog("Remove a parked message")
    keys.press("Escape")
    expect(remove).to_be_focused()
    keys.press("Enter")
    keys.open(button(dialog, "Remove"))
    expect(page.get_by_text("No message is parked")).to_be_visible()
    expect(page.locator("main:focus, main :focus")).to_have_count(1)
