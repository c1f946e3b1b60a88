"""Signing in with a key, by the form and by the address of `make run`, and signing out."""

from playwright.sync_api import Page, expect

from tests.support.console.visit import CONSOLE, Console

_EVERYWHERE = """() => JSON.stringify([
  {...localStorage}, document.cookie, location.href, document.referrer, history.length, history.state,
])"""


def traces(page: Page) -> str:
    """Whatever a browser keeps of a visit beside the storage of the tab."""
    return str(page.evaluate(_EVERYWHERE))


def test_address_of_make_run_signs_in_with_one_click_and_forgets_the_key(empty_console: Console) -> None:
    page, key = empty_console.page, empty_console.day.key
    empty_console.visit(f"#key={key}")
    expect(page).to_have_url(f"{empty_console.api.origin}{CONSOLE}")
    assert key not in traces(page)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    assert key not in traces(page)
    page.go_back()
    page.go_forward()
    assert key not in traces(page)
    assert not any(key in f"{each.target} {each.headers.get('Referer')}" for each in empty_console.api.sent)
