"""Receivers that ask for something by their answers: for time, for no retry, or never to be called again.

What they ask for is drawn from a stream of its own, so that seeds without them run as they would without this file.
"""

from dataclasses import replace
from enum import Enum, auto
from random import Random

from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.simulation.evidence import Arrival, Order
from tests.simulation.faults import Strike, Weather

SHARE = 0.5
"""So many runs have such receivers."""
ORDERS_SHARE = 0.5
CALLS_SHARE = 0.4
SHORT = (1, 4, 20, 100)
LONG = (1_000, 1_700)
"""In seconds: beyond what a message waits."""
ENDLESS = (5_000, 80_000)
"""Beyond every cap. A job with a table of delays would wait so long, and no run lasts a day."""
STATUSES = (400, 404, 422, 500)
OVERLOADED = (429, 503)
"""With these a destination asks for fewer calls at once as well: only where jobs may have to wait anyway."""
GONE = 410


class Demand(Enum):
    """What one answer asks for."""

    TIME = auto()
    NO_RETRY = auto()
    GONE = auto()


_STRIKES = {
    Demand.TIME: Strike.RETRY_AFTER,
    Demand.NO_RETRY: Strike.NO_RETRY,
    Demand.GONE: Strike.GONE,
}


class Demands:
    """The receivers of one run that ask for something, until it is to come to rest."""

    def __init__(self, seed: int, weather: Weather, until_ms: int) -> None:
        self._rng = Random(f"demands {seed}")
        self._weather = weather
        self._until_ms = until_ms
        self._orders: dict[str, tuple[Order, Demand]] = {}

    def draw(self, orders: list[Order]) -> None:
        """Choose them among those of jobs with plain requests: neither changed nor backfilled nor answered later."""
        if self._rng.random() >= SHARE:
            return
        backfilled = {order.backfill.of.number for order in orders if order.backfill is not None}
        for order in orders:
            is_plain = order.habits is None and order.number not in backfilled
            is_plain &= not (order.async_accepted or order.is_target)
            if is_plain and self._rng.random() < ORDERS_SHARE:
                demand = self._rng.choice((Demand.TIME, Demand.TIME, Demand.NO_RETRY, Demand.GONE))
                self._orders[order.url] = (order, demand)

    def __call__(self, arrival: Arrival, answer: CallbackResponse) -> CallbackResponse:
        """The answer, or another one in its place: who is not there or too slow asks for nothing."""
        order, demand = self._orders.get(arrival.url, (None, None))
        if order is None or demand is None or answer.status is None or arrival.began_at >= self._until_ms:
            return answer
        if self._rng.random() >= CALLS_SHARE:
            return answer
        self._weather.note(_STRIKES[demand])
        statuses = (*STATUSES, *OVERLOADED) if self._weather.mix.may_wait else STATUSES
        status = GONE if demand is Demand.GONE else self._rng.choice(statuses)
        failed = replace(answer, reason=Reason.HTTP_STATUS, status=status, body=b"asks", async_accepted=False)
        if demand is Demand.NO_RETRY:
            return replace(failed, reason=Reason.RECEIVER_GAVE_UP)
        if demand is Demand.GONE:
            return failed
        asked = (*SHORT, *LONG) if order.delays_seconds else (*SHORT, *LONG, *ENDLESS)
        return replace(failed, retry_after_seconds=self._rng.choice(asked))
