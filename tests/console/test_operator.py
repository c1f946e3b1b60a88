"""The page of operators: alarms with their runbooks, quotas of a tenant, and what was changed."""

import pytest
from playwright.sync_api import Locator, Page, expect

from shared.ports.alarms import Alarm, AlarmState
from tests.console.failing import asked
from tests.console.test_hostile import LONG, MARKUP, RIGHT_TO_LEFT, whole
from tests.support.console.served import problem
from tests.support.console.visit import Console

TENANT = "/v1/admin/tenants/northwind"
OF_TENANT = "#/operator?view=tenants&tenant=northwind"


def alarm(name: str, state: AlarmState, **fields: object) -> Alarm:
    usual = {
        "since": 1_740_000_000_000,
        "meaning": f"{name} is wrong.",
        "reason": "Threshold Crossed",
        "runbook": "docs/runbooks/dead-messages.md",
        "notifies": True,
    }
    return Alarm(name=name, state=state, **usual | fields)  # type: ignore[arg-type]


def open_tenant(console: Console) -> Page:
    console.open(OF_TENANT, key=console.day.operator_key)
    expect(console.page.get_by_role("table", name="Quotas of the tenant")).to_be_visible()
    return console.page


def edit_quotas(page: Page) -> Locator:
    """The field of the quota `tags`, in the form that was folded."""
    page.get_by_text("Change the quotas").click()
    return page.get_by_role("textbox", name="Tags of a job")


def limits(console: Console) -> dict[str, int]:
    tenant = asked(console, "GET", TENANT, key=console.day.operator_key)
    return {name: tenant["quotas"][name] for name in tenant["own_quotas"]}


def test_operator_begins_with_what_is_wrong_now_and_reads_what_to_do(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.api.world.alarms.alarms = [
        alarm("Well", AlarmState.OK),
        alarm("Parked", AlarmState.ALARM),
        alarm("Unjudged", AlarmState.INSUFFICIENT_DATA, notifies=False),
    ]
    console.open(key=console.day.operator_key)
    expect(page.get_by_text("1 of 3 alarms is in alarm. 1 alarm notifies no operator")).to_be_visible()
    raised = page.get_by_role("table", name="In alarm").locator("tbody tr")
    expect(raised).to_contain_text(["Parked is wrong."])
    raised.get_by_text("Values behind the state").click()
    expect(raised.get_by_text("Threshold Crossed")).to_be_visible()
    page.get_by_text("Alarms that are ok: 1").click()
    expect(page.get_by_role("row", name="Well")).to_be_visible()
    page.get_by_text("Alarms that cannot be judged yet: 1").click()
    expect(page.get_by_role("row", name="Unjudged")).to_contain_text("It notifies no operator.")
    console.check_access()
    assert {*console.api.paths()} == {"GET /v1/whoami", "GET /v1/admin/alarms?limit=100"}
    page.get_by_role("link", name="Runbook of Parked").click()
    expect(page.get_by_role("heading", level=1, name="Dead messages")).to_be_visible()


def test_alarms_that_cannot_be_read_are_no_quiet_deployment(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.gates.allow(500)
    console.api.fault = lambda sent: (
        problem(500, "internal-error", "something broke") if "alarms" in sent.target else None
    )
    console.open("#/operator", key=console.day.operator_key)
    expect(page.get_by_text("may lack the permission cloudwatch:DescribeAlarms")).to_be_visible()
    expect(page.get_by_text("in alarm", exact=False)).to_have_count(0)
    console.check_access()
    console.api.fault = lambda _: None
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("This deployment has no alarms")).to_be_visible()


def test_navigation_of_operators_leads_to_what_they_may_see(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.open(key=console.day.operator_key)
    links = page.get_by_role("navigation", name="Pages").get_by_role("link")
    expect(links).to_have_text(["Usage and keys", "Operator"])
    expect(links.last).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("heading", level=1)).to_be_focused()


def test_quotas_are_changed_after_a_look_and_the_change_is_in_the_trail(empty_console: Console) -> None:
    console = empty_console
    page = open_tenant(console)
    tags = edit_quotas(page)
    tags.press("Enter")
    expect(page.get_by_text("Nothing is changed yet.")).to_be_visible()
    tags.fill("5")
    page.get_by_role("textbox", name="Weight").fill("3")
    tags.press("Enter")
    review = page.get_by_role("dialog", name="Save these quotas?")
    expect(review.get_by_role("row", name="Tags of a job")).to_contain_text("default")
    console.check_access()
    assert limits(console) == {}
    review.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The quotas are saved.")).to_be_visible()
    assert limits(console) == {"tags": 5}
    row = page.get_by_role("table", name="Quotas of the tenant").get_by_role("row", name="Tags of a job")
    expect(row).to_contain_text("an operator")
    page.get_by_role("button", name="Refresh").last.click()
    change = page.get_by_role("table", name="Changes, newest first").get_by_role("row", name="change tenant")
    expect(change).to_contain_text("operator, key")
    edit_quotas(page).fill("")
    page.get_by_role("button", name="Review the quotas").click()
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(row).to_contain_text("default")
    assert limits(console) == {}


def test_limit_that_another_operator_changed_meanwhile_is_shown_beside_the_own_one(
    empty_console: Console,
) -> None:
    console = empty_console
    page = open_tenant(console)
    tags = edit_quotas(page)
    tags.fill("5")
    rival = {"quotas": {"tags": 7, "api_keys": 4}}
    asked(console, "PATCH", TENANT, rival, key=console.day.operator_key)
    page.get_by_role("button", name="Review the quotas").click()
    sides = page.get_by_role("dialog", name="The quotas were changed meanwhile")
    expect(sides.get_by_role("row", name="Tags of a job").get_by_role("cell")).to_have_text(
        ["default", "7", "5"]
    )
    console.check_access()
    sides.get_by_role("button", name="Take the other side").click()
    expect(tags).to_have_value("7")
    expect(page.get_by_role("textbox", name="Active keys")).to_have_value("4")
    tags.fill("6")
    page.get_by_role("button", name="Review the quotas").click()
    page.get_by_role("dialog", name="Save these quotas?").get_by_role("button", name="Save").click()
    expect(page.get_by_text("The quotas are saved.")).to_be_visible()
    assert limits(console) == {"tags": 6, "api_keys": 4}


def test_limit_that_the_api_refuses_is_marked_and_nothing_is_lost(empty_console: Console) -> None:
    console = empty_console
    console.gates.allow(422)
    page = open_tenant(console)
    edit_quotas(page).fill("11")
    page.get_by_role("textbox", name="Active keys").fill("many")
    page.get_by_role("button", name="Review the quotas").click()
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_text("Nothing was saved.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Active keys")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("textbox", name="Tags of a job")).to_have_value("11")
    console.check_access()
    assert limits(console) == {}


def test_tenant_shows_its_runs_and_that_its_calls_stop(console: Console) -> None:
    page = open_tenant(console)
    expect(page.get_by_role("figure")).to_have_count(2)
    page.get_by_role("button", name="Suspend").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("northwind")
    page.get_by_role("dialog").get_by_role("button", name="Suspend").click()
    expect(page.locator(".facts")).to_contain_text("suspended from")
    for width in (320, 768):
        page.set_viewport_size({"width": width, "height": 900})
        console.check_access()
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_changes_of_a_job_are_asked_for_when_they_are_opened(console: Console) -> None:
    page, job = console.page, console.day.jobs["cache warmer"]
    console.open(f"#/jobs/{job}")
    expect(page.get_by_role("region", name="Runs")).to_be_visible()
    console.settle()
    assert not any("/v1/audit" in each for each in console.api.paths())
    page.get_by_text("Changes of this job").click()
    changes = page.get_by_role("table", name="Changes, newest first")
    expect(changes.locator("tbody tr")).to_have_count(2)
    expect(changes.get_by_role("row", name="pause job")).to_contain_text("changed")
    console.check_access()
    console.go("#/usage")
    page.get_by_text("What was changed, and by which key").click()
    expect(changes).to_contain_text(job)
    console.check_access()


def test_older_changes_are_a_page_away(empty_console: Console) -> None:
    console = empty_console
    for weight in range(2, 30):
        asked(console, "PATCH", TENANT, {"weight": weight}, key=console.day.operator_key)
        console.api.world.clock.time_ms += 1_000
    page = open_tenant(console)
    rows = page.get_by_role("table", name="Changes, newest first").locator("tbody tr")
    expect(rows).to_have_count(25)
    page.get_by_role("button", name="Older changes").click()
    expect(page.get_by_role("button", name="Newer changes")).to_be_visible()
    expect(rows).not_to_have_count(25)
    page.get_by_role("button", name="Newer changes").click()
    expect(rows).to_have_count(25)


@pytest.mark.parametrize("text", [MARKUP, RIGHT_TO_LEFT, LONG], ids=["markup", "right-to-left", "long"])
def test_hostile_words_of_an_alarm_are_shown_as_text(empty_console: Console, text: str) -> None:
    console = empty_console
    console.api.world.alarms.alarms = [
        alarm(text, AlarmState.ALARM, meaning=text, reason=text, runbook=text, notifies=False)
    ]
    console.open("#/operator", key=console.day.operator_key)
    expect(console.page.get_by_text("1 of 1 alarm is in alarm")).to_be_visible()
    whole(console)


@pytest.mark.parametrize("tenant", ["unknown", "..%2F..", "%3Cb%3E"])
def test_tenant_that_does_not_exist_is_said_so(empty_console: Console, tenant: str) -> None:
    console = empty_console
    console.gates.allow(404)
    console.open(f"#/operator?view=tenants&tenant={tenant}", key=console.day.operator_key)
    expect(console.page.get_by_role("alert").first).to_contain_text("(404)")
    whole(console)
