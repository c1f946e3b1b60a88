"""How long a key waits for capacity: an eighth of the time that it has waited so far."""

import heapq
import random

import pytest

from shared.domain.limits.scopes import FIRST_WAIT_MS, GROWTH, MAX_GROWN, MAX_WAIT_MS, wait_ms

ALMOST_ONE = 1 - 1e-9
HOUR_MS = 3_600_000


@pytest.mark.parametrize("draw", [0.0, 0.5, ALMOST_ONE])
@pytest.mark.parametrize(
    ("waited", "late_ms", "longest_ms"),
    [
        (0, 0, FIRST_WAIT_MS),
        (1, 0, int(FIRST_WAIT_MS * GROWTH)),
        (10, 0, int(FIRST_WAIT_MS * GROWTH**10)),
        (MAX_GROWN, 0, MAX_WAIT_MS),
        (1_000_000, 0, MAX_WAIT_MS),
        (0, 60_000, 7_500),
        (0, 2 * HOUR_MS, MAX_WAIT_MS),
        (0, 24 * HOUR_MS, MAX_WAIT_MS),
    ],
)
def test_wait_is_drawn_between_half_the_longest_and_the_longest(
    waited: int, late_ms: int, longest_ms: int, draw: float
) -> None:
    assert wait_ms(waited, late_ms, draw) == longest_ms // 2 + int(longest_ms / 2 * draw)


@pytest.mark.parametrize("free_at", [1_000, 10_000, 60_000, 600_000, 86_400_000])
def test_key_asks_again_within_an_eighth_of_its_wait_and_after_few_messages(free_at: int) -> None:
    rng = random.Random(free_at)
    messages, lateness = [], []
    for _ in range(200):
        now, waited = 0, 0
        while now < free_at:
            now, waited = now + wait_ms(waited, 0, rng.random()), waited + 1
        messages.append(waited)
        lateness.append(now - free_at)
    assert sum(lateness) / len(lateness) <= max(FIRST_WAIT_MS, min(MAX_WAIT_MS, free_at / 8))
    assert max(messages) <= 90 + free_at / (MAX_WAIT_MS / 2)


@pytest.mark.parametrize(("keys", "messages_per_key"), [(600, 14), (6_000, 35), (30_000, 60)])
def test_backlog_behind_a_rate_limit_costs_few_messages_and_keeps_the_limit_busy(
    keys: int, messages_per_key: int
) -> None:
    rate, rng = 10, random.Random(keys)
    asking = [(rng.randrange(5_000), 0, key) for key in range(keys)]
    heapq.heapify(asking)
    messages, started = 0, dict[int, int]()
    while asking:
        now, waited, key = heapq.heappop(asking)
        messages += 1
        if started.get(now // 1000, 0) < rate:
            started[now // 1000] = started.get(now // 1000, 0) + 1
        else:
            heapq.heappush(asking, (now + wait_ms(waited, 0, rng.random()), waited + 1, key))
    assert messages <= messages_per_key * keys
    ideal_s = keys // rate
    assert max(started) <= 1.15 * ideal_s + 10
    assert sum(started[second] == rate for second in range(ideal_s // 2)) >= 0.99 * (ideal_s // 2)
