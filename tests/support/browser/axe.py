"""axe-core: the rules of accessibility that a program can judge."""

from functools import cache
from typing import Any

from playwright.sync_api import Page

from tests.support.browser.chromium import FOLDER
from tests.support.browser.packages import AXE

_ALL = '["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]'
_OF_COLOURS = '{type: "rule", values: ["color-contrast", "link-in-text-block"]}'
_RUN = 'axe.run(document, {runOnly: RULES, resultTypes: ["violations"], preload: false})'


@cache
def _source() -> str:
    return (FOLDER / AXE).read_text()


def violations(page: Page, *, colours_alone: bool = False) -> list[str]:
    """A line for each element that breaks a rule: the rule, the element, and what to do.

    `colours_alone` judges contrasts only, for a page whose structure was judged in other colours.

    The rules run in a world of their own, so that the page's policy of content holds for the page, and for the page
    alone.
    """
    session = page.context.new_cdp_session(page)
    frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "axe"})[
        "executionContextId"
    ]
    _evaluate(session, world, _source())
    found = _evaluate(session, world, _RUN.replace("RULES", _OF_COLOURS if colours_alone else _ALL))
    session.detach()
    return [
        f"{rule['id']}: {' '.join(map(str, node['target']))}: {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def _evaluate(session: Any, world: int, expression: str) -> Any:
    answer = session.send(
        "Runtime.evaluate",
        {"expression": expression, "contextId": world, "awaitPromise": True, "returnByValue": True},
    )
    assert "exceptionDetails" not in answer, answer["exceptionDetails"]
    return answer["result"].get("value")
