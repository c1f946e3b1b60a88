"""A person with a browser, on the laptop stack: from the address of `make run` to the redrive of a failure."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from infra.local.demo import Demo
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack, Tenant
from infra.local.state_dir import StateDir
from tests.support.browser.chromium import chromium_of_tests, context_of
from tests.support.browser.gates import watched

pytestmark = [pytest.mark.integration, pytest.mark.engines]

WAIT_MS = 120_000
"""A bound for a busy machine; on a quiet one each step takes a second or two."""


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """Of this test alone: while it runs, no other code of this thread can use `asyncio.run`."""
    yield from chromium_of_tests(tmp_path)


def create(page: Page, url: str) -> None:
    page.goto(f"{page.url.partition('#')[0]}#/jobs/new")
    page.get_by_label("Name", exact=True).fill("yearly letter")
    page.get_by_label("Cron line", exact=True).fill("0 3 1 1 *")
    page.get_by_label("URL", exact=True).fill(url)
    page.get_by_role("button", name="Create the job").click()
    expect(page.get_by_role("heading", level=1, name="yearly letter")).to_be_visible()


def start_a_run(page: Page) -> None:
    page.get_by_role("button", name="Trigger").click()
    page.get_by_role("button", name="Show the run").click()
    expect(page.get_by_role("heading", level=1, name="Run of yearly letter")).to_be_visible()


def ended(page: Page, state: str) -> None:
    expect(page.locator(".state").filter(has_text=state).first).to_be_visible()


def test_missing_call_is_found_explained_and_made_up_for(
    stack: LocalStack, tenant: Tenant, receiver: Receiver, tmp_path: Path, browser: Browser
) -> None:
    demo = Demo(home=StateDir(tmp_path), api=stack.api(tenant.api_key), tenant=tenant, jobs=[])
    context = context_of(browser)
    page, gates = watched(context, stack.api_url)
    expect.set_options(timeout=WAIT_MS)
    page.goto(demo.console(stack.api_url))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    create(page, f"{receiver.url}/letter")
    job = page.url
    start_a_run(page)
    ended(page, "succeeded")
    receiver.respond = lambda _: Reply(
        status=400, headers={"X-Punctual-No-Retry": "true"}, body=b"no such letter"
    )
    page.goto(job)
    start_a_run(page)
    ended(page, "failed")
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="All dead letters").click()
    page.locator("main [data-row]").filter(has_text="yearly letter").get_by_role("link").first.click()
    expect(page.get_by_role("main")).to_contain_text("HTTP 400")
    receiver.respond = lambda _: Reply()
    page.get_by_role("button", name="Redrive").click()
    page.get_by_role("dialog").get_by_role("button", name="Redrive").click()
    expect(page.get_by_text("Redriven: this is the new run.")).to_be_visible()
    ended(page, "succeeded")
    context.close()
    gates.check()
