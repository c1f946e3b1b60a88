"""Keys, secrets and settings of a tenant, and what operators do."""

import pytest
from playwright.sync_api import Browser, expect

from shared.domain.dead_letters.parked_message import park
from shared.names import QueueName
from tests.console.delayed_requests import DelayedRequests
from tests.console.failing import asked, fail
from tests.support.console.day import Day
from tests.support.console.served import ServedApi
from tests.support.console.visit import Console, visiting

HOOKS = "https://hooks.northwind.example"
EFFECTS_AFTER_MS = 400
_SLOW_EFFECTS = f"""
globalThis.requestAnimationFrame = () => 0;
const after = globalThis.setTimeout;
globalThis.setTimeout = (f, ms, ...rest) => after(f, ms === undefined || ms < 50 ? {EFFECTS_AFTER_MS} : ms, ...rest);
globalThis.effectsHaveRun = () => new Promise((resolve) => after(resolve, {3 * EFFECTS_AFTER_MS}));
"""
"""What the components do after they are drawn is done late, as on a busy machine."""


def test_key_is_created_shown_once_and_revoked(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.open("#/usage")
    page.get_by_text("Create a key").click()
    page.get_by_label("Name", exact=True).fill("ci")
    page.get_by_role("button", name="Create the key").click()
    expect(page.get_by_text("Choose at least one scope")).to_be_visible()
    page.get_by_role("checkbox", name="read:").check()
    console.check_access()
    page.get_by_role("button", name="Create the key").click()
    secret = page.locator(".once code").inner_text()
    assert asked(console, "GET", "/v1/whoami", key=secret)["scopes"] == ["read"]
    page.get_by_role("button", name="I have stored it").click()
    assert secret not in page.content()
    row = page.get_by_role("row", name="ci", exact=False).filter(has_text="90 d")
    row.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("dialog")).to_contain_text("Revoke ci?")
    console.check_access()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("The key ci is revoked.")).to_be_visible()
    states = {key["name"]: key["state"] for key in asked(console, "GET", "/v1/keys")["keys"]}
    assert states["ci"] == "revoked"


def test_first_letters_stay_while_a_busy_machine_draws_the_page(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    page.add_init_script(_SLOW_EFFECTS)
    page.reload()
    console.open("#/usage")
    field = page.get_by_label("After a failure")
    field.fill("n")
    page.evaluate("effectsHaveRun()")
    expect(field).to_have_value("n")


def test_notification_defaults_take_no_text_while_they_are_saved(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.open("#/usage")
    page.get_by_label("After a failure").fill(f"{HOOKS}/failed")
    delayed = DelayedRequests(page, "/v1/settings")
    page.get_by_role("button", name="Save the defaults").click()
    field = page.get_by_label("After a success")
    expect(field).not_to_be_editable()
    delayed.release("/v1/settings")
    expect(page.get_by_text("The defaults are saved.")).to_be_visible()
    expect(field).to_be_editable()


def test_signing_secret_is_rotated_and_the_defaults_are_saved(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.open("#/usage")
    page.get_by_role("button", name="Rotate").click()
    page.get_by_role("dialog").get_by_role("button", name="Rotate").click()
    expect(page.locator(".once code")).to_contain_text("whsec_")
    states = [each["state"] for each in asked(console, "GET", "/v1/signing-secrets")["signing_secrets"]]
    assert sorted(states) == ["current", "overlapping"]
    page.get_by_label("After a failure").fill(f"{HOOKS}/failed")
    page.get_by_role("button", name="Save the defaults").click()
    expect(page.get_by_text("The defaults are saved.")).to_be_visible()
    assert asked(console, "GET", "/v1/settings")["on_failure"] == f"{HOOKS}/failed"
    console.gates.allow(422)
    page.get_by_label("After a success").fill("https://10.0.0.1/")
    page.get_by_role("button", name="Save the defaults").click()
    expect(page.get_by_role("alert")).to_contain_text("/on_success")
    console.check_access()


def test_dialog_is_gone_once_the_new_secret_is_shown(empty_console: Console) -> None:
    """Behind a dialog no field takes the focus, so text that is typed there is lost."""
    console, page = empty_console, empty_console.page
    console.open("#/usage")
    expect(page.get_by_role("table", name="Signing secrets")).to_be_visible()
    page.get_by_role("button", name="Rotate").click()
    delayed = DelayedRequests(page, "/v1/signing-secrets", method="GET")
    page.get_by_role("dialog").get_by_role("button", name="Rotate").click()
    expect(page.locator(".once code")).to_contain_text("whsec_")
    field = page.get_by_label("After a failure")
    field.fill(f"{HOOKS}/failed")
    expect(field).to_have_value(f"{HOOKS}/failed")
    expect(page.get_by_role("dialog")).to_have_count(0)
    delayed.release("/v1/signing-secrets")
    expect(page.get_by_role("row", name="overlapping")).to_be_visible()


def test_typed_default_stays_when_another_request_changes_the_settings(empty_console: Console) -> None:
    """The page asks again when its tab is shown: that answer comes between the typing and the saving."""
    console, page = empty_console, empty_console.page
    mine, theirs = f"{HOOKS}/mine", f"{HOOKS}/theirs"
    console.open("#/usage")
    success, failure = page.get_by_label("After a success"), page.get_by_label("After a failure")
    failure.fill(mine)
    asked(console, "PATCH", "/v1/settings", {"on_success": theirs})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(success).to_have_value(theirs)
    expect(failure).to_have_value(mine)
    asked(console, "PATCH", "/v1/settings", {"on_failure": theirs})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_text(f"Changed meanwhile, to {theirs}.")).to_be_visible()
    expect(failure).to_have_value(mine)
    console.check_access()
    page.get_by_role("button", name="Save the defaults").click()
    expect(page.get_by_text("The defaults are saved.")).to_be_visible()
    settings = asked(console, "GET", "/v1/settings")
    assert (settings["on_success"], settings["on_failure"]) == (theirs, mine)
    expect(page.get_by_text("Changed meanwhile")).to_have_count(0)
    asked(console, "PATCH", "/v1/settings", {"on_failure": theirs})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(failure).to_have_value(theirs)


def test_reader_sees_quotas_and_is_told_why_keys_are_withheld(empty_console: Console) -> None:
    console = empty_console
    console.open("#/usage", key=console.day.reader_key)
    expect(console.page.get_by_role("table", name="Quotas")).to_contain_text("Recurring jobs")
    expect(console.page.get_by_text("This key lacks the scope admin.")).to_be_visible()
    console.check_access()
    console.go("#/operator")
    expect(console.page.get_by_text("Only operators may see this page")).to_be_visible()
    assert not [path for path in console.api.paths() if "/admin/" in path or "/v1/keys" in path]


def test_operator_suspends_a_tenant_after_its_name_is_typed_and_resumes_it(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.open("#/operator?view=tenants", key=console.day.operator_key)
    row = page.get_by_role("row", name="globex")
    row.get_by_role("button", name="Suspend").click()
    confirm = page.get_by_role("dialog").get_by_role("button", name="Suspend")
    expect(confirm).to_be_disabled()
    page.get_by_role("dialog").get_by_role("textbox").fill("globex")
    console.check_access()
    confirm.click()
    expect(row).to_contain_text("suspended from")
    path, key = "/v1/admin/tenants/globex", console.day.operator_key
    assert asked(console, "GET", path, key=key)["state"] == "suspended"
    row.get_by_role("button", name="Resume").click()
    page.get_by_role("dialog").get_by_role("button", name="Resume").click()
    expect(row).to_contain_text("active")
    assert asked(console, "GET", path, key=key)["state"] == "active"


def test_operator_sees_lanes_and_removes_a_parked_message(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    message = park("message-1", QueueName.STANDARD, "<b>?</b>", "it is no JSON", console.api.now_ms)
    console.api.world.parked_messages.park(message)
    console.open("#/operator?view=lanes", key=console.day.operator_key)
    expect(page.get_by_role("table", name="Lanes")).to_contain_text("critical")
    console.check_access()
    page.get_by_role("link", name="Parked messages").click()
    row = page.get_by_role("row", name="it is no JSON")
    row.get_by_text("Show").click()
    expect(row).to_contain_text("<b>?</b>")
    row.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No message is parked")).to_be_visible()
    assert asked(console, "GET", "/v1/admin/parked", key=console.day.operator_key)["messages"] == []
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_role("figure")).to_have_count(2)
    console.check_access()


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (768, "light")])
def test_pages_of_failures_and_access_fit_and_are_accessible(
    browser: Browser, api: ServedApi, day: Day, width: int, scheme: str
) -> None:
    with visiting(browser, api, day, width, scheme) as console:
        fail(console, "nightly report", "a job with a long name that has to be broken on a narrow screen")
        run = asked(console, "GET", "/v1/dead-letters")["executions"][0]["id"]
        console.open()
        for route in ("#/", "#/dead-letters", f"#/runs/{run}", "#/usage"):
            console.go(route)
            expect(console.page.get_by_role("table").first).to_be_attached()
            expect(console.page.get_by_text("Loading …")).to_have_count(0)
            console.check_access()
            overflow = console.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert overflow <= 0, route
