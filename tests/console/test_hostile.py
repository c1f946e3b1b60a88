"""Hostile text: names, answers of receivers and words of the API are shown as text, and keep the page whole."""

from typing import Any

import pytest
from playwright.sync_api import expect

from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.api.request_factory import ask
from tests.support.console.addresses import address, key_for, pages
from tests.support.console.served import problem
from tests.support.console.visit import Console

MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
RIGHT_TO_LEFT = "\u200f\u05e9\u05dc\u05d5\u05dd\u200f"
LONG = "x" * 10_000
_SPILLS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_OF_THE_TEXT = "document.querySelectorAll('[onerror], main script').length"


def whole(console: Console) -> None:
    """AssertionError where the text became a part of the page, or made the page wider than a small window."""
    console.page.set_viewport_size({"width": 320, "height": 900})
    assert console.page.evaluate(_OF_THE_TEXT) == 0
    assert console.page.evaluate(_SPILLS) <= 0
    assert console.page.title() != "1"


@pytest.fixture
def hostile_console(empty_console: Console) -> Console:
    """A job with a hostile name, whose receiver failed with a hostile answer."""
    api, day = empty_console.api, empty_console.day
    body = f"{RIGHT_TO_LEFT} {MARKUP}".encode()
    answer = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410, body=body)
    api.world.sender.answer_to = lambda _: answer
    fields: dict[str, Any] = {
        "name": MARKUP + RIGHT_TO_LEFT,
        "schedule": {"rate_seconds": 60},
        "request": {"url": f"https://receiver.example/{'long' * 400}?q=%3Cimg%3E", "body": MARKUP},
        "tags": ["x" * 63, "a" * 60],
    }
    made = api.do(lambda: ask(api.api, day.key, "POST", "/v1/jobs", fields))
    assert made.status == 201, made.text
    day.jobs["stock report"] = made.json["id"]
    window = {
        "from": "2025-02-20T00:00:00Z",
        "until": "2025-02-20T10:00:00Z",
        "reason": (MARKUP + LONG)[:200],
    }
    calendar = api.do(lambda: ask(api.api, day.key, "PUT", "/v1/calendars/x", {"blackouts": [window]}))
    assert calendar.status == 200, calendar.text
    day.calendars.append("x")
    api.pass_time(600)
    failed = api.do(lambda: ask(api.api, day.key, "GET", "/v1/dead-letters")).json["executions"]
    day.failures.append(failed[0]["id"])
    return empty_console


@pytest.mark.parametrize("page", [each for each in pages() if each != "account"])
def test_page_shows_hostile_text_as_text(hostile_console: Console, page: str) -> None:
    day = hostile_console.day
    hostile_console.open(address(page, day), key_for(page, day))
    hostile_console.settle()
    whole(hostile_console)


@pytest.mark.parametrize("text", [MARKUP, RIGHT_TO_LEFT, LONG], ids=["markup", "right-to-left", "long"])
def test_words_of_a_refusal_are_shown_as_text(empty_console: Console, text: str) -> None:
    empty_console.gates.allow(401)
    empty_console.api.fault = lambda sent: (
        problem(401, "unauthenticated", text) if sent.target.startswith("/v1/") else None
    )
    empty_console.visit()
    empty_console.page.get_by_label("API key").fill("pk_1")
    empty_console.page.get_by_role("button", name="Sign in").click()
    expect(empty_console.page.get_by_role("alert")).to_contain_text(text[:500])
    whole(empty_console)


@pytest.mark.parametrize(
    "hash_of_address", [f"#/jobs/{MARKUP}", "#/runs/%ff", "#/jobs?q=%22%3E<b>", "#key=%zz"]
)
def test_hostile_address_is_shown_as_text_or_not_at_all(empty_console: Console, hash_of_address: str) -> None:
    empty_console.gates.allow(400, 404)
    empty_console.open()
    empty_console.go(hash_of_address)
    empty_console.settle()
    whole(empty_console)
