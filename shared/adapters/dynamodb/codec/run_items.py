"""Items of runs. Each task has an attribute of its own, so that concurrent ends never overwrite one another.

`s` and `na` are attributes of executions: watchers read of each row whether it is pending, and sweepers when it needs
a look.
"""

import struct
from collections.abc import Mapping
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, Value, encode_all
from shared.adapters.dynamodb.codec.due_rows import RUN_PARENT
from shared.adapters.dynamodb.codec.items import MALFORMED, STATE_CODES, plain_item, read_id
from shared.adapters.dynamodb.codec.recurrence_fields import encode_counts, read_counts
from shared.adapters.dynamodb.codec.versions import WORKFLOWS, known
from shared.adapters.dynamodb.codec.workflow_keys import INPUT, run_index_key, run_key
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.states import State
from shared.domain.ids import parse_execution_id
from shared.domain.workflows.identities import parse_run_id
from shared.domain.workflows.run import (
    BulkRedrive,
    Parent,
    Run,
    RunState,
    TaskProgress,
    TaskReason,
    TaskState,
)
from shared.names import Attr
from shared.ports.executions import RunRow

PHASE = "ph"
"""State and epoch: the attribute that every decision requires."""
NOTIFICATION = "tg"
"""The notification of the end of a run. Sweepers read this attribute of each row: that of a retry reminder has the
execution that it reminds of."""
BULK_REDRIVE = "br"
"""The epoch that a bulk redrive has begun, its ID and the dead letter: an older release that begins the next epoch
leaves this attribute as it is, so it counts in its own epoch alone."""
_STATES = {
    "r": RunState.RUNNING,
    "f": RunState.FAILING,
    "c": RunState.CANCELLING,
    "t": RunState.TIMING_OUT,
    "S": RunState.SUCCEEDED,
    "F": RunState.FAILED,
    "C": RunState.CANCELLED,
    "T": RunState.TIMED_OUT,
}
_STATE_CODES = {state: code for code, state in _STATES.items()}
_TASK_STATES = {
    b"c": TaskState.CHOSEN,
    b"S": TaskState.SUCCEEDED,
    b"F": TaskState.FAILED,
    b"C": TaskState.CANCELLED,
    b"K": TaskState.SKIPPED,
}
_TASK_STATE_CODES = {state: code for code, state in _TASK_STATES.items()}
REASONS = {
    b"-": None,
    b"u": TaskReason.UPSTREAM_NOT_SUCCEEDED,
    b"n": TaskReason.NOTHING_FAILED,
    b"f": TaskReason.FAIL_FAST,
    b"c": TaskReason.RUN_CANCELLED,
    b"t": TaskReason.RUN_TIMED_OUT,
    b"m": TaskReason.MAP_MISSING,
    b"a": TaskReason.MAP_NO_ARRAY,
    b"l": TaskReason.MAP_TOO_LONG,
    b"g": TaskReason.RESULT_LOST,
}
REASON_CODES = {reason: code for code, reason in REASONS.items()}
_TASK = struct.Struct(">ccBQ")
_WIDTH = 9


def task_attribute(index: int) -> str:
    return f"k{index}"


def pack_task(task: TaskProgress) -> bytes:
    """State (1 byte), reason (1), epoch (1), instant (6)."""
    packed = _TASK.pack(_TASK_STATE_CODES[task.state], REASON_CODES[task.reason], task.epoch, task.at)
    return packed[:3] + packed[5:]


def unpack_task(packed: bytes) -> TaskProgress:
    """ValueError, struct.error or UnknownVersionError for anything else."""
    if len(packed) != _WIDTH:
        raise ValueError("the progress of a task has 9 bytes")
    state, reason, epoch, at = _TASK.unpack(packed[:3] + b"\0\0" + packed[3:])
    return TaskProgress(
        state=known(_TASK_STATES.__getitem__, state),
        reason=known(REASONS.__getitem__, reason),
        epoch=epoch,
        at=at,
    )


def phase_of(run: Run) -> str:
    return f"{_STATE_CODES[run.state]}{run.epoch}"


def state_attributes(run: Run, expires_at_s: int | None) -> dict[str, Any]:
    """The attributes that a change of the state or the epoch changes."""
    return {
        PHASE: phase_of(run),
        "s": STATE_CODES[State.SUCCEEDED if run.state.is_terminal else State.RUNNING],
        "na": run.deadline_at,
        "et": run.ended_at,
        NOTIFICATION: str(run.notification) if run.notification is not None else None,
        BULK_REDRIVE: _encode_bulk_redrive(run),
        Attr.TTL: expires_at_s,
    }


def run_item(run: Run, region: str, expires_at_s: int | None = None) -> Item:
    pk, sk = run_key(region, run.id)
    index_pk, index_sk = run_index_key(run.tenant_id, run.workflow_id, run.id)
    tasks = {task_attribute(index): pack_task(task) for index, task in enumerate(run.tasks) if task}
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TENANT_PK: index_pk,
            Attr.TENANT_SK: index_sk,
            "v": WORKFLOWS,
            "t": run.tenant_id,
            "wd": run.workflow_id,
            "rv": run.revision,
            "c": run.created_at,
            "sn": encode_counts(run.counts),
            "fp": run.fingerprint,
            "nt": len(run.tasks),
            RUN_PARENT: None if run.parent is None else f"{run.parent.execution}/{run.parent.job_id}",
            INPUT: run.input_id,
            **state_attributes(run, expires_at_s),
            **tasks,
        }
    )


def read_run(item: Mapping[str, Value]) -> Run:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    plain = plain_item(item)
    try:
        packed = [plain.get(task_attribute(index)) for index in range(plain["nt"])]
        return Run(
            id=parse_run_id(plain[Attr.SK].partition("#")[2]),
            tenant_id=plain["t"],
            workflow_id=plain["wd"],
            revision=plain["rv"],
            created_at=plain["c"],
            deadline_at=plain["na"],
            counts=read_counts(plain["sn"]),
            tasks=tuple(None if task is None else unpack_task(task) for task in packed),
            fingerprint=plain["fp"],
            state=known(_STATES.__getitem__, plain[PHASE][0]),
            epoch=int(plain[PHASE][1:]),
            ended_at=plain.get("et"),
            parent=_read_parent(plain.get(RUN_PARENT)),
            notification=read_id(plain.get(NOTIFICATION)),
            input_id=plain.get(INPUT),
            bulk_redrive=_read_bulk_redrive(plain.get(BULK_REDRIVE), int(plain[PHASE][1:])),
        )
    except MALFORMED as error:
        raise UnreadableItemError(f"run {plain.get(Attr.SK)} is broken") from error


def read_run_row(item: Mapping[str, Value]) -> RunRow:
    """What sweepers read of a run; raises like `read_run`."""
    plain = plain_item(item)
    try:
        parent = _read_parent(plain.get(RUN_PARENT))
        return RunRow(
            id=parse_run_id(plain[Attr.SK].partition("#")[2]),
            sort_key=plain[Attr.SK],
            is_open=plain["s"] == STATE_CODES[State.RUNNING],
            deadline_at=plain["na"],
            parent=parent.execution if parent is not None else None,
            notification=read_id(plain.get(NOTIFICATION)),
        )
    except MALFORMED as error:
        raise UnreadableItemError(f"row {plain.get(Attr.SK)} is broken") from error


def _read_parent(text: str | None) -> Parent | None:
    """ValueError for malformed text."""
    if text is None:
        return None
    execution, job_id = text.split("/")
    return Parent(execution=parse_execution_id(execution), job_id=job_id)


def _encode_bulk_redrive(run: Run) -> str | None:
    redrive = run.bulk_redrive
    return None if redrive is None else f"{run.epoch}/{redrive.task}/{redrive.dead_letter}"


def _read_bulk_redrive(text: str | None, epoch: int) -> BulkRedrive | None:
    """None for one of an earlier epoch. ValueError for malformed text."""
    if text is None:
        return None
    begun, task, dead_letter = text.split("/")
    if int(begun) != epoch:
        return None
    return BulkRedrive(task=task, dead_letter=parse_execution_id(dead_letter))
