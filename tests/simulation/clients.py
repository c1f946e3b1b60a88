"""The clients: what they ask for, and what was acknowledged to them. Readers are in `readers`."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import InvalidStateError, NotFoundError, ScheduleError
from shared.names import Lane
from tests.simulation.backfills import draw_backfills
from tests.simulation.batches import Batches
from tests.simulation.changes import first_version
from tests.simulation.demands import Demands
from tests.simulation.descriptions import new_job
from tests.simulation.drawn_changes import (
    draw_described_anew,
    draw_habits,
    draw_one_off,
    draw_one_off_habits,
    draw_recurring,
)
from tests.simulation.evidence import Order, Report
from tests.simulation.habits import Habits
from tests.simulation.keyed_jobs import KeyedJobs
from tests.simulation.large_requests import draw_large_requests
from tests.simulation.listeners import draw_listeners, draw_subscribers
from tests.simulation.long_work import LongWork
from tests.simulation.patience import draw_patience
from tests.simulation.readers import Readers
from tests.simulation.requests import LONGEST_MS, request
from tests.simulation.rhythms import Rhythm, every
from tests.simulation.target_orders import draw_signed, draw_targets
from tests.simulation.world import TENANTS, World

LOAD_MS = 240_000
DEMANDS_GO_ON_MS = 60_000
"""For so long after the load do receivers ask for something by their answers."""
SPREAD_MS = 30_000
"""Within so long the deletions that end the load are asked for."""
DELAYS = (0, 1, 3, 20, 60, 130, 200)
RATES = (1, 2, 5, 17, 30, 75)
SLOWER_RATES = (3, 7, 20, 45)
"""Of jobs that are changed, which have more to their name than the number of their runs."""
CHANGED_SHARE = 0.6
"""So many runs have jobs that are changed."""
BACKFILLED_SHARE = 0.5
"""So many have jobs that are backfilled."""


@dataclass(slots=True)
class Clients:
    """Everybody's orders."""

    world: World
    orders: list[Order] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)

    def start(self) -> Readers:
        """Draw the load of this seed and schedule it, readers included."""
        rng = self.world.weather.rng
        for _ in range(rng.randint(6, 24)):
            self.order(delay_seconds=rng.choice((*DELAYS, rng.randint(0, 240))))
        for _ in range(rng.randint(0, 3)):
            self.order(rhythm=self.rhythm(rng, RATES))
        if rng.random() < CHANGED_SHARE:
            self._start_what_changes()
        if rng.random() < BACKFILLED_SHARE:
            self._start_what_is_made_up_for()
        self._start_batches()
        self._start_keyed_jobs()
        long_work = LongWork(self.world, self.world.seed)
        long_work.draw(self.orders)
        draw_patience(self.orders, self.world.seed)
        draw_large_requests(self.orders, self.world.seed)
        draw_listeners(self.orders, self.world.seed)
        draw_subscribers(self.orders, self.world.seed)
        draw_targets(self.orders, self.world.seed)
        draw_signed(self.orders, self.world.seed)
        demands = Demands(
            self.world.seed, self.world.weather, self.world.start_ms + LOAD_MS + DEMANDS_GO_ON_MS
        )
        if self.world.is_demanding:
            demands.draw(self.orders)
        self.world.receiver.demands = demands
        self.reports = long_work.reports
        readers = Readers(self.world, self.orders)
        readers.start(self.world.start_ms, LOAD_MS)
        return readers

    def _start_batches(self) -> None:
        """Jobs that are ordered many at once; most run once."""
        batches = Batches(self.world, self.world.seed, self._accept)
        for orders in batches.draw(self._drawn, self.world.start_ms, self.world.start_ms + LOAD_MS):
            for order in orders:
                order.number = len(self.orders)
                self.orders.append(order)
            batches.ask(orders)

    def _start_keyed_jobs(self) -> None:
        """Jobs with keys of their owners."""
        keyed = KeyedJobs(self.world, self.world.start_ms + LOAD_MS, self._accept)
        for order in keyed.draw(self._drawn_keyed, lambda rng: self.rhythm(rng, SLOWER_RATES)):
            self.orders.append(order)

    def _drawn_keyed(self, rng: Random) -> Order:
        habits = replace(draw_habits(rng, self.world.start_ms), max_runs=None, end_at=None)
        return self._order(rng, None, self.rhythm(rng, SLOWER_RATES), habits)

    def _drawn(self, rng: Random) -> Order:
        recurs = rng.random() < 0.1
        return self._order(
            rng,
            None if recurs else rng.choice(DELAYS),
            self.rhythm(rng, SLOWER_RATES) if recurs else None,
        )

    def _start_what_changes(self) -> None:
        """Some jobs that are changed while they go on, and some that run once and are edited."""
        rng = self.world.weather.rng
        for _ in range(rng.randint(1, 2)):
            order = self.order(
                rhythm=self.rhythm(rng, SLOWER_RATES),
                cancelled=0.1,
                habits=draw_habits(rng, self.world.start_ms),
            )
            draw_recurring(rng, order, self.world, partial(self.rhythm, rng, SLOWER_RATES))
        for _ in range(rng.randint(0, 4)):
            order = self.order(
                delay_seconds=rng.randint(5, 150), cancelled=0.1, habits=draw_one_off_habits(rng)
            )
            draw_one_off(rng, order, self.world)

    def _start_what_is_made_up_for(self) -> None:
        """Some jobs whose past is run for, while they go on, are paused, described anew or deleted."""
        rng = self.world.weather.rng
        for _ in range(rng.randint(1, 2)):
            rhythm = self.rhythm(rng, SLOWER_RATES)
            if rng.random() < 0.5:
                order = self.order(rhythm=rhythm)
            else:
                order = self.order(rhythm=rhythm, habits=Habits())
                draw_described_anew(rng, order, self.world)
            draw_backfills(rng, order, self.world, self.orders, self.cancel)

    def order(
        self,
        *,
        delay_seconds: int | None = None,
        rhythm: Rhythm | None = None,
        cancelled: float = 0.3,
        habits: Habits | None = None,
    ) -> Order:
        """Ask for one job at some time of the load, and, with some probability, for its cancellation."""
        rng = self.world.weather.rng
        order = self._order(rng, delay_seconds, rhythm, habits)
        self.orders.append(order)
        request(self.world, "create", lambda cases: self._create(cases, order), order.asked_at)
        if rng.random() < cancelled:
            self.cancel(order, order.asked_at + rng.randint(50, 200_000))
        return order

    def _order(
        self, rng: Random, delay_seconds: int | None, rhythm: Rhythm | None, habits: Habits | None = None
    ) -> Order:
        return Order(
            tenant=rng.choice(TENANTS),
            number=len(self.orders),
            lane=rng.choice(tuple(Lane)),
            delay_seconds=delay_seconds,
            rhythm=rhythm,
            timeout_seconds=rng.choice((2, 10, 30)),
            max_attempts=rng.choice((1, 2, 3, 5)),
            base_seconds=rng.choice((1, 5, 30)),
            cap_seconds=rng.choice((30, 120, 2_400)),
            key=f"k{len(self.orders)}" if habits or rng.random() < 0.5 else None,
            asked_at=self.world.start_ms + rng.randint(0, LOAD_MS // 4 if habits else LOAD_MS),
            habits=habits,
        )

    def rhythm(self, rng: Random, rates: Sequence[int]) -> Rhythm:
        """A rate, or a cron line of the season."""
        return every(rng.choice(rates)) if rng.random() < 0.7 else rng.choice(self.world.season.crons)

    def cancel(self, order: Order, at_ms: int) -> None:
        """Ask for a cancellation at some time, until it is answered."""
        request(self.world, "cancel", lambda cases: self._cancel(cases, order), at_ms)

    def cancel_what_recurs(self) -> int:
        """Delete every recurring job, so that the run comes to rest; by when the last deletion is asked for.

        Once no client asks for its job any more those are found, too, whose answer reached nobody.
        """
        self._delete_all()
        found_at_ms = self.world.hub.now_ms + LONGEST_MS
        self.world.hub.spawn(self._delete_all, found_at_ms)
        return found_at_ms + SPREAD_MS

    def _delete_all(self) -> None:
        by_id = {order.job_id: order for order in self.orders}
        for tenant, job_id in list(self.world.table.jobs):
            at_ms = self.world.hub.now_ms + self.world.weather.rng.randint(0, SPREAD_MS)
            if job_id in by_id:
                self.cancel(by_id[job_id], at_ms)
            elif self.world.hub.now_ms >= self._asked_until:
                request(self.world, "cancel", partial(_delete, tenant, job_id), at_ms)

    @property
    def _asked_until(self) -> int:
        """From then on no client asks for the creation of a job."""
        return max(order.asked_at for order in self.orders) + LONGEST_MS

    def _create(self, cases: UseCases, order: Order) -> None:
        if order.acked_at is not None or (order.key is None and order.job_id is not None):
            return
        tenant = self.world.tenant(order.tenant)
        try:
            job: Any = cases.jobs.create_job.execute(tenant, new_job(order), order.key).job
        except ScheduleError:  # asked for so long that its schedule has ended
            return
        if order.acked_at is not None and order.key is None:
            # Asked twice without a key because the first answer was slow: two jobs, each with its promise.
            order = replace(order, cancel_asked_at=None, cancel_acked_at=None, cancelled=False)
            self.orders.append(order)
        self._accept(order, job)

    def _accept(self, order: Order, job: Any) -> None:
        """The client holds the answer."""
        order.job_id = job.job_id if hasattr(job, "job_id") else job.id
        order.created_at = job.created_at
        order.due_at = job.nominal_at if order.rhythm is None else None
        order.acked_at = self.world.hub.now_ms
        first_version(order)
        self.world.accepted.note(order.acked_at, order.tenant, str(order.job_id))
        self.world.note("client", "was answered 201", str(order.job_id))

    def _cancel(self, cases: UseCases, order: Order) -> None:
        if order.job_id is None or order.cancel_acked_at is not None:
            return
        order.cancel_asked_at = order.cancel_asked_at or self.world.hub.now_ms
        try:
            cases.core.cancel_job.execute(order.tenant, order.job_id)
            order.cancelled = True
        except (InvalidStateError, NotFoundError):
            order.cancelled = False
        order.cancel_acked_at = self.world.hub.now_ms
        answer = "yes" if order.cancelled else "too late"
        self.world.note("client", f"asked to cancel and was answered: {answer}", order.job_id)


def _delete(tenant: str, job_id: str, cases: UseCases) -> None:
    with suppress(NotFoundError):
        cases.core.cancel_job.execute(tenant, job_id)
