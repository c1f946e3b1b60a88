"""The end of a run as an ended execution, so that callbacks and alerts work for runs as they do for executions."""

import json
from dataclasses import replace
from enum import StrEnum
from hashlib import sha256
from typing import TypeVar
from zlib import compress, decompress
from zlib import error as zlib_error

from shared.domain.bucket import ShardCounts
from shared.domain.delivery.alerts import NO_ALERTS
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.outcome_callbacks import NO_TARGET, OutcomeCallbacks
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import EndedRun, Execution
from shared.domain.executions.progress import Progress
from shared.domain.executions.states import State
from shared.domain.ids import ENTROPY_BITS, ExecutionId
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.run import Run, RunState, TaskProgress, TaskReason, TaskState
from shared.domain.workflows.workflow import Workflow
from shared.names import Lane

W = TypeVar("W", bound=StrEnum)
_OUTCOMES = {
    RunState.SUCCEEDED: State.SUCCEEDED,
    RunState.FAILED: State.FAILED,
    RunState.TIMED_OUT: State.FAILED,
}
"""Nothing is notified of a cancelled run, as of a cancelled job."""


def is_notified(run: Run) -> bool:
    """Whether the run has ended in a way of which its workflow can be notified."""
    return run.state in _OUTCOMES


def ended_run(workflow: Workflow, run: Run, *, index_shards: int = 1) -> Execution:
    """The end of the present epoch of a run. It is never stored: notifications are made from it.

    KeyError for a run of whose state nothing is notified.
    """
    identity, callbacks, alerts = _identity(run), workflow.callbacks, workflow.alerts
    if run.parent is not None:
        # The defaults of the tenant tell of the execution that started the run, and ends with it.
        callbacks = OutcomeCallbacks(
            on_success=callbacks.on_success or NO_TARGET, on_failure=callbacks.on_failure or NO_TARGET
        )
        alerts = alerts or NO_ALERTS
    return Execution(
        id=identity,
        tenant_id=run.tenant_id,
        job_id=workflow.id,
        revision=run.revision,
        nominal_at=run.created_at,
        created_at=run.created_at,
        call=CallSpec(
            lane=Lane.STANDARD,
            request=b"",
            callbacks=callbacks,
            alerts=alerts,
            retry=RetryPolicy(),
            timeout_ms=0,
        ),
        fingerprint=_digest(run)[-16:],
        progress=Progress(state=_OUTCOMES[run.state], notification=run.notification),
        index_shard=identity.entropy % index_shards,
        ended_run=EndedRun(id=run.id, record=_packed(run)),
    )


def opened(notification: Execution, ended: EndedRun) -> Run:
    """The run as it ended, from its notification. UnreadableItemError, or UnknownVersionError for a newer word."""
    try:
        state, epoch, created_at, deadline_at, ended_at, counts, tasks = json.loads(decompress(ended.record))
        normal, quarter, midnight = counts
        return Run(
            id=ended.id,
            tenant_id=notification.tenant_id,
            workflow_id=notification.job_id,
            revision=notification.revision,
            created_at=created_at,
            deadline_at=deadline_at,
            counts=ShardCounts(normal=normal, quarter=quarter, midnight=midnight),
            tasks=tuple(_task(*task) for task in tasks),
            fingerprint=b"",
            state=_word(RunState, state),
            epoch=epoch,
            ended_at=ended_at,
        )
    except (ValueError, TypeError, zlib_error) as error:
        raise UnreadableItemError("the record of the run is broken") from error


def _packed(run: Run) -> bytes:
    """Some 10 bytes for each task, whose instants and words are much alike."""
    tasks = [[task.state, task.epoch, task.at, task.reason] for task in run.tasks if task is not None]
    counts = [run.counts.normal, run.counts.quarter, run.counts.midnight]
    parts = [run.state, run.epoch, run.created_at, run.deadline_at, run.ended_at, counts, tasks]
    return compress(json.dumps(parts, separators=(",", ":")).encode())


def _task(state: str, epoch: int, at: int, reason: str | None) -> TaskProgress:
    return TaskProgress(
        state=_word(TaskState, state),
        epoch=epoch,
        at=at,
        reason=_word(TaskReason, reason) if reason is not None else None,
    )


def _word(kind: type[W], text: str) -> W:
    try:
        return kind(text)
    except ValueError as error:
        raise UnknownVersionError(f"the value {text!r} is of a newer version") from error


def _identity(run: Run) -> ExecutionId:
    """One for each epoch: each has a notification of its own."""
    return replace(run.id, entropy=int.from_bytes(_digest(run)[: ENTROPY_BITS // 8]))


def _digest(run: Run) -> bytes:
    return sha256(f"end|{run_id_text(run.id)}|{run.epoch}".encode()).digest()
