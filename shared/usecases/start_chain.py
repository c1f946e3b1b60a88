"""Begin a new chain of a recurring job whose old one has ended."""

from dataclasses import dataclass, replace

from shared.domain.bucket import ShardPlan, bucket_of, is_near
from shared.domain.execution import EndReason, Execution, Missed, State
from shared.domain.job import Definition, Job, JobState
from shared.domain.misfire import COUNT_LIMIT, Succession, succession
from shared.domain.retention import Retention
from shared.domain.schedule import count_between, first_after, latest_at_or_before
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.file_execution import FileExecution


@dataclass(frozen=True, slots=True)
class StartChain:
    """Job, old chain's record and first execution change in one transaction, so that none can be without the others."""

    file: FileExecution
    jobs: JobStore
    clock: Clock
    plan: ShardPlan
    retention: Retention

    def __call__(
        self, before: Job, revision: int, definition: Definition, after_at: int, *, runs_before: int
    ) -> Job | None:
        """The active job, whose chain begins strictly after `after_at`; None where the job is not `before` any more.

        A job whose schedule has nothing after that is COMPLETED. The acknowledgement may follow: the first execution
        is filed and, where that is due, sent for.
        """
        now_ms = self.clock.now_ms()
        after = replace(
            self._renewed(before, revision, definition, after_at, now_ms), runs_before=runs_before
        )
        following = self._following(after, after_at, now_ms)
        records = passed_over(before, after_at, now_ms)
        if following is None or following.ends:
            if following is not None:
                records = [*records, *_jumped(after, following, now_ms)]
            ended = replace(after, state=JobState.COMPLETED, ended_from=after_at + 1, ended_through=after_at)
            return ended if self._replace(before, ended, records, after_at, now_ms) else None
        after = replace(after, chain_from=following.nominal_at)
        first = self._first(after, following, now_ms)
        self.file.reopen_if_closed(first.id)
        jumped = _jumped(after, following, now_ms)
        if not self._replace(before, after, [*records, *jumped, first], after_at, now_ms):
            return None
        self.file.ensure_sent(first)
        return after

    def _following(self, job: Job, after_at: int, now_ms: int) -> Succession | None:
        if job.max_runs is not None and job.runs_before >= job.max_runs:
            return None
        return succession(job.schedule, after_at, now_ms, job.catch_up)

    def _renewed(self, before: Job, revision: int, definition: Definition, after_at: int, now_ms: int) -> Job:
        return replace(
            before.redefined(definition),
            state=JobState.ACTIVE,
            revision=revision,
            chain_revision=revision,
            counts=self.plan.counts_at(bucket_of(now_ms)),
            history_from=after_at + 1,
            change=None,
            pause_reason=None,
            ended_from=None,
            ended_through=None,
        )

    def _first(self, job: Job, following: Succession, now_ms: int) -> Execution:
        first = job.occurrence(following.nominal_at, created_at=now_ms, run=job.runs_before + 1)
        return replace(first, state=State.QUEUED if is_near(first.id.bucket, now_ms) else State.PENDING)

    def _replace(
        self, before: Job, after: Job, executions: list[Execution], after_at: int, now_ms: int
    ) -> bool:
        return self.jobs.replace(
            before,
            after,
            past=before.chain(after_at, self.retention.outlives_records_s(now_ms)),
            executions=executions,
            expires_at_s=self.retention.expires_at_s(now_ms),
        )


def passed_over(before: Job, until: int, now_ms: int) -> list[Execution]:
    """The one record, in the old chain, of the instants that a paused job passed over; none where there are none."""
    if before.ended_through is None:
        return []
    first_at = first_after(before.schedule, before.ended_through)
    if first_at is None or first_at > until:
        return []
    missed = Missed(
        count=count_between(before.schedule, first_at - 1, until, COUNT_LIMIT),
        first_at=first_at,
        last_at=latest_at_or_before(before.schedule, until, first_at) or first_at,
        resumed_at=until,
    )
    return [
        replace(
            before.occurrence(first_at, created_at=now_ms),
            state=State.SKIPPED,
            end_reason=EndReason.JOB_PAUSED,
            missed=missed,
            ends_chain=True,
        )
    ]


def _jumped(job: Job, following: Succession, now_ms: int) -> list[Execution]:
    """The record of instants that the new chain passes over at its very beginning."""
    if following.missed is None:
        return []
    return [
        replace(
            job.occurrence(following.immediate_at, created_at=now_ms),
            state=State.SKIPPED,
            end_reason=following.reason,
            missed=following.missed,
            ends_chain=following.ends,
        )
    ]
