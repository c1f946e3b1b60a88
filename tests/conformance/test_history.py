"""Statistics of each hour: a pass replaces the sums of an earlier one, and never those of a later one."""

from collections import Counter

from shared.domain.archive.busiest import DayJobs, JobCount
from shared.domain.archive.histogram import Histogram
from shared.domain.archive.statistics import MinuteSums, Sums, UnitSums
from shared.domain.archive.unit import ArchiveUnit
from shared.ports.history import PassedMark
from tests.support.builders import TENANT
from tests.support.conformance.labs import Lab

HOUR = 483_333
EXPIRES_AT_S = 2_000_000_000
FLOWS = [f"wfl_1{number:027d}" for number in range(2)]


def sums_of(
    succeeded: int = 1,
    *,
    hour: int = HOUR,
    group: int = 0,
    tenant: str | None = TENANT,
    workflow: str | None = None,
) -> UnitSums:
    unit = ArchiveUnit(hour=hour, group=group)
    lag = Histogram(Counter({38: succeeded}))
    sums = Sums(
        states=Counter({"succeeded": succeeded}),
        end_reasons=Counter({"overlap": 1}),
        statuses=Counter({"2xx": succeeded}),
        attempts=succeeded + 1,
        unended=2,
        queue=Histogram(Counter({0: 1, 254: 2})),
        minutes={unit.buckets[7]: MinuteSums(ended=succeeded, failed=0, lag=lag)},
    )
    groups = (0, 3) if tenant and workflow is None else None
    return UnitSums(unit=unit, tenant_id=tenant, sums=sums, row_groups=groups, workflow_id=workflow)


def put(lab: Lab, sums: UnitSums, version: int = 7) -> bool:
    return lab.history.put(sums, version=version, etag='"e"', expires_at_s=EXPIRES_AT_S)


def test_sums_are_read_as_they_were_put(lab: Lab) -> None:
    own, whole = sums_of(), sums_of(5, tenant=None)
    assert put(lab, own)
    assert put(lab, whole)
    assert list(lab.history.hours(TENANT, HOUR, HOUR + 1)) == [own]
    assert list(lab.history.hours(None, HOUR, HOUR + 1)) == [whole]
    assert list(lab.history.hours("globex", HOUR, HOUR + 1)) == []


def test_sums_of_a_later_pass_stay(lab: Lab) -> None:
    assert put(lab, sums_of(1), version=7)
    assert put(lab, sums_of(2), version=8)
    assert not put(lab, sums_of(3), version=7)
    assert put(lab, sums_of(4), version=8)
    assert list(lab.history.hours(TENANT, HOUR, HOUR + 1)) == [sums_of(4)]


def test_range_has_the_groups_of_its_hours_in_order(lab: Lab) -> None:
    inside = [sums_of(hour=HOUR + hour, group=group) for hour in (0, 1) for group in (0, 1, 12)]
    outside = [sums_of(hour=HOUR - 1, group=3), sums_of(hour=HOUR + 2)]
    for each in [*reversed(inside), *outside]:
        assert put(lab, each)
    assert list(lab.history.hours(TENANT, HOUR, HOUR + 2)) == inside
    assert list(lab.history.hours(TENANT, HOUR, HOUR + 2, by_minute=False)) == inside


def test_minutes_of_an_hour_are_joined_where_they_are_not_asked_for(lab: Lab) -> None:
    found = sums_of()
    later = MinuteSums(ended=3, failed=2, lag=Histogram(Counter({38: 2, 254: 1})))
    found.sums.minutes[found.unit.buckets[9]] = later
    assert put(lab, found)
    (joined,) = lab.history.hours(TENANT, HOUR, HOUR + 1, by_minute=False)
    whole = MinuteSums(ended=4, failed=2, lag=Histogram(Counter({38: 3, 254: 1})))
    assert joined.sums.minutes == {found.unit.buckets[7]: whole}
    assert list(lab.history.hours(TENANT, HOUR, HOUR + 1)) == [found]


def test_newest_hours_come_first_and_nothing_of_other_tenants(lab: Lab) -> None:
    inside = [sums_of(hour=HOUR + hour, group=group) for hour in (0, 1) for group in (0, 1, 12)]
    for each in [
        *inside,
        sums_of(hour=HOUR - 1),
        sums_of(hour=HOUR + 2),
        sums_of(hour=HOUR, tenant="globex"),
    ]:
        assert put(lab, each)
    assert list(lab.history.newest(TENANT, HOUR, HOUR + 2, at_once=2)) == inside[::-1]


def test_range_without_hours_is_empty(lab: Lab) -> None:
    """Such as the hours before the table's own, where a list begins within the last hour."""
    assert put(lab, sums_of())
    for until in (HOUR, HOUR - 1):
        assert list(lab.history.hours(TENANT, HOUR, until)) == []
        assert list(lab.history.newest(TENANT, HOUR, until)) == []
        assert lab.history.etags(HOUR, until) == {}


def test_sums_of_one_unit_are_found(lab: Lab) -> None:
    own, whole, other = sums_of(2), sums_of(5, tenant=None), sums_of(3, group=1)
    for each in (own, whole, other):
        assert put(lab, each)
    assert lab.history.of_unit(TENANT, own.unit) == own.sums
    assert lab.history.of_unit(None, own.unit) == whole.sums
    assert lab.history.of_unit("globex", own.unit) is None
    assert lab.history.of_unit(TENANT, ArchiveUnit(hour=HOUR + 1, group=0)) is None


def test_sums_of_a_workflow_are_apart_from_those_of_its_tenant_and_of_other_workflows(lab: Lab) -> None:
    own = [sums_of(hour=HOUR + hour, group=group) for hour in (0, 1) for group in (0, 1)]
    of_a = [
        sums_of(2, hour=HOUR + hour, group=group, workflow=FLOWS[0]) for hour in (0, 1) for group in (0, 1)
    ]
    of_b = [sums_of(3, workflow=FLOWS[1])]
    for each in [*own, *of_a, *of_b, sums_of(4, hour=HOUR + 2, workflow=FLOWS[0])]:
        assert put(lab, each)
    assert not put(lab, sums_of(9, workflow=FLOWS[0]), version=6)
    assert list(lab.history.hours(TENANT, HOUR, HOUR + 2)) == own
    assert list(lab.history.newest(TENANT, HOUR, HOUR + 2)) == own[::-1]
    assert list(lab.history.hours(TENANT, HOUR, HOUR + 2, workflow_id=FLOWS[0])) == of_a
    assert list(lab.history.hours(TENANT, HOUR, HOUR + 2, workflow_id=FLOWS[1], by_minute=False)) == of_b
    assert list(lab.history.hours("globex", HOUR, HOUR + 2, workflow_id=FLOWS[0])) == []
    assert lab.history.of_unit(TENANT, of_a[1].unit, FLOWS[0]) == of_a[1].sums
    assert lab.history.of_unit(TENANT, of_a[1].unit, FLOWS[1]) is None


def test_forgotten_tenant_has_no_sums_of_workflows_which_count_no_execution_again(lab: Lab) -> None:
    for each in [sums_of(2), sums_of(2, workflow=FLOWS[0]), sums_of(2, workflow=FLOWS[1])]:
        assert put(lab, each)
    counted = []
    while (rows := lab.history.forget(TENANT, limit=1)) is not None:
        counted.append(rows)
    assert sorted(counted) == [0, 0, 2]
    assert list(lab.history.hours(TENANT, HOUR, HOUR + 1, workflow_id=FLOWS[0])) == []


def test_forgotten_tenant_has_no_sums_and_the_others_have_all(lab: Lab) -> None:
    others = [sums_of(7, tenant="globex"), sums_of(8, tenant=None)]
    for each in [*(sums_of(2, hour=HOUR + hour) for hour in range(5)), *others]:
        assert put(lab, each)
    lab.history.note_passed(PassedMark(since=HOUR, before=HOUR + 9), 1_000)
    assert [lab.history.forget(TENANT, limit=2) for _ in range(4)] == [4, 4, 2, None]
    assert list(lab.history.hours(TENANT, 0, HOUR + 9)) == []
    assert list(lab.history.hours("globex", 0, HOUR + 9)) == others[:1]
    assert list(lab.history.hours(None, 0, HOUR + 9)) == others[1:]
    assert lab.history.passed() is not None


def day_of(ended: int = 3, *, tenant: str | None = TENANT, day: int = 20_138) -> DayJobs:
    owners = (TENANT, "globex") if tenant is None else (tenant,)
    jobs = tuple(
        JobCount(tenant_id=owner, job_id=f"job_r{number}", ended=ended, failed=number)
        for number, owner in enumerate(owners)
    )
    return DayJobs(day=day, tenant_id=tenant, ended=ended + 1, job_count=9, jobs=jobs)


def test_busiest_jobs_are_read_as_they_were_put(lab: Lab) -> None:
    days = [day_of(), day_of(4, tenant=None), day_of(5, day=20_139)]
    for each in days:
        assert lab.history.put_day(each, version=7, expires_at_s=EXPIRES_AT_S)
    assert [lab.history.day(each.tenant_id, each.day) for each in days] == days
    assert lab.history.day("globex", 20_138) is None
    assert list(lab.history.hours(TENANT, 0, 20_140 * 24)) == []


def test_busiest_jobs_of_a_later_count_stay(lab: Lab) -> None:
    assert lab.history.put_day(day_of(1), version=7, expires_at_s=EXPIRES_AT_S)
    assert lab.history.put_day(day_of(2), version=8, expires_at_s=EXPIRES_AT_S)
    assert not lab.history.put_day(day_of(3), version=7, expires_at_s=EXPIRES_AT_S)
    assert lab.history.put_day(day_of(4), version=8, expires_at_s=EXPIRES_AT_S)
    assert lab.history.day(TENANT, 20_138) == day_of(4)


def test_forgotten_tenant_has_no_busiest_jobs(lab: Lab) -> None:
    assert put(lab, sums_of(2))
    for each in (day_of(), day_of(day=20_139), day_of(tenant="globex")):
        assert lab.history.put_day(each, version=7, expires_at_s=EXPIRES_AT_S)
    assert sum(iter(lambda: lab.history.forget(TENANT, limit=2), None)) == 2
    assert [lab.history.day(TENANT, day) for day in (20_138, 20_139)] == [None, None]
    assert lab.history.day("globex", 20_138) == day_of(tenant="globex")


def test_mark_of_passed_hours_is_that_of_the_latest_run_and_keeps_its_beginning(lab: Lab) -> None:
    assert lab.history.passed() is None
    lab.history.note_passed(PassedMark(since=HOUR, before=HOUR + 3), 1_000)
    lab.history.note_passed(PassedMark(since=HOUR + 2, before=HOUR + 2), 2_000)
    lab.history.note_passed(PassedMark(since=HOUR, before=HOUR + 9), 1_999)
    assert lab.history.passed() == PassedMark(since=HOUR, before=HOUR + 2)
    assert list(lab.history.hours(None, 0, HOUR + 9)) == []


def test_files_of_the_sums_of_all_tenants_are_named(lab: Lab) -> None:
    for number, each in enumerate([sums_of(hour=HOUR + hour, tenant=None) for hour in (-1, 0, 1, 2)]):
        lab.history.put(each, version=7, etag=f'"{number}"', expires_at_s=EXPIRES_AT_S)
    lab.history.put(sums_of(group=1), version=7, etag='"own"', expires_at_s=EXPIRES_AT_S)
    lab.history.put(sums_of(group=2, tenant=None), version=7, etag=None, expires_at_s=EXPIRES_AT_S)
    units = [ArchiveUnit(hour=HOUR + hour, group=0) for hour in (0, 1)]
    assert lab.history.etags(HOUR, HOUR + 2) == dict(zip(units, ('"1"', '"2"'), strict=True))
