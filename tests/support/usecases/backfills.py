"""A job with past instants, its backfill, and the calls to receivers."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from shared.domain.delivery.callback import Callback
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_backfill import NewBackfill
from shared.domain.schedules.schedule import Rate, format_instant
from shared.usecases.jobs.backfill_job import CreatedBackfill
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.world import World

HOUR = 3_600_000
HOURLY = Rate(interval_ms=HOUR, anchor=DUE_AT - 100 * HOUR)
RANGE = NewBackfill(from_at=DUE_AT - 50 * HOUR, to_at=DUE_AT - 46 * HOUR)
WANTED = [DUE_AT - hours * HOUR for hours in (50, 49, 48, 47)]
"""The instants of the job, counted by hand."""
KEY = "the-key"


@dataclass(slots=True)
class Case:
    """A world with a job that has a backfill."""

    world: World
    job: Job
    made: Job | None = None

    def ask(self, new: NewBackfill = RANGE, key: str | None = KEY) -> CreatedBackfill:
        """The request of a client."""
        answer = self.world.backfill_job.execute(self.world.tenant, self.job.id, new, key)
        self.made = answer.job
        return answer

    def delete(self, job_id: str | None = None) -> Job:
        """DELETE of the job."""
        return self.world.delete_job.execute(TENANT, job_id or self.job.id)

    def until(self, seconds: int) -> None:
        """Let executors work for this long."""
        Lanes(self.world).until(self.world.clock.time_ms + seconds * 1000)

    @property
    def parent(self) -> Job:
        """The stored job."""
        return self.world.table.jobs[TENANT, self.job.id]

    @property
    def child(self) -> Job:
        """The stored backfill."""
        (backfill,) = self.backfills()
        return backfill

    def backfills(self) -> list[Job]:
        """All stored backfills."""
        return [job for job in self.world.table.jobs.values() if job.id.startswith(f"{self.job.id}_")]

    def executions(self) -> list[Execution]:
        """The executions of all backfills."""
        rows = (row.execution for row in self.world.table.executions.values())
        found = [execution for execution in rows if execution.job_id.startswith(f"{self.job.id}_")]
        return sorted(found, key=lambda execution: (execution.nominal_at, execution.revision))

    def calls(self) -> list[Callback]:
        """The calls of backfills."""
        sent = [call.callback for call in self.world.sender.calls]
        return [callback for callback in sent if dict(callback.headers)["X-Job-Id"] != self.job.id]

    def told(self) -> list[str]:
        """The instants that they were told."""
        return [dict(callback.headers)["X-Scheduled-At"] for callback in self.calls()]

    def assert_made_up_for(self) -> None:
        """Each instant of the range has one run and one call."""
        assert self.told() == [format_instant(instant) for instant in WANTED]
        ran = [one for one in self.executions() if one.state is State.SUCCEEDED]
        assert Counter(one.scheduled_at for one in ran) == Counter(WANTED)
        assert self.child.state is JobState.COMPLETED

    def assert_ended(self) -> None:
        """No run of a backfill starts any more, even much later and even if messages are redelivered."""
        made = len(self.calls())
        for backfill in self.backfills():
            assert backfill.state is JobState.DELETED
        for later_ms in (0, 2_000, 10 * 60_000, 24 * HOUR):
            self.world.clock.time_ms += later_ms
            for execution in self.executions():
                self.world.file_successor.execute(execution)
                assert execution.state not in (*NOT_STARTED, State.WAITING)
                assert execution.state is not State.RUNNING or execution.progress.stop_retries
        self.until(60)
        assert len(self.calls()) == made


def hourly(**overrides: Any) -> Case:
    """An hourly job that is due in an hour."""
    world = World(DUE_AT)
    fields: dict[str, Any] = {
        "schedule": HOURLY,
        "chain_from": DUE_AT + HOUR,
        "created_at": DUE_AT - 100 * HOUR,
    }
    return Case(world, world.recurring(**fields | overrides))
