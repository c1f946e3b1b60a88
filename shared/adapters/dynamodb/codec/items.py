"""Items of executions and retry reminders. Attribute names are short, because they are stored millions of
times.

An item carries `v`, its version. Reading an item of a newer version, or with a value that only a newer release
knows, raises UnknownVersionError.
"""

import struct
from collections.abc import Mapping
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, Plain, Value, decode_all, encode_all
from shared.adapters.dynamodb.codec.event_fields import EVENT, event_attributes, read_event
from shared.adapters.dynamodb.codec.execution_fields import (
    REFUNDS,
    RESULT,
    TASK,
    TRACE,
    async_until_text,
    call_attributes,
    encode_redrive_of,
    encode_redriven_by,
    encode_refunds,
    encode_task_ref,
    pack_outcomes,
    pack_trace,
    read_async_until,
    read_call,
    read_redrive_of,
    read_redriven_by,
    read_refunds,
    read_task_ref,
    unpack_outcomes,
)
from shared.adapters.dynamodb.codec.failure_index import failure_entry
from shared.adapters.dynamodb.codec.keys import (
    execution_key,
    parse_execution_sk,
    reminder_key,
    tenant_index_key,
)
from shared.adapters.dynamodb.codec.notification_fields import encode_alert, read_alert
from shared.adapters.dynamodb.codec.recurrence_fields import read_recurrence, recurrence_attributes
from shared.adapters.dynamodb.codec.stages import STAGES, pack_stages, unpack_stages
from shared.adapters.dynamodb.codec.versions import execution_version, is_known, known, version_of
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import EndedRun, Execution
from shared.domain.executions.progress import Progress
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import ExecutionId, one_off_job_id, parse_execution_id
from shared.domain.schedules.skipped_range import SkippedRange
from shared.names import Attr, Lane

STATE_CODES = {
    State.PENDING: "P",
    State.QUEUED: "Q",
    State.RUNNING: "R",
    State.WAITING: "W",
    State.SUCCEEDED: "S",
    State.FAILED: "F",
    State.CANCELLED: "C",
    State.SKIPPED: "K",
    State.MOVED: "M",
}
STATES = {code: state for state, code in STATE_CODES.items()}
_LANES = {"c": Lane.CRITICAL, "s": Lane.STANDARD, "b": Lane.BULK}
_LANE_CODES = {lane: code for code, lane in _LANES.items()}
MALFORMED = (KeyError, ValueError, TypeError, AttributeError, struct.error)


SUCCESSOR_SENT = "sf"
"""Attribute of `Progress.successor_sent`."""
ENDED_RUN = "er"
"""Attribute of the run of whose end a notification tells."""


def execution_item(execution: Execution, region: str, expires_at_s: int | None = None) -> Item:
    pk, sk = execution_key(region, execution.id)
    index_pk, index_sk = tenant_index_key(
        execution.tenant_id, execution.index_shard, execution.id, is_job=execution.is_own_job
    )
    call, progress, recurrence = execution.call, execution.progress, execution.recurrence
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TENANT_PK: index_pk,
            Attr.TENANT_SK: index_sk,
            Attr.TTL: expires_at_s,
            "v": execution_version(execution),
            "s": STATE_CODES[progress.state],
            "t": execution.tenant_id,
            "j": None if execution.is_own_job else execution.job_id,
            "rv": execution.revision,
            "nm": None if execution.nominal_at == execution.id.dispatch_at else execution.nominal_at,
            "c": execution.created_at,
            "ln": _LANE_CODES[execution.lane],
            "hl": _LANE_CODES[call.lane] if progress.lane else None,
            **call_attributes(call),
            # The claim compares `a` with `mx`, so each refund raises both by one and leaves the policy as it is.
            "mx": call.retry.max_attempts + progress.refunded,
            REFUNDS: encode_refunds(progress.refunded, progress.refunded_since),
            "rt": f"{call.retry.base_seconds}/{call.retry.factor}/{call.retry.cap_seconds}",
            "fp": execution.fingerprint,
            Attr.NAME: execution.name,
            Attr.TAGS: list(execution.tags) or None,
            **(recurrence_attributes(recurrence) if recurrence else {}),
            "sd": execution.start_deadline_at,
            "wr": execution.runs_when_suspended or None,
            "jc": execution.job_created_at,
            "rn": execution.run if execution.run > 1 else None,
            "ro": encode_redrive_of(execution.redrive_of),
            "no": str(execution.notification_of) if execution.notification_of else None,
            "al": encode_alert(execution.alert),
            TASK: encode_task_ref(execution.task),
            ENDED_RUN: _encode_ended_run(execution.ended_run),
            **(event_attributes(execution.event) if execution.event else {}),
            **(
                failure_entry(progress.state, execution.tenant_id, execution.id)
                if execution.is_postponable
                else {}
            ),
            "ca": execution.claimable_from,
            "a": progress.claims,
            "ow": progress.owner,
            "au": _encode_async_until(progress),
            "na": progress.next_attempt_at,
            "oc": pack_outcomes(progress.outcomes) or None,
            "lb": progress.last_body or None,
            RESULT: progress.result or None,
            "rs": progress.end_reason,
            "ec": progress.ends_chain or None,
            "sr": progress.stop_retries or None,
            "mi": _encode_missed(progress.missed),
            "mv": str(progress.moved_to) if progress.moved_to else None,
            "rd": encode_redriven_by(progress.redriven_by),
            "nt": str(progress.notification) if progress.notification else None,
            STAGES: pack_stages(progress.stages),
            SUCCESSOR_SENT: progress.successor_sent or None,
        }
    )


def read_execution(item: Mapping[str, Value]) -> Execution:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    plain = plain_item(item)
    try:
        return _read_execution(plain)
    except MALFORMED as error:
        raise UnreadableItemError(f"item {plain.get(Attr.SK)} is broken") from error


def _read_execution(plain: dict[str, Any]) -> Execution:
    execution_id = parse_execution_sk(plain[Attr.SK])
    return Execution(
        id=execution_id,
        tenant_id=plain["t"],
        job_id=plain.get("j") or one_off_job_id(execution_id),
        revision=plain["rv"],
        nominal_at=plain.get("nm", execution_id.dispatch_at),
        created_at=plain["c"],
        # `ln` is the lane of this run; `hl` is the lane of its job where catch-up moved the run.
        call=read_call(plain, lane_of(plain.get("hl", plain["ln"])), plain["rt"].split("/")),
        fingerprint=plain["fp"],
        progress=_read_progress(plain),
        index_shard=int(plain[Attr.TENANT_PK].rpartition("#")[2]),
        name=plain.get(Attr.NAME),
        tags=tuple(plain.get(Attr.TAGS, ())),
        recurrence=read_recurrence(plain) if "sc" in plain else None,
        start_deadline_at=plain.get("sd"),
        runs_when_suspended=plain.get("wr", False),
        job_created_at=plain.get("jc"),
        run=plain.get("rn", 1),
        redrive_of=read_redrive_of(plain.get("ro")),
        notification_of=read_id(plain.get("no")),
        alert=read_alert(plain.get("al")),
        task=read_task_ref(plain.get(TASK)),
        ended_run=_read_ended_run(plain.get(ENDED_RUN)),
        event=read_event(plain) if EVENT in plain else None,
    )


def _encode_ended_run(ended: EndedRun | None) -> dict[str, Plain] | None:
    return {"id": str(ended.id), "rc": ended.record} if ended is not None else None


def _read_ended_run(stored: Mapping[str, Any] | None) -> EndedRun | None:
    if stored is None:
        return None
    return EndedRun(id=parse_execution_id(stored["id"]), record=stored["rc"])


def _read_progress(plain: Mapping[str, Any]) -> Progress:
    state = known(STATES.__getitem__, plain["s"])
    refunded, refunded_since = read_refunds(plain.get(REFUNDS))
    return Progress(
        state=state,
        claims=plain["a"],
        refunded=refunded,
        refunded_since=refunded_since,
        owner=plain["ow"] if state is State.RUNNING else None,
        lease_until=plain["ca"] - 1 if state is State.RUNNING else None,
        async_until=read_accepted_until(plain),
        next_attempt_at=plain.get("na"),
        outcomes=unpack_outcomes(plain.get("oc", b"")),
        last_body=plain.get("lb", b""),
        result=plain.get(RESULT, b""),
        end_reason=known(EndReason, plain["rs"]) if "rs" in plain else None,
        ends_chain=plain.get("ec", False),
        stop_retries=plain.get("sr", False),
        missed=_read_missed(plain.get("mi")),
        moved_to=read_id(plain.get("mv")),
        lane=lane_of(plain["ln"]) if "hl" in plain else None,
        redriven_by=read_redriven_by(plain.get("rd")),
        notification=read_id(plain.get("nt")),
        stages=unpack_stages(plain.get(STAGES)),
        successor_sent=plain.get(SUCCESSOR_SENT, False),
    )


def reminder_item(reminder: RetryReminder, region: str) -> Item:
    """The item of a retry reminder: the attributes of a due row, a TTL, and no index."""
    pk, sk = reminder_key(region, reminder.location, reminder.target, reminder.claims)
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TTL: reminder.expires_at_s,
            "v": version_of(reminder.state, reminder.lane),
            "s": STATE_CODES[reminder.state],
            "t": reminder.tenant_id,
            "ln": _LANE_CODES[reminder.lane],
            "c": reminder.created_at,
            "a": reminder.claims,
            "mx": reminder.claims,
            "tg": str(reminder.target),
            "ds": reminder.destination or None,
            TRACE: pack_trace(reminder.trace),
        }
    )


def plain_item(item: Mapping[str, Value]) -> dict[str, Any]:
    """The plain values of an item of a known version; raises like `read_execution`."""
    try:
        plain: dict[str, Any] = dict(decode_all(item))
    except ValueError as error:
        raise UnreadableItemError("an item has attributes of unknown types") from error
    if not is_known(plain.get("v")):
        raise UnknownVersionError(f"item {plain.get(Attr.SK)} has version {plain.get('v')}")
    return plain


def lane_of(code: str) -> Lane:
    return known(_LANES.__getitem__, code)


def _encode_async_until(progress: Progress) -> str | None:
    until = progress.async_until
    return async_until_text(progress.claims, until) if until is not None else None


def read_accepted_until(plain: Mapping[str, Any]) -> int | None:
    is_running = plain["s"] == STATE_CODES[State.RUNNING]
    return read_async_until(plain.get("au"), plain["a"] if is_running else None)


def read_id(text: str | None) -> ExecutionId | None:
    return parse_execution_id(text) if text is not None else None


def _encode_missed(missed: SkippedRange | None) -> str | None:
    return f"{missed.count}/{missed.first_at}/{missed.last_at}/{missed.resumed_at}" if missed else None


def _read_missed(text: str | None) -> SkippedRange | None:
    if text is None:
        return None
    count, first_at, last_at, resumed_at = (int(part) for part in text.split("/"))
    return SkippedRange(count=count, first_at=first_at, last_at=last_at, resumed_at=resumed_at)
