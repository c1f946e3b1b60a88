"""A tenant's own calendars: a name and a version mean one content, whatever crashes, overlaps or is deleted."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.errors import InvalidStateError, NotFoundError, UnavailableError
from shared.domain.schedules.own_calendar import OwnCalendar
from shared.usecases.tenancy.manage_calendars import MAX_CALENDARS
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

NAMES = ("plant", "works")
ACTS = st.tuples(st.sampled_from(NAMES), st.sampled_from(["delete", 1, 2, 3]))


class Owner:
    """Owner on calendars, and notes what each name and version meant whenever it was seen."""

    def __init__(self) -> None:
        self.world = World(DUE_AT)
        self.calendars = self.world.cases.tenancy.calendars
        self.meant: dict[tuple[str, int], OwnCalendar] = {}

    def act(self, name: str, what: str | int) -> None:
        with suppress(NotFoundError, UnavailableError):
            if what == "delete":
                self.calendars.delete(TENANT, name)
            else:
                self.calendars.put(TENANT, wanted(name, int(what)))
        self.look()

    def look(self) -> None:
        for calendar in self.world.calendars.all(TENANT):
            seen = self.meant.setdefault((calendar.name, calendar.version), calendar)
            assert seen.has_content_of(calendar), (calendar.name, calendar.version)


def wanted(name: str, content: int = 1) -> OwnCalendar:
    return OwnCalendar(name=name, version=0, changed_at=0, dates_out=(20_000 + content,))


@settings(max_examples=120)
@given(acts=st.lists(st.tuples(ACTS, st.lists(ACTS, max_size=3)), max_size=8))
def test_version_of_a_name_never_means_two_contents_however_requests_overlap(
    acts: list[tuple[tuple[str, str | int], list[tuple[str, str | int]]]],
) -> None:
    owner = Owner()
    for act, meanwhile in acts:
        others = list(meanwhile)

        def overtake(others: list[tuple[str, str | int]] = others) -> None:
            while others:
                owner.act(*others.pop(0))

        owner.world.steps.before("calendars.put", overtake)
        owner.world.steps.before("calendars.delete", overtake)
        owner.act(*act)
        owner.world.steps.calm()


@pytest.mark.parametrize("first", [(), (("plant", 3), ("plant", "delete"))])
@pytest.mark.parametrize("step", ["last_version", "put", "all"])
def test_creation_that_is_overtaken_by_a_creation_and_a_deletion_takes_a_later_version(
    step: str, first: tuple[tuple[str, str | int], ...]
) -> None:
    owner = Owner()
    for act in first:
        owner.act(*act)

    def overtake() -> None:
        owner.act("plant", 1)
        owner.act("plant", "delete")

    owner.world.steps.before(f"calendars.{step}", overtake)
    owner.act("plant", 2)
    (after,) = owner.world.calendars.all(TENANT)
    assert (after.version, len(owner.meant)) == (3 + 2 * bool(first), 2 + bool(first))


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("step", ["get", "last_version", "put"])
def test_creation_that_crashes_anywhere_is_made_once_by_its_repetition(step: str, moment: str) -> None:
    owner = Owner()
    owner.act("plant", 1)
    owner.act("plant", "delete")
    getattr(owner.world.steps, moment)(f"calendars.{step}", die)
    with pytest.raises(Crash):
        owner.calendars.put(TENANT, wanted("plant", 2))
    owner.look()
    _, after = owner.calendars.put(TENANT, wanted("plant", 2))
    assert after.version == 3
    owner.look()


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("step", ["get", "delete"])
def test_deletion_that_crashes_anywhere_is_made_once_by_its_repetition(step: str, moment: str) -> None:
    owner = Owner()
    owner.act("plant", 1)
    getattr(owner.world.steps, moment)(f"calendars.{step}", die)
    with pytest.raises(Crash):
        owner.calendars.delete(TENANT, "plant")
    owner.act("plant", "delete")
    assert owner.world.calendars.all(TENANT) == []
    _, after = owner.calendars.put(TENANT, wanted("plant", 2))
    assert after.version == 3


def test_deletion_whose_answer_is_lost_is_told_as_done() -> None:
    owner = Owner()
    owner.act("plant", 1)
    owner.world.steps.lose_answer("calendars.delete")
    with pytest.raises(UnavailableError):
        owner.calendars.delete(TENANT, "plant")
    assert owner.world.calendars.delete(TENANT, replace(wanted("plant"), version=1))


def test_names_without_end_leave_one_mark_behind() -> None:
    owner = Owner()
    for number in range(200):
        owner.act(f"c{number}", 1)
        owner.act(f"c{number}", "delete")
    table = owner.world.table
    assert (len(table.calendars), len(table.calendar_marks)) == (0, 1)
    _, after = owner.calendars.put(TENANT, wanted("c0", 2))
    assert after.version == 401


def test_deleted_calendars_do_not_count_among_those_of_a_tenant() -> None:
    owner = Owner()
    for number in range(MAX_CALENDARS):
        owner.act(f"c{number}", 1)
    with pytest.raises(InvalidStateError, match="delete one first"):
        owner.calendars.put(TENANT, wanted("more"))
    owner.act("c7", "delete")
    owner.calendars.put(TENANT, wanted("more"))
