"""Jobs whose clients want to be told how each execution ended, or to be alerted of events.

Who they are is drawn from a stream of its own, so that seeds without them run as they would without this file.
"""

from random import Random
from urllib.parse import urlsplit

from tests.simulation.evidence import Arrival, Order

SHARE = 0.4
"""So many runs have such jobs."""
ORDERS_SHARE = 0.4
WISHES = (frozenset({"succeeded"}), frozenset({"failed"}), frozenset({"succeeded", "failed"}))


SUBSCRIPTIONS = (
    frozenset({"failed"}),
    frozenset({"failed", "recovered"}),
    frozenset({"late", "skipped"}),
    frozenset({"failed", "recovered", "late", "skipped", "gone"}),
)


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


def draw_subscribers(orders: list[Order], seed: int) -> None:
    """Choose the jobs whose clients want to be alerted; a backfill alerts those of its job."""
    rng = Random(f"subscribers {seed}")
    if rng.random() >= SHARE:
        return
    for order in orders:
        if order.backfill is not None:
            order.alerted_of = order.backfill.of.alerted_of
        elif rng.random() < ORDERS_SHARE:
            order.alerted_of = rng.choice(SUBSCRIPTIONS)


def announces(arrival: Arrival) -> bool:
    """Whether a call announces events."""
    return urlsplit(arrival.url).path.startswith("/alerts/")


def tells(arrival: Arrival) -> bool:
    """Whether a call tells of an outcome."""
    return urlsplit(arrival.url).path.startswith("/told/")
