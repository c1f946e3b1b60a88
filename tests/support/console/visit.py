"""A person who looks at the console: a page of a real browser, and the deployment behind it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from playwright.sync_api import Browser, Page, expect

from tests.support.browser import axe
from tests.support.browser.chromium import context_of
from tests.support.browser.gates import Gates, watched
from tests.support.console.day import Day
from tests.support.console.served import ServedApi

CONSOLE = "/console"


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """Find and press things on `page`, as a person does: by role, label and text."""

    page: Page
    api: ServedApi
    day: Day
    gates: Gates

    def open(self, route: str = "", key: str | None = None) -> None:
        """Sign in by the address that `make run` prints, and go to a route, such as `#/jobs?state=paused`."""
        self.visit(f"#key={self.day.key if key is None else key}")
        self.page.get_by_role("button", name="Sign in").click()
        # The heading gets the focus when the page, and all that reacts to keys, is there.
        self.page.locator("main h1:focus").wait_for()
        if route:
            self.go(route)

    def visit(self, hash_of_address: str = "") -> None:
        """Open the console without a session, as from a bookmark."""
        self.set_clock()
        self.go(hash_of_address)

    def go(self, route: str) -> None:
        """Follow a link of the console."""
        self.page.goto(f"{self.api.origin}{CONSOLE}{route}")

    def set_clock(self) -> None:
        """Let the page's clock stand at the deployment's time. Timers run on."""
        self.page.clock.set_fixed_time(datetime.fromtimestamp(self.api.now_ms / 1_000, UTC))

    def pass_time(self, seconds: float) -> None:
        """Let the deployment live on, and show its time to the page."""
        self.api.pass_time(seconds)
        self.set_clock()

    def settle(self) -> None:
        """Wait until the page has asked what it shows first."""
        self.page.get_by_role("heading", level=1).wait_for()
        self.gates.await_quiet(self.page)
        expect(self.page.get_by_text("Loading …")).to_have_count(0)
        self.gates.await_quiet(self.page)

    def check_access(self) -> None:
        """AssertionError if what is shown breaks a rule of accessibility."""
        found = axe.violations(self.page)
        assert not found, "\n".join(found)


@contextmanager
def visiting(
    browser: Browser, api: ServedApi, day: Day, width: int = 1_280, scheme: str = "light"
) -> Iterator[Console]:
    """A profile of its own. At the end, no page may have broken the rules of all pages."""
    context = context_of(browser, width, scheme)
    try:
        page, gates = watched(context, api.origin)
        yield Console(page=page, api=api, day=day, gates=gates)
        gates.check()
    finally:
        context.close()
