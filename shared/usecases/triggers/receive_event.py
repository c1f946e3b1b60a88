"""Receive an event: file one run for each trigger that it matches, and only then acknowledge it."""

from dataclasses import replace
from functools import partial
from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.request import Request, new_payload_id
from shared.domain.errors import (
    IdempotencyKeyReusedError,
    InvalidStateError,
    NotFoundError,
    UnavailableError,
)
from shared.domain.executions.execution import EventRef, Execution
from shared.domain.executions.retention import Retention
from shared.domain.ids import ENTROPY_BITS, ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.tenancy.tenant import Tenant
from shared.domain.triggers.event import DEDUPLICATION_SECONDS, Event, passed_instant, with_event
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
from shared.usecases.triggers.matches import Match, Outcome, match_of, refused_by
from shared.usecases.triggers.postpone_run import TRIES, PostponeRun, is_recorded_in

Record = IdempotencyRecord[ExecutionId]
NO_FUTURE_EVENTS = (
    "the trigger has debounce_seconds, so it takes no event with deliver_at: send the event when it counts"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is to become of one match: an answer at once, or the run of a record."""

    trigger: Trigger
    key: str
    answer: Match | None = None
    record: Record | None = None
    is_known: bool = False
    """Whether the record is stored: this event was sent before."""
    postpones: bool = False
    """Whether the record has the run of an earlier event, in place of a new one."""
    job: Job | None = None
    request: Request | None = None
    """That of the job, without the event."""

    @property
    def new_run(self) -> Record | None:
        return None if self.is_known or self.postpones else self.record


@dataclass(frozen=True, slots=True)
class ReceiveEvent:
    """Knows no transport. The ID of each run is stored under trigger, job, source and event before the run is filed, so
    a repeated event files the very same runs, and completes what a crash has left.

    The sender repeats the event until it is acknowledged: a crash before may have filed some of its runs.
    """

    triggers: TriggerStore
    find_settled: FindSettled
    file_trigger: FileTrigger
    postpone_run: PostponeRun
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

        InvalidValueError for an event that takes too many comparisons, or for an instant that cannot be. One that has
        passed is refused only if the event is no repetition, which completes what a request before has left. Then no
        run is filed, nor for these: IdempotencyKeyReusedError if a matched trigger had another event with the same
        source and ID within 24 hours, QuotaExceededError if the new runs do not all fit into their minutes.
        UnavailableError: send the event again. QuotaExceededError can follow later for a single run, if the run that
        was to stand for the event began meanwhile: the same event completes what is missing.
        """
        refusal = passed_instant(event, self.clock.now_ms())
        fingerprint = self.vault.fingerprint(tenant, b"event|" + event.encoded)
        matching = Matching(event.document)
        # Concurrent creations can exceed the limit: only so many triggers count, always the same ones.
        triggers = self.triggers.all(tenant.id)[:MAX_TRIGGERS]
        matched = [trigger for trigger in triggers if trigger.matches(matching)]
        # All checks come before the first claim, so that a refused event leaves no record behind.
        plans = [self._plan(tenant, each, event, _key(each, event), fingerprint) for each in matched]
        if refusal is not None and not any(plan.is_known for plan in plans):
            raise refusal
        self.check_quota.runs(tenant, [plan.new_run.due_at for plan in plans if plan.new_run is not None])
        return [self._start(tenant, event, plan, fingerprint, depth) for plan in plans]

    def _plan(self, tenant: Tenant, trigger: Trigger, event: Event, key: str, fingerprint: bytes) -> _Plan:
        plan, now_ms = _Plan(trigger=trigger, key=key), self.clock.now_ms()
        known = self.idempotency.find(tenant.id, key, now_ms)
        if known is not None:
            return replace(plan, record=_checked(known, fingerprint), is_known=True)
        job = self._open_job(tenant, trigger)
        if isinstance(job, Match):
            return replace(plan, answer=job)
        if trigger.debounce_seconds and event.deliver_at is not None:
            return replace(
                plan, answer=Match(trigger=trigger, outcome=Outcome.REFUSED, reason=NO_FUTURE_EVENTS)
            )
        waiting = self.postpone_run.find(trigger, now_ms)
        # A request before may have counted the run, and then not filed it: it must not use up the window of its event.
        counted = self._lost_run(trigger, key, now_ms) if waiting is None else None
        until = trigger.throttled_until(now_ms) if waiting is None and counted is None else None
        if until is not None:
            return replace(
                plan, answer=Match(trigger=trigger, outcome=Outcome.THROTTLED, throttled_until=until)
            )
        try:
            # A refused event must neither count as a start nor leave a record, which a repetition would complete.
            request = self.open_request.described(tenant, job)
            with_event(request, event)
        except InvalidStateError as refused:
            return replace(plan, answer=refused_by(trigger, refused))
        record = self._choose(trigger, event, fingerprint, now_ms)
        if counted is not None:
            record = replace(record, id=counted, due_at=counted.dispatch_at)
        if waiting is not None:
            # Later than the latest event, whatever the clock of the process that has recorded it.
            record = replace(record, id=waiting.id, created_at=max(now_ms, waiting.recorded_at + 1))
        return replace(plan, record=record, postpones=waiting is not None, job=job, request=request)

    def _start(self, tenant: Tenant, event: Event, plan: _Plan, fingerprint: bytes, depth: int) -> Match:
        is_counted = plan.new_run is not None
        for _ in range(TRIES):
            if plan.answer is not None:
                return plan.answer
            result = self._try(tenant, event, plan, depth)
            if isinstance(result, Match):
                return result
            trigger, key = result
            plan = self._plan(tenant, trigger, event, key, fingerprint)
            if plan.new_run is not None and not is_counted:
                self.check_quota.runs(tenant, [plan.new_run.due_at])
                is_counted = True
        raise UnavailableError("other events of the trigger arrive at the same time")

    def _try(self, tenant: Tenant, event: Event, plan: _Plan, depth: int) -> Match | tuple[Trigger, str]:
        """The match, or with which state of the trigger and under which key it is to be planned anew."""
        trigger, record = plan.trigger, _planned(plan)
        stored = self.store.get(record.id) if plan.is_known else None
        if stored is not None and is_recorded_in(stored, record.created_at):
            self.file_trigger.file.ensure_sent(stored)
            return match_of(trigger, Outcome.REPEATED, stored)
        if plan.new_run is not None and trigger.records_starts:
            digest, now_ms = _digest(plan.key), self.clock.now_ms()
            start = self.triggers.start(tenant.id, trigger, record.id, digest, now_ms)
            if not start.is_recorded:
                return _same_version(trigger, start.stored), plan.key
        job = plan.job or self._open_job(tenant, trigger)
        if isinstance(job, Match):
            return job
        try:
            claimed = record if plan.is_known else self._claim(tenant, plan.key, record)
            run = self._file(tenant, event, plan, claimed, job, depth, is_waiting=stored is not None)
        except (InvalidStateError, NotFoundError) as refused:
            return refused_by(trigger, refused)
        if run is None:
            # The run has begun without this event. The next one has a key of its own, so that a repetition finds it.
            return trigger, f"{_key(trigger, event)}\n{claimed.id}"
        is_first = claimed is record and not (plan.is_known and trigger.debounce_seconds)
        outcome = Outcome.DEBOUNCED if plan.postpones else Outcome.FILED
        return match_of(trigger, outcome if is_first else Outcome.REPEATED, run)

    def _file(
        self,
        tenant: Tenant,
        event: Event,
        plan: _Plan,
        record: Record,
        job: Job,
        depth: int,
        *,
        is_waiting: bool,
    ) -> Execution | None:
        """The run of the record with the event. None if it has begun with an earlier one."""
        trigger = plan.trigger
        started_by = EventRef(trigger=trigger.name, source=event.source, id=event.id)
        if not trigger.debounce_seconds and not is_waiting:
            call_of = partial(self._call, tenant, event, plan, record.id.dispatch_at, depth)
            may_exist = record is not plan.record
            return self.file_trigger.execute(
                job, record.id, may_exist=may_exist, call_of=call_of, event=started_by
            )
        latest_at = record.created_at + trigger.longest_debounce_seconds * 1000
        call_of = partial(self._call, tenant, event, plan, max(latest_at, record.id.dispatch_at), depth)
        recorded = replace(started_by, recorded_at=record.created_at)
        return self.postpone_run.execute(trigger, job, record.id, recorded, call_of)

    def _lost_run(self, trigger: Trigger, key: str, now_ms: int) -> ExecutionId | None:
        """The run that the event has started in the present window, if it does not stand."""
        run = trigger.counted_run_of(_digest(key), now_ms)
        return run if run is not None and self.store.get(run) is None else None

    def _open_job(self, tenant: Tenant, trigger: Trigger) -> Job | Match:
        try:
            job = self.find_settled.execute(tenant.id, trigger.job_id)
            require_open(job, None)
        except (InvalidStateError, NotFoundError) as refused:
            return refused_by(trigger, refused)
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

    def _claim(self, tenant: Tenant, key: str, chosen: Record) -> Record:
        """`chosen` itself, or what a concurrent request with the same event has chosen."""
        record = self.idempotency.claim(tenant.id, key, chosen, self.clock.now_ms())
        return chosen if record == chosen else _checked(record, chosen.fingerprint)

    def _call(self, tenant: Tenant, event: Event, plan: _Plan, due_at: int, depth: int, job: Job) -> CallSpec:
        """The job's call with the event in its body. A large request is stored first, under an ID of this try alone,
        since the job may have changed when the run is tried again. Even without the event it is a copy, because the
        job's own one expires after a change of the job, and the run may be due years later.
        """
        call = replace(job.call, depth=max(depth, job.call.depth))
        request = plan.request if job is plan.job else None
        request = request or self.open_request.described(tenant, job)
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


def _planned(plan: _Plan) -> Record:
    if plan.record is None:
        raise ValueError("only a plan without an answer is tried, and it has a record")
    return plan.record


def _same_version(trigger: Trigger, stored: Trigger | None) -> Trigger:
    if stored is None or (stored.version, stored.changed_at) != (trigger.version, trigger.changed_at):
        raise UnavailableError("the trigger was changed at the same time")
    return stored


def _checked(record: Record, fingerprint: bytes) -> Record:
    if record.fingerprint != fingerprint:
        raise IdempotencyKeyReusedError(
            "another event had this source and id within the last 24 hours: give each event an id of its own"
        )
    return record


def _key(trigger: Trigger, event: Event) -> str:
    """Line breaks keep it apart from the keys of clients. A trigger that gets another job starts anew."""
    return f"event\n{trigger.name}\n{trigger.job_id}\n{event.source}\n{event.id}"


def _digest(key: str) -> str:
    """Short enough for the item of the trigger."""
    return sha256(key.encode()).hexdigest()[:32]
