"""Notifications: executions that deliver the outcome of another execution.

The id of the notification is stored in the same conditional write as the outcome (a transactional outbox).
Any number of processes may therefore file the notification, and exactly one exists. A notification has no
notification itself.

An execution can have two notifications: one delivers its outcome to a callback, the other announces its events to
a subscription. The record stores one id, which tells whether both were chosen, or the alert alone.
"""

from dataclasses import replace
from enum import StrEnum
from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.bucket import ShardCounts
from shared.domain.delivery.alerts import Alert
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.outcome_callbacks import NO_TARGET, CallbackTarget
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.executions.progress import Progress
from shared.domain.executions.states import State
from shared.domain.ids import ENTROPY_BITS, ExecutionId, new_one_off_id
from shared.domain.tenancy.tenant import Tenant

NOTIFICATION_RETRY = RetryPolicy(max_attempts=8, delays_seconds=(10, 60, 300, 1_800, 7_200, 21_600, 43_200))
"""Covers almost a day, so that a receiver that is down overnight gets the notification in the morning."""
NOTIFICATION_TIMEOUT_MS = 15_000


class NotificationKind(StrEnum):
    """What a notification is for. The values are parts of the digests from which ids are made."""

    OUTCOME = "outcome"
    ALERT = "alert"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifiedJob:
    """What a notification says of the job itself. Of its request, it says the host and nothing else."""

    name: str | None = None
    tags: tuple[str, ...] = ()
    host: str | None = None


def target_for(execution: Execution, state: State, tenant: Tenant | None) -> CallbackTarget | None:
    """The target for an execution that reached this state; None if the outcome is not delivered."""
    if execution.notification_of is not None or state not in (State.SUCCEEDED, State.FAILED):
        return None
    succeeded = state is State.SUCCEEDED
    default = tenant.callbacks.of(succeeded=succeeded) if tenant is not None else None
    listener = execution.call.callbacks.of(succeeded=succeeded) or default
    return None if listener == NO_TARGET else listener


def notification_id(
    original: ExecutionId, kind: NotificationKind, due_at: int, counts: ShardCounts
) -> ExecutionId:
    """The notification's id, a pure function of the arguments: every process computes the same id."""
    return new_one_off_id(due_at, counts, _entropy(original, kind), cell=original.cell)


def is_alert_alone(chosen: ExecutionId, original: ExecutionId) -> bool:
    """Whether the stored id was chosen for an alert, because no callback was configured."""
    return chosen.entropy == _entropy(original, NotificationKind.ALERT)


def alert_id(chosen: ExecutionId, original: ExecutionId) -> ExecutionId:
    """The alert's id, beside that of the callback or equal to the stored id."""
    return replace(chosen, entropy=_entropy(original, NotificationKind.ALERT))


def _entropy(original: ExecutionId, kind: NotificationKind) -> int:
    digest = sha256(f"{kind}|{original}".encode()).digest()
    return int.from_bytes(digest[: ENTROPY_BITS // 8])


def notification(
    ended: Execution,
    identity: ExecutionId,
    listener: CallbackTarget,
    *,
    is_own: bool,
    created_at: int,
    alert: Alert | None = None,
) -> Execution:
    """The notification of an execution that ended, in the lane of its job and outside any chain.

    The job's signing secret signs only for a URL of the job (`is_own`): the tenant's default URL may belong to a
    party that does not know the secret.
    """
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
            signing_secret=ended.call.signing_secret if is_own else None,
            depth=ended.call.depth,
            trace=ended.trace,
        ),
        progress=Progress(),
        name=None,
        tags=(),
        recurrence=None,
        start_deadline_at=None,
        runs_when_suspended=False,
        job_created_at=None,
        run=1,
        redrive_of=None,
        notification_of=ended.id if ended.ended_run is None else identity,
        alert=alert,
        task=None,
        event=None,
    )


def lag_ms(ended: Execution) -> int | None:
    """From the due time to the start of the first attempt; None if that start is not recorded.

    A clock that is behind that of the claiming worker must not show a call before its time.
    """
    first = ended.progress.outcomes[0] if ended.progress.outcomes else None
    if first is None or first.attempt != 1:
        return None
    return max(0, first.started_at - ended.due_at)
