"""The address of every page of the console, read from its own sources."""

import re
from functools import cache

from tests.support.console.day import Day
from tests.support.sources import ROOT

STATIC = ROOT / "functions" / "api" / "console" / "static"
OF_RUNS = frozenset({"run"})
"""Pages whose id is that of an execution; the ids of pages that are not named here are those of jobs."""
OF_WORKFLOWS = frozenset({"workflow"})
OF_WORKFLOW_RUNS = frozenset({"workflowRun"})
OF_CALENDARS = frozenset({"calendar"})
OF_OPERATORS = frozenset({"operator"})


@cache
def pages() -> tuple[str, ...]:
    """The names of the pages, in the order of app.js."""
    table = re.search(r"const PAGES = \{(.*?)\};", (STATIC / "app.js").read_text(), re.DOTALL)
    assert table is not None
    return tuple(re.findall(r"^\s+(\w+):", table[1], re.MULTILINE))


def pages_without_id() -> tuple[str, ...]:
    """The pages that are there before the first job."""
    return tuple(page for page in pages() if "{id}" not in _path(page))


def address(page: str, day: Day) -> str:
    """Such as `#/jobs/job_1`, of a job or an execution of the day."""
    if page in OF_WORKFLOWS | OF_WORKFLOW_RUNS:
        named = next(reversed(day.workflows if page in OF_WORKFLOWS else day.workflow_runs), "")
    elif page in OF_CALENDARS:
        named = next(iter(day.calendars), "")
    else:
        named = day.failed if page in OF_RUNS else day.jobs.get("stock report", "")
    return f"#{_path(page).replace('{id}', named)}"


def key_for(page: str, day: Day) -> str:
    """A key that sees the page."""
    return day.operator_key if page in OF_OPERATORS else day.key


def _path(page: str) -> str:
    path = re.search(rf"^\s+{page}: '(.*)',$", (STATIC / "lib" / "route.js").read_text(), re.MULTILINE)
    assert path is not None, f"route.js has no path of the page {page}"
    return path[1]
