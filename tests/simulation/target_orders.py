"""Jobs that send to targets in AWS, in place of HTTP requests, and jobs whose requests a role signs for AWS.

They are drawn from a stream of their own, so that seeds without them run as they would without this file.
"""

from random import Random

from tests.simulation.evidence import Order

SHARE = 0.4
"""So many runs have such jobs."""
ORDERS_SHARE = 0.4


def draw_targets(orders: list[Order], seed: int) -> None:
    """Choose them, changed ones among them; a backfill sends where its job does. No target reports an outcome later."""
    rng = Random(f"targets {seed}")
    if rng.random() >= SHARE:
        return
    for order in orders:
        if order.backfill is not None:
            order.is_target = order.backfill.of.is_target
        elif rng.random() < ORDERS_SHARE:
            order.is_target = not order.async_accepted


def draw_signed(orders: list[Order], seed: int) -> None:
    """Choose them among the jobs with HTTP requests; a backfill signs as its job does."""
    rng = Random(f"signed requests {seed}")
    if rng.random() >= SHARE:
        return
    for order in orders:
        if order.backfill is not None:
            order.is_signed = order.backfill.of.is_signed
        elif rng.random() < ORDERS_SHARE:
            order.is_signed = not order.is_target
