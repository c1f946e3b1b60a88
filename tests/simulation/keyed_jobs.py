"""Clients that describe jobs by keys of their owners: each request has the whole description, and may come again.

What they ask for is drawn from a stream of its own, so that seeds without them run as they would without this file.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from functions.api.context import Context
from functions.api.http.request import AuthenticatedRequest
from functions.api.resources.jobs.keyed_routes import Described
from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import PunctualError, UnavailableError, UnknownVersionError
from shared.domain.jobs.job import Job
from shared.domain.tenancy.tenant import ApiKey, Tenant
from shared.usecases.jobs import put_job
from shared.usecases.tenancy.authenticate import Principal
from tests.simulation.changes import ask, version_from
from tests.simulation.descriptions import described, recurs
from tests.simulation.evidence import Order
from tests.simulation.habits import Change, Habits, OwnKey, Version
from tests.simulation.requests import request
from tests.simulation.rhythms import Rhythm
from tests.simulation.world import World

SHARE = 0.4
"""So many runs have such jobs."""
RIVAL_MS = 60
"""Two clients that want something at the same time ask within so long."""

Accept = Callable[[Order, Any], None]
"""Notes the first answer that shows the job."""


class KeyedJobs:
    """The owners of keys, who send descriptions until `until_ms`."""

    def __init__(self, world: World, until_ms: int, accept: Accept) -> None:
        self._world = world
        self._until_ms = until_ms
        self._accept = accept
        self._rng = Random(f"keyed jobs {world.seed}")
        self.is_on = self._rng.random() < SHARE

    def draw(self, make: Callable[[Random], Order], rhythm: Callable[[Random], Rhythm]) -> Iterator[Order]:
        """The orders, each with its requests; `make` draws a job that recurs and is changed."""
        for _ in range(self._rng.randint(1, 2) if self.is_on else 0):
            order = make(self._rng)
            order.key, order.own_key = None, OwnKey(name=f"own.{order.number}")
            self._draw_requests(order, rhythm)
            yield order

    def _draw_requests(self, order: Order, rhythm: Callable[[Random], Rhythm]) -> None:
        """Some orders keep their schedule, and have other payloads alone."""
        rng, at_ms = self._rng, order.asked_at
        keeps_schedule = rng.random() < 0.5
        drawn: list[Version] = []

        def describe(at_ms: int) -> Version:
            assert order.habits is not None and order.rhythm is not None
            number = order.habits.next_number()
            if keeps_schedule:
                return version_from(number, order.rhythm, order.asked_at // 1000 * 1000)
            version = version_from(number, rhythm(rng), at_ms // 1000 * 1000)
            drawn.append(version)
            return under_same_line(version, drawn)

        for _ in range(rng.randint(1, 5)):
            version = describe(at_ms)
            self.put(order, version, at_ms, keeps_schedule=keeps_schedule)
            if rng.random() < 0.4:
                rival_at = at_ms + rng.randint(0, RIVAL_MS)
                self.put(order, describe(rival_at), rival_at, keeps_schedule=keeps_schedule)
            elif rng.random() < 0.3:
                self.put(order, version, at_ms + rng.randint(0, 20_000), keeps_schedule=keeps_schedule)
            if rng.random() < 0.4:
                verb = rng.choice(("pause", "resume", "resume", "trigger"))
                ask(self._world, order, Change(verb=verb), at_ms + rng.randint(1_000, 20_000))
            at_ms += rng.choice((rng.randint(1_000, 20_000), rng.randint(10_000, 60_000)))
            if at_ms > self._until_ms:
                return

    def put(self, order: Order, version: Version, at_ms: int, *, keeps_schedule: bool) -> Change:
        """Send a description at some time, until it is answered."""
        assert order.habits is not None
        change = Change(
            verb="update",
            versions=[version.number],
            rhythm=None if keeps_schedule else version.rhythm,
            start_at=version.start_at,
            is_absolute=True,
        )
        order.habits.changes.append(change)
        request(self._world, "put", Putting(self._world, order, change, version, self._accept), at_ms)
        return change


def under_same_line(version: Version, drawn: list[Version]) -> Version:
    """The version, with the instants of every other one that has its cron line.

    One that stood before may have left runs that have not begun: they get the payload of this one.
    """
    alike = [one.since for one in drawn if version.rhythm.is_same_line(one.rhythm)]
    return replace(version, since=min(version.since, *alike)) if alike else version


@dataclass(frozen=True, slots=True)
class Putting:
    """One client and its description. What differs from the job that stands is judged by the API itself."""

    world: World
    order: Order
    change: Change
    version: Version
    accept: Accept

    def __call__(self, cases: UseCases) -> None:
        """One try. UnavailableError: ask again."""
        change, order = self.change, self.order
        if change.is_over or order.cancel_asked_at is not None:
            return
        change.asked_at = change.asked_at or self.world.hub.now_ms
        change.tries += 1
        self._habits.versions[self.version.number] = self.version
        tenant = self.world.tenant(order.tenant)
        try:
            put = self._put(cases, tenant)
            assert put.after is not None
            shown = int(cases.core.open_request.execute(tenant, put.after).body)
        except (UnavailableError, UnknownVersionError):
            raise
        except PunctualError as fault:
            change.refused = change.tries == 1
            self.world.note("client", f"put was refused: {fault}", str(order.job_id))
            return
        self._answered(put, shown)

    def _put(self, cases: UseCases, tenant: Tenant) -> put_job.JobPut:
        order, version = self.order, self.version
        assert order.own_key is not None
        new = described(order, recurs(order, version.rhythm, version.start_at), version.number)
        description = Described(Context(cases), _request_of(tenant), new)
        return cases.jobs.put_job.execute(
            tenant,
            order.own_key.name,
            description.wanted,
            differs=description.differs,
            revise=description.revise,
            precondition=_any_revision,
        )

    def _answered(self, put: put_job.JobPut, shown: int) -> None:
        """Once the deletion is asked for, a late request creates the job anew: that is no promise any more."""
        change, order, job = self.change, self.order, put.after
        assert order.own_key is not None and job is not None
        if change.is_over or order.cancel_asked_at is not None:
            return
        order.own_key.answered_with.add(job.id)
        change.revision, change.state, change.shown = job.revision, job.state.value, shown
        if put.change is put_job.Change.UPDATED and put.before is not None:
            change.made_from = put.before.revision
        change.acked_at = self.world.hub.now_ms
        if order.acked_at is None:
            self.accept(order, job)
        self.world.note("client", f"put was answered: {put.change}, revision {job.revision}", job.id)

    @property
    def _habits(self) -> Habits:
        assert self.order.habits is not None
        return self.order.habits


def _any_revision(_standing: Job | None) -> None:
    """Clients whose descriptions count whatever others have made of the job."""


def _request_of(tenant: Tenant) -> AuthenticatedRequest:
    """As the API has it once a key of the tenant was checked."""
    key = ApiKey(id="put", tenant_id=tenant.id, secret_hash=b"", scopes=frozenset(), created_at=0)
    return AuthenticatedRequest(Principal(tenant=tenant, key=key), b"")


def note_stored(world: World, orders: list[Order]) -> None:
    """Show the oracle every job that was ever stored under a key."""
    for order in orders:
        if order.own_key is not None:
            order.own_key.stored = {
                job.id: job.created_at
                for job in world.table.jobs.values()
                if (job.tenant_id, job.key) == (order.tenant, order.own_key.name)
            }
