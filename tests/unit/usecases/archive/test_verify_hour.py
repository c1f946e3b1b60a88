"""Tenants without a row in the files of an hour: how many are read and looked up, and within how many hours each is."""

from collections.abc import Iterable
from dataclasses import replace
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.errors import UnavailableError
from shared.ports.archive import IndexCounts
from shared.ports.tenancy import TenantStore
from shared.usecases.archive import verify_hour
from shared.usecases.archive.verify_hour import (
    FEWEST_OTHERS,
    MOST_IDS,
    MOST_OTHERS,
    CountMismatch,
    VerifyHour,
)
from tests.support.builders import TENANT
from tests.support.usecases.archive import HOUR, SEAL, UNIT, ArchiveWorld

DRAWS = [0.0, 0.5, 0.999]


class Drawn:
    """The same draw again and again."""

    def __init__(self, drawn: float) -> None:
        self._drawn = drawn

    def draw(self) -> float:
        return self._drawn

    def bits(self, count: int) -> int:
        raise AssertionError


class Watched:
    """Index counts and tenants, and what was asked of them."""

    def __init__(self, counts: IndexCounts, tenants: TenantStore) -> None:
        self._counts = counts
        self._tenants = tenants
        self.looked_up: list[str] = []
        self.ids_read: list[int] = []

    def due_between(self, tenant_id: str, shards: int, from_at: int, until_at: int) -> int:
        self.looked_up.append(tenant_id)
        return self._counts.due_between(tenant_id, shards, from_at, until_at)

    def ids(self, *, after: str | None, limit: int) -> list[str]:
        found = self._tenants.ids(after=after, limit=limit)
        self.ids_read.append(len(found))
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self._tenants, name)


def names(count: int, prefix: str = "t") -> list[str]:
    return [f"{prefix}-{number:05}" for number in range(count)]


def world_with(others: Iterable[str]) -> ArchiveWorld:
    """An hour that is sealed with one row of one tenant, and tenants without rows."""
    world = ArchiveWorld(SEAL)
    world.ended(1)
    world.tick()
    tenant = world.tenants.get(TENANT)
    assert tenant is not None
    world.tenants.tenants |= {name: replace(tenant, id=name) for name in others}
    world.archive_units.looked_up = None
    return world


def watched(world: ArchiveWorld, draw: float) -> tuple[VerifyHour, Watched]:
    verify = world.run_archive.verify_hour
    port = Watched(verify.counts, verify.tenants)
    return replace(verify, counts=port, tenants=port, entropy=Drawn(draw)), port  # type: ignore[arg-type]


def looked_up(world: ArchiveWorld, draw: float) -> list[str]:
    """By one comparison, apart from the tenant with a row."""
    verify, port = watched(world, draw)
    assert verify.execute([UNIT]) == []
    assert len(port.ids_read) <= 2
    assert sum(port.ids_read) <= MOST_IDS
    assert TENANT in port.looked_up
    return [name for name in port.looked_up if name != TENANT]


@pytest.mark.parametrize("draw", DRAWS)
def test_comparison_reads_no_more_ids_with_more_tenants(draw: float) -> None:
    world = world_with(names(7 * MOST_IDS))
    for _ in range(3):
        assert FEWEST_OTHERS <= len(looked_up(world, draw)) <= MOST_OTHERS


@given(
    st.integers(0, 400),
    st.lists(st.floats(0, 1, exclude_max=True), min_size=8, max_size=8),
    st.sampled_from([20, 60, 1_000]),
)
def test_tenant_is_looked_up_within_the_stated_number_of_comparisons(
    count: int, draws: list[float], most_ids: int
) -> None:
    """From any tenant on, with any draws, however small the pages are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verify_hour, "MOST_IDS", most_ids)
        world = world_with(names(count))
        step = min(FEWEST_OTHERS, most_ids)
        found: set[str] = set()
        looked_up(world, draws[0])
        for number in range(ceil((count + 1) / step)):
            hour = looked_up(world, draws[number % len(draws)])
            assert len(hour) == len(set(hour))
            found.update(hour)
    assert found == set(names(count))


def test_tenants_are_all_looked_up_each_hour_while_they_are_few() -> None:
    world = world_with(names(FEWEST_OTHERS))
    for draw in DRAWS:
        assert sorted(looked_up(world, draw)) == names(FEWEST_OTHERS)


def test_tenants_are_all_looked_up_in_the_hour_in_which_one_has_joined_behind_the_latest() -> None:
    world = world_with(names(3))
    assert looked_up(world, 0.0) == names(3)
    world.tenants.tenants["u-joined"] = replace(world.tenants.tenants["t-00000"], id="u-joined")
    assert sorted(looked_up(world, 0.0)) == [*names(3), "u-joined"]


def test_number_of_tenants_differs_by_hour_so_that_no_tenant_keeps_its_hour_of_the_day() -> None:
    world = world_with(names(2_400))
    assert [len(looked_up(world, draw)) for draw in DRAWS] == [FEWEST_OTHERS, 100, MOST_OTHERS]


def test_tenants_with_rows_are_passed_over_and_do_not_hold_up_the_others() -> None:
    world = world_with([])
    tenant = world.tenants.get(TENANT)
    assert tenant is not None
    busy, quiet = names(2 * FEWEST_OTHERS, "busy"), names(FEWEST_OTHERS, "quiet")
    world.tenants.tenants |= {name: replace(tenant, id=name) for name in [*busy, *quiet]}
    for number, name in enumerate(busy, start=10):
        world.ended(number, tenant_id=name)
    world.archive_units.open(UNIT, next_pass_at=SEAL, sealable_from=SEAL)
    assert world.tick().mismatches == []
    world.archive_units.looked_up = None
    verify, port = watched(world, 0.0)
    assert verify.execute([UNIT]) == []
    assert sorted(port.looked_up) == sorted([TENANT, *busy, *quiet])


@pytest.mark.parametrize("draw", DRAWS)
def test_tenant_whose_rows_are_all_missing_in_the_files_is_found_within_the_stated_number_of_hours(
    draw: float,
) -> None:
    world = world_with(names(170))
    # In a shard that no plan has.
    world.ended(2, shard=99, tenant_id="t-00169")
    verify, _ = watched(world, draw)
    found = [each for _ in range(ceil(171 / FEWEST_OTHERS)) for each in verify.execute([UNIT])]
    assert found
    assert set(found) == {CountMismatch(hour=HOUR, tenant_id="t-00169", archived=0, indexed=1)}


def test_run_of_the_archiver_looks_up_tenants_without_rows() -> None:
    world = ArchiveWorld(SEAL)
    world.ended(1)
    tenant = world.tenants.get(TENANT)
    assert tenant is not None
    world.tenants.tenants["globex"] = replace(tenant, id="globex")
    # In a shard that no plan has.
    world.ended(2, shard=99, tenant_id="globex")
    assert world.tick().mismatches == [CountMismatch(hour=HOUR, tenant_id="globex", archived=0, indexed=1)]


def test_comparison_that_fails_or_is_void_leaves_its_tenants_to_the_next_one() -> None:
    world = world_with(names(200))
    verify, _ = watched(world, 0.0)
    world.steps.fail("index_counts.due_between")
    with pytest.raises(UnavailableError):
        verify.execute([UNIT])
    assert world.archive_units.looked_up is None
    world.steps.after("index_counts.due_between", lambda: world.late_puts.count(HOUR, SEAL))
    verify.execute([UNIT])
    assert world.archive_units.looked_up is None
    assert names(200)[0] in looked_up(world, 0.0)
    assert world.archive_units.looked_up is not None
