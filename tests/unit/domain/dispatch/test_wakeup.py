"""Wake-ups: how they are packed, and how long SQS shall hold them."""

from itertools import pairwise

import pytest

from shared.domain.delivery.trace import Trace
from shared.domain.dispatch.wakeup import Wakeup, delay_seconds, pack
from shared.domain.errors import InvalidValueError
from shared.names import Lane
from tests.support.builders import DUE_AT, execution_id, wakeup

SECOND = DUE_AT // 1000 * 1000


def single(number: int, **overrides: object) -> Wakeup:
    return wakeup(number, **overrides)


def test_keys_of_one_tenant_lane_and_second_share_messages_of_ten() -> None:
    packs = pack(single(number) for number in range(23))
    assert [len(packed.keys) for packed in packs] == [10, 10, 3]
    assert [key for packed in packs for key in packed.keys] == [execution_id(number) for number in range(23)]


@pytest.mark.parametrize(
    "other", [{"tenant_id": "other"}, {"lane": Lane.BULK}, {"not_before": SECOND + 1_000}]
)
def test_wakeups_of_different_tenants_lanes_or_seconds_are_packed_apart(other: dict[str, object]) -> None:
    packs = pack([single(1), single(2, **other), single(3)])
    assert sorted(len(packed.keys) for packed in packs) == [1, 2]
    for packed in packs:
        assert packed.keys != (execution_id(1), execution_id(2))


def test_a_pack_comes_as_early_as_its_first_key() -> None:
    packs = pack([single(1, not_before=SECOND + 900), single(2, not_before=SECOND + 100)])
    assert [packed.not_before for packed in packs] == [SECOND + 100]


def test_empty_pack_makes_no_message() -> None:
    assert pack([]) == []


@pytest.mark.parametrize("number", [0, 11])
def test_an_empty_or_overfull_message_is_refused(number: int) -> None:
    with pytest.raises(InvalidValueError):
        wakeup(keys=tuple(execution_id(n) for n in range(number)))


def test_a_pack_comes_apart_into_single_messages_of_the_same_time() -> None:
    packed = wakeup(keys=(execution_id(1), execution_id(2)))
    assert packed.singles() == [single(1), single(2)]


def test_single_message_of_a_key_without_a_trace_has_no_traces() -> None:
    """SQS refuses an attribute with an empty value."""
    trace = Trace("1" * 32)
    packed = wakeup(keys=(execution_id(1), execution_id(2)), traces=(None, trace))
    assert [each.traces for each in packed.singles()] == [(), (trace,)]


@pytest.mark.parametrize(
    ("ahead_ms", "seconds"),
    [
        (-5_000, 0),
        (0, 0),
        (799, 0),
        (800, 1),
        (1_000, 1),
        (1_799, 1),
        (1_800, 2),
        (899_799, 899),
        (899_800, 900),
        (900_000, 900),
        (900_999, 900),
        (86_400_000, 900),
    ],
)
def test_sqs_holds_a_message_for_whole_seconds_and_900_at_most(ahead_ms: int, seconds: int) -> None:
    assert delay_seconds(DUE_AT + ahead_ms, DUE_AT) == seconds


def test_a_held_message_costs_a_fifth_of_a_second_of_lag_at_most() -> None:
    late = [delay_seconds(ahead, 0) * 1000 - ahead for ahead in range(0, 900_000, 7)]
    assert max(late) <= 200
    assert min(late) > -800


def test_the_delay_never_shrinks_as_the_time_moves_away() -> None:
    delays = [delay_seconds(ahead, 0) for ahead in range(0, 10_000, 10)]
    assert all(earlier <= later for earlier, later in pairwise(delays))
