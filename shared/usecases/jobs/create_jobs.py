"""Accept many jobs in one request: each is accepted or refused by itself, and one that is bad sinks no other."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.domain.errors import (
    IdempotencyKeyReusedError,
    InvalidStateError,
    PunctualError,
    QuotaExceededError,
)
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.tenancy.tenant import Tenant
from shared.ports.jobs import Choice, Chosen, IdempotencyRecord, IdempotencyStore, OverQuota
from shared.ports.runtime import Clock
from shared.usecases.filing.file_batch import FileBatch
from shared.usecases.jobs.create_job import IDEMPOTENCY_MS, CreatedJob, standing_job
from shared.usecases.jobs.create_recurring import CreateRecurring
from shared.usecases.jobs.draft_job import DraftJob, Identity, demand_of
from shared.usecases.tenancy.check_quota import CheckQuota

_BATCH = b"batch\x00"
"""Tells the fingerprint of a batch from that of a job or a trigger under the same Idempotency-Key."""
Outcome = CreatedJob | PunctualError
Decision = Chosen | PunctualError | None


@dataclass(frozen=True, slots=True)
class CreateJobs:
    """Creates jobs of all kinds. A replay files the same identities again, which heals a crash in between."""

    draft: DraftJob
    file_batch: FileBatch
    create_recurring: CreateRecurring
    idempotency: IdempotencyStore
    check_quota: CheckQuota
    clock: Clock

    def execute(
        self,
        tenant: Tenant,
        wanted: Sequence[NewJob | None],
        *,
        spelling: bytes,
        idempotency_key: str | None = None,
    ) -> list[Outcome | None]:
        """The outcome for each job, in order; None for one that was none to begin with, and was refused by the caller.

        `spelling` is the whole request in one spelling, to tell two batches under the same key apart. An outcome is
        the accepted job, or the error that its creation alone would have raised. Raises what concerns them all:
        UnavailableError before anything was decided, IdempotencyKeyReusedError.
        """
        fingerprint = self.draft.vault.fingerprint(tenant, _BATCH + spelling)
        record, decisions, replayed = self._decide(tenant, wanted, idempotency_key, fingerprint)
        begun = [
            self._begin(tenant, new, decision, record.created_at)
            for new, decision in zip(wanted, decisions, strict=True)
        ]
        filed = iter(self.file_batch.execute([each for each in begun if isinstance(each, Execution)]))
        return [
            self._outcome(next(filed) if isinstance(each, Execution) else each, replayed=replayed)
            for each in begun
        ]

    def _decide(
        self, tenant: Tenant, wanted: Sequence[NewJob | None], key: str | None, fingerprint: bytes
    ) -> tuple[IdempotencyRecord[None], list[Decision], bool]:
        """What each job is, or why it is refused. A record that exists is read before anything is judged anew."""
        now_ms = self.clock.now_ms()
        known = self.idempotency.find(tenant.id, key, now_ms) if key is not None else None
        if known is None:
            decisions = self._choose(tenant, wanted, now_ms)
            record = IdempotencyRecord(
                fingerprint=fingerprint,
                id=None,
                created_at=now_ms,
                due_at=now_ms,
                expires_at=now_ms + IDEMPOTENCY_MS,
                batch=tuple(_choice(decision) for decision in decisions),
            )
            if key is None or not any(isinstance(decision, Chosen) for decision in decisions):
                return record, decisions, False
            known = self.idempotency.claim(tenant.id, key, record, now_ms)
            if known == record:
                return record, decisions, False
        if known.fingerprint != fingerprint:
            raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request body")
        recalled = zip(wanted, known.batch, strict=True)
        return known, [self._recall(new, choice, known.created_at) for new, choice in recalled], True

    def _choose(self, tenant: Tenant, wanted: Sequence[NewJob | None], now_ms: int) -> list[Decision]:
        decisions = [self._judge(new, now_ms) for new in wanted]
        demands = {
            number: demand_of(new, decision)
            for number, (new, decision) in enumerate(zip(wanted, decisions, strict=True))
            if new is not None and isinstance(decision, Chosen)
        }
        refusals = self.check_quota.jobs(tenant, list(demands.values()))
        for number, refusal in zip(demands, refusals, strict=True):
            decisions[number] = refusal or decisions[number]
        return decisions

    def _judge(self, new: NewJob | None, now_ms: int) -> Decision:
        if new is None:
            return None
        try:
            self.draft.check(new)
            return self.draft.choose(new, now_ms)
        except PunctualError as fault:
            return fault

    def _recall(self, new: NewJob | None, choice: Choice, created_at: int) -> Decision:
        """What was decided when the batch was first sent; a rule that was broken then is found broken again."""
        if isinstance(choice, Chosen):
            return choice
        if isinstance(choice, OverQuota):
            return QuotaExceededError(
                "the quota was used up when this batch was sent first", quota=choice.quota
            )
        judged = self._judge(new, created_at)
        if isinstance(judged, Chosen):
            return InvalidStateError("this job was refused when the batch was sent first")
        return judged

    def _begin(
        self, tenant: Tenant, new: NewJob | None, decision: Decision, created_at: int
    ) -> Execution | Job | PunctualError | None:
        """A recurring job as it stands; the draft of a one-off, which is filed together with the others."""
        if new is None or not isinstance(decision, Chosen):
            return None if isinstance(decision, Chosen) else decision
        try:
            fingerprint = self.draft.fingerprint(tenant, new)
            identity = Identity(chosen=decision, created_at=created_at, fingerprint=fingerprint)
            drafted = self.draft.execute(tenant, new, identity)
            return self.create_recurring.execute(drafted) if isinstance(drafted, Job) else drafted
        except PunctualError as fault:
            return fault

    def _outcome(self, stands: Execution | Job | PunctualError | None, *, replayed: bool) -> Outcome | None:
        if stands is None or isinstance(stands, PunctualError):
            return stands
        try:
            job = (
                standing_job(self.file_batch.file.store, stands) if isinstance(stands, Execution) else stands
            )
        except PunctualError as fault:
            return fault
        return CreatedJob(job=job, replayed=replayed)


def _choice(decision: Decision) -> Choice:
    if isinstance(decision, QuotaExceededError):
        return OverQuota(decision.quota)
    return decision if isinstance(decision, Chosen) else None
