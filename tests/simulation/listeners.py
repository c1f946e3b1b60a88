"""Jobs whose clients want to be told how each execution ended.

Who they are is drawn from a stream of its own, so that seeds without them run as they would without this file.
"""

from random import Random
from urllib.parse import urlsplit

from tests.simulation.evidence import Arrival, Order

SHARE = 0.4
"""So many runs have such jobs."""
ORDERS_SHARE = 0.4
WISHES = (frozenset({"succeeded"}), frozenset({"failed"}), frozenset({"succeeded", "failed"}))


def draw_listeners(orders: list[Order], seed: int) -> None:
    """Choose them, changed and backfilled ones among them; a backfill has told whom its job has."""
    rng = Random(f"listeners {seed}")
    if rng.random() >= SHARE:
        return
    for order in orders:
        if order.backfill is not None:
            order.told_of = order.backfill.of.told_of
        elif rng.random() < ORDERS_SHARE:
            order.told_of = rng.choice(WISHES)


def tells(arrival: Arrival) -> bool:
    """Whether a call tells of an outcome."""
    return urlsplit(arrival.url).path.startswith("/told/")
