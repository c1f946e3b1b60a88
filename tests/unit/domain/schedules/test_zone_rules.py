"""Rules of time zones that are frozen: they say what the tables say, and go on saying it when the tables change."""

from zoneinfo import available_timezones

import pytest

from shared.domain.errors import ScheduleError
from shared.domain.schedules import zone_rules
from shared.domain.schedules.zone_rules import frozen_rules, offset_differences, release_of, zone_from_rules
from shared.domain.schedules.zones import TZDATA_VERSION, load_zone, segment_at
from tests.support.moments import ms

DAY = 86_400_000
YEARS = 3 * 366 * DAY
NOW = ms("2026-03-01T00:00Z")
ZONES = sorted(available_timezones() - {"Factory"})
IRREGULAR = [
    "Africa/Casablanca",
    "Africa/Cairo",
    "America/Asuncion",
    "Asia/Gaza",
    "Pacific/Fiji",
    "Europe/Istanbul",
]


def test_the_rules_of_every_zone_say_for_years_what_the_tables_say() -> None:
    for name in ZONES:
        text = frozen_rules(name, NOW, NOW + YEARS)
        if text is not None:
            assert not list(
                offset_differences(zone_from_rules(text), load_zone(name), NOW - 30 * DAY, NOW + YEARS)
            ), name


@pytest.mark.parametrize("name", [*IRREGULAR, "Europe/Dublin", "Pacific/Chatham", "Antarctica/Troll"])
@pytest.mark.parametrize("year", range(1991, 2051, 8))
def test_frozen_rules_follow_a_zone_that_departs_from_its_rule(name: str, year: int) -> None:
    start = ms(f"{year}-05-17T00:00Z")
    text = frozen_rules(name, start, start + YEARS)
    assert text is not None
    assert not list(
        offset_differences(zone_from_rules(text), load_zone(name), start - 30 * DAY, start + YEARS)
    )


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("Asia/Tokyo", "-9"),
        ("America/New_York", "5,,M3.2.0,M11.1.0"),
        ("Europe/Dublin", "-1,0,M10.5.0,M3.5.0/1"),
        ("Pacific/Chatham", "-12:45,,M9.5.0/2:45,M4.1.0/3:45"),
    ],
)
def test_the_text_is_short_and_tells_its_release(name: str, rules: str) -> None:
    text = frozen_rules(name, NOW, NOW + YEARS)
    assert text == f"{TZDATA_VERSION} {rules}"
    assert release_of(text) == TZDATA_VERSION


def test_the_text_spells_out_what_the_rule_of_the_zone_does_not_say() -> None:
    start = ms("2010-06-01T00:00Z")
    text = frozen_rules("Europe/Istanbul", start, start + YEARS)
    assert text == (
        f"{TZDATA_VERSION} 10800/1288486800:7200/1301274000:10800/1319936400:7200/1332637200:10800"
        "/1351386000:7200/1364691600:10800;-3"
    )


@pytest.mark.parametrize("name", ["UTC", "Etc/UTC", "Etc/GMT+5"])
def test_a_zone_that_never_changes_needs_none(name: str) -> None:
    assert frozen_rules(name, NOW, NOW + YEARS) is None


def test_a_zone_that_is_not_in_the_tables_has_none() -> None:
    with pytest.raises(ScheduleError, match="unknown time zone"):
        frozen_rules("Mars/Olympus", NOW, NOW + YEARS)


def test_frozen_zone_rules_do_not_read_the_zone_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zone_rules, "load_zone", None)
    zone = zone_from_rules("1999a 5,,M4.1.0,M10.5.0")
    assert segment_at(zone, ms("2026-03-20T00:00Z")).offset_ms == -5 * 3_600_000
    assert segment_at(zone, ms("2026-04-20T00:00Z")).offset_ms == -4 * 3_600_000


def test_the_same_rules_are_one_zone_whatever_release_they_are_from() -> None:
    assert zone_from_rules("2020a -9") is zone_from_rules("2026f -9")


def test_a_parting_is_where_the_offsets_differ() -> None:
    old, new = zone_from_rules("2020a 5,,M4.1.0,M10.5.0"), load_zone("America/New_York")
    found = list(offset_differences(old, new, ms("2026-01-01T00:00Z"), ms("2027-01-01T00:00Z")))
    assert found == [
        (ms("2026-03-08T07:00Z"), ms("2026-04-05T07:00Z")),
        (ms("2026-10-25T06:00Z"), ms("2026-11-01T06:00Z")),
    ]
    assert not list(offset_differences(old, new, ms("2026-05-01T00:00Z"), ms("2026-10-01T00:00Z")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026f",
        "2026f ",
        "-9",
        "2026f EST5EDT",
        "2026f 5,,M3.2.0",
        "2026f 5,,M3.2.0,M11.1.0,M12.1.0",
        "2026f 5,,M13.2.0,M11.1.0",
        "2026f 99",
        "2026f --9",
        "2026f 3600/1:0;",
        "2026f 3600;-1",
        "2026f 999999/1:0;-1",
        "2026f 0/1:86400;-1",
        "2026f 3600/9:0/1:0;-1",
        "2026f 3600/1:0/1:60;-1",
        "2026f -9\n",
        "2026f \u0660",
        "2026f -9; rm",
        "2026f " + "9" * 10_000,
    ],
)
def test_malformed_zone_rules_are_refused(text: str) -> None:
    with pytest.raises(ScheduleError) as refused:
        zone_from_rules(text)
    assert refused.value.field == "timezone"
    assert len(str(refused.value)) < 200
