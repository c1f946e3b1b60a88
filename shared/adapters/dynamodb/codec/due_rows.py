"""What watchers and sweepers read of a row of a shard."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Value
from shared.adapters.dynamodb.codec.execution_fields import (
    TASK,
    TRACE,
    last_started_at,
    read_async_policy,
    read_task_ref,
    unpack_trace,
)
from shared.adapters.dynamodb.codec.failure_index import STALE
from shared.adapters.dynamodb.codec.items import (
    MALFORMED,
    STATES,
    lane_of,
    plain_item,
    read_accepted_until,
    read_id,
)
from shared.adapters.dynamodb.codec.keys import parse_execution_sk
from shared.adapters.dynamodb.codec.versions import is_known, known
from shared.domain.bucket import bucket_start_ms
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.dispatch.pending_row import PendingRow
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.states import State
from shared.domain.ids import parse_execution_id
from shared.names import Attr

_ROW_ATTRIBUTES = (
    "v",
    "s",
    "t",
    "ln",
    "c",
    "a",
    "mx",
    "sr",
    "ca",
    "na",
    "tg",
    "au",
    "ap",
    "ds",
    "nt",
    "oc",
    TASK,
    TRACE,
)
RUN_PARENT = "pe"
"""The attribute of a run for the execution that started it, and its job."""
RUN_MARK = "#run_"
"""In the sort key of the run of a workflow, and of no other row of a shard."""
DUE_ROW_ATTRIBUTES = (Attr.SK, *_ROW_ATTRIBUTES, RUN_PARENT, STALE)
PENDING_ROW_ATTRIBUTES = (Attr.SK, "v", "s", "t", "ln", "ds", "tg", TRACE)


def read_due_row(item: Mapping[str, Value], bucket: int, shard: int) -> DueRow:
    """The part of a row that watchers and sweepers need; raises like `read_execution`."""
    plain = plain_item(item)
    try:
        target = parse_execution_id(plain["tg"]) if "tg" in plain else None
        dispatch_at = bucket_start_ms(bucket) + int(plain[Attr.SK].partition("#")[0])
        identity = target or parse_execution_sk(plain[Attr.SK])
        if (identity.dispatch_at, identity.shard) != (dispatch_at, shard):
            identity = replace(identity, dispatch_at=dispatch_at, shard=shard)
        async_until = read_accepted_until(plain)
        return DueRow(
            id=identity,
            sort_key=plain[Attr.SK],
            tenant_id=plain["t"],
            lane=lane_of(plain["ln"]),
            state=known(STATES.__getitem__, plain["s"]),
            created_at=plain["c"],
            claims=plain["a"],
            max_claims=plain["mx"],
            stop_retries=plain.get("sr", False),
            claimable_from=plain.get("ca"),
            next_attempt_at=plain.get("na"),
            destination=plain.get("ds", UNKNOWN),
            trace=unpack_trace(plain.get(TRACE)),
            reminder_target=target,
            notification=read_id(plain.get("nt")),
            async_accepted=async_until is not None,
            begun_at=_read_begun_at(plain, async_until),
            index_is_stale=STALE in plain,
            task=read_task_ref(plain[TASK]) if TASK in plain else None,
        )
    except MALFORMED as error:
        raise UnreadableItemError(f"row {plain.get(Attr.SK)} is broken") from error


def read_pending_row(item: Mapping[str, Any], bucket: int) -> PendingRow | None:
    """What a watcher needs of a row; None where the row is not pending. Raises like `read_execution`.

    Every job passes here: nothing is decoded that the row's message does not need.
    """
    try:
        if not is_known(int(item["v"]["N"])):
            raise UnknownVersionError(f"item {item[Attr.SK]} has version {item['v']}")
        if known(STATES.__getitem__, item["s"]["S"]) is not State.PENDING:
            return None
        offset, _, identity = item[Attr.SK]["S"].partition("#")
        return PendingRow(
            wakes=parse_execution_id(item["tg"]["S"] if "tg" in item else identity),
            due_at=bucket_start_ms(bucket) + int(offset),
            tenant_id=item["t"]["S"],
            lane=lane_of(item["ln"]["S"]),
            destination=item["ds"]["S"] if "ds" in item else UNKNOWN,
            trace=unpack_trace(item[TRACE].get("B")) if TRACE in item else None,
        )
    except MALFORMED as error:
        raise UnreadableItemError(f"row {item.get(Attr.SK)} is broken") from error


def _read_begun_at(plain: Mapping[str, Any], async_until: int | None) -> int | None:
    if async_until is None:
        return last_started_at(plain.get("oc", b""))
    return read_async_policy(plain.get("ap")).claimed_at(async_until)
