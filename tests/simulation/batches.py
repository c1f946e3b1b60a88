"""Clients that order many jobs in one request, each of which is a promise of its own.

What they order is drawn from a stream of its own, so that seeds without them run as they would without this file.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import UnavailableError
from shared.usecases.jobs.create_jobs import Outcome
from tests.simulation.descriptions import new_job
from tests.simulation.evidence import Order
from tests.simulation.requests import request
from tests.simulation.world import TENANTS, World

SHARE = 0.4
"""So many runs have batches."""
LONGEST = 25


class Batches:
    """One client that has many jobs accepted at once."""

    def __init__(self, world: World, seed: int, accept: Callable[[Order, Any], None]) -> None:
        self._world = world
        self._accept = accept
        self._rng = Random(f"batches {seed}")
        self.is_on = self._rng.random() < SHARE

    def draw(self, make: Callable[[Random], Order], asked_from: int, asked_until: int) -> list[list[Order]]:
        """The orders of each batch: of one tenant, asked for at one time, under one key or none."""
        batches = []
        for number in range(self._rng.randint(1, 2) if self.is_on else 0):
            tenant, key = self._rng.choice(TENANTS), f"batch{number}" if self._rng.random() < 0.7 else None
            asked_at = self._rng.randint(asked_from, asked_until)
            orders = [make(self._rng) for _ in range(self._rng.randint(2, LONGEST))]
            for order in orders:
                order.tenant, order.key, order.asked_at = tenant, key, asked_at
            batches.append(orders)
        return batches

    def ask(self, orders: list[Order]) -> None:
        """Send the batch, again while it is not answered whole, if it has a key by which that can be told."""
        tries = {} if orders[0].key else {"tries": 1}
        request(self._world, "batch", partial(self._ask, orders), orders[0].asked_at, **tries)

    def _ask(self, orders: list[Order], cases: UseCases) -> None:
        if orders[0].key is None and any(order.job_id for order in orders):
            return
        tenant = self._world.tenant(orders[0].tenant)
        criteria = [new_job(order) for order in orders]
        outcomes = cases.jobs.create_jobs.execute(
            tenant, criteria, spelling=b"batch", idempotency_key=orders[0].key
        )
        for order, outcome in zip(orders, outcomes, strict=True):
            self._note(order, outcome)
        if any(isinstance(outcome, UnavailableError) for outcome in outcomes):
            raise UnavailableError("a part of the batch was not accepted")

    def _note(self, order: Order, outcome: Outcome | None) -> None:
        if outcome is not None and not isinstance(outcome, Exception) and order.acked_at is None:
            self._accept(order, outcome.job)
