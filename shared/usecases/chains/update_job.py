"""Update the definition of a recurring job."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError, UnavailableError
from shared.domain.executions.retention import Retention
from shared.domain.jobs.job import ENDED, Definition, Job, JobState
from shared.domain.schedules.zone_changes import with_frozen_rules
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.chains.change_job import TRIES, FindSettled, check_revision
from shared.usecases.chains.complete_transition import CompleteTransition
from shared.usecases.filing.record_skipped_instants import RecordSkippedInstants, skipped_from
from shared.usecases.filing.resend_chain_head import ResendChainHead


@dataclass(frozen=True, slots=True)
class UpdateJob:
    """Started executions continue unchanged; all others follow the new definition."""

    jobs: JobStore
    find_settled: FindSettled
    settle: CompleteTransition
    record_skipped_instants: RecordSkippedInstants
    resend_chain_head: ResendChainHead
    clock: Clock
    retention: Retention
    archive_days: int

    def execute(self, tenant_id: str, job_id: str, definition: Definition, *, revision: int) -> Job:
        """The job under its new definition.

        `revision` is the one that the definition was derived from: PreconditionFailedError if the job has
        another. InvalidStateError if the job has ended.
        """
        for _ in range(TRIES):
            job = self.find_settled.execute(tenant_id, job_id)
            if job.state in ENDED:
                raise InvalidStateError(f"the job is {job.state}")
            check_revision(job, revision)
            updated = self._update(job, definition)
            if updated is not None:
                return updated
        raise UnavailableError("the job is being changed by others")

    def _update(self, job: Job, definition: Definition) -> Job | None:
        """The updated job; None if a concurrent change was faster."""
        now_ms = self.clock.now_ms()
        definition = definition.keeping_zone_rules_of(job)
        if not definition.needs_new_chain_after(job.definition):
            renamed = replace(job, definition=definition, revision=job.revision + 1, changed_at=now_ms)
            if not self.jobs.replace(job, renamed):
                return None
            if definition == job.definition:  # An earlier request may have crashed before its message.
                self.resend_chain_head.execute(renamed)
            return renamed
        if job.state is JobState.PAUSED:
            return self._update_paused(job, definition, now_ms)
        updating = replace(
            job,
            state=JobState.UPDATING,
            revision=job.revision + 1,
            change=definition,
            changed_at=now_ms,
        )
        if not self.jobs.replace(job, updating):
            return None
        return self.settle.execute(updating) or self._finished_by_a_rival(job)

    def _finished_by_a_rival(self, job: Job) -> Job:
        """The process that completed the transition may have crashed between its write and its message."""
        existing = self.find_settled.execute(job.tenant_id, job.id)
        self.resend_chain_head.execute(existing)
        return existing

    def _update_paused(self, job: Job, definition: Definition, now_ms: int) -> Job | None:
        """The old definition accounts for the instants skipped up to now, the new definition for later
        ones."""
        until = max(now_ms, (job.ended_from or 0) - 1)
        schedule = with_frozen_rules(definition.schedule, until, now_ms)
        updated = replace(
            job,
            definition=replace(definition, schedule=schedule),
            revision=job.revision + 1,
            chain_revision=job.revision + 1,
            chain_from=until + 1,
            history_from=until + 1,
            changed_at=now_ms,
            ended_from=until + 1,
            ended_through=until,
        )
        records = self.record_skipped_instants.execute(job, until, now_ms)
        kept_until_s = self.retention.chain_expires_at_s(now_ms, self.archive_days)
        is_written = self.jobs.replace(
            job,
            updated,
            past=job.chain(until, kept_until_s, skipped_from(records)),
            executions=records,
            expires_at_s=self.retention.records_expire_at_s(
                (each.id.dispatch_at for each in records), now_ms
            ),
        )
        return updated if is_written else None
