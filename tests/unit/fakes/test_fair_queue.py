"""The fake queue hands messages out as SQS documents it for fair queues."""

from collections import Counter

from tests.support.fakes.fair_queue import LEAST_IN_FLIGHT, RECENT_MS, SILENT_MS, FairQueue

NOW = 1_000_000


def queue(**in_flight: int) -> FairQueue:
    """A queue that has handed out so many messages of each group, just now."""
    fair = FairQueue()
    for group, count in in_flight.items():
        fair.sent(group, NOW)
        for number in range(count):
            fair.received(f"{group}-{number}", group, NOW)
    return fair


def test_quiet_groups_come_first_and_in_their_own_order() -> None:
    fair = queue(noisy=LEAST_IN_FLIGHT, quiet=1)
    assert fair.choose(["noisy", "quiet", "noisy", "other", "quiet"], 4, NOW) == [1, 3, 4, 0]


def test_a_group_is_noisy_only_with_thirty_in_flight_and_a_tenth_of_all() -> None:
    assert queue(one=LEAST_IN_FLIGHT - 1).noisy(NOW) == set()
    assert queue(one=LEAST_IN_FLIGHT).noisy(NOW) == {"one"}
    many = {f"g{number}": LEAST_IN_FLIGHT for number in range(11)}
    assert queue(**many).noisy(NOW) == set()


def test_a_group_with_few_messages_that_take_long_is_noisy_too() -> None:
    fair = queue(slow=1)
    for number in range(20):
        fair.received(f"{number}", "quick", NOW + 1_000)
        fair.done(f"{number}", NOW + 1_050)
    assert fair.noisy(NOW + 5_000) == {"slow"}
    for number in range(15):
        fair.received(f"o{number}", f"o{number}", NOW)
        fair.done(f"o{number}", NOW + 5_000)
    assert fair.noisy(NOW + 5_000) == set()
    assert fair.noisy(NOW + 5_000 + RECENT_MS) == {"slow"}


def test_noisy_groups_share_by_what_they_have_in_flight() -> None:
    fair = queue(much=60, less=40)
    chosen = fair.choose(["much"] * 50 + ["less"] * 50, 30, NOW)
    picked = Counter("much" if number < 50 else "less" for number in chosen)
    assert picked == {"less": 25, "much": 5}


def test_message_group_is_quiet_after_silence_or_without_messages_in_flight() -> None:
    fair = queue(one=LEAST_IN_FLIGHT)
    assert fair.noisy(NOW + SILENT_MS) == set()
    for number in range(LEAST_IN_FLIGHT):
        fair.done(f"one-{number}", NOW)
    assert fair.noisy(NOW) == set()


def test_all_messages_are_handed_out_when_nothing_else_waits() -> None:
    fair = queue(noisy=100)
    assert fair.choose(["noisy"] * 3, 10, NOW) == [0, 1, 2]
