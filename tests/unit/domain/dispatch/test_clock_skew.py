"""The skew that the timestamps of received messages show."""

from typing import Any

import pytest

from shared.domain.dispatch.clock_skew import LAG_TOLERANCE_MS, LEAD_TOLERANCE_MS, clock_skew_ms
from shared.usecases.attempts.batch_report import Delivery
from tests.support.builders import DUE_AT

DAY_MS = 86_400_000


def received(**fields: Any) -> Delivery:
    """A message that was sent a minute ago and received just now, for the first time."""
    defaults = {"sent_at": DUE_AT - 60_000, "first_received_at": DUE_AT, "receive_count": 1}
    return Delivery(message_id="m", wakeup=None, **(defaults | fields))


REDELIVERED = received(first_received_at=DUE_AT - 50_000, receive_count=2)


@pytest.mark.parametrize("skew_ms", [LEAD_TOLERANCE_MS + 1, 30_000, 300_000, 400 * DAY_MS])
def test_first_receive_shows_how_far_the_clock_is_ahead(skew_ms: int) -> None:
    assert clock_skew_ms(DUE_AT + skew_ms, [received()]) == skew_ms


@pytest.mark.parametrize("skew_ms", [-LAG_TOLERANCE_MS - 1, -30_000, -300_000, -400 * DAY_MS])
def test_first_receive_shows_how_far_the_clock_is_behind(skew_ms: int) -> None:
    assert clock_skew_ms(DUE_AT + skew_ms, [received()]) == skew_ms


@pytest.mark.parametrize("skew_ms", [-LAG_TOLERANCE_MS, -1, 0, 1, LEAD_TOLERANCE_MS])
def test_differences_within_the_tolerance_are_no_skew(skew_ms: int) -> None:
    assert clock_skew_ms(DUE_AT + skew_ms, [received()]) == 0


def test_redelivered_message_does_not_show_a_clock_that_is_ahead() -> None:
    assert clock_skew_ms(DUE_AT, [REDELIVERED]) == 0


def test_redelivered_message_still_shows_a_clock_that_is_behind() -> None:
    assert clock_skew_ms(DUE_AT - 53_000, [REDELIVERED]) == -3_000


def test_newest_timestamp_of_the_batch_counts() -> None:
    older = received(first_received_at=DUE_AT - 20_000)
    assert clock_skew_ms(DUE_AT + 30_000, [older, received(), REDELIVERED]) == 30_000
    assert clock_skew_ms(DUE_AT - 2_000, [older, received(), REDELIVERED]) == -2_000


def test_time_of_sending_counts_where_the_queue_reports_no_receive() -> None:
    silent = received(first_received_at=None)
    assert clock_skew_ms(silent.sent_at - 2_000, [silent]) == -2_000
    assert clock_skew_ms(silent.sent_at + DAY_MS, [silent]) == 0


@pytest.mark.parametrize("malformed", [-1, 0, DUE_AT // 1000, DUE_AT - 60_001])
def test_receive_before_the_message_was_sent_is_no_evidence(malformed: int) -> None:
    assert clock_skew_ms(DUE_AT, [received(first_received_at=malformed)]) == 0


@pytest.mark.parametrize("sent_at", [0, -1])
def test_queue_without_timestamps_shows_nothing(sent_at: int) -> None:
    assert clock_skew_ms(DUE_AT, [received(sent_at=sent_at, first_received_at=0)]) == 0


def test_empty_batch_shows_nothing() -> None:
    assert clock_skew_ms(DUE_AT, []) == 0
