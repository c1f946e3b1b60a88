"""One Chromium for all tests of the console, and a deployment of its own for each of them."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.browser.chromium import chromium_of_tests
from tests.support.console.day import Day, a_day, live, run_a_workflow, settle
from tests.support.console.served import ServedApi, served
from tests.support.console.visit import Console, visiting


@pytest.fixture(scope="package")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Ends with this folder's tests: while it runs, no test of the process can use `asyncio.run`."""
    yield from chromium_of_tests(tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="package")
def lived() -> Iterator[tuple[ServedApi, Day]]:
    """A deployment after eight hours of work, for tests that only look."""
    with served(a_day()) as running:
        day = settle(running)
        live(running, day)
        run_a_workflow(running, day, fails=False)  # Other tests count the failures.
        yield running, day


@pytest.fixture
def api() -> Iterator[ServedApi]:
    """A deployment on its first day."""
    with served(a_day()) as running:
        yield running


@pytest.fixture
def day(api: ServedApi) -> Day:
    """Its tenants and keys; no jobs."""
    return settle(api)


@pytest.fixture
def console(browser: Browser, api: ServedApi, day: Day) -> Iterator[Console]:
    """The console of a tenant after eight hours of work. Its pages must keep the rules of all pages."""
    live(api, day)
    with visiting(browser, api, day) as visit:
        yield visit


@pytest.fixture
def empty_console(browser: Browser, api: ServedApi, day: Day) -> Iterator[Console]:
    """The console of a tenant without jobs."""
    with visiting(browser, api, day) as visit:
        yield visit


@pytest.fixture
def shared_console(browser: Browser, lived: tuple[ServedApi, Day]) -> Iterator[Console]:
    """The console of a tenant after eight hours of work, whose deployment other tests look at, too."""
    api, day = lived
    with visiting(browser, api, day) as visit:
        yield visit
    api.fault = lambda _: None
