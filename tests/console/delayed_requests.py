"""Requests of a page that wait until the test lets them go on."""

import re

from playwright.sync_api import Page, Route

from tests.support.browser.gates import STEP_MS, WAIT_MS


class DelayedRequests:
    """Requests to some paths, each from its beginning on."""

    def __init__(self, page: Page, *paths: str, method: str | None = None) -> None:
        """Paths without their queries, such as `/v1/jobs`. Requests with another method than this one go on at once."""
        self._page = page
        self._method = method
        self._waiting: dict[str, list[Route]] = {path: [] for path in paths}
        self._released: set[str] = set()
        for path in paths:
            page.route(re.compile(rf"{re.escape(path)}(\?.*)?$"), self._meet)

    def count(self, path: str) -> int:
        """The requests to a path so far."""
        return len(self._waiting[path])

    def release(self, path: str) -> None:
        """Let the requests to a path go on: those that wait, at least one, and those that come."""
        for _ in range(WAIT_MS // STEP_MS):
            if self._waiting[path]:
                break
            self._page.wait_for_timeout(STEP_MS)
        else:
            raise AssertionError(f"the page does not ask for {path}")
        self._released.add(path)
        for each in self._waiting[path]:
            each.continue_()

    def _meet(self, route: Route) -> None:
        path = next(path for path in self._waiting if route.request.url.partition("?")[0].endswith(path))
        if self._method not in (None, route.request.method):
            return route.continue_()
        self._waiting[path].append(route)
        if path in self._released:
            route.continue_()
        return None
