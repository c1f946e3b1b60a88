"""How soon the console's overview is there in a browser, with the tenant of `overview` behind it.

The API's handler answers over HTTP on loopback, in this process and one request at a time, as a single process of the
function does. A first visit finds no file of the console, neither in the browser nor compressed in the process.
"""

import json
import statistics
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from functions.api.console.assets import assets
from functions.api.http.response import packed
from tests.bench.cell import Cell
from tests.bench.overview import RANGES
from tests.bench.tables import markdown
from tests.support.browser.chromium import chromium, context_of
from tests.support.contract.gateway import Got, Sent, got, serving

VISITS = 5
"""Of each kind; the figures are medians."""
SAVED = Path(__file__).with_name("visits.json")
LONGEST_MS = 300_000
"""A page that shows nothing for this time, or shows a problem, ends the bench with its text."""
_WATCH = """
try { sessionStorage.setItem("punctual.key", KEY); } catch { /* The empty page has no storage. */ }
globalThis.drawn = new Promise((resolve, reject) => {
  let charts = null;
  const look = () => {
    const parts = document.querySelectorAll(".part").length;
    const waiting = document.querySelectorAll(".part > [role=status]").length;
    const problem = document.querySelector(".problem");
    if (charts === null && document.querySelectorAll(".chart canvas").length === 2) charts = performance.now();
    if (problem !== null || performance.now() > LONGEST) reject(new Error(document.body.innerText));
    else if (charts !== null && parts === 4 && waiting === 0) resolve([charts, performance.now()]);
    else requestAnimationFrame(look);
  };
  look();
});
"""
"""Milliseconds from the start of the navigation: to both charts, and to the answers of all parts."""

_REQUESTS = """
[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter((each) => each.transferSize > 0).length
"""
"""Those that a server answered: of a file in the browser's cache, nothing is transferred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visited:
    """Milliseconds from the navigation to what the page shows."""

    range: str
    first_requests: int
    """Of the console's files and to the API, until all parts are there."""
    first_charts_ms: int
    first_whole_ms: int
    later_requests: int
    later_charts_ms: int
    later_whole_ms: int


def visited(cell: Cell) -> list[Visited]:
    """Open the page of a tenant that is filled, for each range. NoBrowserError."""
    key = cell.headers()["authorization"].removeprefix("Bearer ")
    with (
        tempfile.TemporaryDirectory() as temporary,
        _served(cell) as origin,
        chromium(Path(temporary)) as browser,
    ):
        return [_visits(browser, f"{origin}/console#/?range={name}", key, name) for name in RANGES]


def save(rows: Iterable[Visited]) -> None:
    SAVED.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")


def saved() -> list[Visited]:
    return [Visited(**row) for row in json.loads(SAVED.read_text())]


def visits_table(rows: Iterable[Visited]) -> str:
    cells = [
        [
            row.range,
            *(str(row.first_requests), f"{row.first_charts_ms:,.0f} ms", f"{row.first_whole_ms:,.0f} ms"),
            *(str(row.later_requests), f"{row.later_charts_ms:,.0f} ms", f"{row.later_whole_ms:,.0f} ms"),
        ]
        for row in rows
    ]
    first, later = (
        [f"{visit} visit, {what}" for what in ("requests", "charts", "all parts")]
        for visit in ("first", "later")
    )
    return markdown(["range", *first, *later], cells)


def _visits(browser: Browser, address: str, key: str, name: str) -> Visited:
    first, later = [], []
    for _ in range(VISITS):
        assets.cache_clear()
        packed.cache_clear()
        context = context_of(browser)
        page = context.new_page()
        page.add_init_script(_watch(key))
        first.append(_visit(page, address))
        later.append(_visit(page, address))
        context.close()
    return Visited(
        range=name,
        first_requests=_median(first, 0),
        first_charts_ms=_median(first, 1),
        first_whole_ms=_median(first, 2),
        later_requests=_median(later, 0),
        later_charts_ms=_median(later, 1),
        later_whole_ms=_median(later, 2),
    )


def _median(visits: Iterable[tuple[int, ...]], figure: int) -> int:
    return round(statistics.median(visit[figure] for visit in visits))


def _watch(key: str) -> str:
    return _WATCH.replace("KEY", json.dumps(key)).replace("LONGEST", str(LONGEST_MS))


def _visit(page: Page, address: str) -> tuple[int, ...]:
    """The requests of a visit, and its milliseconds to the charts and to all parts."""
    # Another address between two visits, because one that differs behind the # alone loads nothing.
    page.goto("about:blank")
    page.goto(address, wait_until="commit")
    charts, whole = page.evaluate("globalThis.drawn")
    return page.evaluate(_REQUESTS), charts, whole


@contextmanager
def _served(cell: Cell) -> Iterator[str]:
    """The handler on loopback. All requests have one thread, as in a process of the function."""
    with ThreadPoolExecutor(max_workers=1) as worker:

        def answer(sent: Sent) -> Got:
            return got(worker.submit(cell.answer, sent.event()).result())

        with serving(answer) as origin:
            yield origin
