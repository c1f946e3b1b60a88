"""Triggers in the console: the list, a deletion, and the event at the run that it has started."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.console.failing import asked
from tests.support.console.visit import Console

PATTERN = {"source": ["shop"], "type": [{"prefix": "<b>order."}]}


@pytest.fixture
def triggers(empty_console: Console) -> Console:
    """A tenant with a throttled trigger, whose event has started a run."""
    job = asked(
        empty_console,
        "POST",
        "/v1/jobs",
        {"schedule": {"rate_seconds": 86_400}, "request": {"url": "https://hooks.northwind.example/x"}},
    )
    body: dict[str, Any] = {
        "pattern": PATTERN,
        "job_id": job["id"],
        "throttle": {"count": 1, "per_seconds": 3_600},
    }
    asked(empty_console, "PUT", "/v1/triggers/orders", body)
    return empty_console


def test_trigger_is_listed_with_its_pattern_and_deleted(triggers: Console) -> None:
    page = triggers.page
    triggers.open("#/triggers")
    row = page.get_by_role("table", name="Triggers").locator("tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text('"type": [{"prefix":"<b>order."}]')
    expect(row).to_contain_text("at once, at most 1 in 3600 s")
    expect(row).to_contain_text("active")
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("There are no triggers yet")).to_be_visible()


def test_trigger_is_created_corrected_and_edited(triggers: Console) -> None:
    page = triggers.page
    triggers.gates.allow(422)
    job = asked(triggers, "GET", "/v1/triggers/orders")["job_id"]
    triggers.open("#/triggers")
    page.get_by_role("link", name="New trigger").click()
    name, pattern, of_job = (page.get_by_label(label, exact=True) for label in ("Name", "Pattern", "Job"))
    save = page.get_by_role("button", name="Save the trigger")
    name.fill("Refunds")
    pattern.fill("{")
    save.click()
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("the pattern is not JSON")).to_be_visible()
    triggers.check_access()
    name.fill("refunds")
    pattern.fill('{"source": "shop"}')
    of_job.fill(job)
    page.get_by_label("Due", exact=True).select_option("debounce")
    page.get_by_label("Seconds without a further event").fill("soon")
    save.click()
    expect(page.get_by_label("Seconds without a further event")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Seconds without a further event").fill("30")
    save.click()
    expect(pattern).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Seconds without a further event")).not_to_have_attribute("aria-invalid", "true")
    pattern.fill('{"source": ["shop"]}')
    page.get_by_label("At most so many runs").fill("2")
    page.get_by_label("in so many seconds").fill("60")
    expect(page.get_by_label("What the trigger will do")).to_contain_text(
        "30 s after the last event, at most 2 in 60 s"
    )
    save.click()
    expect(page.get_by_role("table", name="Triggers")).to_contain_text("at most 300 s after the first")
    page.get_by_role("link", name="refunds").click()
    page.get_by_label("Due", exact=True).select_option("delay")
    page.get_by_label("Seconds after the event").fill("90")
    save.click()
    expect(page.get_by_role("table", name="Triggers")).to_contain_text(
        "90 s after the event, at most 2 in 60 s"
    )
    stored = asked(triggers, "GET", "/v1/triggers/refunds")
    assert (stored["version"], stored["pattern"], stored["delay_seconds"]) == (2, {"source": ["shop"]}, 90)
    assert "debounce_seconds" not in stored


def test_trigger_of_another_request_is_neither_replaced_unseen_nor_created_again(triggers: Console) -> None:
    page = triggers.page
    triggers.gates.allow(412)
    triggers.gates.allow(409)
    trigger = asked(triggers, "GET", "/v1/triggers/orders")
    triggers.open("#/triggers/new?name=orders")
    page.get_by_label("Pattern", exact=True).fill('{"source": ["mine"]}')
    theirs = {"pattern": {"source": ["theirs"]}, "job_id": trigger["job_id"]}
    asked(triggers, "PUT", "/v1/triggers/orders", theirs)
    page.get_by_role("button", name="Save the trigger").click()
    expect(page.get_by_role("alert")).to_contain_text("theirs")
    triggers.check_access()
    page.get_by_role("button", name="Keep my entries").click()
    expect(page.get_by_label("Pattern", exact=True)).to_have_value('{"source": ["mine"]}')
    page.get_by_role("button", name="Save the trigger").click()
    expect(page.get_by_role("table", name="Triggers")).to_contain_text('"source": ["mine"]')
    page.get_by_role("link", name="New trigger").click()
    page.get_by_label("Name", exact=True).fill("orders")
    page.get_by_label("Pattern", exact=True).fill('{"source": ["again"]}')
    page.get_by_label("Job", exact=True).fill(trigger["job_id"])
    page.get_by_role("button", name="Save the trigger").click()
    expect(page.get_by_text("a trigger has this name")).to_be_visible()
    assert asked(triggers, "GET", "/v1/triggers/orders")["pattern"] == {"source": ["mine"]}


def test_trigger_that_was_changed_meanwhile_is_not_deleted_unseen(triggers: Console) -> None:
    page = triggers.page
    triggers.gates.allow(412)
    trigger = asked(triggers, "GET", "/v1/triggers/orders")
    triggers.open("#/triggers")
    row = page.get_by_role("table", name="Triggers").locator("tbody tr")
    row.get_by_role("button", name="Delete").click()
    theirs = {"pattern": {"source": ["theirs"]}, "job_id": trigger["job_id"]}
    asked(triggers, "PUT", "/v1/triggers/orders", theirs)
    # The list asks again before the answer: the dialog still stands for the trigger that it was opened on.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(row).to_contain_text('"source": ["theirs"]')
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog.get_by_role("alert")).to_contain_text("412")
    assert asked(triggers, "GET", "/v1/triggers/orders")["version"] == 2


def test_run_names_the_event_that_has_started_it(triggers: Console) -> None:
    event = {"source": "shop", "type": "<b>order.paid", "id": "order-<1>"}
    (match,) = asked(triggers, "POST", "/v1/events", event)["matches"]
    page = triggers.page
    triggers.open(f"#/runs/{match['execution_id']}")
    expect(page.get_by_text("order-<1>")).to_be_visible()
    page.get_by_role("link", name="orders", exact=True).click()
    expect(page.get_by_role("table", name="Triggers")).to_contain_text("throttled")
