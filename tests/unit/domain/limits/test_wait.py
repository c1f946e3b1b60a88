"""How long waits what finds no room: longer the later it is, and the more often it has waited."""

import pytest

from shared.domain.limits.scopes import FIRST_WAIT_MS, MAX_WAIT_MS, wait_ms

ALMOST_ONE = 1 - 1e-9


@pytest.mark.parametrize("draw", [0.0, 0.5, ALMOST_ONE])
@pytest.mark.parametrize(
    ("waited", "late_ms", "longest_ms"),
    [
        (0, 0, FIRST_WAIT_MS),
        (0, -5_000, FIRST_WAIT_MS),
        (0, 3_600_000, FIRST_WAIT_MS),
        (5, 4_000, FIRST_WAIT_MS),
        (5, 20_000, 5_000),
        (100, 60_000, 15_000),
        (2, 3_600_000, 4_000),
        (1_000_000, 3_600_000, MAX_WAIT_MS),
    ],
)
def test_wait_is_drawn_between_half_the_longest_and_the_longest(
    waited: int, late_ms: int, longest_ms: int, draw: float
) -> None:
    assert wait_ms(waited, late_ms, draw) == longest_ms // 2 + int(longest_ms / 2 * draw)


@pytest.mark.parametrize("room_at", [1_000, 10_000, 60_000, 600_000, 86_400_000])
def test_what_could_have_begun_at_some_moment_looks_again_soon_after_it(room_at: int) -> None:
    now, waited = 0, 0
    while now < room_at:
        now, waited = now + wait_ms(waited, now, ALMOST_ONE), waited + 1
    assert now - room_at <= max(FIRST_WAIT_MS, min(MAX_WAIT_MS, room_at / 4))
