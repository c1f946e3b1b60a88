"""Receivers that ask for something: each wish is answered in the words of the sender, to few, and only for a while."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.simulation.demands import ENDLESS, GONE, LONG, OVERLOADED, SHARE, SHORT, STATUSES, Demands
from tests.simulation.evidence import Arrival, Order, Range
from tests.simulation.faults import FaultMix, Strike, Weather
from tests.simulation.habits import Habits
from tests.simulation.honest_evidence import call, order

UNTIL = 2_000_000_000_000
FINE = CallbackResponse(reason=Reason.OK, duration_ms=70, status=200)
WEATHER = Weather(Random(0), FaultMix())
PLAIN = [order(number=number) for number in range(40)]
SEED = next(seed for seed in range(100) if Random(f"demands {seed}").random() < SHARE)
"""One whose receivers ask for something."""


def demands_of(orders: list[Order], seed: int = SEED, until: int = UNTIL) -> Demands:
    made = Demands(seed, WEATHER, until)
    made.draw(orders)
    return made


def arrivals(orders: list[Order]) -> list[Arrival]:
    return [call(url=one.url) for one in orders for _ in range(20)]


def answers(orders: list[Order], **made: int) -> list[CallbackResponse]:
    demands = demands_of(orders, **made)
    return [demands(arrival, FINE) for arrival in arrivals(orders)]


def test_simulated_receiver_asks_in_the_terms_of_the_sender() -> None:
    WEATHER.struck.clear()
    wishes = [answer for answer in answers(PLAIN) if answer != FINE]
    asked = [answer for answer in wishes if answer.retry_after_seconds is not None]
    gone = [answer for answer in wishes if answer.status == GONE]
    gave_up = [answer for answer in wishes if answer.reason is Reason.RECEIVER_GAVE_UP]
    assert {answer.retry_after_seconds for answer in asked} == {*SHORT, *LONG, *ENDLESS}
    assert all(answer.reason is Reason.HTTP_STATUS for answer in (*asked, *gone))
    assert all(answer.status and answer.status >= 400 and not answer.succeeded for answer in wishes)
    assert WEATHER.struck == Counter(
        {Strike.RETRY_AFTER: len(asked), Strike.NO_RETRY: len(gave_up), Strike.GONE: len(gone)}
    )
    assert len(asked) + len(gone) + len(gave_up) == len(wishes) < len(answers(PLAIN)) / 2


@pytest.mark.parametrize("is_busy", [True, False])
def test_a_receiver_has_too_much_only_where_jobs_may_wait_anyway(is_busy: bool) -> None:
    demands = Demands(SEED, Weather(Random(0), FaultMix(busy=0.1 * is_busy)), UNTIL)
    demands.draw(PLAIN)
    statuses = {demands(arrival, FINE).status for arrival in arrivals(PLAIN)}
    assert statuses - {200, GONE} == {*STATUSES, *(OVERLOADED if is_busy else ())}


def test_receiver_asks_no_whole_day_of_a_job_with_a_table_of_delays() -> None:
    orders = [order(number=number, delays_seconds=(1, 2)) for number in range(40)]
    asked = {answer.retry_after_seconds for answer in answers(orders)}
    assert asked - {None} == {*SHORT, *LONG}


@pytest.mark.parametrize("fields", [{"habits": Habits()}, {"async_accepted": True}])
def test_jobs_of_a_special_kind_have_content_receivers(fields: dict[str, object]) -> None:
    assert set(answers([order(number=number, **fields) for number in range(40)])) == {FINE}


def test_a_job_that_is_backfilled_has_a_content_receiver() -> None:
    made_up_for = [replace(one, backfill=Range(of=one, from_at=0, to_at=1, every_seconds=1)) for one in PLAIN]
    assert set(answers([*PLAIN, *made_up_for])) == {FINE}


def test_simulated_receiver_makes_no_demand_at_the_end_of_a_run() -> None:
    assert set(answers(PLAIN, until=call().began_at)) == {FINE}


def test_receiver_that_times_out_asks_for_nothing() -> None:
    silent = CallbackResponse(reason=Reason.TIMEOUT, duration_ms=10_000)
    demands = demands_of(PLAIN)
    assert {demands(arrival, silent) for arrival in arrivals(PLAIN)} == {silent}
