"""Encodings of the rules of a chain. Default values are left out, because items are many."""

from collections.abc import Mapping
from typing import Any

from shared.adapters.dynamodb.codec.versions import known
from shared.domain.bucket import ShardCounts
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUp, CatchUpPolicy
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.recurrence import Recurrence


def recurrence_attributes(recurrence: Recurrence) -> dict[str, Any]:
    """The attributes of a chain's rules."""
    # Imported late, as below: a tick that decodes no schedule loads no cron lines.
    from shared.domain.schedules.schedule import encode_series

    return {
        "sc": encode_series(recurrence.schedule),
        "sn": encode_counts(recurrence.counts),
        **rule_attributes(recurrence.jitter_ms, recurrence.catch_up, recurrence.overlap_policy),
        **({"mr": recurrence.max_runs} if recurrence.max_runs is not None else {}),
    }


def rule_attributes(jitter_ms: int, catch_up: CatchUpPolicy, overlap: OverlapPolicy) -> dict[str, Any]:
    """The rules other than the schedule, without default values."""
    attributes: dict[str, Any] = {}
    if jitter_ms:
        attributes["jt"] = jitter_ms
    if catch_up != DEFAULT_POLICY:
        attributes["cu"] = (
            f"{catch_up.mode}/{catch_up.limit}/{catch_up.window_ms}/{catch_up.late_tolerance_ms}"
        )
    if overlap is not OverlapPolicy.ALLOW:
        attributes["op"] = overlap.value
    return attributes


def read_rules(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `rule_attributes`; ValueError for malformed values."""
    return {
        "jitter_ms": plain.get("jt", 0),
        "catch_up": _read_catch_up(plain["cu"]) if "cu" in plain else DEFAULT_POLICY,
        "overlap_policy": known(OverlapPolicy, plain.get("op", OverlapPolicy.ALLOW)),
        "max_runs": plain.get("mr"),
    }


def read_recurrence(plain: Mapping[str, Any]) -> Recurrence:
    """The inverse of `recurrence_attributes`; ValueError or KeyError for malformed values."""
    from shared.domain.schedules.schedule import decode_series

    return Recurrence(
        schedule=decode_series(plain["sc"]), counts=read_counts(plain["sn"]), **read_rules(plain)
    )


def encode_counts(counts: ShardCounts) -> str:
    return f"{counts.normal}/{counts.quarter}/{counts.midnight}"


def read_counts(text: str) -> ShardCounts:
    """ValueError for malformed text."""
    normal, quarter, midnight = (int(part) for part in text.split("/"))
    return ShardCounts(normal=normal, quarter=quarter, midnight=midnight)


def _read_catch_up(text: str) -> CatchUpPolicy:
    mode, limit, window_ms, late_tolerance_ms = text.split("/")
    return CatchUpPolicy(
        mode=known(CatchUp, mode),
        limit=int(limit),
        window_ms=int(window_ms),
        late_tolerance_ms=int(late_tolerance_ms),
    )
