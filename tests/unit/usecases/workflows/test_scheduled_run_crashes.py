"""Executions that start workflows, whose processes crash or lose an answer at any of their port calls.

Whatever fails: one run begins, each task runs as the graph wants, and the execution ends as its run does.
"""

from collections.abc import Callable
from functools import partial

import pytest

from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidStateError, NotFoundError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job
from shared.domain.schedules.timing import Every
from shared.domain.workflows.identities import run_of
from shared.domain.workflows.run import RunState
from tests.support.builders import TENANT
from tests.support.usecases.moments import at_moment
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import node

CHAIN = (node("a"), node("b", "a"))
RETRY = RetryPolicy(max_attempts=4, delays_seconds=(1, 1, 1))
ENDS = {
    RunState.SUCCEEDED: State.SUCCEEDED,
    RunState.FAILED: State.FAILED,
    RunState.TIMED_OUT: State.FAILED,
    RunState.CANCELLED: State.CANCELLED,
}


def unavailable() -> None:
    raise UnavailableError("injected")


class Story:
    """A job that starts a workflow once, and a client that repeats its requests."""

    def __init__(self, *, fails: str = "", stops: bool = False) -> None:
        self.world = WorkflowWorld()
        for key in fails:
            self.world.answers[key] = FAILS
        self.workflow = self.world.define(*CHAIN, retry=RETRY)
        self.stops = stops
        self.job: Execution | None = None
        self.stopped_after: int | None = None
        """The calls that had been made, or whose attempts had begun, when a cancellation was acknowledged."""
        self.world.steps.taken.clear()

    def tell(self) -> None:
        self._insist(self._create)
        if self.stops:
            self._insist(self._work_one)
            self._insist(self.stop)
        self._insist(self.world.work)

    def judge(self) -> None:
        world = self.world
        world.steps.calm()
        world.recover()
        assert self.job is not None
        parent = world.standing(self.job.id)
        assert parent.state.is_terminal, f"the execution is {parent.state}"
        runs = [item.run for item in world.table.runs.values()]
        if not runs:
            assert (parent.state, world.sender.calls) == (State.CANCELLED, []), "no run began"
            return
        assert [run.id for run in runs] == [run_of(parent.id)]
        assert ENDS[runs[0].state] is parent.state, f"{runs[0].state} and {parent.state}"
        assert parent.attempt <= 1
        open_rows = [each for each in world.table.executions.values() if not each.execution.state.is_terminal]
        assert not open_rows
        assert world.ledger.open_before(1 << 40) == [], "a swept shard is open"
        if self.stopped_after is None and not self.stops:
            assert parent.state is (State.FAILED if world.answers else State.SUCCEEDED)
        if self.stopped_after is not None:
            assert len(world.sender.calls) <= self.stopped_after, "a call began after the cancellation"

    def _create(self) -> None:
        job = self.world.schedule(self.workflow, key="key")
        assert isinstance(job, Execution)
        self.job = job

    def _work_one(self) -> None:
        if self.world.queue.messages:
            self.world.work_one()

    def stop(self) -> None:
        """Cancel the job, if its creation was acknowledged and it goes on."""
        if self.job is None:
            return
        try:
            self.world.cancel_job.execute(TENANT, self.job.job_id, stop_retries=True)
        except (InvalidStateError, NotFoundError):
            return
        rows = (row.execution for row in self.world.table.executions.values())
        running = [each for each in rows if each.task is not None and each.state is State.RUNNING]
        self.stopped_after = len(self.world.sender.calls) + len(running)

    def _insist(self, act: Callable[[], object]) -> None:
        """One fault at most is planted."""
        try:
            act()
        except (Crash, UnavailableError):
            act()


STORIES = {
    "success": Story,
    "failure": lambda: Story(fails="b"),
    "cancellation": lambda: Story(stops=True),
}


@pytest.mark.parametrize("name", STORIES)
def test_a_scheduled_run_without_faults_ends_as_expected(name):
    story = STORIES[name]()
    story.tell()
    story.judge()
    assert story.stops == (story.stopped_after is not None)


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", [die, unavailable], ids=["crash", "no_answer"])
@pytest.mark.parametrize("name", STORIES)
def test_an_execution_ends_as_its_run_whatever_fails_at_any_step(name, fault):
    counted = STORIES[name]()
    counted.tell()
    for moment in range(2 * len(counted.world.steps.taken)):
        story = STORIES[name]()
        story.world.steps.at_each = at_moment(moment, fault)
        story.tell()
        try:
            story.judge()
        except AssertionError as error:
            raise AssertionError(f"moment {moment} of {counted.world.steps.taken[moment // 2]}") from error


@pytest.mark.exhaustive
def test_no_call_begins_after_a_cancellation_of_the_job_at_any_step():
    counted = Story()
    counted.tell()
    stopped = 0
    for moment in range(2 * len(counted.world.steps.taken)):
        story = Story()
        story.world.steps.at_each = at_moment(moment, story.stop)
        story.tell()
        story.world.steps.calm()
        stopped += story.stopped_after is not None
        story.stops = story.stopped_after is not None
        story.judge()
    assert 0 < stopped < 2 * len(counted.world.steps.taken), "some cancellations come too late"


@pytest.mark.exhaustive
def test_a_sweep_at_any_step_leaves_one_run_and_its_end():
    counted = Story()
    counted.tell()
    for moment in range(2 * len(counted.world.steps.taken)):
        story = Story()
        story.world.steps.at_each = at_moment(moment, story.world.sweep_after)
        story.tell()
        story.judge()


def _refused_once() -> tuple[WorkflowWorld, Job, Execution]:
    """The first instant of a job, whose run could not be put: the next worker reads the job before its run."""
    world = WorkflowWorld()
    job = world.schedule(world.define(*CHAIN), Every(60))
    assert isinstance(job, Job)
    [first] = world.occurrences(job).values()
    world.clock.time_ms = first.id.dispatch_at
    world.steps.fail("runs.put_if_absent", times=3)
    world.attempt(first)
    world.clock.time_ms += 60_000
    world.steps.taken.clear()
    return world, job, first


@pytest.mark.exhaustive
def test_an_execution_ends_as_its_run_when_a_deletion_of_its_job_begins_at_any_step():
    counted, _, first = _refused_once()
    counted.attempt(first)
    reasons = set()
    for moment in range(2 * len(counted.steps.taken)):
        world, job, first = _refused_once()
        # Its process dies after the first write.
        mark_deleting = world.cases.core.lifecycle.delete.mark_deleting
        world.steps.at_each = at_moment(moment, partial(mark_deleting.execute, job))
        world.attempt(first)
        world.steps.calm()
        world.cancel_job.execute(TENANT, job.id)
        world.recover()
        ended = world.standing(first.id)
        reasons.add(ended.progress.end_reason)
        runs = [item.run.state for item in world.table.runs.values()]
        assert [ENDS[state] for state in runs] in ([], [ended.state]), (
            f"moment {moment}: {runs}, {ended.state}"
        )
        assert ended.state is State.CANCELLED
        assert not world.called()
    assert reasons == {EndReason.JOB_DELETED, EndReason.CANCELLED}
