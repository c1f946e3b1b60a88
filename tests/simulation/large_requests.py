"""Jobs whose requests are too large for an item.

They are drawn from a stream of their own, so that seeds without them run as they would without this file.
"""

from random import Random

from shared.domain.delivery.request import INLINE_BYTES
from tests.simulation.evidence import Order

SHARE = 0.4
"""So many runs have such jobs."""
ORDERS_SHARE = 0.4


def draw_large_requests(orders: list[Order], seed: int) -> None:
    """Choose jobs whose descriptions, of every version, have a large body."""
    rng = Random(f"large requests {seed}")
    if rng.random() < SHARE:
        for order in orders:
            order.is_large = rng.random() < ORDERS_SHARE


def padded(number: str, *, is_large: bool) -> bytes:
    """A body that shows a number; a large one has zeros before it."""
    return number.zfill(INLINE_BYTES if is_large else 0).encode()
