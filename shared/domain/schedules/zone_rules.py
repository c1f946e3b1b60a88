"""Frozen rules: the rules of a time zone as a short text.

Computations with frozen rules give the same result in every process, whichever tzdata release is installed.
The text holds the release, a space, and the zone's POSIX rule without names: `2026f 5,,M3.2.0,M11.1.0` for
New York. While the tables depart from the POSIX rule, the initial offset and each change with its instant
come first, in seconds: `2026f 3600/1771120800:0/1774144800:3600;-1`.
"""

import re
import struct
from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from typing import Final
from zoneinfo import ZoneInfo

from shared.domain.errors import ScheduleError
from shared.domain.schedules.zones import TZDATA_VERSION, load_zone, segment_at

_DAY_MS: Final = 86_400_000
_MARGIN_MS: Final = 40 * _DAY_MS
"""Rules start this early, because an overlap shortly before an instant affects matches at the instant."""
_LONGEST_DEPARTURE_MS: Final = 400 * _DAY_MS
_NAME = r"(?:<[^>]+>|[A-Za-z]+)"
_POSIX = re.compile(rf"{_NAME}(?P<std>[-+:0-9]+)(?:{_NAME}(?P<dst>[-+:0-9]*),(?P<when>.+))?")
_TEXT = re.compile(
    r"(?P<release>[0-9a-z]{5,8}) (?:(?P<before>-?\d{1,6})(?P<changes>(?:/\d{1,11}:-?\d{1,6})+);)?"
    r"(?P<rule>[-+:0-9]{1,9}(?:,[-+:0-9]{0,9}(?:,[MJ]?[0-9.]{1,7}(?:/[-+:0-9]{1,9})?){2})?)",
    re.ASCII,
)
_HEADER = b"TZif2" + bytes(15)


def frozen_rules(zone_name: str, from_ms: int, until_ms: int) -> str | None:
    """Return the zone's rules: exact offsets in [from, until], then the POSIX rule.

    None for UTC and zones named `Etc/...`, whose offsets are fixed. Raises ScheduleError (field `timezone`)
    for an unknown zone.
    """
    if zone_name == "UTC" or zone_name.startswith("Etc/"):
        return None
    low = (from_ms - _MARGIN_MS) // _DAY_MS * _DAY_MS
    high = -(-until_ms // _DAY_MS) * _DAY_MS
    return f"{TZDATA_VERSION} {_present_rules(zone_name, low, high)}"


@lru_cache(maxsize=1024)
def zone_from_rules(text: str) -> ZoneInfo:
    """Build the zone from frozen rules. Raises ScheduleError (field `timezone`) for malformed rules."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ScheduleError(f"{text[:64]!a} are no rules of a time zone", field="timezone")
    return _zone_of(text.partition(" ")[2])


def release_of(text: str) -> str:
    return text.partition(" ")[0]


def offset_differences(
    one: ZoneInfo, other: ZoneInfo, from_ms: int, until_ms: int
) -> Iterator[tuple[int, int]]:
    """Yield the ranges [start, end) within [from, until) in which two zones differ, in order."""
    at = from_ms
    while at < until_ms:
        here, there = segment_at(one, at), segment_at(other, at)
        end = min(here.end_ms, there.end_ms, until_ms)
        if here.offset_ms != there.offset_ms:
            yield at, end
        at = end


@lru_cache(maxsize=1024)
def _present_rules(zone_name: str, from_ms: int, until_ms: int) -> str:
    zone, rule = load_zone(zone_name), _rule_of(zone_name)
    explicit_until = from_ms
    for start, end in offset_differences(zone, _zone_of(rule), from_ms, until_ms + _LONGEST_DEPARTURE_MS):
        if start > max(until_ms, explicit_until):
            break
        explicit_until = end
    if explicit_until == from_ms:
        return rule
    before, *changes = _offsets(zone, from_ms, explicit_until)
    spelled = "".join(f"/{at}:{offset}" for at, offset in changes)
    return f"{before[1]}{spelled};{rule}"


def _rule_of(zone_name: str) -> str:
    """Return the POSIX rule at the end of the zone's file, which applies to all future instants."""
    # Imported late: only the API and the reconciler read tables.
    from importlib import resources

    file = resources.files("tzdata").joinpath("zoneinfo", *zone_name.split("/"))
    found = _POSIX.fullmatch(file.read_bytes().rstrip(b"\n").rpartition(b"\n")[2].decode())
    if found is None:
        raise ScheduleError(f"the time zone {zone_name} has no rule for its future", field="timezone")
    return found["std"] if found["when"] is None else f"{found['std']},{found['dst']},{found['when']}"


def _offsets(zone: ZoneInfo, from_ms: int, until_ms: int) -> Iterator[tuple[int, int]]:
    """Yield pairs of instant and offset, in seconds: the start, each change, and the end."""
    at, last = from_ms, None
    while at < until_ms:
        segment = segment_at(zone, at)
        if segment.offset_ms != last:
            yield at // 1000, segment.offset_ms // 1000
        at, last = segment.end_ms, segment.offset_ms
    yield until_ms // 1000, segment_at(zone, until_ms).offset_ms // 1000


@lru_cache(maxsize=1024)
def _zone_of(rules: str) -> ZoneInfo:
    explicit, _, rule = rules.rpartition(";")
    before, *changes = explicit.split("/") if explicit else ["0"]
    offsets = [int(before), *(int(change.partition(":")[2]) for change in changes)]
    instants = [int(change.partition(":")[0]) for change in changes]
    try:
        if max(map(abs, offsets)) >= _DAY_MS // 1000 or sorted(set(instants)) != instants:
            raise ValueError("offsets of a day, or changes that are not in order")
        return ZoneInfo.from_file(BytesIO(_zone_file(instants, offsets, rule)))
    except ValueError as error:
        raise ScheduleError(f"{rules[:64]!a} are no rules of a time zone", field="timezone") from error


def _zone_file(instants: list[int], offsets: list[int], rule: str) -> bytes:
    """Encode the rules in the format of RFC 8536, all as standard time, because only offsets are used."""
    std, _, summer = rule.partition(",")
    posix = f"AAA{std}" + (f"BBB{summer}" if summer else "")
    counts = struct.pack(">6L", 0, 0, 0, len(instants), len(offsets), 4)
    types = b"".join(struct.pack(">lbb", offset, 0, 0) for offset in offsets)
    body = struct.pack(f">{len(instants)}q", *instants) + bytes(range(1, len(offsets))) + types + b"AAA\0"
    return _HEADER + bytes(24) + _HEADER + counts + body + b"\n" + posix.encode() + b"\n"
