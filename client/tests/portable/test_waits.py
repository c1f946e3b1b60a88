"""How long the client waits before it sends a request again."""

from datetime import datetime, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctual._retry import next_wait, retry_after

NOW = datetime(2025, 2, 19, 12, tzinfo=timezone.utc)
SECONDS = st.floats(min_value=0, max_value=1e6)
CHANCE = st.floats(min_value=0, max_value=1)


@given(st.integers(1, 100), SECONDS, SECONDS, st.none() | SECONDS, CHANCE)
def test_wait_is_never_shorter_than_retry_after_and_never_ends_too_late(
    attempt: int, elapsed: float, max_elapsed: float, after: float | None, chance: float
) -> None:
    wait = next_wait(attempt, elapsed=elapsed, max_elapsed=max_elapsed, retry_after=after, chance=chance)
    if wait is not None:
        assert wait > 0
        assert wait >= (after or 0)
        assert wait <= max_elapsed - elapsed


@given(st.integers(1, 100), SECONDS, CHANCE)
def test_client_gives_up_at_once_when_retry_after_is_beyond_the_limit(
    attempt: int, after: float, chance: float
) -> None:
    wait = next_wait(attempt, elapsed=1.0, max_elapsed=61.0, retry_after=after, chance=chance)
    assert (wait is None) is (after > 60.0)


def test_waits_double_and_are_random_by_half() -> None:
    def wait(attempt: int, chance: float) -> float | None:
        return next_wait(attempt, elapsed=0, max_elapsed=1e9, retry_after=None, chance=chance)

    assert [wait(attempt, 1.0) for attempt in (1, 2, 3, 100)] == [0.25, 0.5, 1.0, 10.0]
    assert [wait(attempt, 0.0) for attempt in (1, 2, 3, 100)] == [0.125, 0.25, 0.5, 5.0]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 7 ", 7.0),
        (format_datetime(datetime(2025, 2, 19, 12, 0, 9, tzinfo=timezone.utc)), 9.0),
        (format_datetime(datetime(2025, 2, 19, 11, tzinfo=timezone.utc)), 0.0),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("9" * 400, None),
        ("Wed, 99 Feb 2025 12:00:00 GMT", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(text: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": text}, NOW) == seconds
