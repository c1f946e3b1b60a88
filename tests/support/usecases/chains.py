"""Chains of recurring jobs in every situation in which a deletion can find them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shared.domain.executions.execution import EARLY_MS, Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import Rate, first_after
from shared.ports.executions import Claim
from shared.usecases.attempts.guard_start import Admission
from tests.support.builders import DUE_AT, in_state, with_changes
from tests.support.usecases.world import World

MINUTE = 60_000
EVERY_SECOND = Rate(interval_ms=1_000, anchor=DUE_AT)
HOURS = 3_600_000


@dataclass(frozen=True, slots=True)
class Chain:
    """A world with one recurring job."""

    world: World
    job: Job
    """The job at the start of the situation."""
    starts: list[tuple[int, Execution]] = field(default_factory=list)
    """The claimed executions, each with the time of the claim."""

    @property
    def standing(self) -> Job:
        """The stored definition."""
        return self.world.table.jobs[self.job.tenant_id, self.job.id]

    def executions(self) -> list[Execution]:
        """Every stored execution of the job, of all its chains, earliest first."""
        rows = (row.execution for row in self.world.table.executions.values())
        found = [execution for execution in rows if execution.job_id == self.job.id]
        return sorted(found, key=lambda execution: (execution.nominal_at, execution.revision))

    @property
    def head(self) -> Execution:
        """The latest filed occurrence."""
        return list(self.world.occurrences(self.job).values())[-1]

    def run_head(self) -> None:
        """Start the head."""
        self.world.table.executions[self.head.id].execution = in_state(
            self.head, State.RUNNING, lease_until=self.world.clock.time_ms + 35_000
        )

    def running(self) -> list[Execution]:
        """The running executions."""
        return [execution for execution in self.executions() if execution.state is State.RUNNING]

    def claim_due(self) -> list[Execution]:
        """Claim every due execution."""
        now_ms = self.world.clock.time_ms
        due = [
            Claim(execution_id=execution.id, owner="executor")
            for execution in self.executions()
            if execution.state in NOT_STARTED and execution.id.dispatch_at <= now_ms + EARLY_MS
        ]
        answers = self.world.claimer.claim(due, now_ms)
        claimed = [answer for answer in answers if isinstance(answer, Execution)]
        self.starts.extend((now_ms, execution) for execution in claimed)
        return claimed

    def work(self) -> None:
        """Executors claim all due executions and file their successors."""
        for _ in range(3):
            for claimed in self.claim_due():
                self.world.file_successor.execute(claimed)

    def extend_lease(self, instants: int = 9) -> None:
        """Executors keep up with the schedule for this many instants."""
        for _ in range(instants):
            later_at = first_after(self.standing.schedule, self.world.clock.time_ms)
            if later_at is None:
                return
            self.world.clock.time_ms = later_at
            self.work()

    def delete(self) -> Job:
        """The operation under test."""
        return self.world.delete_job.execute(self.job.tenant_id, self.job.id)

    def pause(self) -> Job:
        return self.world.lifecycle.pause.execute(self.job.tenant_id, self.job.id)

    def resume(self) -> Job:
        return self.world.lifecycle.resume.execute(self.job.tenant_id, self.job.id)

    def update(self, revision: int | None = None, **parts: Any) -> Job:
        """Update from the stored definition."""
        standing = self.standing
        made = with_changes(standing.definition, **parts)
        expected = standing.revision if revision is None else revision
        return self.world.lifecycle.update.execute(standing.tenant_id, standing.id, made, revision=expected)

    def assert_ended(self) -> None:
        """No run of the job starts any more, now or much later, whatever is filed, redelivered or retried."""
        world, job = self.world, self.job
        assert world.table.jobs[job.tenant_id, job.id].state is JobState.DELETED
        self._assert_nothing_is_left()
        for later_ms in (0, 2_000, 10 * MINUTE, 24 * HOURS):
            world.clock.time_ms += later_ms
            for execution in world.occurrences(job).values():
                world.file_successor.execute(execution)
            self._assert_nothing_is_left()

    def _assert_nothing_is_left(self) -> None:
        for execution in self.world.occurrences(self.job).values():
            assert execution.state not in NOT_STARTED, f"{execution.nominal_at - DUE_AT} may still begin"
            assert execution.state is not State.WAITING, f"{execution.nominal_at - DUE_AT} may be retried"
            assert execution.state is not State.RUNNING or execution.progress.stop_retries


def fresh(now_ms: int = DUE_AT, **fields: Any) -> Chain:
    """A job whose first occurrence was just filed."""
    world = World(now_ms)
    return Chain(world, world.recurring(**fields))


def not_due_yet() -> Chain:
    """The first occurrence waits for its time."""
    return fresh(DUE_AT - 10 * MINUTE)


def due_now() -> Chain:
    """The head is due and unclaimed."""
    return fresh(DUE_AT, first_state=State.QUEUED)


def running() -> Chain:
    """The head runs and has not filed its successor yet."""
    chain = fresh(DUE_AT)
    chain.run_head()
    return chain


def running_ahead() -> Chain:
    """The head was claimed a moment before its time."""
    chain = fresh(DUE_AT - 1_400)
    chain.run_head()
    return chain


def running_with_successor() -> Chain:
    """The head runs, and its successor is filed."""
    chain = running()
    chain.world.file_successor.execute(chain.head)
    return chain


def retrying() -> Chain:
    """Two occurrences wait for retries, one runs, and the head is in the future."""
    chain = running_with_successor()
    for _ in range(2):
        chain.world.clock.time_ms += MINUTE
        chain.run_head()
        chain.world.file_successor.execute(chain.head)
    rows = chain.world.table.executions
    for execution in list(chain.world.occurrences(chain.job).values())[:2]:
        rows[execution.id].execution = with_changes(
            execution, state=State.WAITING, owner=None, lease_until=None, next_attempt_at=DUE_AT + 2 * HOURS
        )
    return chain


def every_second() -> Chain:
    """A job that is always about to run."""
    chain = fresh(DUE_AT, schedule=EVERY_SECOND)
    chain.work()
    return chain


def after_an_outage(missed: int = 3) -> Chain:
    """The head remained unclaimed while more instants passed."""
    return fresh(DUE_AT + missed * MINUTE + 30_000)


def running_after_an_outage(missed: int = 3) -> Chain:
    """The head was claimed late, and its worker is about to jump."""
    chain = after_an_outage(missed)
    chain.run_head()
    return chain


def after_a_jump(missed: int = 3) -> Chain:
    """The chain continued at the latest of many missed instants."""
    chain = running_after_an_outage(missed)
    chain.world.file_successor.execute(chain.head)
    assert len(chain.world.occurrences(chain.job)) == 3
    return chain


def held_up(runs: int, **parts: Any) -> Chain:
    """The first run has not ended; the second waits for it, and those after it were skipped one by one."""
    chain = fresh(DUE_AT, overlap_policy=OverlapPolicy.QUEUE_ONE, **parts)
    world = chain.world
    assert world.guard_start.execute(chain.head) is Admission.START
    world.file_successor.execute(chain.head)
    first = world.standing(chain.job.id_at(DUE_AT))
    world.table.executions[first.id].execution = in_state(first, State.RUNNING, lease_until=DUE_AT + HOURS)
    for _ in range(runs):
        world.clock.time_ms += MINUTE
        world.guard_start.execute(chain.head)
    assert world.standing(chain.job.id_at(DUE_AT + MINUTE)).state in NOT_STARTED
    return chain


SITUATIONS: list[Callable[[], Chain]] = [
    not_due_yet,
    due_now,
    running,
    running_ahead,
    running_with_successor,
    retrying,
    every_second,
    after_an_outage,
    running_after_an_outage,
    after_a_jump,
]


def next_of(chain: Chain, after_ms: int) -> int:
    """The first instant of the chain's schedule after another."""
    found = first_after(chain.job.schedule, after_ms)
    assert found is not None
    return found
