"""Commands that only look something up: an execution by its id alone, and the audit trail of a tenant."""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import InvalidValueError, NotFoundError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.ids import parse_execution_id
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.audit import AuditRecord
from shared.domain.tenancy.tenant import OPERATOR
from shared.usecases.reading.resolve_moved import resolve_moved

HOUR_MS = 3_600_000
_PAGE = 100


def show_execution(cases: UseCases, given: Namespace) -> Mapping[str, Any]:
    """Whose execution it is, and how far it has come. Nothing of the request: that belongs to the tenant."""
    store = cases.core.ports.executions
    try:
        found = store.get(parse_execution_id(given.execution))
    except InvalidValueError:
        found = None
    existing = None if found is None else resolve_moved(store, found)
    if existing is None:
        raise NotFoundError("no such execution")
    return _execution(existing)


def list_audit(cases: UseCases, given: Namespace) -> Mapping[str, Any]:
    """At most `limit` records of the last hours, newest first; `complete` says whether these are all."""
    if given.limit < 1 or given.hours < 1:
        raise InvalidValueError("limit and hours must be at least 1")
    if given.tenant != OPERATOR:
        cases.tenancy.find_tenant.execute(given.tenant)
    shown: list[Mapping[str, Any]] = []
    for record in _records(cases, given):
        if len(shown) == given.limit:
            return {"records": shown, "complete": False}
        shown.append(_record(record))
    return {"records": shown, "complete": True}


def _records(cases: UseCases, given: Namespace) -> Iterator[AuditRecord]:
    log, now_ms = cases.core.ports.audit_log, cases.core.ports.clock.now_ms()
    after = None
    while True:
        page = log.page(
            given.tenant,
            from_at=max(0, now_ms - given.hours * HOUR_MS),
            until_at=now_ms + HOUR_MS,  # the clock of a function may be ahead of this one
            target=given.target,
            limit=_PAGE,
            after=after,
        )
        yield from (record for record in page.records if given.key in (None, record.actor.key_id))
        if page.next_after is None:
            return
        after = page.next_after


def _record(record: AuditRecord) -> Mapping[str, Any]:
    return {
        "id": record.id,
        "at": format_instant(record.at),
        "actor": record.actor.tenant_id,
        "key_id": record.actor.key_id,
        "operation": record.operation,
        "target": record.target,
        "before": record.before,
        "after": record.after,
        "request_id": record.request_id,
    }


def _execution(execution: Execution) -> Mapping[str, Any]:
    progress = execution.progress
    return {
        "id": str(execution.id),
        "tenant": execution.tenant_id,
        "job": execution.job_id,
        "state": execution.state.value,
        "end_reason": progress.end_reason.value if progress.end_reason else None,
        "lane": execution.lane.value,
        "created_at": format_instant(execution.created_at),
        "due_at": format_instant(execution.due_at),
        "attempts_begun": execution.attempt,
        "attempts": [_attempt(outcome) for outcome in progress.outcomes],
    }


def _attempt(outcome: AttemptOutcome) -> Mapping[str, Any]:
    return {
        "number": outcome.attempt,
        "started_at": format_instant(outcome.started_at),
        "duration_ms": outcome.duration_ms,
        "status": outcome.status,
        "reason": outcome.reason.word,
    }
