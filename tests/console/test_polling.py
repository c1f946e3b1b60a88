"""Live pages: current without flooding the API, quiet while the tab is hidden, and patient when the API is not well."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.console.ticking import Ticking
from tests.support.console.served import problem
from tests.support.console.visit import Console
from tests.support.contract.gateway import Got, Sent

PATH = "/v1/dead-letters"


@pytest.fixture
def ticking(shared_console: Console) -> Ticking:
    """The dead letters, whose timers stand still."""
    made = Ticking(shared_console, PATH)
    made.open("#/dead-letters")
    return made


def refusing(answer: Got):
    """Every request for the polled list gets this answer."""

    def fault(sent: Sent) -> Got | None:
        return answer if sent.target.startswith(PATH) else None

    return fault


def test_page_asks_after_5_s_and_ever_more_seldom_down_to_once_a_minute(ticking: Ticking) -> None:
    asked = ticking.advance(400)
    gaps = [later - earlier for earlier, later in pairwise([0, *asked])]
    assert asked[0] <= 6
    assert all(later >= earlier - 1 for earlier, later in pairwise(gaps[1:])), gaps
    assert 58 <= gaps[-1] <= 62, gaps
    assert len(asked) <= 12


def test_hidden_page_asks_nothing_and_asks_once_when_it_is_shown(ticking: Ticking) -> None:
    assert ticking.show(is_hidden=True) == 0
    assert ticking.advance(120) == []
    assert ticking.show(is_hidden=False) == 1
    assert len(ticking.advance(10)) == 1


@pytest.mark.parametrize(("status", "slug"), [(429, "rate-limited"), (503, "service-unavailable")])
def test_page_waits_as_long_as_the_api_says_keeps_what_it_shows_and_recovers(
    ticking: Ticking, status: int, slug: str
) -> None:
    console = ticking.console
    shown = console.page.get_by_role("row").count()
    assert shown > 1
    console.gates.allow(status)
    console.api.fault = refusing(problem(status, slug, "wait a little", Retry_After=40))
    begun = ticking.advance(8)
    assert len(begun) == 1
    assert ticking.advance(30) == []
    assert console.page.get_by_role("row").count() == shown
    expect(console.page.get_by_text("Not current")).to_be_visible()
    console.api.fault = lambda _: None
    assert len(ticking.advance(16)) == 1
    expect(console.page.get_by_text("Not current")).to_be_hidden()


def test_failing_api_without_an_advice_is_asked_four_times_at_most_for_each_turn(ticking: Ticking) -> None:
    ticking.console.gates.allow(503)
    ticking.console.api.fault = refusing(problem(503, "service-unavailable", "try again"))
    assert len(ticking.advance(120)) <= 4 * 8
