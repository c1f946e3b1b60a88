"""When a failed attempt is tried again, and when not."""

from typing import Any

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy, is_retryable
from shared.domain.errors import InvalidValueError

POLICY = RetryPolicy(max_attempts=6, base_seconds=10, factor=3, cap_seconds=600)
TABLE = RetryPolicy(max_attempts=4, delays_seconds=(60, 600, 86_400))
DAY_MS = 86_400_000
SPAN_MS = 7 * DAY_MS + 20 * 3_600_000


def test_the_ceiling_of_the_wait_grows_by_the_factor_up_to_the_cap() -> None:
    almost = 1 - 1e-9
    waits = [POLICY.delay_ms(attempt, almost) for attempt in range(1, 6)]
    assert [round(wait / 1000) for wait in waits] == [10, 30, 90, 270, 600]


def test_jitter_is_full_from_nothing_to_the_ceiling() -> None:
    assert POLICY.delay_ms(2, 0.0) == 0
    assert POLICY.delay_ms(2, 0.5) == 15_000


@pytest.mark.parametrize(("asked", "wait_ms"), [(None, 5_000), (0, 5_000), (7, 7_000), (3_600, 600_000)])
def test_retry_after_is_honoured_up_to_the_cap_and_never_undercut(asked: int | None, wait_ms: int) -> None:
    assert POLICY.delay_ms(1, 0.5, asked) == wait_ms


def test_a_longer_draw_than_retry_after_stands() -> None:
    assert POLICY.delay_ms(3, 0.9, 5) == 81_000


@pytest.mark.parametrize(
    "fields",
    [
        {"max_attempts": 0},
        {"max_attempts": 21},
        {"base_seconds": 0},
        {"base_seconds": 3_601},
        {"cap_seconds": 86_401},
        {"factor": 0},
        {"factor": 11},
        {"max_attempts": 20, "base_seconds": 86_400, "cap_seconds": 86_400},
        {"max_attempts": 2, "delays_seconds": (60, 60)},
        {"delays_seconds": (60,)},
        {"max_attempts": 2, "delays_seconds": (0,)},
        {"max_attempts": 2, "delays_seconds": (86_401,)},
        {"max_attempts": 21, "delays_seconds": (1,) * 20},
        {"max_attempts": 9, "delays_seconds": (86_400,) * 8},
        {"give_up_after_seconds": 0},
        {"give_up_after_seconds": 7 * 86_400 + 1},
    ],
)
def test_a_policy_outside_its_limits_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        RetryPolicy(**fields)


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 60), (2, 600), (3, 86_400)])
def test_a_table_has_one_entry_for_each_retry(attempt: int, seconds: int) -> None:
    assert TABLE.delay_ms(attempt, 0.0) == seconds * 1000
    assert TABLE.delay_ms(attempt, 0.5) == seconds * 950


@pytest.mark.parametrize(
    ("asked", "wait_ms"), [(30, 60_000), (61, 61_000), (86_400, DAY_MS), (86_401, DAY_MS)]
)
def test_with_a_table_retry_after_is_honoured_up_to_a_day(asked: int, wait_ms: int) -> None:
    assert TABLE.delay_ms(1, 0.0, asked) == wait_ms


@pytest.mark.parametrize(
    ("age", "began_at", "latest_at"),
    [
        (None, 5_000, 5_000 + SPAN_MS),
        (60, 5_000, 61_000),
        (7 * 86_400, 5_000, 1_000 + 7 * DAY_MS),
        (60, 90_000, 61_000),
    ],
)
def test_no_retry_is_set_to_begin_later_than_its_age_or_the_span_allow(
    age: int | None, began_at: int, latest_at: int
) -> None:
    assert RetryPolicy(give_up_after_seconds=age).latest_retry_at(1_000, began_at) == latest_at


def test_all_waits_together_are_counted_at_their_ceilings() -> None:
    assert POLICY.longest_seconds == 10 + 30 + 90 + 270 + 600
    week = RetryPolicy(max_attempts=8, base_seconds=86_400, factor=1, cap_seconds=86_400)
    assert week.longest_seconds == 7 * 86_400
    assert TABLE.longest_seconds == 60 + 600 + 86_400


@pytest.mark.parametrize(
    ("reason", "status", "retryable"),
    [
        (Reason.OK, 200, False),
        (Reason.HTTP_STATUS, 410, False),
        (Reason.TARGET_FAILED, 410, True),
        (Reason.TARGET_REFUSED, 410, False),
        (Reason.STOPPED, None, False),
        (Reason.RECEIVER_GAVE_UP, 500, False),
        (Reason.TOO_OLD, None, False),
        (Reason.HTTP_STATUS, 400, True),
        (Reason.HTTP_STATUS, 500, True),
        (Reason.HTTP_STATUS, 404, True),
        (Reason.HTTP_STATUS, 429, True),
        (Reason.REDIRECT, 301, True),
        (Reason.TIMEOUT, None, True),
        (Reason.CONNECT_FAILED, None, True),
        (Reason.ADDRESS_NOT_ALLOWED, None, True),
        (Reason.LEASE_TOO_SHORT, None, True),
        (Reason.REQUEST_UNREADABLE, None, True),
        (Reason.SIGNING_SECRET_GONE, None, True),
    ],
)
def test_failure_is_retryable_unless_the_response_forbids_a_retry(
    reason: Reason, status: int | None, retryable: bool
) -> None:
    assert is_retryable(CallbackResponse(reason=reason, duration_ms=1, status=status)) is retryable
