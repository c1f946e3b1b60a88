"""Notifications: what ties the call that tells of an outcome to the execution that it tells of.

A notification is an execution of its own. Which one it is stands in the record of the execution that ended, written
with the end itself; so however often, and by whomever, it is filed, it is one. Nobody is told of its own end.
"""

import json
from dataclasses import replace
from hashlib import sha256

from shared.domain.bucket import ShardCounts
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.outcome_callbacks import NO_TARGET, CallbackTarget
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.progress import Progress
from shared.domain.executions.states import State
from shared.domain.ids import ENTROPY_BITS, ExecutionId, new_one_off_id
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.tenant import Tenant

NOTIFICATION_RETRY = RetryPolicy(max_attempts=8, delays_seconds=(10, 60, 300, 1_800, 7_200, 21_600, 43_200))
"""For nearly a day: a receiver that is down overnight hears of it in the morning."""
NOTIFICATION_TIMEOUT_MS = 15_000


def target_for(execution: Execution, state: State, tenant: Tenant | None) -> CallbackTarget | None:
    """Who is to be told that an execution came to this state; None for nobody."""
    if execution.notification_of is not None or state not in (State.SUCCEEDED, State.FAILED):
        return None
    succeeded = state is State.SUCCEEDED
    default = tenant.callbacks.of(succeeded=succeeded) if tenant is not None else None
    listener = execution.call.callbacks.of(succeeded=succeeded) or default
    return None if listener == NO_TARGET else listener


def notification_id(original: ExecutionId, due_at: int, counts: ShardCounts) -> ExecutionId:
    """The id of the notification of an execution that ended at an instant: a function of the original beside that."""
    digest = sha256(f"outcome|{original}".encode()).digest()
    return new_one_off_id(due_at, counts, int.from_bytes(digest[: ENTROPY_BITS // 8]))


def notification(
    ended: Execution, identity: ExecutionId, listener: CallbackTarget, *, created_at: int
) -> Execution:
    """The execution that tells of the end of another, in the lane of its job, beside any chain."""
    return replace(
        ended,
        id=identity,
        nominal_at=ended.scheduled_at,
        created_at=created_at,
        call=CallSpec(
            lane=ended.call.lane,
            request=listener.sealed_url,
            destination=listener.destination,
            retry=NOTIFICATION_RETRY,
            timeout_ms=NOTIFICATION_TIMEOUT_MS,
        ),
        progress=Progress(),
        name=None,
        tags=(),
        recurrence=None,
        start_deadline_at=None,
        job_created_at=None,
        run=1,
        redrive_of=None,
        notification_of=ended.id,
    )


def notification_request(url: str, ended: Execution) -> Request:
    """What its receiver gets: the outcome, and nothing of the request that came to it."""
    return Request(
        method="POST",
        url=url,
        headers=(("Content-Type", "application/json"),),
        body=json.dumps(_told_of(ended), separators=(",", ":")).encode(),
    )


def _told_of(ended: Execution) -> dict[str, object]:
    told_at = (ended.progress.notification or ended.id).dispatch_at
    return {
        "type": f"execution.{ended.state}",
        "timestamp": format_instant(told_at),
        "data": {
            "job_id": ended.job_id,
            "execution_id": str(ended.id),
            "outcome": str(ended.state),
            "end_reason": ended.progress.end_reason,
            "scheduled_at": format_instant(ended.scheduled_at),
            "due_at": format_instant(ended.id.dispatch_at),
            "redrive_of": str(ended.redrive_of.original) if ended.redrive_of else None,
            "attempts_begun": ended.attempt,
            "attempts": [_attempt(outcome) for outcome in ended.progress.outcomes],
        },
    }


def _attempt(outcome: AttemptOutcome) -> dict[str, object]:
    return {
        "number": outcome.attempt,
        "started_at": format_instant(outcome.started_at),
        "duration_ms": outcome.duration_ms,
        "status": outcome.status,
        "reason": outcome.reason.word,
    }
