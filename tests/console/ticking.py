"""A page whose timers go off when the test says so, and what it asks in the meantime."""

from dataclasses import dataclass
from datetime import UTC, datetime

from tests.support.console.visit import Console

STEP_SECONDS = 1
_HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", { get: () => isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@dataclass
class Ticking:
    """`seconds` counts the virtual time since the page stood still."""

    console: Console
    path: str
    """The beginning of the requests that are counted, such as `/v1/jobs`."""
    seconds: int = 0

    def open(self, route: str) -> None:
        """Open a page, and stop its timers."""
        clock = self.console.page.clock
        clock.install(time=datetime.fromtimestamp(self.console.api.now_ms / 1_000, UTC))
        self.console.page.goto(f"{self.console.api.origin}/console#key={self.console.day.key}")
        self.console.page.get_by_role("button", name="Sign in").click()
        self.console.page.locator("main h1:focus").wait_for()
        self.console.go(route)
        self.console.settle()
        clock.pause_at(datetime.fromtimestamp(self._page_ms() / 1_000 + 1, UTC))

    def advance(self, seconds: int) -> list[int]:
        """Let timers go off second by second; when the page asked, in seconds since it stood still."""
        asked: list[int] = []
        for _ in range(seconds):
            before = self.count()
            self.console.page.clock.run_for(STEP_SECONDS * 1_000)
            self.seconds += STEP_SECONDS
            self.console.gates.await_answers(self.console.page)
            asked += [self.seconds] * (self.count() - before)
        return asked

    def count(self) -> int:
        """The requests so far."""
        return sum(each.target.startswith(self.path) for each in self.console.api.sent)

    def show(self, is_hidden: bool) -> int:
        """Hide the tab or show it again; the requests that this causes at once."""
        before = self.count()
        self.console.page.evaluate(_HIDE, is_hidden)
        self.console.gates.await_answers(self.console.page)
        return self.count() - before

    def _page_ms(self) -> float:
        return float(self.console.page.evaluate("Date.now()"))
