"""Jobs that are retried by a table of delays, or that nobody cares for any more after a while.

What they ask for is drawn from a stream of its own, so that seeds without them run as they would without this file.
"""

from random import Random

from tests.simulation.evidence import Order

SHARE = 0.5
"""So many runs have such jobs."""
ORDERS_SHARE = 0.4
TABLES = ((1,), (5, 1), (2, 30, 7), (40, 1, 1, 20))
AGES = (2, 10, 45, 200)


def draw_patience(orders: list[Order], seed: int) -> None:
    """Choose them among jobs that are neither changed nor backfilled nor report later."""
    rng = Random(f"patience {seed}")
    if rng.random() >= SHARE:
        return
    backfilled = {order.backfill.of.number for order in orders if order.backfill is not None}
    for order in orders:
        is_plain = order.habits is None and order.number not in backfilled and not order.async_accepted
        if not is_plain or rng.random() >= ORDERS_SHARE:
            continue
        if rng.random() < 0.6:
            order.delays_seconds = rng.choice(TABLES)
            order.max_attempts = len(order.delays_seconds) + 1
        if rng.random() < 0.6:
            order.give_up_seconds = rng.choice(AGES)
