"""The form of a job: the keyboard, its alerts, and what it keeps when the session ends."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.console.failing import asked
from tests.support.console.served import problem
from tests.support.console.visit import Console

SECRET = "order-4711"
HOOK = "https://hooks.northwind.example/report"
KEPT = "JSON.stringify([{...sessionStorage}, {...localStorage}, location.href, history.state])"


def submit(page: Page) -> None:
    page.get_by_role("button", name="Create the job").click()


def created(console: Console) -> int:
    return sum(each.method == "POST" and each.target == "/v1/jobs" for each in console.api.sent)


def type_job(page: Page, name: str = "letter") -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Cron line").fill("30 2 * * *")
    page.get_by_label("URL", exact=True).fill(HOOK)


def type_secrets(page: Page) -> None:
    page.get_by_role("button", name="Add a header").click()
    page.get_by_label("Header 1").fill("X-Token")
    page.get_by_label("Value").fill(SECRET)
    page.get_by_label("Body").select_option("text")
    page.get_by_role("textbox", name="Text").fill(SECRET)


def end_session(console: Console) -> None:
    """The key is revoked, which the next request of the page finds out."""
    # No earlier question is still to be asked.
    expect(console.page.get_by_text("At 02:30 on every day")).to_be_visible()
    console.gates.await_quiet(console.page)
    console.gates.allow(401)
    console.api.fault = lambda sent: (
        problem(401, "unauthenticated", "send a valid API key") if sent.target.startswith("/v1/") else None
    )
    console.page.get_by_label("Cron line").fill("45 2 * * *")
    expect(console.page.get_by_text("The form is kept until this page is closed")).to_be_visible()
    console.api.fault = lambda _: None


def sign_in(console: Console, key: str) -> None:
    console.page.get_by_label("API key").fill(key)
    console.page.get_by_role("button", name="Sign in").click()
    expect(console.page.get_by_role("button", name="Sign out")).to_be_visible()


def test_enter_in_a_field_creates_the_job_but_not_in_a_body_of_several_lines(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.open("#/jobs/new")
    type_job(page)
    page.get_by_label("Body").select_option("text")
    body = page.get_by_role("textbox", name="Text")
    body.press_sequentially("one\ntwo")
    expect(body).to_have_value("one\ntwo")
    assert created(console) == 0
    page.get_by_label("Name", exact=True).press("Enter")
    expect(page.get_by_role("heading", level=1, name="letter")).to_be_visible()
    assert created(console) == 1


def test_enter_in_a_field_of_an_edit_opens_the_review_and_saves_nothing(console: Console) -> None:
    page, job = console.page, console.day.jobs["nightly report"]
    console.open(f"#/jobs/{job}/edit")
    page.get_by_label("Tags").press("Enter")
    expect(page.get_by_text("Nothing is changed yet.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_label("Tags").fill("letters")
    page.get_by_label("Tags").press("Enter")
    expect(page.get_by_role("dialog", name="Save these changes?")).to_be_visible()
    assert not any(each.method == "PATCH" for each in console.api.sent)


def test_id_of_a_workflow_is_typed_without_losing_the_field(empty_console: Console) -> None:
    page = empty_console.page
    empty_console.open("#/jobs/new")
    field = page.get_by_label("Workflow", exact=True)
    field.press_sequentially("wfl_1gj")
    expect(field).to_have_value("wfl_1gj")
    expect(field).to_be_focused()
    expect(page.get_by_label("URL", exact=True)).to_have_count(0)
    for _ in "wfl_1gj":
        page.keyboard.press("Backspace")
    expect(field).to_be_focused()
    expect(page.get_by_label("URL", exact=True)).to_be_visible()


def test_job_is_copied_with_the_audience_of_its_tokens_and_without_its_headers(
    empty_console: Console,
) -> None:
    console, page = empty_console, empty_console.page
    body = {
        "name": "letter",
        "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
        "request": {
            "url": HOOK,
            "headers": {"X-Token": SECRET},
            "body": SECRET,
            "auth": {"oidc": {"audience": "https://reports.northwind.example"}},
        },
    }
    first = asked(console, "POST", "/v1/jobs", body)
    console.open(f"#/jobs/{first['id']}")
    page.get_by_role("link", name="Copy", exact=True).click()
    expect(page.get_by_text("The API shows no headers and no body")).to_be_visible()
    expect(page.get_by_label("Audience of an identity token")).to_have_value(
        "https://reports.northwind.example"
    )
    console.check_access()
    page.get_by_label("Name", exact=True).fill("second letter")
    submit(page)
    expect(page.get_by_role("heading", level=1, name="second letter")).to_be_visible()
    expect(page.get_by_role("region", name="Definition")).to_contain_text("https://reports.northwind.example")
    jobs = asked(console, "GET", "/v1/jobs")["jobs"]
    assert sorted(each["name"] for each in jobs) == ["letter", "second letter"]


def test_enter_says_why_a_key_that_may_only_read_creates_nothing(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.open("#/jobs/new", key=console.day.reader_key)
    page.get_by_label("Name", exact=True).press("Enter")
    expect(page.get_by_text("This key lacks the scope write")).to_be_visible()
    assert created(console) == 0


def test_alerts_of_a_job_are_chosen_corrected_reviewed_and_taken_back(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.gates.allow(422)
    console.open("#/jobs/new")
    type_job(page)
    page.get_by_text("Alerts: as the settings of the tenant say").click()
    page.get_by_label("Alerts", exact=True).select_option("own")
    page.get_by_label("URL of the alerts").fill(f"{HOOK}?to=on-call")
    page.get_by_role("checkbox", name="a run begins late").check()
    submit(page)
    late = page.get_by_label("A run is late after")
    expect(late).to_have_attribute("aria-invalid", "true")
    console.check_access()
    late.fill("90")
    submit(page)
    definition = page.get_by_role("region", name="Definition")
    expect(definition).to_contain_text(f"failed, late after 1 min 30 s: {HOOK}?to=on-call")
    page.get_by_role("link", name="Edit").click()
    page.get_by_text("Alerts: to a URL of this job").click()
    expect(page.get_by_role("checkbox", name="a run begins late")).to_be_checked()
    page.get_by_label("Alerts", exact=True).select_option("none")
    page.get_by_role("button", name="Review the changes").click()
    row = page.get_by_role("dialog").get_by_role("row", name=re.compile("alerts.url"))
    expect(row).to_contain_text(f"{HOOK}?to=on-call")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(definition.get_by_text("none", exact=True)).to_be_visible()


def test_form_survives_a_key_that_is_revoked_and_is_kept_in_memory_alone(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.open("#/jobs/new")
    type_job(page)
    type_secrets(page)
    end_session(console)
    console.check_access()
    assert SECRET not in page.content()
    assert SECRET not in page.evaluate(KEPT) and "letter" not in page.evaluate(KEPT)
    page.get_by_label("API key").fill("pk_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("send a valid API key")
    sign_in(console, console.day.key)
    expect(page.get_by_text("The entries are as they were")).to_be_visible()
    console.check_access()
    for label, value in {"Name": "letter", "Cron line": "45 2 * * *", "URL": HOOK, "Value": SECRET}.items():
        expect(page.get_by_label(label, exact=True)).to_have_value(value)
    expect(page.get_by_role("textbox", name="Text")).to_have_value(SECRET)
    submit(page)
    expect(page.get_by_role("heading", level=1, name="letter")).to_be_visible()
    page.get_by_role("link", name="Jobs", exact=True).click()
    page.get_by_role("link", name="New job").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("")


@pytest.mark.parametrize("other", ["neighbour_key", "reader_key"])
def test_key_of_another_tenant_and_one_that_may_not_write_see_and_leave_nothing_of_the_form(
    empty_console: Console, other: str
) -> None:
    console, page = empty_console, empty_console.page
    console.open("#/jobs/new")
    type_job(page)
    type_secrets(page)
    end_session(console)
    sign_in(console, getattr(console.day, other))
    name = page.get_by_label("Name", exact=True)
    expect(name).to_have_value("")
    assert SECRET not in page.content()
    page.get_by_role("button", name="Sign out").click()
    sign_in(console, console.day.key)
    expect(name).to_have_value("")
    expect(page.get_by_label("Header 1")).to_have_count(0)


def test_edit_that_a_revoked_key_interrupts_shows_what_a_rival_changed_meanwhile(console: Console) -> None:
    page, job = console.page, console.day.jobs["nightly report"]
    console.open(f"#/jobs/{job}/edit")
    page.get_by_label("Name", exact=True).fill("morning report")
    end_session(console)
    rival = asked(console, "PATCH", f"/v1/jobs/{job}", {"schedule": {"cron": "0 5 * * *"}, "tags": ["moved"]})
    assert rival["tags"] == ["moved"]
    sign_in(console, console.day.key)
    sides = page.get_by_role("dialog", name="The job was changed meanwhile")
    row = sides.get_by_role("row", name=re.compile("schedule.cron"))
    expect(row.get_by_role("cell")).to_have_text(["30 2 * * *", "0 5 * * *", "45 2 * * *"])
    console.check_access()
    sides.get_by_role("button", name="Keep my changes on top").click()
    expect(page.get_by_label("Cron line")).to_have_value("45 2 * * *")
    expect(page.get_by_label("Tags")).to_have_value("moved")
    page.get_by_role("button", name="Review the changes").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="morning report")).to_be_visible()


def test_form_that_is_left_or_signed_out_of_leaves_nothing(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.open("#/jobs/new")
    type_job(page)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("The form is kept")).to_have_count(0)
    sign_in(console, console.day.key)
    expect(page.get_by_label("Name", exact=True)).to_have_value("")
