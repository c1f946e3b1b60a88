"""How much the oracle allows, in ms."""

from tests.simulation.faults import FaultMix

CALM_LAG_MS = 3_000
MILD_LAG_MS = 55_000
"""Where calls are throttled and entries refused, a message comes back after 15 s, three times at most."""
WAITING_LAG_MS = 900_000
"""Where limits are set, or destinations are in trouble, jobs wait for them: half an opening of a breaker and more."""
BACKOFF_FACTOR = 2
"""What every order asks for; its pauses are between nothing and base · factor^n, or the cap."""
CATCH_UP_MS = 30_000
CLAIM_TO_CALL_MS = 5_000
"""A worker that was frozen between claim and call still calls if its lease covers the timeout: 5 s at most."""
WAIT_MS = 2_600
"""The longest that a worker waits in the lease: 1.5 s early, a second of the pack, 0.1 s of latencies."""

UNSEEN_LEAD_MS = 5_000
"""A clock that is ahead by more is shown by a message that its process is the first to receive."""
SECOND_PASS_MS = 180_000
"""From an instant to the second sweep of its bucket: the rest of the bucket, two minutes, the tick's own time."""


def lag_ms(weather: FaultMix) -> int:
    """How late a call may begin where nothing may wait for a sweep."""
    if weather.may_wait:
        return WAITING_LAG_MS
    wrong_ms = SECOND_PASS_MS if weather.wrong_clocks else 0
    return (CALM_LAG_MS if weather.is_calm else MILD_LAG_MS) + weather.clock_error_ms + wrong_ms
