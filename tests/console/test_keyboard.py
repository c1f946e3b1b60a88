"""Keys of one character, their help, and their switch."""

from playwright.sync_api import Page, expect

from tests.support.console.visit import Console


def help_of(page: Page):
    return page.get_by_role("dialog", name="Keyboard shortcuts")


def test_question_mark_and_the_button_open_the_help_and_escape_closes_it(empty_console: Console) -> None:
    page = empty_console.page
    empty_console.open()
    page.keyboard.press("?")
    expect(help_of(page)).to_be_visible()
    empty_console.check_access()
    page.keyboard.press("Escape")
    expect(help_of(page)).to_be_hidden()
    button = page.get_by_role("button", name="Shortcuts")
    button.click()
    expect(help_of(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()


def test_g_and_a_letter_open_a_page_but_not_while_the_user_types(empty_console: Console) -> None:
    page = empty_console.page
    empty_console.visit("#/")
    field = page.get_by_label("API key")
    field.press_sequentially("ga?")
    expect(field).to_have_value("ga?")
    empty_console.open("#/nowhere")
    expect(page.get_by_role("heading", level=1, name="There is no such page")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(page.get_by_role("heading", level=1, name="This key")).to_be_focused()
    page.keyboard.press("Control+g")
    expect(page.get_by_role("heading", level=1, name="This key")).to_be_visible()


def test_keys_can_be_switched_off_and_stay_off(empty_console: Console) -> None:
    page = empty_console.page
    empty_console.open("#/account")
    page.keyboard.press("?")
    page.get_by_label("Shortcuts of one character are on").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    page.get_by_role("heading", level=1, name="This key").wait_for()
    page.keyboard.press("?")
    expect(help_of(page)).to_be_hidden()
    page.get_by_role("button", name="Shortcuts").click()
    page.get_by_label("Shortcuts of one character are on").check()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(help_of(page)).to_be_visible()


def test_tab_goes_on_from_the_heading_and_the_first_link_skips_the_navigation(empty_console: Console) -> None:
    page = empty_console.page
    empty_console.open("#/account")
    expect(page.get_by_role("heading", level=1, name="This key")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
    page.get_by_role("link", name="Skip to the content").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    assert page.url.endswith("#/account")
