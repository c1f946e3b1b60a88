"""The clients: what they ask for, and what was acknowledged to them. The judge believes nothing else."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from shared.domain.errors import InvalidStateError, NotFoundError, UnavailableError
from shared.domain.new_job import After, Every, NewJob, Timing
from shared.domain.request import Request
from shared.domain.retry import RetryPolicy
from shared.domain.schedule import Cron
from tests.simulation.world import START_MS, TENANTS, Ports, World

LOAD_MS = 240_000
RETRY_MS = (200, 3_000)
TRIES = 8


@dataclass(slots=True, kw_only=True)
class Ordered:
    """One job as a client knows it. Instants are virtual time; None: not (yet) acknowledged."""

    tenant: str
    new: NewJob
    key: str | None
    asked_at: int
    job_id: str | None = None
    created_at: int | None = None
    """What the acknowledged job says of its own creation, by the clock of the API's process."""
    due_at: int | None = None
    acked_at: int | None = None
    cancel_asked_at: int | None = None
    cancel_acked_at: int | None = None
    cancelled: bool = False
    """Whether the acknowledged answer was yes."""

    @property
    def is_recurring(self) -> bool:
        """Whether it runs again and again."""
        return not isinstance(self.new.timing, After)


@dataclass(slots=True)
class Clients:
    """Everybody's orders."""

    world: World
    orders: list[Ordered] = field(default_factory=list)

    def start(self) -> None:
        """Draw the load of this seed and schedule it."""
        rng = self.world.rng
        for _ in range(rng.randint(6, 24)):
            self.order(After(rng.choice((0, 1, 3, 20, 60, 130, 200, rng.randint(0, 240)))))
        for _ in range(rng.randint(0, 3)):
            timing: Timing = Every(rng.choice((1, 2, 5, 17, 30, 75)))
            self.order(timing if rng.random() < 0.8 else Cron(line="* * * * *", timezone="Europe/Berlin"))

    def order(self, timing: Timing, cancelled: float = 0.3) -> None:
        """Ask for one job at some time of the load, and, with some probability, for its cancellation."""
        rng = self.world.rng
        tenant = rng.choice(TENANTS)
        number = len(self.orders)
        retry = RetryPolicy(
            max_attempts=rng.choice((1, 2, 3, 5)),
            base_seconds=rng.choice((1, 5, 30)),
            factor=2,
            cap_seconds=rng.choice((30, 120, 2_400)),
        )
        new = NewJob(
            timing=timing,
            request=Request(method="POST", url=f"https://{tenant}.example.com/{number}"),
            timeout_seconds=rng.choice((2, 10, 30)),
            retry=retry,
        )
        at_ms = START_MS + rng.randint(0, LOAD_MS)
        order = Ordered(
            tenant=tenant, new=new, key=f"k{number}" if rng.random() < 0.5 else None, asked_at=at_ms
        )
        self.orders.append(order)
        self._request("create", lambda ports: self._create(ports, order), at_ms)
        if not order.is_recurring and rng.random() < cancelled:
            self.cancel(order, at_ms + rng.randint(50, 200_000))

    def cancel(self, order: Ordered, at_ms: int) -> None:
        """Ask for a cancellation at some time, until it is answered."""
        self._request("cancel", lambda ports: self._cancel(ports, order), at_ms)

    def _request(self, kind: str, act: Callable[[Ports], Any], at_ms: int, tries: int = TRIES) -> None:
        """One HTTP request, in a process of its own; asked again when it was answered with 503 or not at all."""
        world = self.world
        process = world.process(kind)
        answered: list[bool] = []

        def run() -> None:
            try:
                act(Ports(world, process))
                answered.append(True)
            except UnavailableError:
                answered.append(False)

        def again() -> None:
            if not any(answered) and tries > 1:
                self._request(kind, act, world.hub.now_ms, tries - 1)

        process.spawn(run, at_ms)
        world.hub.spawn(again, at_ms + 30_000 + world.rng.randint(*RETRY_MS))

    def _create(self, ports: Ports, order: Ordered) -> None:
        if order.acked_at is not None or (order.key is None and order.job_id is not None):
            return
        created = ports.create_job()(self.world.tenant(order.tenant), order.new, order.key)
        if order.acked_at is not None and order.key is None:
            # Asked twice without a key because the first answer was slow: two jobs, each with its promise.
            order = replace(order, cancel_asked_at=None, cancel_acked_at=None, cancelled=False)
            self.orders.append(order)
        job: Any = created.job
        order.job_id = job.job_id if hasattr(job, "job_id") else job.id
        order.created_at = job.created_at
        order.due_at = None if order.is_recurring else job.nominal_at
        order.acked_at = self.world.hub.now_ms
        self.world.note(f"client acknowledged {order.job_id}")

    def _cancel(self, ports: Ports, order: Ordered) -> None:
        if order.job_id is None or order.cancel_acked_at is not None:
            return
        order.cancel_asked_at = order.cancel_asked_at or self.world.hub.now_ms
        try:
            ports.cancel_job()(order.tenant, order.job_id)
            order.cancelled = True
        except (InvalidStateError, NotFoundError):
            order.cancelled = False
        order.cancel_acked_at = self.world.hub.now_ms
        self.world.note(f"client cancelled {order.job_id}: {order.cancelled}")
