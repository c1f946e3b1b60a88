"""Start a new chain of a recurring job whose old chain has ended."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import State
from shared.domain.jobs.dst_skips import dst_skip_records
from shared.domain.jobs.job import Chain, Definition, Job, JobState
from shared.domain.jobs.misfire import Succession, succession
from shared.domain.schedules.zone_changes import with_frozen_rules
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.file_successor import in_lane
from shared.usecases.filing.record_skipped_instants import RecordSkippedInstants, skipped_from


@dataclass(frozen=True, slots=True)
class StartChain:
    """Changes the job, the record of the old chain and the first execution in one transaction."""

    file: FileExecution
    jobs: JobStore
    record_skipped_instants: RecordSkippedInstants
    clock: Clock
    plan: ShardPlan
    retention: Retention
    archive_days: int

    def execute(
        self, before: Job, revision: int, definition: Definition, after_at: int, *, runs_before: int
    ) -> Job | None:
        """The active job with a chain that starts strictly after `after_at`; None if the job has changed
        since `before`.

        If the schedule has no later instant, the job becomes COMPLETED. On return the first execution is
        filed and, if due soon, its wake-up is sent, so the request may be acknowledged.
        """
        now_ms = self.clock.now_ms()
        after = self._renewed(before, revision, definition, after_at, runs_before, now_ms)
        skipped = self.record_skipped_instants.execute(before, after_at, now_ms)
        kept_until_s = self.retention.chain_expires_at_s(now_ms, self.archive_days)
        past = before.chain(after_at, kept_until_s, skipped_from(skipped))
        following = self._following(after, after_at, now_ms)
        records = [*skipped, *_jumped(after, following, now_ms)]
        if following is None or following.ends:
            return self._complete(before, after, past, records)
        after = replace(after, chain_from=following.nominal_at)
        draft = after.occurrence(following.nominal_at, created_at=now_ms, run=runs_before + 1)
        first = self.file.prepare(in_lane(draft, following))
        records += dst_skip_records(after, after_at, following.nominal_at, now_ms)
        expires_at_s = self.retention.records_expire_at_s((each.id.dispatch_at for each in records), now_ms)
        filed = [*records, first]
        if not self.jobs.replace(before, after, past=past, executions=filed, expires_at_s=expires_at_s):
            return None
        self.file.ensure_sent(first)
        return after

    def _following(self, job: Job, after_at: int, now_ms: int) -> Succession | None:
        if job.definition.max_runs is not None and job.runs_before >= job.definition.max_runs:
            return None
        return succession(job.schedule, after_at, now_ms, job.definition.catch_up)

    def _complete(self, before: Job, after: Job, past: Chain, records: list[Execution]) -> Job | None:
        """Complete the job. Its definition outlives every execution that may still ask for it."""
        skipped_until = [
            record.progress.missed.last_at for record in records if record.progress.missed is not None
        ]
        ended_at = max([past.history_until, *skipped_until])
        ended = replace(after, state=JobState.COMPLETED, ended_from=ended_at + 1, ended_through=ended_at)
        expires_at_s = self.retention.outlives_records_s(self.clock.now_ms())
        if not self.jobs.replace(before, ended, past=past, executions=records, expires_at_s=expires_at_s):
            return None
        return ended

    def _renewed(
        self,
        before: Job,
        revision: int,
        definition: Definition,
        after_at: int,
        runs_before: int,
        now_ms: int,
    ) -> Job:
        schedule = with_frozen_rules(definition.schedule, after_at, now_ms)
        return replace(
            before,
            definition=replace(definition, schedule=schedule),
            state=JobState.ACTIVE,
            revision=revision,
            chain_revision=revision,
            counts=self.plan.counts_at(bucket_of(now_ms)),
            history_from=after_at + 1,
            runs_before=runs_before,
            change=None,
            pause_reason=None,
            ended_from=None,
            ended_through=None,
        )


def _jumped(job: Job, following: Succession | None, now_ms: int) -> list[Execution]:
    """The record of the instants that the new chain skips at its start."""
    if following is None or following.missed is None:
        return []
    return [
        job.occurrence(following.immediate_at, created_at=now_ms, run=job.runs_before + 1).progressed(
            state=State.SKIPPED,
            end_reason=following.reason,
            missed=following.missed,
            ends_chain=following.ends,
        )
    ]
