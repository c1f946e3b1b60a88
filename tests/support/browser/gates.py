"""What no page may do, whatever a test is about: recorded while the page runs, and judged at the end of the test."""

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response, WebError

WAIT_MS, STEP_MS, QUIET_MS = 30_000, 5, 150
_REPORTED = "Content-Security-Policy broken:"
_REPORT_VIOLATIONS = f"""
addEventListener("securitypolicyviolation", (event) => {{
  console.error("{_REPORTED}", event.effectiveDirective, event.blockedURI, event.sourceFile, event.sample);
}});
"""
_OF_A_STATUS = "Failed to load resource: the server responded with a status of"
"""Chromium reports each answer from 400 on as an error of the console. The gate judges the answers themselves."""
_REFUSED = 400
_LOUD = frozenset({"error", "warning", "assert"})


class Gates:
    """The faults of all pages of a profile."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        """`origin` is the only one that pages may ask, such as `http://127.0.0.1:8000`."""
        self._origin = origin
        self._allowed: set[int] = set()
        self.faults: list[str] = []
        self.requests: list[str] = []
        """The paths that were asked, with their queries."""
        self._unanswered: set[Request] = set()
        context.add_init_script(_REPORT_VIOLATIONS)
        context.on("console", self._hear)
        context.on("weberror", self._err)
        context.on("request", self._ask)
        context.on("response", self._answer)
        context.on("requestfinished", self._end)
        context.on("requestfailed", self._end)

    def allow(self, *statuses: int) -> None:
        """Answers of the API with one of these statuses belong to the test."""
        self._allowed |= set(statuses)

    def check(self) -> None:
        """AssertionError with all faults."""
        assert not self.faults, "\n".join(["the page broke a rule of all pages:", *self.faults])

    def await_answers(self, page: Page) -> None:
        """Return when each request has its answer, and the page knows it."""
        for _ in range(WAIT_MS // STEP_MS):
            if not self._unanswered:
                break
            page.wait_for_timeout(STEP_MS)
        else:
            raise AssertionError(f"no answer came: {[each.url for each in self._unanswered]}")
        page.evaluate("0")

    def await_quiet(self, page: Page) -> None:
        """Return when each request has its answer, and the page has asked nothing more for a moment."""
        asked = -1
        while asked != len(self.requests):
            asked = len(self.requests)
            self.await_answers(page)
            page.wait_for_timeout(QUIET_MS)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in _LOUD and not message.text.startswith(_OF_A_STATUS):
            self.faults.append(f"console {message.type}: {message.text}")

    def _err(self, error: WebError) -> None:
        self.faults.append(f"uncaught: {error.error.message}")

    def _ask(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("data", "blob"):
            return
        if f"{parts.scheme}://{parts.netloc}" != self._origin:
            self.faults.append(f"a request to another host: {request.url}")
        self._unanswered.add(request)
        self.requests.append(f"{parts.path}?{parts.query}" if parts.query else parts.path)

    def _end(self, request: Request) -> None:
        self._unanswered.discard(request)

    def _answer(self, response: Response) -> None:
        if response.status >= _REFUSED and response.status not in self._allowed:
            self.faults.append(f"status {response.status}: {response.request.method} {response.url}")


def watched(context: BrowserContext, origin: str) -> tuple[Page, Gates]:
    """A page, and the gates of its profile."""
    gates = Gates(context, origin)
    return context.new_page(), gates
