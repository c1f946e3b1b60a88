"""Receive an event: file one run for each trigger that it matches, and only then acknowledge it."""

from dataclasses import replace
from enum import StrEnum
from functools import partial

from shared.dataclass import dataclass
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.request import new_payload_id
from shared.domain.errors import (
    IdempotencyKeyReusedError,
    InvalidStateError,
    InvalidValueError,
    NotFoundError,
    ScheduleError,
)
from shared.domain.executions.retention import Retention
from shared.domain.ids import ENTROPY_BITS, ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.schedules.instants import check_once
from shared.domain.tenancy.tenant import Tenant
from shared.domain.triggers.event import DEDUPLICATION_SECONDS, Event, with_event
from shared.domain.triggers.pattern import Matching
from shared.domain.triggers.trigger import MAX_TRIGGERS, Trigger
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import IdempotencyRecord, IdempotencyStore, JobStore
from shared.ports.runtime import Clock, Entropy
from shared.ports.triggers import TriggerStore
from shared.usecases.chains.change_job import FindSettled
from shared.usecases.jobs.file_trigger import FileTrigger, require_open
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.requests.seal_request import seal_request
from shared.usecases.tenancy.check_quota import CheckQuota

Record = IdempotencyRecord[ExecutionId]


class Outcome(StrEnum):
    """What became of a trigger that an event matches. The values are the API's names."""

    FILED = "filed"
    REPEATED = "repeated"
    """The same event had filed the run before."""
    REFUSED = "refused"
    """The job has ended, or the event does not fit into its call. No run is filed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One trigger that an event matches."""

    trigger: Trigger
    outcome: Outcome
    execution_id: ExecutionId | None = None
    reason: str | None = None
    """Of a refusal."""


@dataclass(frozen=True, slots=True)
class ReceiveEvent:
    """Knows no transport. The ID of each run is stored under trigger, job, source and event before the run is filed, so
    a repeated event files the very same runs, and completes what a crash has left.

    The sender repeats the event until it is acknowledged: a crash before may have filed some of its runs.
    """

    triggers: TriggerStore
    find_settled: FindSettled
    file_trigger: FileTrigger
    store: ExecutionStore
    jobs: JobStore
    idempotency: IdempotencyStore
    open_request: OpenRequest
    vault: Vault
    check_quota: CheckQuota
    clock: Clock
    entropy: Entropy
    retention: Retention

    def execute(self, tenant: Tenant, event: Event, *, depth: int = 0) -> list[Match]:
        """The matched triggers, by name, after all their runs are durable. `depth` is that of the runs at least.

        InvalidValueError for an instant that cannot be, or for an event that takes too many comparisons. Then no run
        is filed, nor for these: IdempotencyKeyReusedError if a matched trigger had another event with the same source
        and ID within 24 hours, QuotaExceededError if the new runs do not all fit into their minutes. UnavailableError:
        send the event again.
        """
        now_ms = self.clock.now_ms()
        _check_instant(event, now_ms)
        fingerprint = self.vault.fingerprint(tenant, b"event|" + event.encoded)
        matching = Matching(event.document)
        # Concurrent creations can exceed the limit: only so many triggers count, always the same ones.
        triggers = self.triggers.all(tenant.id)[:MAX_TRIGGERS]
        matched = [trigger for trigger in triggers if trigger.matches(matching)]
        # All checks come before the first claim, so that a refused event leaves no record behind.
        prepared = [self._prepare(tenant, trigger, event, fingerprint, now_ms) for trigger in matched]
        self.check_quota.runs(tenant, [record.due_at for record, job in prepared if isinstance(job, Job)])
        return [
            self._start(tenant, trigger, event, record, new, depth)
            for trigger, (record, new) in zip(matched, prepared, strict=True)
        ]

    def _prepare(
        self, tenant: Tenant, trigger: Trigger, event: Event, fingerprint: bytes, now_ms: int
    ) -> tuple[Record, Job | Match | None]:
        """The record of the run. Beside that of a new run stands its job, or why it has none."""
        known = self.idempotency.find(tenant.id, _key(trigger, event), now_ms)
        if known is not None:
            return _checked(known, fingerprint), None
        return self._choose(trigger, event, fingerprint, now_ms), self._open_job(tenant, trigger)

    def _start(
        self,
        tenant: Tenant,
        trigger: Trigger,
        event: Event,
        chosen: Record,
        new: Job | Match | None,
        depth: int,
    ) -> Match:
        """`chosen` and `new` are what `_prepare` has returned."""
        existing = self.store.get(chosen.id) if new is None else None
        if existing is not None:
            self.file_trigger.file.ensure_sent(existing)
            return Match(trigger=trigger, outcome=Outcome.REPEATED, execution_id=existing.id)
        job = new or self._open_job(tenant, trigger)
        if isinstance(job, Match):
            return job
        try:
            record = chosen if new is None else self._claim(tenant, trigger, event, chosen)
            filed = self.file_trigger.execute(
                job,
                record.id,
                may_exist=record is not chosen,
                call_of=partial(self._call, tenant, event, record.id.dispatch_at, depth),
            )
        except (InvalidStateError, NotFoundError) as refused:
            return _refused(trigger, refused)
        outcome = Outcome.FILED if record.id == chosen.id else Outcome.REPEATED
        return Match(trigger=trigger, outcome=outcome, execution_id=filed.id)

    def _open_job(self, tenant: Tenant, trigger: Trigger) -> Job | Match:
        try:
            job = self.find_settled.execute(tenant.id, trigger.job_id)
            require_open(job, None)
        except (InvalidStateError, NotFoundError) as refused:
            return _refused(trigger, refused)
        return job

    def _choose(self, trigger: Trigger, event: Event, fingerprint: bytes, now_ms: int) -> Record:
        due_at = trigger.due_at(event, now_ms)
        return IdempotencyRecord(
            fingerprint=fingerprint,
            id=self.file_trigger.choose(trigger.job_id, due_at),
            created_at=now_ms,
            due_at=due_at,
            expires_at=now_ms + DEDUPLICATION_SECONDS * 1000,
        )

    def _claim(self, tenant: Tenant, trigger: Trigger, event: Event, chosen: Record) -> Record:
        """`chosen` itself, or what a concurrent request with the same event has chosen."""
        record = self.idempotency.claim(tenant.id, _key(trigger, event), chosen, chosen.created_at)
        return chosen if record == chosen else _checked(record, chosen.fingerprint)

    def _call(self, tenant: Tenant, event: Event, due_at: int, depth: int, job: Job) -> CallSpec:
        """The job's call with the event in its body. A large request is stored first, under an ID of this try alone,
        since the job may have changed when the run is tried again. Even without the event it is a copy, because the
        job's own one expires after a change of the job, and the run may be due years later.
        """
        call = replace(job.call, depth=max(depth, job.call.depth))
        request = self.open_request.described(tenant, job)
        informed = with_event(request, event)
        if informed is request and call.payload_id is None:
            return call
        sealed, payload = seal_request(
            self.vault,
            tenant,
            job.id,
            informed,
            call=call,
            payload_id=new_payload_id(job.id, self.entropy.bits(ENTROPY_BITS)),
            now_ms=self.clock.now_ms(),
            expires_at_s=self.retention.payload_expires_at_s(due_at),
        )
        if payload is not None:
            self.jobs.put_payload(payload)
        return sealed


def _refused(trigger: Trigger, error: InvalidStateError | NotFoundError) -> Match:
    return Match(trigger=trigger, outcome=Outcome.REFUSED, reason=str(error))


def _check_instant(event: Event, now_ms: int) -> None:
    try:
        check_once(now_ms if event.deliver_at is None else event.deliver_at, now_ms)
    except ScheduleError as error:
        text = str(error).removeprefix("at: ")
        raise InvalidValueError(f"deliver_at: {text}", path=("deliver_at",)) from error


def _checked(record: Record, fingerprint: bytes) -> Record:
    if record.fingerprint != fingerprint:
        raise IdempotencyKeyReusedError(
            "another event had this source and id within the last 24 hours: give each event an id of its own"
        )
    return record


def _key(trigger: Trigger, event: Event) -> str:
    """Line breaks keep it apart from the keys of clients. A trigger that gets another job starts anew."""
    return f"event\n{trigger.name}\n{trigger.job_id}\n{event.source}\n{event.id}"
