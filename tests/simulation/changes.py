"""Clients that change their jobs: pause, resume, update, trigger, and edit or move what runs once.

Every change of a job that stands is asked for on condition of what its client saw (If-Match); where somebody else was
faster the client looks again. A client that finds its change made takes that for the answer.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import (
    PreconditionFailedError,
    PunctualError,
    UnavailableError,
    UnknownVersionError,
)
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Once
from tests.simulation.descriptions import described, recurs
from tests.simulation.evidence import Order
from tests.simulation.habits import FIRST_VERSION, Change, Habits, Version
from tests.simulation.requests import request
from tests.simulation.rhythms import Rhythm
from tests.simulation.world import World

Standing = Execution | Job
SLOW_CLOCK_MS = 2_500


def ask(world: World, order: Order, change: Change, at_ms: int) -> None:
    """Ask for a change at some time, until it is answered."""
    assert order.habits is not None
    order.habits.changes.append(change)
    request(world, change.verb, Asking(world, order, change), at_ms)


@dataclass(frozen=True, slots=True)
class Asking:
    """One client and its change."""

    world: World
    order: Order
    change: Change

    def __call__(self, cases: UseCases) -> None:
        """One try. UnavailableError: ask again."""
        change, order = self.change, self.order
        if order.acked_at is None or order.job_id is None or change.is_over or order.cancel_asked_at:
            return
        change.asked_at = change.asked_at or self.world.hub.now_ms
        change.tries += 1
        try:
            self._try(cases, order.job_id)
        except (PreconditionFailedError, UnavailableError, UnknownVersionError) as fault:
            raise UnavailableError("asked again") from fault
        except PunctualError as fault:
            self._refused(fault)

    def _refused(self, fault: PunctualError) -> None:
        """Where there were other tries it is not certain that nothing was changed."""
        self.change.refused = self.change.tries == 1
        self._note(f"was refused: {fault}")

    def _try(self, cases: UseCases, job_id: str) -> None:
        if self.change.verb == "trigger":
            self._trigger(cases, job_id)
            return
        standing = cases.core.find_job.execute(self.order.tenant, job_id)
        if self.change.is_over:  # another try was answered while this one was under way
            return
        if self._is_made(cases, standing):
            self._answered(cases, standing, None)
            return
        verb: Callable[[UseCases, Standing], Standing] = getattr(self, f"_{self.change.verb}")
        after = verb(cases, standing)
        made_from = standing.revision if after.revision > standing.revision else None
        self._answered(cases, after, made_from)

    def _is_made(self, cases: UseCases, standing: Standing) -> bool:
        """Whether an earlier try has had its effect, as the present description shows, unless it is still under way."""
        return (
            standing.state is not JobState.UPDATING
            and self._version_of(cases, standing) in self.change.versions
        )

    def _answered(self, cases: UseCases, after: Standing, made_from: int | None) -> None:
        change, shown = self.change, self._version_of(cases, after)
        if change.is_over:  # another try was answered while this one read its request
            return
        change.revision, change.state, change.made_from = after.revision, after.state.value, made_from
        change.shown = shown
        change.acked_at = self.world.hub.now_ms
        self._note(f"was answered: {change.state}, revision {change.revision}")

    def _note(self, text: str) -> None:
        self.world.note("client", f"{self.change.verb} {text}", str(self.order.job_id))

    def _pause(self, cases: UseCases, standing: Standing) -> Job:
        assert isinstance(standing, Job)
        return cases.core.lifecycle.pause.execute(self.order.tenant, standing.id, revision=standing.revision)

    def _resume(self, cases: UseCases, standing: Standing) -> Job:
        assert isinstance(standing, Job)
        return cases.core.lifecycle.resume.execute(self.order.tenant, standing.id, revision=standing.revision)

    def _trigger(self, cases: UseCases, job_id: str) -> None:
        """Under a key of its own; the second of two answers has to be the first."""
        number = next(number for number, one in enumerate(self.habits.changes) if one is self.change)
        key = f"trigger-{job_id}-{number}"
        triggered = cases.jobs.trigger_job.execute(self.world.tenant(self.order.tenant), job_id, key)
        self.change.answers.add(str(triggered.execution.id))
        self.change.acked_at = self.change.acked_at or self.world.hub.now_ms
        self._note(f"was answered: {triggered.execution.id}")

    def _update(self, cases: UseCases, standing: Standing) -> Standing:
        """Another payload, under the schedule that stands or under another one."""
        change, versions = self.change, self.habits.versions
        present = versions[self._version_of(cases, standing)]
        number = self._next_version()
        stays = change.rhythm is None or change.rhythm.is_same_line(present.rhythm)
        version = replace(present, number=number) if stays else self._rescheduled(number)
        versions[number] = version
        timing = recurs(self.order, version.rhythm, version.start_at)
        return self._revise(cases, standing, described(self.order, timing, number))

    def _rescheduled(self, number: int) -> Version:
        assert self.change.rhythm is not None
        return version_from(number, self.change.rhythm, self.change.start_at)

    def _edit(self, cases: UseCases, standing: Standing) -> Standing:
        """Another payload of a job that runs once, and maybe another time."""
        assert isinstance(standing, Execution)
        due_at = standing.nominal_at if self.change.due_at is None else self.change.due_at
        number = self._next_version()
        self.habits.dues[number] = due_at
        return self._revise(cases, standing, described(self.order, Once(at=due_at), number))

    def _revise(self, cases: UseCases, standing: Standing, new: NewJob) -> Standing:
        tenant = self.world.tenant(self.order.tenant)
        present = cases.core.open_request.execute(tenant, standing)
        return cases.jobs.revise_job.execute(tenant, standing, present, new, revision=standing.revision)

    def _version_of(self, cases: UseCases, job: Standing) -> int:
        """The number in the body that a job shows."""
        tenant = self.world.tenant(self.order.tenant)
        return int(cases.core.open_request.execute(tenant, job).body)

    def _next_version(self) -> int:
        number = self.habits.next_number()
        self.change.versions.append(number)
        return number

    @property
    def habits(self) -> Habits:
        """Those of the job."""
        assert self.order.habits is not None
        return self.order.habits


def first_version(order: Order) -> None:
    """The job was acknowledged: its client knows when it is due, or from when its schedule counts.

    Of a job with a key of its owner each request has a version of its own, the one that creates it as well.
    """
    if order.habits is None or order.created_at is None or order.own_key is not None:
        return
    if order.rhythm is None:
        order.habits.dues[FIRST_VERSION] = order.due_at or 0
        return
    order.habits.versions[FIRST_VERSION] = Version(
        number=FIRST_VERSION,
        rhythm=order.rhythm,
        since=order.created_at,
        start_at=order.created_at // 1000 * 1000,
    )


def version_from(number: int, rhythm: Rhythm, start_at: int) -> Version:
    """A description with a schedule of its own, from an instant on."""
    # A rate has its first instant at its start; a cron line fires from the change on, by a clock that may be slow.
    step_ms = (rhythm.every_seconds or 0) * 1000 or SLOW_CLOCK_MS
    return Version(number=number, rhythm=rhythm, since=start_at - step_ms, start_at=start_at)
