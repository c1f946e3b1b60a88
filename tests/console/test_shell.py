"""The frame of all pages: how current they are, and what happens when the API or the key fails."""

from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import Page, expect

from tests.support.console.served import problem
from tests.support.console.visit import CONSOLE, Console

STATS = "/v1/stats"
_HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def heading(page: Page, name: str) -> Any:
    return page.get_by_role("heading", level=1, name=name)


def open_with_paused_timers(console: Console) -> None:
    """The overview, whose timers fire only when the test says so."""
    begin = datetime.fromtimestamp(console.api.now_ms / 1_000, UTC)
    console.page.clock.install(time=begin)
    console.go(f"#key={console.day.key}")
    console.page.get_by_role("button", name="Sign in").click()
    expect(console.page.get_by_role("heading", name="Latest failures")).to_be_visible()
    console.page.clock.pause_at(datetime.fromtimestamp(console.api.now_ms / 1_000 + 3_600, UTC))
    expect(console.page.get_by_role("button", name="Refresh")).to_have_attribute("aria-busy", "false")


def asks_statistics(request: Any) -> bool:
    return STATS in request.url


def test_page_asks_again_by_itself_but_not_while_the_tab_is_hidden(console: Console) -> None:
    page = console.page
    open_with_paused_timers(console)
    with page.expect_request(asks_statistics):
        page.clock.run_for(60_000)
    expect(page.get_by_role("button", name="Refresh")).to_have_attribute("aria-busy", "false")
    page.evaluate(_HIDE, True)
    # An answer that arrives in a hidden tab is not followed by another question.
    with page.expect_request(asks_statistics):
        page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_role("button", name="Refresh")).to_have_attribute("aria-busy", "false")
    asked = len(console.api.paths(STATS))
    page.clock.run_for(600_000)
    assert len(console.api.paths(STATS)) == asked
    with page.expect_request(asks_statistics):
        page.evaluate(_HIDE, False)


def test_page_keeps_its_values_and_says_so_while_the_api_fails(console: Console) -> None:
    page = console.page
    console.open("#/dead-letters")
    rows = page.locator("main [data-row]")
    expect(rows.first).to_be_visible()
    shown = rows.count()
    console.gates.allow(500)
    console.api.fault = lambda sent: (
        problem(500, "internal-error", "something broke") if "dead-letters" in sent.target else None
    )
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_text("Not current")).to_be_visible()
    expect(rows).to_have_count(shown)
    console.check_access()
    console.api.fault = lambda _: None
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_text("Live, every")).to_be_visible()


def test_page_that_gets_no_answer_shows_the_words_of_the_api_and_tries_again(console: Console) -> None:
    page = console.page
    console.gates.allow(429)
    console.api.fault = lambda sent: (
        problem(429, "rate-limited", "ten requests a second are allowed", Retry_After=30)
        if "dead-letters" in sent.target
        else None
    )
    console.open("#/dead-letters")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("ten requests a second are allowed")
    expect(alert).to_contain_text("Wait 30 s")
    console.check_access()
    console.api.fault = lambda _: None
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("main [data-row]").first).to_be_visible()


def test_session_that_the_api_ends_says_why_and_goes_on_where_it_was(console: Console) -> None:
    page = console.page
    console.open("#/usage")
    expect(heading(page, "Usage and keys")).to_be_visible()
    console.gates.allow(401)
    console.api.fault = lambda sent: (
        problem(401, "unauthenticated", "send a valid API key") if sent.target.startswith("/v1/") else None
    )
    # As when the tab is shown again. A question of the page that is still open may end the session, too.
    page.evaluate(_HIDE, False)
    expect(page.get_by_role("alert")).to_contain_text("send a valid API key")
    assert page.evaluate("sessionStorage.length") == 0
    console.api.fault = lambda _: None
    page.get_by_label("API key").fill(console.day.key)
    page.get_by_role("button", name="Sign in").click()
    expect(heading(page, "Usage and keys")).to_be_visible()


def test_address_with_a_key_in_a_tab_that_is_signed_in_asks_before_it_changes_the_tenant(
    console: Console,
) -> None:
    page = console.page
    console.open("#/account")
    expect(page.get_by_role("link", name="northwind")).to_be_visible()
    console.go(f"#key={console.day.neighbour_key}")
    expect(page.get_by_text("The address came with a key")).to_be_visible()
    assert page.url == f"{console.api.origin}{CONSOLE}"
    page.reload()
    expect(page.get_by_role("link", name="northwind")).to_be_visible()
    console.go(f"#key={console.day.neighbour_key}")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name="globex")).to_be_visible()
