"""Notifications: executions that deliver the outcome of another execution.

The id of the notification is stored in the same conditional write as the outcome (a transactional outbox).
Any number of processes may therefore file the notification, and exactly one exists. A notification has no
notification itself.
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
"""Covers almost a day, so that a receiver that is down overnight gets the notification in the morning."""
NOTIFICATION_TIMEOUT_MS = 15_000


def target_for(execution: Execution, state: State, tenant: Tenant | None) -> CallbackTarget | None:
    """The target for an execution that reached this state; None if the outcome is not delivered."""
    if execution.notification_of is not None or state not in (State.SUCCEEDED, State.FAILED):
        return None
    succeeded = state is State.SUCCEEDED
    default = tenant.callbacks.of(succeeded=succeeded) if tenant is not None else None
    listener = execution.call.callbacks.of(succeeded=succeeded) or default
    return None if listener == NO_TARGET else listener


def notification_id(original: ExecutionId, due_at: int, counts: ShardCounts) -> ExecutionId:
    """The notification's id, a pure function of the arguments: every process computes the same id."""
    digest = sha256(f"outcome|{original}".encode()).digest()
    entropy = int.from_bytes(digest[: ENTROPY_BITS // 8])
    return new_one_off_id(due_at, counts, entropy, cell=original.cell)


def notification(
    ended: Execution, identity: ExecutionId, listener: CallbackTarget, *, created_at: int
) -> Execution:
    """The notification of an execution that ended, in the lane of its job and outside any chain.

    The job's signing secret signs only for a URL of the job: the tenant's default URL may belong to a party that
    does not know the secret.
    """
    is_own_url = ended.call.callbacks.of(succeeded=ended.state is State.SUCCEEDED) is not None
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
            signing_secret=ended.call.signing_secret if is_own_url else None,
            depth=ended.call.depth,
            trace=ended.trace,
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
    """The request to the target: the outcome only, never the request of the job."""
    return Request(
        method="POST",
        url=url,
        headers=(("Content-Type", "application/json"),),
        body=json.dumps(_outcome_document(ended), separators=(",", ":")).encode(),
    )


def _outcome_document(ended: Execution) -> dict[str, object]:
    notified_at = (ended.progress.notification or ended.id).dispatch_at
    return {
        "type": f"execution.{ended.state}",
        "timestamp": format_instant(notified_at),
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
