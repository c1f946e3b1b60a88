"""Clock, Entropy, Offload and Spread, of the system and of the tests."""

import asyncio

import pytest

from shared.adapters.clock import SystemClock, SystemEntropy
from shared.adapters.thread_pools import ThreadOffload, ThreadSpread
from shared.ports.runtime import Clock, Entropy, Offload, Spread
from tests.support.builders import DUE_AT
from tests.support.fakes.clock import InlineOffload, SeededEntropy, VirtualClock, one_by_one

clocks = pytest.mark.parametrize("clock", [SystemClock(), VirtualClock(DUE_AT)], ids=["system", "fake"])
entropies = pytest.mark.parametrize("entropy", [SystemEntropy(), SeededEntropy()], ids=["system", "fake"])
offloads = pytest.mark.parametrize("offload", [ThreadOffload(2), InlineOffload()], ids=["system", "fake"])

spreads = pytest.mark.parametrize("spread", [ThreadSpread(3), one_by_one], ids=["system", "fake"])


@clocks
def test_a_sleep_lets_at_least_its_time_pass(clock: Clock) -> None:
    for duration_ms in (0, 1, 20):
        before = clock.now_ms()
        asyncio.run(clock.sleep_ms(duration_ms))
        # The system's two clocks may part by a hair.
        assert clock.now_ms() - before >= duration_ms - 1


@clocks
def test_a_sleep_that_is_over_already_returns(clock: Clock) -> None:
    before = clock.now_ms()
    asyncio.run(clock.sleep_ms(-5_000))
    assert clock.now_ms() >= before


@clocks
def test_the_time_is_in_milliseconds_of_this_century(clock: Clock) -> None:
    assert isinstance(clock.now_ms(), int)
    assert 1_700_000_000_000 < clock.now_ms() < 4_000_000_000_000


@entropies
def test_bits_fill_their_range_and_never_leave_it(entropy: Entropy) -> None:
    drawn = [entropy.bits(80) for _ in range(200)]
    assert all(0 <= each < 1 << 80 for each in drawn)
    assert len(set(drawn)) == 200
    assert max(drawn).bit_length() > 76
    assert {entropy.bits(1) for _ in range(200)} == {0, 1}


@entropies
def test_draws_are_spread_from_nought_to_one(entropy: Entropy) -> None:
    drawn = [entropy.draw() for _ in range(500)]
    assert all(0 <= each < 1 for each in drawn)
    assert min(drawn) < 0.2 < 0.8 < max(drawn)


def test_the_same_seed_gives_the_same_bits() -> None:
    one, same, other = SeededEntropy(7), SeededEntropy(7), SeededEntropy(8)
    assert [one.bits(64), one.draw()] == [same.bits(64), same.draw()]
    assert one.bits(64) != other.bits(64)


@offloads
def test_a_call_that_is_offloaded_gives_its_result_or_its_fault(offload: Offload) -> None:
    async def both() -> int:
        with pytest.raises(ZeroDivisionError):
            await offload(divmod, 1, 0)
        return await offload(int, "ff", base=16)

    assert asyncio.run(both()) == 255


@offloads
def test_many_calls_may_be_offloaded_at_once(offload: Offload) -> None:
    async def many() -> list[int]:
        return await asyncio.gather(*(offload(int, str(number)) for number in range(20)))

    assert asyncio.run(many()) == list(range(20))


@spreads
def test_results_of_calls_side_by_side_come_in_the_order_of_their_items(spread: Spread) -> None:
    for count in (0, 1, 2, 20):
        assert spread(lambda number: number * number, range(count)) == [n * n for n in range(count)]


@spreads
def test_exception_of_a_call_side_by_side_passes_through(spread: Spread) -> None:
    def divide(number: int) -> float:
        return 1 / (number - 3)

    for numbers in (range(3, 4), range(9)):
        with pytest.raises(ZeroDivisionError):
            spread(divide, numbers)


@spreads
def test_spread_inside_a_spread_needs_no_thread_of_its_own(spread: Spread) -> None:
    """More outer calls than threads: each waited for a thread that the others held."""

    def inner(number: int) -> list[int]:
        return spread(lambda other: number * other, range(3))

    assert spread(inner, range(12)) == [[0, n, 2 * n] for n in range(12)]
