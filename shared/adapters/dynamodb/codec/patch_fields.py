"""Encodings of the patch of a bulk operation, and of the former members of its jobs.

A value is a list of one, or an empty list for a member without a value.
"""

from collections.abc import Callable, Mapping
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Plain
from shared.adapters.dynamodb.codec.execution_fields import encode_retry_extras, read_retry
from shared.adapters.dynamodb.codec.notification_fields import (
    encode_alerts,
    encode_target,
    read_alerts,
    read_target,
)
from shared.adapters.dynamodb.codec.versions import known
from shared.domain.bulk.members import CALLBACKS, Member, Values
from shared.domain.bulk.patch import FormerMembers, JobPatch
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.schedules.catch_up import CatchUp
from shared.domain.schedules.overlap import OverlapPolicy
from shared.names import Lane

_ENUMS: Mapping[Member, Callable[[Any], Any]] = {
    Member.LANE: Lane,
    Member.CATCH_UP: CatchUp,
    Member.OVERLAP_POLICY: OverlapPolicy,
}


def encode_patch(patch: JobPatch) -> dict[str, Plain]:
    return {
        "vs": encode_values(patch.values),
        "at": list[Plain](patch.add_tags),
        "rt": list[Plain](patch.remove_tags),
        "mt": patch.max_tags,
    }


def read_patch(plain: Mapping[str, Any]) -> JobPatch:
    """UnknownVersionError for a member or a value of a newer release."""
    return JobPatch(
        values=read_values(plain["vs"]),
        add_tags=tuple(plain["at"]),
        remove_tags=tuple(plain["rt"]),
        max_tags=plain["mt"],
    )


def encode_former(former: FormerMembers) -> dict[str, Plain]:
    return {"vs": encode_values(former.values), "g": list[Plain](former.tags)}


def read_former(plain: Mapping[str, Any]) -> FormerMembers:
    """UnknownVersionError for a member or a value of a newer release."""
    return FormerMembers(values=read_values(plain["vs"]), tags=tuple(plain["g"]))


def encode_values(values: Values) -> dict[str, Plain]:
    return {
        member.value: [] if value is None else [_encode(member, value)] for member, value in values.items()
    }


def read_values(plain: Mapping[str, Any]) -> Values:
    """ValueError for malformed values."""
    members = {known(Member, name): stored for name, stored in plain.items()}
    return {member: _read(member, stored[0]) if stored else None for member, stored in members.items()}


def _encode(member: Member, value: Any) -> Plain:
    if member in _ENUMS:
        return str(value.value)
    if member is Member.RETRY:
        return _encode_retry(value)
    if member in CALLBACKS:
        return encode_target(value) or b""
    if member is Member.ALERTS:
        return encode_alerts(value) or b""
    plain: Plain = value
    return plain


def _read(member: Member, stored: Any) -> Any:
    if member in _ENUMS:
        return known(_ENUMS[member], stored)
    if member is Member.RETRY:
        return _read_retry(stored)
    if member in CALLBACKS:
        return read_target(stored)
    return read_alerts(stored) if member is Member.ALERTS else stored


def _encode_retry(retry: RetryPolicy) -> str:
    """Such as `3/10/2/3600|60,600;3600`."""
    backoff = f"{retry.max_attempts}/{retry.base_seconds}/{retry.factor}/{retry.cap_seconds}"
    return f"{backoff}|{encode_retry_extras(retry) or ''}"


def _read_retry(text: str) -> RetryPolicy:
    numbers, _, extras = text.partition("|")
    most, *backoff = numbers.split("/")
    return read_retry(int(most), tuple(backoff), extras or None)
