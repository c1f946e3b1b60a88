"""CalendarStore: a tenant's own calendars, each version written over the one before."""

from dataclasses import replace

import pytest

from shared.adapters.dynamodb.codec import versions
from shared.domain.errors import UnknownVersionError
from shared.domain.schedules.blackouts import Blackout
from shared.domain.schedules.own_calendar import OwnCalendar
from tests.support.builders import DUE_AT, TENANT
from tests.support.conformance.dynamo_lab import DynamoLab
from tests.support.conformance.labs import Lab

FIRST = OwnCalendar(
    name="plant",
    version=1,
    changed_at=DUE_AT,
    country="DE-BY",
    weekend=frozenset({4, 5}),
    dates_in=(20_000, 20_800),
    dates_out=(19_999, 20_787),
)
SECOND = replace(FIRST, version=2, country=None, weekend=None, dates_in=(), dates_out=())
THIRD = replace(FIRST, version=3, weekend=frozenset(), set_name="billing")
EVENING = DUE_AT // 60_000 * 60_000
WINDOWS = (
    Blackout(from_at=60_000, until_at=120_000),
    Blackout(from_at=EVENING, until_at=EVENING + 3_600_000, reason="maintenance of the plant"),
)
FOURTH = replace(FIRST, version=4, blackouts=WINDOWS)
FIFTH = replace(FIRST, version=5, blackouts=())


def test_calendar_is_read_as_it_was_put(lab: Lab) -> None:
    assert lab.calendars.get(TENANT, "plant") is None
    assert lab.calendars.last_version(TENANT, "plant") == 0
    before = None
    for calendar in (FIRST, SECOND, THIRD, FOURTH, FIFTH):
        assert lab.calendars.put(TENANT, calendar, before)
        assert lab.calendars.get(TENANT, "plant") == calendar
        assert lab.calendars.last_version(TENANT, "plant") == calendar.version
        before = calendar
    assert lab.calendars.get("acme-2", "plant") is None
    assert lab.calendars.get(TENANT, "plan") is None


def test_version_is_written_over_the_one_before_alone(lab: Lab) -> None:
    assert not lab.calendars.put(TENANT, SECOND, FIRST)
    assert lab.calendars.put(TENANT, FIRST, None)
    assert not lab.calendars.put(TENANT, THIRD, SECOND)
    assert not lab.calendars.put(TENANT, replace(FIRST, dates_out=()), None)
    assert not lab.calendars.put(TENANT, THIRD, None)
    assert lab.calendars.get(TENANT, "plant") == FIRST


def test_write_whose_response_was_lost_is_repeated(lab: Lab) -> None:
    for _ in range(2):
        assert lab.calendars.put(TENANT, FIRST, None)
    for _ in range(2):
        assert lab.calendars.put(TENANT, SECOND, FIRST)
    for _ in range(2):
        assert lab.calendars.delete(TENANT, SECOND)
    assert lab.calendars.last_version(TENANT, "plant") == 3


def test_calendar_that_is_deleted_leaves_its_version_alone(lab: Lab) -> None:
    lab.calendars.put(TENANT, FIRST, None)
    assert lab.calendars.delete(TENANT, FIRST)
    assert lab.calendars.get(TENANT, "plant") is None
    assert lab.calendars.last_version(TENANT, "plant") == 2
    assert lab.calendars.all(TENANT) == []
    assert not lab.calendars.put(TENANT, FIRST, None)
    assert not lab.calendars.put(TENANT, SECOND, None)
    assert not lab.calendars.put(TENANT, SECOND, FIRST)
    assert lab.calendars.put(TENANT, THIRD, None)


def test_slow_creation_does_not_repeat_a_version_that_was_deleted_meanwhile(lab: Lab) -> None:
    version = lab.calendars.last_version(TENANT, "plant") + 1
    lab.calendars.put(TENANT, FIRST, None)
    lab.calendars.put(TENANT, SECOND, FIRST)
    lab.calendars.delete(TENANT, SECOND)
    assert not lab.calendars.put(TENANT, replace(THIRD, version=version), None)
    assert lab.calendars.get(TENANT, "plant") is None


def test_mark_of_deleted_versions_never_falls(lab: Lab) -> None:
    far = replace(FIRST, name="far", version=9)
    lab.calendars.put(TENANT, FIRST, None)
    lab.calendars.put(TENANT, far, None)
    assert lab.calendars.delete(TENANT, far)
    assert lab.calendars.delete(TENANT, FIRST)
    assert {lab.calendars.last_version(TENANT, name) for name in ("plant", "far", "other")} == {10}
    assert lab.calendars.last_version("acme-2", "plant") == 0


def test_deletion_of_a_version_that_was_replaced_is_refused(lab: Lab) -> None:
    lab.calendars.put(TENANT, FIRST, None)
    lab.calendars.put(TENANT, SECOND, FIRST)
    assert not lab.calendars.delete(TENANT, FIRST)
    assert lab.calendars.get(TENANT, "plant") == SECOND
    lab.calendars.put(TENANT, replace(FIRST, name="far", version=9), None)
    lab.calendars.delete(TENANT, replace(FIRST, name="far", version=9))
    assert not lab.calendars.delete(TENANT, FIRST)
    assert lab.calendars.get(TENANT, "plant") == SECOND


def test_calendars_of_a_tenant_are_listed_by_name(lab: Lab) -> None:
    others = [replace(FIRST, name=name) for name in ("works", "b-2", "b")]
    for calendar in (FIRST, *others):
        lab.calendars.put(TENANT, calendar, None)
    lab.calendars.put("acme-2", replace(FIRST, name="theirs"), None)
    assert [each.name for each in lab.calendars.all(TENANT)] == ["b", "b-2", "plant", "works"]
    assert [each.name for each in lab.calendars.all("acme-2")] == ["theirs"]


def test_calendars_are_deleted_with_the_definitions_of_their_tenant(lab: Lab) -> None:
    lab.calendars.put(TENANT, FIRST, None)
    lab.calendars.delete(TENANT, FIRST)
    lab.calendars.put(TENANT, THIRD, None)
    lab.calendars.put("acme-2", FIRST, None)
    assert lab.tenant_records.delete_definitions(TENANT) == {"records": 2}
    assert lab.tenant_records.delete_definitions(TENANT) == {}
    assert lab.calendars.last_version(TENANT, "plant") == 0
    assert lab.calendars.get("acme-2", "plant") == FIRST


def test_calendars_that_are_deleted_leave_one_item_of_their_tenant(engine_lab: DynamoLab) -> None:
    for number, name in enumerate(("b", "a", "c", "b"), start=1):
        version = engine_lab.calendars.last_version(TENANT, name) + 1
        calendar = replace(FIRST, name=name, version=version)
        assert engine_lab.calendars.put(TENANT, calendar, None)
        assert version == 2 * number - 1
        assert engine_lab.calendars.delete(TENANT, calendar)
    (items,) = engine_lab.contents().values()
    assert [item["cv"] for item in items] == [{"N": "8"}]


def test_calendar_with_blackout_windows_is_unreadable_to_a_release_before_them(engine_lab: DynamoLab) -> None:
    """Such a release reads `c`, and no version, of each calendar."""
    engine_lab.calendars.put(TENANT, FOURTH, None)
    ((stored,),) = engine_lab.contents().values()
    assert "c" not in stored
    assert stored["v"] == {"N": str(versions.BLACKOUTS)}
    engine_lab.calendars.put(TENANT, FIFTH, FOURTH)
    ((stored,),) = engine_lab.contents().values()
    assert "cb" not in stored
    assert stored["v"] == {"N": "1"}


def test_calendar_of_a_newer_version_is_not_read(
    engine_lab: DynamoLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine_lab.calendars.put(TENANT, FOURTH, None)
    monkeypatch.setattr(versions, "VERSION", versions.BLACKOUTS - 1)
    with pytest.raises(UnknownVersionError):
        engine_lab.calendars.get(TENANT, "plant")
