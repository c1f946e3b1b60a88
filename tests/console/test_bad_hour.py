"""A person in a bad hour: from "a call did not come" to the reason and what helps, without the documentation."""

from playwright.sync_api import expect

from tests.console.failing import MENDED, asked, fail
from tests.support.console.visit import Console

OPERATORS = "#/operator?view=tenants"


def test_id_of_a_run_leads_to_its_reason_and_its_redrive(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    receiver = fail(console, "nightly report")
    run = asked(console, "GET", "/v1/dead-letters")["executions"][0]["id"]
    console.open("#/")
    page.get_by_role("link", name="Jobs", exact=True).click()
    # As from an alert, or from the header `webhook-id` in the log of a receiver.
    page.get_by_role("searchbox").fill(f" {run} ")
    expect(page.get_by_role("link", name="Open the run")).to_be_visible()
    console.check_access()
    page.keyboard.press("Enter")
    expect(page.locator(".lead")).to_contain_text("the last answer: HTTP 503")
    receiver.response = MENDED
    page.get_by_role("button", name="Redrive").click()
    page.get_by_role("dialog").get_by_role("button", name="Redrive").click()
    expect(page.get_by_text("Redriven: this is the new run.")).to_be_visible()


def test_id_of_a_paused_job_leads_to_who_paused_it_and_to_the_missing_run(console: Console) -> None:
    page, job = console.page, console.day.jobs["cache warmer"]
    console.open("#/")
    # The list is asked for again, and still without the id as a name.
    with page.expect_request(lambda request: "/v1/jobs?" in request.url and "last_run" in request.url):
        page.get_by_role("link", name="Jobs", exact=True).click()
    with page.expect_request(lambda request: "/v1/jobs?" in request.url) as asked_again:
        page.get_by_role("searchbox").fill(job)
    assert job not in asked_again.value.url
    page.get_by_role("link", name="Open the job").click()
    expect(page.locator(".no-next-run")).to_contain_text("moving to a new cluster")
    page.get_by_text("Changes of this job").click()
    paused = page.get_by_role("table", name="Changes, newest first").get_by_role("row", name="pause job")
    expect(paused).to_contain_text(asked(console, "GET", "/v1/whoami")["key_id"])
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Trigger").click()
    page.get_by_role("button", name="Show the run").click()
    expect(page.get_by_role("heading", level=1, name="Run of cache warmer")).to_be_visible()


def test_name_that_looks_like_an_id_is_still_a_name(console: Console) -> None:
    console.open("#/jobs?q=job_")
    expect(console.page.get_by_role("searchbox")).to_have_value("job_")
    expect(console.page.get_by_role("link", name="Open the job")).to_have_count(0)


def test_operator_finds_who_suspended_a_tenant_and_lets_its_calls_begin_again(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    path, key = "/v1/admin/tenants/northwind", console.day.operator_key
    asked(console, "PATCH", path, {"state": "suspended"}, key=key)
    console.pass_time(120)
    console.gates.allow(403)
    console.visit(f"#key={console.day.key}")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("this tenant is suspended")
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Tenants").click()
    expect(page.get_by_role("row", name="northwind")).to_contain_text("suspended")
    page.get_by_role("link", name="northwind").click()
    changes = page.get_by_role("table", name="Changes, newest first")
    expect(changes.get_by_role("row", name="change tenant")).to_contain_text("operator, key")
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("dialog").get_by_role("button", name="Resume").click()
    expect(page.locator(".facts")).to_contain_text("active")
    assert asked(console, "GET", path, key=key)["state"] == "active"


def test_operator_makes_a_key_to_look_at_a_run_and_the_tenant_sees_that(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    fail(console, "nightly report")
    console.open(f"{OPERATORS}&tenant=northwind", key=console.day.operator_key)
    expect(page.get_by_text("1 failed").first).to_be_visible()
    page.get_by_text("Keys of the tenant", exact=True).click()
    page.get_by_text("Create a key").click()
    page.get_by_role("checkbox", name="read:").check()
    page.get_by_label("Good for").select_option("1")
    page.get_by_role("button", name="Create the key").click()
    secret = page.locator(".once code").inner_text()
    console.check_access()
    assert asked(console, "GET", "/v1/whoami", key=secret)["tenant"] == "northwind"
    newest = asked(console, "GET", "/v1/audit")["records"][0]
    assert (newest["operation"], newest["actor"]) == ("createKey", "operator")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("API key").fill(secret)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Overview").click()
    failures = page.get_by_role("table", name="Latest failures by job and reason")
    failures.get_by_role("row", name="nightly report").get_by_role("link").nth(1).click()
    expect(page.locator(".lead")).to_contain_text("HTTP 503")
