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


def test_run_names_the_event_that_has_started_it(triggers: Console) -> None:
    event = {"source": "shop", "type": "<b>order.paid", "id": "order-<1>"}
    (match,) = asked(triggers, "POST", "/v1/events", event)["matches"]
    page = triggers.page
    triggers.open(f"#/runs/{match['execution_id']}")
    expect(page.get_by_text("order-<1>")).to_be_visible()
    page.get_by_role("link", name="orders", exact=True).click()
    expect(page.get_by_role("table", name="Triggers")).to_contain_text("throttled")
