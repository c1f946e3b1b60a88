"""Waits between attempts: within their bounds, never before Retry-After, and all together bounded."""

from hypothesis import assume, given
from hypothesis import strategies as st

from shared.domain.delivery.retry import MAX_RETRY_DELAY_SECONDS, MAX_RETRY_SPAN_SECONDS, RetryPolicy
from shared.domain.errors import InvalidValueError

DRAWS = st.floats(0, 1, exclude_max=True)
ASKED = st.none() | st.integers(0, MAX_RETRY_DELAY_SECONDS)
AGES = st.none() | st.integers(1, MAX_RETRY_SPAN_SECONDS)
DELAYS = st.integers(1, MAX_RETRY_DELAY_SECONDS)


@st.composite
def policies(draw: st.DrawFn) -> RetryPolicy:
    """Every policy that is accepted."""
    table = tuple(draw(st.just([]) | st.lists(DELAYS, min_size=1, max_size=19)))
    cap = draw(DELAYS)
    try:
        return RetryPolicy(
            max_attempts=len(table) + 1 if table else draw(st.integers(1, 20)),
            base_seconds=draw(st.integers(1, cap)),
            factor=draw(st.integers(1, 10)),
            cap_seconds=cap,
            delays_seconds=table,
            give_up_after_seconds=draw(AGES),
        )
    except InvalidValueError:
        assume(False)
        raise


def ceiling_seconds(policy: RetryPolicy, attempt: int) -> int:
    """What the documents say, spelt out."""
    if policy.delays_seconds:
        return policy.delays_seconds[attempt - 1]
    wait = policy.base_seconds
    for _ in range(attempt - 1):
        wait = min(wait * policy.factor, policy.cap_seconds)
    return wait


@given(policies(), st.data(), DRAWS, ASKED)
def test_a_wait_is_within_its_bounds_and_never_ends_before_retry_after(
    policy: RetryPolicy, data: st.DataObject, draw: float, asked: int | None
) -> None:
    assume(policy.max_attempts > 1)
    attempt = data.draw(st.integers(1, policy.max_attempts - 1))
    waited_ms = policy.delay_ms(attempt, draw, asked)
    most_ms = ceiling_seconds(policy, attempt) * 1000
    cap_seconds = 86_400 if policy.delays_seconds else policy.cap_seconds
    honoured_ms = min(asked or 0, cap_seconds) * 1000
    least_ms = most_ms * 9 // 10 if policy.delays_seconds else 0
    assert max(least_ms, honoured_ms) <= waited_ms <= max(most_ms, honoured_ms)


@given(policies(), st.lists(st.tuples(DRAWS, ASKED), min_size=19, max_size=19))
def test_retry_begins_before_its_maximum_age_and_record_expiry_despite_retry_after(
    policy: RetryPolicy, drawn: list[tuple[float, int | None]]
) -> None:
    due_at, began_at = 1_000, 6_000
    latest_at = policy.latest_retry_at(due_at, began_at)
    now_ms = began_at
    for attempt in range(1, policy.max_attempts):
        next_at = now_ms + policy.delay_ms(attempt, *drawn[attempt - 1])
        if next_at > latest_at:
            break
        now_ms = next_at
    assert now_ms - began_at < 8 * 86_400_000
    if policy.give_up_after_seconds is not None and now_ms > began_at:
        assert now_ms <= due_at + policy.give_up_after_seconds * 1000


@given(policies(), st.lists(DRAWS, min_size=19, max_size=19))
def test_waits_without_retry_after_stay_within_the_retry_span(
    policy: RetryPolicy, draws: list[float]
) -> None:
    waits = [policy.delay_ms(attempt, draws[attempt - 1]) for attempt in range(1, policy.max_attempts)]
    assert sum(waits) <= policy.longest_seconds * 1000 <= MAX_RETRY_SPAN_SECONDS * 1000
