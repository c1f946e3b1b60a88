"""Slots: leased in blocks, never more than the limit, free again when a lease ends."""

import pytest

from shared.domain.limits.slots import (
    LEASE_MS,
    MAX_HOLDERS,
    MAX_LARGE_HOLDERS,
    SlotLease,
    block,
    free_for,
    held_by,
    leased_to,
    max_holders,
)
from shared.names import EXECUTOR_BATCH

NOW = 1_740_000_000_000
LEASES = (SlotLease(owner="a", slots=3, until=NOW + 1), SlotLease(owner="b", slots=4, until=NOW))


def test_unreturned_slots_are_free_when_their_lease_ends() -> None:
    assert free_for("me", 10, LEASES, NOW) == 7
    assert free_for("me", 10, LEASES, NOW - 1) == 3
    assert free_for("me", 10, LEASES, NOW + 1) == 10


def test_own_slots_count_as_free_and_a_shrunken_limit_leaves_none() -> None:
    assert free_for("a", 10, LEASES, NOW) == 10
    assert free_for("me", 2, LEASES, NOW) == 0


def test_a_lease_takes_the_place_of_ones_last_one_and_ended_ones_are_dropped() -> None:
    assert leased_to("a", 5, LEASES, NOW) == (SlotLease(owner="a", slots=5, until=NOW + LEASE_MS),)
    assert leased_to("a", 0, LEASES, NOW) == ()
    assert leased_to("me", 0, LEASES, NOW) == LEASES[:1]
    assert held_by("a", LEASES, NOW) == 3
    assert held_by("a", LEASES, NOW + 1) == 0


def test_no_more_than_so_many_hold_slots_at_once() -> None:
    full = tuple(SlotLease(owner=f"{n}", slots=1, until=NOW + 1) for n in range(MAX_HOLDERS))
    assert free_for("me", 320, full, NOW) == 0
    assert free_for("7", 320, full, NOW) == 320 - MAX_HOLDERS + 1


@pytest.mark.parametrize(
    ("limit", "holders"),
    [(1, 32), (320, 32), (321, 33), (990, 99), (1_000, MAX_LARGE_HOLDERS), (99_999, MAX_LARGE_HOLDERS)],
)
def test_a_limit_is_reached_by_full_batches_of_as_many_as_may_hold_slots(limit: int, holders: int) -> None:
    assert max_holders(limit) == holders
    assert min(limit, MAX_LARGE_HOLDERS * EXECUTOR_BATCH) <= holders * EXECUTOR_BATCH


@pytest.mark.parametrize(
    ("limit", "wanted", "free", "taken"),
    [
        (10, 3, 10, 3),
        (10, 3, 2, 2),
        (10, 0, 10, 0),
        (10, 3, 0, 0),
        (160, 1, 160, 5),
        (640, 1, 640, 10),
        (640, 1, 490, 10),
        (640, 1, 489, 1),
        (640, 1, 5, 1),
        (640, 30, 100, 30),
        (640, 30, 5, 5),
        (3, 1, 3, 1),
        (1, 1, 1, 1),
    ],
)
def test_block_of_slots_is_leased_where_most_slots_are_free(
    limit: int, wanted: int, free: int, taken: int
) -> None:
    assert block(limit, wanted, free) == taken
