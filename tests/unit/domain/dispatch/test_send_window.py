"""A send window opens shortly before the fraction of a second at which jobs are due."""

import pytest

from shared.domain.dispatch.send_window import LEAD_MS, SLOT_MS, WINDOW_MS, opens_in, slot_of
from shared.domain.dispatch.wakeup import delay_seconds

MINUTE = 1_740_000_000_000


@pytest.mark.parametrize(("fraction", "slot"), [(0, 0), (49, 0), (50, 50), (999, 950)])
def test_slot_is_the_fraction_of_a_second_in_steps(fraction: int, slot: int) -> None:
    assert slot_of(MINUTE + fraction) == slot


@pytest.mark.parametrize("fraction", [0, 49, 199, 200, 500, 999])
def test_message_that_is_sent_in_its_window_is_visible_shortly_before_it_is_due(fraction: int) -> None:
    not_before = MINUTE + 60_000 + fraction
    for now_ms in range(MINUTE, MINUTE + 1_000, 7):
        wait_ms = opens_in(slot_of(not_before), now_ms)
        for sent_at in (now_ms + wait_ms, now_ms + wait_ms + (WINDOW_MS - 1 if wait_ms else 0)):
            visible_at = sent_at + 1_000 * delay_seconds(not_before, sent_at)
            assert LEAD_MS - WINDOW_MS < not_before - visible_at < LEAD_MS + SLOT_MS


def test_window_is_at_most_a_second_away() -> None:
    waits = {opens_in(0, MINUTE + fraction) for fraction in range(1_000)}
    assert (min(waits), max(waits)) == (0, 1_000 - WINDOW_MS)
