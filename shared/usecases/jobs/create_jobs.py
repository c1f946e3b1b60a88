"""Accept many jobs in one request. Each job is accepted or refused independently of the others."""

from collections.abc import Sequence

from shared.dataclass import dataclass
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
from shared.ports.executions import WriteUnknown
from shared.ports.jobs import AssignedId, Choice, IdempotencyRecord, IdempotencyStore, OverQuota
from shared.ports.runtime import Clock
from shared.usecases.filing.file_batch import FileBatch, error_of
from shared.usecases.jobs.create_job import IDEMPOTENCY_MS, CreatedJob, current_job
from shared.usecases.jobs.create_recurring import CreateRecurring
from shared.usecases.jobs.draft_job import Draft, DraftJob, Identity, demand_of
from shared.usecases.tenancy.check_quota import CheckQuota

_BATCH = b"batch\x00"
"""Keeps the fingerprint of a batch apart from that of a job or trigger with the same Idempotency-Key."""
Outcome = CreatedJob | PunctualError
Decision = AssignedId | PunctualError | None
Drafted = Draft | PunctualError | None


@dataclass(frozen=True, slots=True)
class CreateJobs:
    """Creates jobs of all kinds. A replay files the same IDs again, which completes a crashed request."""

    draft: DraftJob
    file_batch: FileBatch
    create_recurring: CreateRecurring
    idempotency: IdempotencyStore
    check_quota: CheckQuota
    clock: Clock

    def execute(
        self,
        tenant: Tenant,
        requested: Sequence[NewJob | None],
        *,
        spelling: bytes,
        idempotency_key: str | None = None,
    ) -> list[Outcome | None]:
        """The outcome of each job, in order; None for an entry that the caller had already refused as
        invalid.

        `spelling` is the canonical request, which distinguishes two batches with the same key. An outcome is
        the accepted job, or the error that creating that job alone would have raised. Raised for the whole
        batch: UnavailableError before any decision was stored, IdempotencyKeyReusedError.
        """
        tenant = self.draft.with_secrets(tenant, requested)
        fingerprint = self.draft.vault.fingerprint(tenant, _BATCH + spelling)
        record, decisions, replayed = self._decide(tenant, requested, idempotency_key, fingerprint)
        drafts = [
            self._draft(tenant, new, decision, record.created_at)
            for new, decision in zip(requested, decisions, strict=True)
        ]
        begun = [self._begin(draft) for draft in self._with_payloads(drafts)]
        filed = iter(self.file_batch.execute([each for each in begun if isinstance(each, Execution)]))
        return [
            self._outcome(next(filed) if isinstance(each, Execution) else each, replayed=replayed)
            for each in begun
        ]

    def _decide(
        self, tenant: Tenant, requested: Sequence[NewJob | None], key: str | None, fingerprint: bytes
    ) -> tuple[IdempotencyRecord[None], list[Decision], bool]:
        """The ID of each job, or the error that refuses it.

        An existing record is read before any check, so that a replay repeats the stored decisions.
        """
        now_ms = self.clock.now_ms()
        known = self.idempotency.find(tenant.id, key, now_ms) if key is not None else None
        if known is None:
            decisions = self._choose(tenant, requested, now_ms)
            record = IdempotencyRecord(
                fingerprint=fingerprint,
                id=None,
                created_at=now_ms,
                due_at=now_ms,
                expires_at=now_ms + IDEMPOTENCY_MS,
                batch=tuple(_choice(decision) for decision in decisions),
            )
            if key is None or not any(isinstance(decision, AssignedId) for decision in decisions):
                return record, decisions, False
            known = self.idempotency.claim(tenant.id, key, record, now_ms)
            if known == record:
                return record, decisions, False
        if known.fingerprint != fingerprint:
            raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request body")
        recalled = zip(requested, known.batch, strict=True)
        return known, [self._recall(tenant, new, choice, known.created_at) for new, choice in recalled], True

    def _choose(self, tenant: Tenant, requested: Sequence[NewJob | None], now_ms: int) -> list[Decision]:
        decisions = [self._judge(tenant, new, now_ms) for new in requested]
        demands = {
            number: demand_of(new, decision)
            for number, (new, decision) in enumerate(zip(requested, decisions, strict=True))
            if new is not None and isinstance(decision, AssignedId)
        }
        refusals = self.check_quota.jobs(tenant, list(demands.values()))
        for number, refusal in zip(demands, refusals, strict=True):
            decisions[number] = refusal or decisions[number]
        return decisions

    def _judge(self, tenant: Tenant, new: NewJob | None, now_ms: int) -> Decision:
        if new is None:
            return None
        try:
            self.draft.check(tenant, new)
            return self.draft.choose(new, now_ms)
        except PunctualError as error:
            return error

    def _recall(self, tenant: Tenant, new: NewJob | None, choice: Choice, created_at: int) -> Decision:
        """The decision of the first request. A check that failed then fails again."""
        if isinstance(choice, AssignedId):
            return choice
        if isinstance(choice, OverQuota):
            return QuotaExceededError(
                "the quota was used up when this batch was sent first", quota=choice.quota
            )
        judged = self._judge(tenant, new, created_at)
        if isinstance(judged, AssignedId):
            return InvalidStateError("this job was refused when the batch was sent first")
        return judged

    def _draft(self, tenant: Tenant, new: NewJob | None, decision: Decision, created_at: int) -> Drafted:
        if new is None or not isinstance(decision, AssignedId):
            return None if isinstance(decision, AssignedId) else decision
        try:
            fingerprint = self.draft.fingerprint(tenant, new)
            identity = Identity(chosen=decision, created_at=created_at, fingerprint=fingerprint)
            return self.draft.execute(tenant, new, identity)
        except PunctualError as error:
            return error

    def _with_payloads(self, drafts: Sequence[Drafted]) -> list[Drafted]:
        """The drafts whose large requests are stored; an error in place of a draft whose request may not be."""
        payloads = [each.payload for each in drafts if isinstance(each, Draft) and each.payload is not None]
        if not payloads:
            return list(drafts)
        stored = iter(self.file_batch.batches.put_payloads(payloads))
        return [
            _unknown(each, next(stored)) if isinstance(each, Draft) and each.payload is not None else each
            for each in drafts
        ]

    def _begin(self, draft: Drafted) -> Execution | Job | PunctualError | None:
        """The stored recurring job, or the one-off job, which is filed together with the others."""
        if not isinstance(draft, Draft):
            return draft
        try:
            return self.create_recurring.execute(draft.job) if isinstance(draft.job, Job) else draft.job
        except PunctualError as error:
            return error

    def _outcome(self, result: Execution | Job | PunctualError | None, *, replayed: bool) -> Outcome | None:
        if result is None or isinstance(result, PunctualError):
            return result
        try:
            job = current_job(self.file_batch.file.store, result) if isinstance(result, Execution) else result
        except PunctualError as error:
            return error
        return CreatedJob(job=job, replayed=replayed)


def _unknown(draft: Draft, failure: WriteUnknown | None) -> Drafted:
    return draft if failure is None else error_of(failure)


def _choice(decision: Decision) -> Choice:
    if isinstance(decision, QuotaExceededError):
        return OverQuota(decision.quota)
    return decision if isinstance(decision, AssignedId) else None
