"""Jobs in the console: from a schedule in words to a saved change, and many jobs at once."""

import re

from playwright.sync_api import Page, expect

from tests.console.failing import asked
from tests.support.api.request_factory import ask
from tests.support.console.visit import Console


def fill(page: Page, **fields: str) -> None:
    for label, text in fields.items():
        page.get_by_label(label.replace("_", " "), exact=True).fill(text)


def test_cron_job_with_a_clock_change_is_seen_before_it_is_created(console: Console) -> None:
    page = console.page
    console.open("#/jobs/new")
    fill(
        page,
        Name="early report",
        Cron_line="30 2 * * *",
        Time_zone="Europe/Berlin",
        URL="https://a.example/x",
    )
    seen = page.get_by_role("complementary", name="What the schedule will do")
    expect(seen).to_contain_text("At 02:30 on every day, in Europe/Berlin")
    expect(seen.locator(".next-runs li")).to_have_count(10)
    expect(seen).to_contain_text("On 2025-03-30 the clock goes from 02:00 to 03:00: 02:30 does not exist")
    console.check_access()
    page.get_by_role("button", name="Create the job").click()
    expect(page.get_by_role("heading", name="early report", level=1)).to_be_visible()
    expect(page.get_by_role("region", name="Schedule")).to_contain_text("At 02:30 on every day")
    expect(page.get_by_role("region", name="Schedule")).to_contain_text("Clock changes")
    console.check_access()


def test_errors_of_the_api_stand_at_their_fields_and_nothing_is_lost(console: Console) -> None:
    page = console.page
    console.gates.allow(422)
    console.open("#/jobs/new")
    fill(page, Name="broken", Cron_line="61 * * * *", URL="http://a.example/x")
    line = page.get_by_label("Cron line")
    expect(line).to_have_attribute("aria-invalid", "true")
    expect(line).to_have_accessible_description(re.compile("61 is not from 0 to 59"))
    page.get_by_role("button", name="Create the job").click()
    expect(page.get_by_role("alert").filter(has_text="The job was not saved")).to_be_visible()
    expect(page.get_by_label("URL", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Name", exact=True)).to_have_value("broken")
    console.check_access()
    fill(page, Cron_line="1 * * * *", URL="https://a.example/x")
    page.get_by_role("button", name="Create the job").click()
    expect(page.get_by_role("heading", name="broken", level=1)).to_be_visible()


def test_key_that_another_job_has_is_said_before_that_job_is_changed(console: Console) -> None:
    page = console.page
    body = {"schedule": {"rate_seconds": 60}, "request": {"url": "https://a.example/x"}}
    console.api.do(lambda: ask(console.api.api, console.day.key, "PUT", "/v1/jobs/by-key/poll", body))
    console.open("#/jobs/new")
    fill(page, Key="poll", Cron_line="@daily", URL="https://a.example/x")
    page.get_by_role("button", name="Create the job").click()
    dialog = page.get_by_role("dialog", name="The key is in use")
    expect(dialog).to_contain_text("/schedule/cron")
    console.check_access()
    dialog.get_by_role("button", name="Change that job").click()
    expect(page.get_by_role("heading", name="poll", level=1)).to_be_visible()
    expect(page.get_by_role("region", name="Schedule")).to_contain_text("At 00:00 on every day")


def test_edit_shows_its_difference_and_a_rival_change_side_by_side(console: Console) -> None:
    page, job = console.page, console.day.jobs["nightly report"]
    console.gates.allow(412)
    console.open(f"#/jobs/{job}/edit")
    fill(page, Cron_line="15 2 * * *", Name="morning report")
    rival = {"schedule": {"cron": "45 2 * * *"}, "tags": ["moved"]}
    answer = console.api.do(lambda: ask(console.api.api, console.day.key, "PATCH", f"/v1/jobs/{job}", rival))
    assert answer.status == 200, answer.text
    page.get_by_role("button", name="Review the changes").click()
    review = page.get_by_role("dialog", name="Save these changes?")
    expect(review.get_by_role("row", name=re.compile("schedule.cron"))).to_contain_text("30 2 * * *")
    expect(review).to_contain_text("At 02:15 on every day")
    expect(review).to_contain_text("Clock changes")
    console.check_access()
    review.get_by_role("button", name="Save").click()
    sides = page.get_by_role("dialog", name="The job was changed meanwhile")
    row = sides.get_by_role("row", name=re.compile("schedule.cron"))
    expect(row.get_by_role("cell")).to_have_text(["30 2 * * *", "45 2 * * *", "15 2 * * *"])
    console.check_access()
    sides.get_by_role("button", name="Keep my changes on top").click()
    expect(page.get_by_label("Cron line")).to_have_value("15 2 * * *")
    expect(page.get_by_label("Tags")).to_have_value("moved")
    page.get_by_role("button", name="Review the changes").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="morning report", level=1)).to_be_visible()
    expect(page.get_by_role("region", name="Definition")).to_contain_text("moved")


def test_all_jobs_that_match_are_paused_after_a_dry_run_and_resumed_by_an_undo(console: Console) -> None:
    page = console.page
    console.open("#/jobs?tag=billing")
    expect(page.get_by_role("row", name=re.compile("invoices"))).to_contain_text("active")
    page.get_by_role("button", name="Choose all that match the filter").click()
    page.get_by_role("button", name="Pause", exact=True).click()
    dialog = page.get_by_role("dialog", name="Pause all jobs that match")
    dialog.get_by_label("Reason").fill("moving")
    dialog.get_by_role("button", name="Dry run").click()
    expect(dialog).to_contain_text("2 jobs match. 2 will be paused.")
    console.check_access()
    dialog.get_by_role("button", name="Pause 2 jobs").click()
    operation = page.get_by_role("region", name="Bulk operation")
    expect(operation).to_contain_text("2 of 2 paused")
    expect(page.get_by_role("row", name=re.compile("invoices"))).to_contain_text("paused")
    console.check_access()
    operation.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("row", name=re.compile("invoices"))).to_contain_text("active")


def test_chosen_rows_are_paused_by_the_keyboard_and_resumed_by_an_undo(console: Console) -> None:
    page = console.page
    console.open("#/jobs?q=invoices")
    row = page.get_by_role("row", name=re.compile("invoices"))
    expect(row).to_contain_text("active")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_role("group", name="Acts on chosen jobs")).to_contain_text("Chosen: 1 job")
    page.get_by_role("button", name="Pause", exact=True).press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Pause", exact=True).press("Enter")
    expect(row).to_contain_text("paused")
    page.get_by_role("button", name="Undo").press("Enter")
    expect(row).to_contain_text("active")


def test_paused_job_says_why_and_is_resumed_triggered_and_backfilled(console: Console) -> None:
    page, job = console.page, console.day.jobs["cache warmer"]
    console.open(f"#/jobs/{job}")
    expect(page.get_by_role("region", name="Schedule")).to_contain_text("moving to a new cluster")
    expect(page.get_by_role("region", name="Schedule")).to_contain_text("If it is resumed now")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".job-state")).to_contain_text("active")
    page.get_by_role("button", name="Trigger").click()
    expect(page.get_by_text("A run was started")).to_be_visible()
    page.get_by_role("button", name="Backfill").click()
    dialog = page.get_by_role("dialog", name="Backfill cache warmer")
    fill(page, From="2025-02-20T02:00", **{"To,_exclusive": "2025-02-20T05:00"})
    dialog.get_by_role("button", name="Dry run").click()
    expect(dialog).to_contain_text("3 runs, the first for")
    console.check_access()
    dialog.get_by_role("button", name="Start 3 runs").click()
    expect(page.get_by_text(f"A backfill of {job}")).to_be_visible()


def test_job_is_deleted_only_after_a_question(console: Console) -> None:
    page, job = console.page, console.day.jobs["price feed"]
    console.open(f"#/jobs/{job}")
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete price feed?")
    console.check_access()
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.locator(".job-state")).to_contain_text("active")
    page.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.locator(".job-state")).to_contain_text("deleted")


def test_job_that_was_changed_meanwhile_is_not_deleted_unseen(console: Console) -> None:
    page, job = console.page, console.day.jobs["price feed"]
    console.gates.allow(412)
    console.open(f"#/jobs/{job}")
    page.get_by_role("button", name="Delete").click()
    asked(console, "POST", f"/v1/jobs/{job}/pause", {"reason": "kept for the audit"})
    # The page asks again before the answer: the dialog still stands for the job that it was opened on.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(".job-state")).to_contain_text("paused")
    dialog = page.get_by_role("dialog", name="Delete price feed?")
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog.get_by_role("alert")).to_contain_text("412")
    assert asked(console, "GET", f"/v1/jobs/{job}")["state"] == "paused"


def test_key_that_may_only_read_is_told_why_it_cannot_act(console: Console) -> None:
    page, job = console.page, console.day.jobs["invoices"]
    console.open(f"#/jobs/{job}", key=console.day.reader_key)
    page.get_by_role("button", name="Trigger").press("Enter")
    expect(page.get_by_text("This key lacks the scope write").first).to_be_visible()
    assert not any(each.method == "POST" and "trigger" in each.target for each in console.api.sent)


def test_empty_page_of_jobs_teaches_the_command(empty_console: Console) -> None:
    empty_console.open("#/jobs")
    expect(empty_console.page.get_by_text("punctual create --name nightly")).to_be_visible()
    empty_console.check_access()
