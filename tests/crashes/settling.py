"""After the blows: let everything come to rest, as it does when nothing breaks any more."""

from collections.abc import Callable

from tests.crashes.clients import Clients
from tests.crashes.clock import SharedClock
from tests.crashes.orders import Order
from tests.crashes.series import missing_executions

STEPS = ((20, 30), (120, 16), (300, 48))
"""Seconds of a step and how many of them: ten minutes closely, since a sweep judges how late a job has ended by the
step in which that was seen; then a while, then four hours."""
AFTER_VISIBILITY_SECONDS = 460
UNTIL_RECONCILABLE_SECONDS = 200
"""With the former it makes more than the ten minutes for which the reconciler leaves logs and sweeps alone."""
CATCH_UP_STEP_SECONDS, FEWEST_STEPS, CATCH_UP_STEPS = 20, 8, 90
TOLERATED_LAG_MS = 60_000

Run = Callable[[float], None]
"""Lets so many seconds pass in one step, with all that happens in them."""


class Settling:
    """Runs until every job has ended, and on until late messages are back."""

    def __init__(
        self, clock: SharedClock, clients: Clients, run: Run, others_rest: Callable[[], bool] = lambda: True
    ) -> None:
        self._clock = clock
        self._clients = clients
        self._run = run
        self._others_rest = others_rest
        self.faults: list[str] = []
        self.took_seconds = 0.0
        """How long the jobs took to end, on the run's clock."""

    def settle(self, orders: list[Order]) -> None:
        """Recurring jobs are deleted for that when their chains, if not paused, have gone on and lag no more."""
        begun_ms = self._clock.now_ms()
        self._let_chains_catch_up([order for order in orders if order.is_recurring and order.job_id])
        for order in orders:
            if order.is_recurring and order.cancel_acked_at is None:
                self._clients.cancel(order)
        left = self._unfinished(orders)
        for seconds in (step for step, times in STEPS for _ in range(times)):
            if not left and self._others_rest():
                break
            self._run(seconds)
            left = self._unfinished(left)
        self.took_seconds = (self._clock.now_ms() - begun_ms) / 1000
        self._run(AFTER_VISIBILITY_SECONDS)

    def _let_chains_catch_up(self, recurring: list[Order]) -> None:
        """Half an hour at most: a chain that stands still is lost, and its deletion would cover that up."""
        chains = [order for order in recurring if order.cancel_asked_at is None and not order.is_paused]
        for number in range(CATCH_UP_STEPS if chains else 0):
            self._run(CATCH_UP_STEP_SECONDS)
            if number >= FEWEST_STEPS and not any(self._lags(order) for order in chains):
                return
        self.faults += [
            f"lost: the chain of {order.path} stands still" for order in chains if self._lags(order)
        ]

    def _lags(self, order: Order) -> bool:
        until_ms = self._clock.now_ms() - TOLERATED_LAG_MS
        return bool(missing_executions(order, self._clients.history(order), until_ms))

    def _unfinished(self, orders: list[Order]) -> list[Order]:
        return [order for order in orders if not self._clients.is_at_rest(order)]
