"""Receive an event: file one run for each trigger that it matches, and only then acknowledge it."""

from dataclasses import replace
from enum import StrEnum
from functools import partial

from shared.dataclass import dataclass
from shared.domain.delivery.call_kind import CallKind
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
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.schedules.instants import check_once
from shared.domain.tenancy.tenant import Tenant
from shared.domain.triggers.event import DEDUPLICATION_SECONDS, Event, with_event
from shared.domain.triggers.trigger import Trigger
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import IdempotencyRecord, IdempotencyStore, JobStore
from shared.ports.runtime import Clock
from shared.ports.triggers import TriggerStore
from shared.usecases.chains.change_job import FindSettled
from shared.usecases.jobs.file_trigger import FileTrigger, require_open
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.requests.seal_request import seal_request

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
    """Knows no transport. The ID of each run is stored under trigger, source and event before the run is filed, so a
    repeated event files the very same runs, and completes what a crash has left.

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
    clock: Clock
    retention: Retention

    def execute(self, tenant: Tenant, event: Event, *, depth: int = 0) -> list[Match]:
        """The matched triggers, by name, after all their runs are durable. `depth` is that of the runs at least.

        InvalidValueError for an instant that cannot be. IdempotencyKeyReusedError if another event had the same source
        and ID within 24 hours; then no run is filed. UnavailableError: send the event again.
        """
        now_ms = self.clock.now_ms()
        _check_instant(event, now_ms)
        fingerprint = self.vault.fingerprint(tenant, b"event|" + event.encoded)
        matched = [trigger for trigger in self.triggers.all(tenant.id) if trigger.matches(event)]
        known = [self._known(tenant, trigger, event, fingerprint) for trigger in matched]
        return [
            self._start(tenant, trigger, event, record, fingerprint, depth)
            for trigger, record in zip(matched, known, strict=True)
        ]

    def _known(self, tenant: Tenant, trigger: Trigger, event: Event, fingerprint: bytes) -> Record | None:
        """Read before anything is claimed, so that a refused event leaves no record behind."""
        record = self.idempotency.find(tenant.id, _key(trigger, event), self.clock.now_ms())
        return record if record is None else _checked(record, fingerprint)

    def _start(
        self,
        tenant: Tenant,
        trigger: Trigger,
        event: Event,
        record: Record | None,
        fingerprint: bytes,
        depth: int,
    ) -> Match:
        existing = self.store.get(record.id) if record is not None else None
        if existing is not None:
            self.file_trigger.file.ensure_sent(existing)
            return Match(trigger=trigger, outcome=Outcome.REPEATED, execution_id=existing.id)
        try:
            job = self.find_settled.execute(tenant.id, trigger.job_id)
            require_open(job, None)
            chosen = record or self._choose(trigger, event, fingerprint)
            record = record or self._claim(tenant, trigger, event, chosen)
            filed = self.file_trigger.execute(
                job,
                record.id,
                may_exist=record is not chosen,
                call_of=partial(self._call, tenant, event, record.id, depth),
            )
        except (InvalidStateError, NotFoundError) as refused:
            return Match(trigger=trigger, outcome=Outcome.REFUSED, reason=str(refused))
        outcome = Outcome.FILED if record.id == chosen.id else Outcome.REPEATED
        return Match(trigger=trigger, outcome=outcome, execution_id=filed.id)

    def _choose(self, trigger: Trigger, event: Event, fingerprint: bytes) -> Record:
        now_ms = self.clock.now_ms()
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

    def _call(
        self, tenant: Tenant, event: Event, execution_id: ExecutionId, depth: int, job: Job
    ) -> CallSpec:
        """The job's call with the event in its body. A large request is stored first, under the run's own ID."""
        call = replace(job.call, depth=max(depth, job.call.depth))
        if call.kind is not CallKind.REQUEST:
            return call
        request = self.open_request.described(tenant, job)
        informed = with_event(request, event)
        if informed is request:
            return call
        sealed, payload = seal_request(
            self.vault,
            tenant,
            job.id,
            informed,
            call=call,
            payload_id=new_payload_id(job.id, execution_id.entropy),
            now_ms=self.clock.now_ms(),
            expires_at_s=self.retention.payload_expires_at_s(execution_id.dispatch_at),
        )
        if payload is not None:
            self.jobs.put_payload(payload)
        return sealed


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
    """Clients cannot send it as their own key, because it has line breaks."""
    return f"event\n{trigger.name}\n{event.source}\n{event.id}"
