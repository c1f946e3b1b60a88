"""`make console-shots`: photograph the pages of the console after a day in the life, for docs.

The day, its clock and the browser's fonts are the same each time, so a picture changes only with what it shows.
"""

import argparse
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser

from tests.support.browser.chromium import chromium
from tests.support.console.addresses import address, key_for, pages
from tests.support.console.day import TENANT, Day, a_day, live, run_a_workflow, settle
from tests.support.console.served import ServedApi, served
from tests.support.console.visit import visiting
from tests.support.sources import ROOT

PICTURES = ROOT / "docs" / "console"


class Shot(NamedTuple):
    """A picture: the page, and in what it is seen."""

    page: str
    name: str
    width: int = 1_280
    scheme: str = "light"
    query: str = ""
    """Such as `?view=lanes`."""


def shots() -> list[Shot]:
    """A picture of each page, and more: in the dark, on a telephone, and of a tenant as operators see it."""
    every = [Shot(page, _spelt(page)) for page in pages() if page != "account"]
    return [
        *every,
        Shot("overview", "overview-dark", scheme="dark"),
        Shot("run", "run-narrow", width=390),
        Shot("operator", "operator-tenant", query=f"?view=tenants&tenant={TENANT}"),
    ]


def is_of_workflows(shot: Shot) -> bool:
    return shot.page.startswith("workflow")


def _spelt(page: str) -> str:
    """Such as `new-job` for `newJob`."""
    return re.sub(r"(?=[A-Z])", "-", page).lower()


def photograph(browser: Browser, api: ServedApi, day: Day, shot: Shot, directory: Path) -> None:
    """Write a picture."""
    with visiting(browser, api, day, shot.width, shot.scheme) as console:
        console.open(address(shot.page, day) + shot.query, key_for(shot.page, day))
        console.settle()
        console.page.evaluate("document.activeElement.blur()")
        console.page.mouse.move(0, 0)
        height = console.page.evaluate("document.documentElement.scrollHeight")
        console.page.set_viewport_size({"width": shot.width, "height": min(height, 1_600)})
        console.page.screenshot(path=directory / f"{shot.name}.png", animations="disabled", caret="hide")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.console", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="pictures to take, such as overview; without: all"
    )
    parser.add_argument("--into", type=Path, default=PICTURES, help="the folder of the pictures")
    arguments = parser.parse_args()
    arguments.into.mkdir(exist_ok=True)
    with served(a_day()) as api, tempfile.TemporaryDirectory() as temporary:
        day = settle(api)
        live(api, day)
        with chromium(Path(temporary)) as browser:
            # A workflow has failures of its own, which the other pictures do not show.
            for shot in sorted(shots(), key=is_of_workflows):
                if is_of_workflows(shot) and not day.workflows:
                    run_a_workflow(api, day)
                if not arguments.names or shot.name in arguments.names:
                    photograph(browser, api, day, shot, arguments.into)


if __name__ == "__main__":
    main()
