"""Zones come from the pinned tables alone, and their segments end exactly where the tables say."""

import struct
import subprocess
import sys
import zoneinfo
from datetime import UTC, datetime
from importlib import metadata, resources
from itertools import pairwise

import pytest

from shared.domain.errors import ScheduleError
from shared.domain.schedules.zones import REACH_MS, TZDATA_VERSION, load_zone, segment_at
from tests.support.moments import ms

HOUR_MS = 3_600_000
NAMES = ["America/New_York", "Australia/Lord_Howe", "Pacific/Chatham", "Antarctica/Troll", "Pacific/Apia"]
NAMES += ["America/Havana", "Africa/Casablanca", "America/St_Johns", "Asia/Kathmandu", "Asia/Gaza", "UTC"]


def table(name: str) -> list[tuple[int, int]]:
    """(instant in seconds, new offset in seconds) of each transition that the compiled table of a zone lists."""
    blob = resources.files("tzdata.zoneinfo").joinpath(*name.split("/")).read_bytes()
    isut, isstd, leaps, times, types, chars = struct.unpack(">6l", blob[20:44])
    second = 44 + times * 5 + types * 6 + chars + leaps * 8 + isstd + isut
    times, types = struct.unpack(">2l", blob[second + 32 : second + 40])
    at = second + 44
    instants = struct.unpack(f">{times}q", blob[at : at + 8 * times])
    kinds = blob[at + 8 * times : at + 9 * times]
    offsets = [struct.unpack_from(">l", blob, at + 9 * times + 6 * kind)[0] for kind in range(types)]
    changes, known = [], offsets[0]
    for instant, kind in zip(instants, kinds, strict=True):
        if offsets[kind] != known:
            known = offsets[kind]
            changes.append((instant, known))
    return changes


def test_system_tables_are_not_read() -> None:
    assert zoneinfo.TZPATH == ()
    assert sys.modules["tzdata"].IANA_VERSION == TZDATA_VERSION
    year, letter = TZDATA_VERSION[:4], TZDATA_VERSION[4:]
    assert metadata.version("tzdata") == f"{year}.{ord(letter) - ord('a') + 1}"


def test_a_zone_loaded_before_from_other_tables_is_forgotten(pytestconfig: pytest.Config) -> None:
    code = """
from zoneinfo import ZoneInfo
early = ZoneInfo("Europe/Berlin")
from shared.domain.schedules.zones import load_zone
assert load_zone("Europe/Berlin") is not early
assert load_zone("Europe/Berlin") is load_zone("Europe/Berlin")
"""
    subprocess.run([sys.executable, "-c", code], cwd=pytestconfig.rootpath, check=True)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Nowhere/City",
        "europe/berlin",
        "EUROPE/BERLIN",
        " UTC",
        "UTC ",
        "UTC\n",
        "UTC\x00",
        "/etc/localtime",
        "/usr/share/zoneinfo/UTC",
        "../zoneinfo/UTC",
        "Europe/../UTC",
        "Europe//Berlin",
        "Europe/Berlin/",
        "Europe",
        "Europe\\Berlin",
        "file:///etc/passwd",
        "zone.tab",
        "tzdata.zi",
        "__init__.py",
        "Factory",
        "localtime",
        "UTC+1",
        "+01:00",
        "Europe/B\u00e9rlin",
        "\ud800",
        "A" * 100_000,
    ],
)
def test_unknown_zone_name_is_refused(name: str) -> None:
    with pytest.raises(ScheduleError, match="unknown time zone") as caught:
        load_zone(name)
    assert caught.value.field == "timezone"
    text = str(caught.value)
    assert text.isascii() and text.isprintable() and len(text) < 600


def test_transitions_are_never_too_close_for_the_sampling() -> None:
    for name in zoneinfo.available_timezones():
        instants = [instant for instant, _ in table(name) if instant > 0]
        lengths = [later - earlier for earlier, later in pairwise(instants)]
        assert min(lengths, default=10**9) >= 6 * 86_400, name


@pytest.mark.parametrize("name", NAMES)
def test_segments_begin_and_end_at_the_transitions_of_the_table(name: str) -> None:
    zone = load_zone(name)
    changes = [(instant * 1000, offset * 1000) for instant, offset in table(name)]
    for (instant, offset), (_, earlier_offset) in zip(changes[1:], changes, strict=False):
        if instant < 0:
            continue
        after, before = segment_at(zone, instant), segment_at(zone, instant - 1)
        assert (after.start_ms, after.offset_ms) == (instant, offset)
        assert (before.end_ms, before.offset_ms) == (instant, earlier_offset)
        assert segment_at(zone, instant + 1) == after


@pytest.mark.parametrize("name", NAMES)
def test_an_end_that_is_no_transition_is_far_away(name: str) -> None:
    zone = load_zone(name)
    for moment in range(ms("1990-01-01T00:00Z"), ms("2060-01-01T00:00Z"), 29 * 24 * HOUR_MS + 12_345):
        segment = segment_at(zone, moment)
        assert segment.start_ms <= moment < segment.end_ms
        for end, inside in ((segment.start_ms, segment.start_ms), (segment.end_ms, segment.end_ms - 1)):
            real = offset_at(name, end - 1) != offset_at(name, end)
            assert offset_at(name, inside) == segment.offset_ms
            assert real or abs(end - moment) >= REACH_MS


def offset_at(name: str, instant_ms: int) -> int:
    local = datetime.fromtimestamp(instant_ms // 1000, UTC).astimezone(zoneinfo.ZoneInfo(name))
    offset = local.utcoffset()
    assert offset is not None
    return int(offset.total_seconds()) * 1000
