"""Signing in with a key, by the form and by the address of `make run`, and signing out."""

from playwright.sync_api import Page, expect

from tests.support.console.visit import CONSOLE, Console

_KEPT = """() => JSON.stringify([
  {...localStorage}, document.cookie, location.href, document.referrer, history.state, document.title,
])"""
_IN_TAB = "() => JSON.stringify({...sessionStorage})"


def kept(page: Page) -> str:
    """Whatever a browser keeps of a visit beyond the tab."""
    return str(page.evaluate(_KEPT))


def enter(console: Console, key: str) -> None:
    console.page.get_by_label("API key").fill(key)
    console.page.get_by_role("button", name="Sign in").click()


def signed_in(page: Page) -> None:
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def signed_out(page: Page) -> None:
    expect(page.get_by_label("API key")).to_be_visible()
    expect(page.get_by_label("API key")).to_have_value("")


def test_address_of_make_run_signs_in_with_one_click_and_forgets_the_key(empty_console: Console) -> None:
    page, key = empty_console.page, empty_console.day.key
    empty_console.visit(f"#key={key}")
    expect(page).to_have_url(f"{empty_console.api.origin}{CONSOLE}")
    assert key not in kept(page)
    page.get_by_role("button", name="Sign in").click()
    signed_in(page)
    assert key not in kept(page)
    empty_console.go("#/account")
    page.go_back()
    signed_in(page)
    assert key not in kept(page)
    assert not any(key in f"{each.target} {each.headers.get('Referer')}" for each in empty_console.api.sent)


def test_form_keeps_the_key_in_the_tab_alone_until_the_user_signs_out(empty_console: Console) -> None:
    page, key = empty_console.page, empty_console.day.key
    empty_console.visit()
    enter(empty_console, f"  {key} ")
    signed_in(page)
    assert key in page.evaluate(_IN_TAB)
    assert key not in kept(page)
    assert page.context.cookies() == []
    page.reload()
    signed_in(page)
    page.get_by_role("button", name="Sign out").click()
    signed_out(page)
    assert key not in page.evaluate(_IN_TAB)
    page.reload()
    signed_out(page)


def test_tab_asks_for_a_key_of_its_own(empty_console: Console) -> None:
    empty_console.open()
    other = empty_console.page.context.new_page()
    other.goto(f"{empty_console.api.origin}{CONSOLE}")
    signed_out(other)


def test_deep_link_survives_signing_in(empty_console: Console) -> None:
    empty_console.visit("#/account")
    enter(empty_console, empty_console.day.reader_key)
    expect(empty_console.page.get_by_role("heading", level=1, name="This key")).to_be_visible()
    assert empty_console.page.url.endswith(f"{CONSOLE}#/account")


def test_wrong_key_is_refused_in_the_words_of_the_api_and_not_kept(empty_console: Console) -> None:
    page = empty_console.page
    empty_console.gates.allow(401)
    empty_console.visit()
    enter(empty_console, "pk_wrong")
    expect(page.get_by_role("alert")).to_contain_text("send a valid API key as Authorization: Bearer pk_...")
    assert "pk_wrong" not in page.evaluate(_IN_TAB)
    enter(empty_console, empty_console.day.key)
    signed_in(page)


def test_key_that_is_revoked_ends_the_session_at_the_next_load(empty_console: Console) -> None:
    page, api = empty_console.page, empty_console.api
    empty_console.open()
    empty_console.gates.allow(401)
    api.do(api.world.tenants.keys.clear)
    empty_console.pass_time(120)
    page.reload()
    signed_out(page)
    assert empty_console.day.key not in page.evaluate(_IN_TAB)
