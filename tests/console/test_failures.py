"""From "a call did not come" to the reason and the redrive, one by one and by filter."""

from playwright.sync_api import Browser, expect

from tests.console.failing import MENDED, SECRET, asked, fail
from tests.support.console.day import Day
from tests.support.console.served import ServedApi
from tests.support.console.visit import Console, visiting


def dead_letters(console: Console) -> list[dict[str, object]]:
    found: list[dict[str, object]] = asked(console, "GET", "/v1/dead-letters")["executions"]
    return found


def test_call_that_did_not_come_leads_to_its_reason_and_its_redrive(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    receiver = fail(console, "nightly report")
    console.open("#/")
    failures = page.get_by_role("table", name="Latest failures by job and reason")
    expect(failures).to_contain_text("HTTP 503")
    console.check_access()
    failures.get_by_role("row", name="nightly report").get_by_role("link").nth(1).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Run of nightly report")
    expect(page.locator(".lead")).to_contain_text("Failed after 1 attempt; the last answer: HTTP 503.")
    headings = page.get_by_role("heading", level=2)
    expect(
        headings.filter(has_text="Attempts").or_(headings.filter(has_text="Where the time went"))
    ).to_have_text(["Attempts", "Where the time went"])
    console.check_access()
    receiver.response = MENDED
    page.get_by_role("button", name="Redrive").click()
    page.get_by_role("dialog").get_by_role("button", name="Redrive").click()
    expect(page.get_by_text("Redrive of", exact=True)).to_be_visible()
    console.pass_time(5)
    page.get_by_role("button", name="Refresh").click()
    expect(page.locator(".lead")).to_contain_text("Succeeded after 1 attempt")
    (letter,) = dead_letters(console)
    assert page.url.endswith(str(letter["redriven_by"]))


def test_labels_of_a_telephone_stay_beside_their_numbers(
    browser: Browser, lived: tuple[ServedApi, Day]
) -> None:
    api, day = lived
    with visiting(browser, api, day, 390) as console:
        console.open("#/dead-letters")
        console.page.get_by_role("table").get_by_role("link").first.click()
        cells = console.page.get_by_role("table", name="Stages of attempt 1").locator("td.number")
        expect(cells.first).to_be_visible()
        wraps = cells.evaluate_all("all => all.map((cell) => getComputedStyle(cell, '::before').whiteSpace)")
        assert set(wraps) == {"normal"}


def test_payload_stays_hidden_until_it_is_asked_for_and_its_view_is_recorded(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    fail(console, "nightly report")
    console.open(f"#/runs/{dead_letters(console)[0]['id']}")
    page.get_by_role("button", name="Show the request without its values").click()
    expect(page.locator(".request")).to_contain_text("[redacted]")
    assert SECRET not in page.content()
    page.get_by_role("button", name="Reveal header values and body").click()
    page.get_by_role("dialog").get_by_role("button", name="Reveal header values and body").click()
    expect(page.locator(".request")).to_contain_text(SECRET)
    records = asked(console, "GET", "/v1/audit")["records"]
    assert records[0]["operation"] == "revealRequest"
    page.get_by_role("button", name="Hide the request").click()
    assert SECRET not in page.content()


def test_reader_is_told_why_it_can_neither_reveal_nor_redrive(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    fail(console, "nightly report")
    console.open(f"#/runs/{dead_letters(console)[0]['id']}", key=console.day.reader_key)
    page.get_by_role("button", name="Redrive").press("Enter")
    expect(page.get_by_text("To redrive, a key needs the scope write.")).to_be_visible()
    page.get_by_role("button", name="Show the request without its values").click()
    page.get_by_role("button", name="Reveal header values and body").press("Enter")
    expect(page.get_by_text("a key needs the scopes read and admin.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert [letter["redriven_by"] for letter in dead_letters(console)] == [None]
    console.check_access()


def test_filter_of_a_job_says_the_name_of_the_job(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    fail(console, "first", "second")
    console.open("#/")
    failures = page.get_by_role("table", name="Latest failures by job and reason")
    failures.get_by_role("row", name="second").get_by_role("link", name="See and redrive it").click()
    expect(page.get_by_role("region", name="Redrive by filter")).to_contain_text(
        "of job second, with HTTP 503"
    )


def test_filter_is_counted_redriven_at_a_pace_and_undone(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    fail(console, "first", "second", "third")
    console.open("#/dead-letters")
    page.get_by_label("Reason").select_option("http_status")
    expect(page.get_by_text("with the reason http status")).to_be_visible()
    page.get_by_role("button", name="Dry run").click()
    expect(page.get_by_text("3 dead letters match.")).to_be_visible()
    expect(page.locator(".plan li")).to_have_count(3)
    assert [letter["redriven_by"] for letter in dead_letters(console)] == [None] * 3
    page.get_by_label("Pace: redrives a second").fill("0")
    expect(page.get_by_role("button", name="Redrive 3")).to_be_disabled()
    page.get_by_label("Pace: redrives a second").fill("1")
    console.check_access()
    page.get_by_role("button", name="Redrive 3").click()
    expect(page.get_by_role("progressbar", name="Progress of the bulk redrive")).to_be_visible()
    expect(page.get_by_text("3 redriven")).to_be_visible()
    redrive = page.url.partition("redrive=")[2]
    assert asked(console, "GET", f"/v1/redrives/{redrive}")["rate"] == 1
    page.get_by_role("button", name="undo").click()
    page.get_by_role("dialog").get_by_role("button", name="undo").click()
    expect(page.get_by_text("no redrive is created any more")).to_be_visible()
    assert asked(console, "GET", f"/v1/redrives/{redrive}")["state"] == "undoing"
    console.check_access()


def test_chosen_runs_are_redriven_one_by_one_and_taken_back(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    fail(console, "first", "second", "third")
    console.open("#/dead-letters")
    page.get_by_role("checkbox", name="Choose the run of first").check()
    page.get_by_role("checkbox", name="Choose the run of third").check()
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_text("2 runs chosen")).to_be_visible()
    page.get_by_role("button", name="Redrive 2").click()
    page.get_by_role("dialog").get_by_role("button", name="Redrive 2").click()
    expect(page.get_by_text("2 runs redriven.")).to_be_visible()
    redriven = {str(letter["name"]): letter["redriven_by"] for letter in dead_letters(console)}
    assert [name for name, by in sorted(redriven.items()) if by] == ["first", "third"]
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("2 runs cancelled.")).to_be_visible()
    states = {asked(console, "GET", f"/v1/executions/{by}")["state"] for by in redriven.values() if by}
    assert states == {"cancelled"}


def test_tenant_without_failures_is_shown_the_command_that_makes_one(empty_console: Console) -> None:
    empty_console.open("#/dead-letters")
    expect(empty_console.page.get_by_role("heading", name="Nothing has failed")).to_be_visible()
    expect(empty_console.page.get_by_text("punctual create --delay 0s")).to_be_visible()
    empty_console.check_access()
    empty_console.go("#/dead-letters?reason=timeout")
    expect(empty_console.page.get_by_text("No dead letter matches this filter")).to_be_visible()
