"""CalendarStore: a tenant's own calendars, each version written over the one before."""

from dataclasses import replace

from shared.domain.schedules.own_calendar import OwnCalendar
from tests.support.builders import DUE_AT, TENANT
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
THIRD = replace(FIRST, version=3, weekend=frozenset())


def test_calendar_is_read_as_it_was_put(lab: Lab) -> None:
    assert lab.calendars.get(TENANT, "plant") is None
    assert lab.calendars.last_version(TENANT, "plant") == 0
    for calendar in (FIRST, SECOND, THIRD):
        assert lab.calendars.put(TENANT, calendar)
        assert lab.calendars.get(TENANT, "plant") == calendar
        assert lab.calendars.last_version(TENANT, "plant") == calendar.version
    assert lab.calendars.get("acme-2", "plant") is None
    assert lab.calendars.get(TENANT, "plan") is None


def test_version_is_written_over_the_one_before_alone(lab: Lab) -> None:
    assert not lab.calendars.put(TENANT, SECOND)
    assert lab.calendars.put(TENANT, FIRST)
    assert not lab.calendars.put(TENANT, THIRD)
    assert not lab.calendars.put(TENANT, replace(FIRST, dates_out=()))
    assert lab.calendars.get(TENANT, "plant") == FIRST


def test_write_whose_response_was_lost_is_repeated(lab: Lab) -> None:
    assert lab.calendars.put(TENANT, FIRST)
    assert lab.calendars.put(TENANT, FIRST)
    assert lab.calendars.delete(TENANT, FIRST, DUE_AT)
    assert lab.calendars.delete(TENANT, FIRST, DUE_AT)


def test_deleted_calendar_keeps_its_last_version(lab: Lab) -> None:
    lab.calendars.put(TENANT, FIRST)
    assert lab.calendars.delete(TENANT, FIRST, DUE_AT)
    assert lab.calendars.get(TENANT, "plant") is None
    assert lab.calendars.last_version(TENANT, "plant") == 2
    assert lab.calendars.all(TENANT) == []
    assert not lab.calendars.put(TENANT, FIRST)
    assert lab.calendars.put(TENANT, THIRD)


def test_deletion_of_a_version_that_was_replaced_is_refused(lab: Lab) -> None:
    lab.calendars.put(TENANT, FIRST)
    lab.calendars.put(TENANT, SECOND)
    assert not lab.calendars.delete(TENANT, FIRST, DUE_AT)
    assert lab.calendars.get(TENANT, "plant") == SECOND


def test_calendars_of_a_tenant_are_listed_by_name(lab: Lab) -> None:
    others = [replace(FIRST, name=name) for name in ("works", "b-2", "b")]
    for calendar in (FIRST, *others):
        lab.calendars.put(TENANT, calendar)
    lab.calendars.put("acme-2", replace(FIRST, name="theirs"))
    assert [each.name for each in lab.calendars.all(TENANT)] == ["b", "b-2", "plant", "works"]
    assert [each.name for each in lab.calendars.all("acme-2")] == ["theirs"]


def test_calendars_are_deleted_with_the_definitions_of_their_tenant(lab: Lab) -> None:
    lab.calendars.put(TENANT, FIRST)
    lab.calendars.put("acme-2", FIRST)
    assert lab.tenant_records.delete_definitions(TENANT) == {"records": 1}
    assert lab.tenant_records.delete_definitions(TENANT) == {}
    assert lab.calendars.last_version(TENANT, "plant") == 0
    assert lab.calendars.get("acme-2", "plant") == FIRST
