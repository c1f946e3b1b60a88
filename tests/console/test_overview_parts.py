"""Parts of the overview: each is there when its own answer is, in a place that is kept for it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.delayed_requests import DelayedRequests
from tests.console.failing import fail
from tests.console.ticking import Ticking
from tests.support.console.day import Day
from tests.support.console.served import ServedApi, problem
from tests.support.console.visit import Console, visiting
from tests.support.contract.gateway import Got, Sent

PARTS = {
    "Jobs paused by their receivers": "/v1/jobs",
    "Statistics": "/v1/stats",
    "Next hours": "/v1/upcoming/density",
    "Failures": "/v1/dead-letters",
}
"""The path of the answer that a part waits for."""
MANY = {"succeeded": 41_002, "failed": 1_012, "skipped": 1_300, "cancelled": 1_020}


def with_long_answers(api: ServedApi, sent: Sent) -> Got | None:
    """What the API answers, with every outcome and every remark: the longest sentences, and the longest legend."""
    lengthen = LONGER.get(sent.target.partition("?")[0])
    if lengthen is None:
        return None
    answer = api.act(sent)
    return replace(answer, body=json.dumps(lengthen(json.loads(answer.body))).encode())


def _long_statistics(document: Any) -> Any:
    buckets = [each | {"states": MANY, "uncounted_due": 900} for each in document["buckets"]]
    buckets[-1]["uncounted_due"] = None
    return document | {"buckets": buckets}


def _long_density(document: Any) -> Any:
    steps = [each | {"count": 1_000 + number} for number, each in enumerate(document["steps"])]
    return document | {"steps": steps, "complete": False, "estimated": True, "until": steps[-1]["at"]}


LONGER = {"/v1/stats": _long_statistics, "/v1/upcoming/density": _long_density}


@contextmanager
def opening(
    browser: Browser, api: ServedApi, day: Day, width: int
) -> Iterator[tuple[Console, DelayedRequests]]:
    """An overview that waits for all of its answers."""
    with visiting(browser, api, day, width) as console:
        console.open("#/account")
        delayed = DelayedRequests(console.page, *PARTS.values())
        console.go("#/")
        for name in PARTS:
            expect(loading(console.page, name)).to_be_visible()
        try:
            yield console, delayed
        finally:
            api.fault = lambda _: None


def part(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def loading(page: Page, name: str) -> Locator:
    return part(page, name).get_by_text("Loading …")


def places(page: Page) -> list[float]:
    """Where each part begins, in pixels from the top of the page."""
    return [float(part(page, name).evaluate("each => each.getBoundingClientRect().top")) for name in PARTS]


@pytest.mark.parametrize("width", [320, 640, 1_280])
@pytest.mark.parametrize("first", PARTS)
def test_part_is_shown_when_its_answer_is_there_and_no_part_moves(
    browser: Browser, lived: tuple[ServedApi, Day], first: str, width: int
) -> None:
    api, day = lived
    with opening(browser, api, day, width) as (console, delayed):
        api.fault = lambda sent: with_long_answers(api, sent)
        page, others = console.page, [name for name in PARTS if name != first]
        begin = places(page)
        delayed.release(PARTS[first])
        expect(loading(page, first)).to_have_count(0)
        for name in others:
            expect(loading(page, name)).to_be_visible()
        assert places(page) == begin
        for name in others:
            delayed.release(PARTS[name])
            expect(loading(page, name)).to_have_count(0)
            assert places(page) == begin
        expect(page.get_by_role("figure")).to_have_count(2)


def test_page_that_waits_for_its_parts_keeps_all_rules(
    browser: Browser, lived: tuple[ServedApi, Day]
) -> None:
    with opening(browser, *lived, 320) as (console, _):
        console.check_access()


@pytest.mark.parametrize("failing", PARTS)
def test_part_that_fails_has_its_own_problem_and_its_own_retry(empty_console: Console, failing: str) -> None:
    console, page = empty_console, empty_console.page
    fail(console, "nightly report")
    console.gates.allow(500)
    console.api.fault = lambda sent: (
        problem(500, "internal-error", "something broke") if sent.target.startswith(PARTS[failing]) else None
    )
    # No timer goes off, so that the page asks for nothing but by its buttons.
    Ticking(console, "/v1/").open("#/")
    alert = part(page, failing).get_by_role("alert")
    expect(alert).to_contain_text("something broke")
    expect(page.get_by_role("alert")).to_have_count(1)
    for name in PARTS.keys() - {failing}:
        expect(loading(page, name)).to_have_count(0)
    console.check_access()
    console.api.fault = lambda _: None
    console.api.sent.clear()
    alert.get_by_role("button", name="Try again").press("Enter")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(part(page, failing)).to_be_focused()
    assert {each.target.partition("?")[0] for each in console.api.sent} == {PARTS[failing]}


def test_part_that_fails_later_keeps_its_values_beside_its_problem(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    fail(console, "nightly report")
    console.open("#/")
    failures = part(page, "Failures")
    expect(failures.get_by_role("table")).to_be_visible()
    console.gates.allow(500)
    console.api.fault = lambda sent: (
        problem(500, "internal-error", "something broke") if "dead-letters" in sent.target else None
    )
    page.get_by_role("button", name="Refresh").click()
    expect(failures.get_by_role("alert")).to_contain_text("something broke")
    expect(failures.get_by_role("table")).to_be_visible()
    expect(page.get_by_text("Not current")).to_be_visible()
    expect(part(page, "Statistics").get_by_role("alert")).to_have_count(0)
    console.check_access()


def test_range_that_changes_asks_for_its_parts_alone_and_leaves_the_others(empty_console: Console) -> None:
    page = empty_console.page
    empty_console.open("#/")
    expect(page.get_by_role("figure")).to_have_count(2)
    delayed = DelayedRequests(page, *PARTS.values())
    page.get_by_role("link", name="14 d").click()
    expect(loading(page, "Statistics")).to_be_visible()
    expect(loading(page, "Failures")).to_be_visible()
    expect(part(page, "Next hours").get_by_role("heading")).to_be_visible()
    expect(loading(page, "Jobs paused by their receivers")).to_have_count(0)
    delayed.release("/v1/stats")
    expect(part(page, "Statistics")).to_contain_text("in the last 14 days")
    delayed.release("/v1/dead-letters")
    expect(part(page, "Failures")).to_contain_text("Nothing failed in the last 14 days")


def test_paused_jobs_are_named_in_one_line_that_opens(browser: Browser, lived: tuple[ServedApi, Day]) -> None:
    api, day = lived
    with visiting(browser, api, day) as console:
        console.open("#/")
        found = part(console.page, "Jobs paused by their receivers")
        expect(found).to_contain_text("1 job paused by the receiver.")
        found.get_by_text("1 job paused").click()
        console.check_access()
        found.get_by_role("link", name="old crm").click()
        expect(console.page.get_by_role("heading", level=1, name="old crm")).to_be_visible()
