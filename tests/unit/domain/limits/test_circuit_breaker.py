"""The health of a destination, as one table of what is heard in each phase."""

from dataclasses import replace

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.limits.circuit_breaker import (
    CUT_EVERY_MS,
    GROW_EVERY_MS,
    MAX_OPEN_MS,
    OPEN_MS,
    PROBE_MS,
    PROBED_LIMIT,
    QUICK_MS,
    SLOW_MS,
    START_LIMIT,
    STEADY_AFTER,
    TRIP_AFTER,
    Circuit,
    Phase,
    Tally,
)

NOW = 1_740_000_000_000
WELL = Circuit()
OPEN = Circuit(failures=TRIP_AFTER, trips=1, open_until=NOW + OPEN_MS)
HALF = replace(OPEN, open_until=NOW)
PROBED = HALF.probed_by("me", NOW)
GOOD, OVERLOADED, DOWN = Tally(good=1), Tally(overloaded=1), Tally(unreachable=TRIP_AFTER)


def limited(limit: int, ago_ms: int = CUT_EVERY_MS) -> Circuit:
    return Circuit(limit=limit, limited_at=NOW - ago_ms)


@pytest.mark.parametrize(
    ("before", "tally", "after"),
    [
        (WELL, GOOD, WELL),
        (WELL, Tally(), WELL),
        (WELL, Tally(unreachable=1), Circuit(failures=1)),
        (Circuit(failures=TRIP_AFTER - 1), GOOD, WELL),
        (Circuit(failures=TRIP_AFTER - 1), Tally(good=1, unreachable=9), WELL),
        (WELL, OVERLOADED, Circuit(failures=1, limit=START_LIMIT // 2, limited_at=NOW)),
        (limited(8), OVERLOADED, Circuit(failures=1, limit=4, limited_at=NOW)),
        (limited(1), OVERLOADED, Circuit(failures=1, limit=1, limited_at=NOW)),
        (limited(8), Tally(good=9, overloaded=1), Circuit(limit=4, limited_at=NOW)),
        (limited(8, CUT_EVERY_MS - 1), OVERLOADED, replace(limited(8, CUT_EVERY_MS - 1), failures=1)),
        (limited(8, GROW_EVERY_MS), GOOD, Circuit(limit=9, limited_at=NOW)),
        (limited(8, GROW_EVERY_MS - 1), GOOD, limited(8, GROW_EVERY_MS - 1)),
        (limited(START_LIMIT - 1), GOOD, Circuit(limited_at=NOW)),
        (WELL, DOWN, OPEN),
        (Circuit(failures=TRIP_AFTER - 1), Tally(unreachable=1), OPEN),
        (limited(8), DOWN, replace(OPEN, limit=8, limited_at=NOW - CUT_EVERY_MS)),
        (OPEN, GOOD, OPEN),
        (OPEN, DOWN, OPEN),
        (HALF, GOOD, HALF),
        (HALF, DOWN, HALF),
        (PROBED, GOOD, Circuit(trips=1, limit=PROBED_LIMIT, limited_at=NOW)),
        (PROBED, Tally(unreachable=1), Circuit(failures=10, trips=2, open_until=NOW + 2 * OPEN_MS)),
        (PROBED, Tally(), PROBED),
        (replace(PROBED, prober="other"), GOOD, replace(PROBED, prober="other")),
        (replace(PROBED, prober="other"), DOWN, replace(PROBED, prober="other")),
    ],
)
def test_circuit_changes_with_the_tally_of_responses(before: Circuit, tally: Tally, after: Circuit) -> None:
    assert before.after(tally, "me", NOW) == after


@pytest.mark.parametrize(
    ("circuit", "phase", "may_probe"),
    [
        (WELL, Phase.CLOSED, False),
        (limited(1), Phase.CLOSED, False),
        (OPEN, Phase.OPEN, False),
        (replace(OPEN, open_until=NOW + 1), Phase.OPEN, False),
        (HALF, Phase.HALF_OPEN, True),
        (PROBED, Phase.HALF_OPEN, False),
        (replace(PROBED, probe_until=NOW), Phase.HALF_OPEN, True),
        (PROBED.without_probe_of("me"), Phase.HALF_OPEN, True),
        (PROBED.without_probe_of("other"), Phase.HALF_OPEN, False),
    ],
)
def test_an_open_breaker_becomes_half_open_and_lets_one_probe(
    circuit: Circuit, phase: Phase, may_probe: bool
) -> None:
    assert (circuit.phase(NOW), circuit.may_probe(NOW)) == (phase, may_probe)


def test_a_probe_that_died_is_taken_over() -> None:
    assert not PROBED.may_probe(NOW + PROBE_MS - 1)
    assert PROBED.may_probe(NOW + PROBE_MS)


def test_circuit_breaker_opening_doubles_up_to_five_minutes() -> None:
    circuit, now_ms, lasted = WELL.after(DOWN, "me", NOW), NOW, []
    for _ in range(9):
        lasted.append(circuit.open_until - now_ms)
        now_ms = circuit.open_until
        circuit = circuit.probed_by("me", now_ms).after(Tally(unreachable=1), "me", now_ms)
    assert lasted[:4] == [OPEN_MS, 2 * OPEN_MS, 4 * OPEN_MS, 8 * OPEN_MS]
    assert max(lasted) == lasted[-1] == MAX_OPEN_MS


def test_openings_begin_anew_once_a_destination_was_well_for_ten_times_as_long() -> None:
    well = Circuit(trips=4, limited_at=NOW)
    long_ms = STEADY_AFTER * 8 * OPEN_MS
    soon = well.after(DOWN, "me", NOW + long_ms - 1)
    late = well.after(DOWN, "me", NOW + long_ms)
    assert (soon.trips, soon.open_until) == (5, NOW + long_ms - 1 + 16 * OPEN_MS)
    assert (late.trips, late.open_until) == (1, NOW + long_ms + OPEN_MS)


def test_openings_are_not_forgotten_by_what_was_never_well_again() -> None:
    day_ms = 86_400_000
    cut = Circuit(trips=4, limit=PROBED_LIMIT, limited_at=NOW)
    assert cut.after(DOWN, "me", NOW + day_ms).trips == 5
    half = Circuit(failures=TRIP_AFTER, trips=4, open_until=NOW).probed_by("me", NOW + day_ms)
    assert half.after(Tally(unreachable=1), "me", NOW + day_ms).trips == 5


def test_a_destination_that_recovers_is_unlimited_again_and_then_healthy() -> None:
    circuit, now_ms = limited(2), NOW
    for _ in range(START_LIMIT):
        circuit, now_ms = circuit.after(GOOD, "me", now_ms), now_ms + GROW_EVERY_MS
    assert circuit.limit is None
    assert circuit.is_healthy
    assert not any(
        one.is_healthy for one in (OPEN, HALF, limited(3), Circuit(slow=True), Circuit(failures=1))
    )


@pytest.mark.parametrize(
    ("slow", "answers", "after"),
    [
        (False, [SLOW_MS] * 3, True),
        (False, [SLOW_MS] * 2, False),
        (False, [SLOW_MS, SLOW_MS, SLOW_MS - 3], False),
        (False, [0, 0, 3 * SLOW_MS], True),
        (True, [QUICK_MS], False),
        (True, [QUICK_MS + 1], True),
        (True, [], True),
    ],
)
def test_a_destination_is_slow_by_three_answers_and_quick_again_by_one(
    slow: bool, answers: list[int], after: bool
) -> None:
    tally = Tally()
    for duration_ms in answers:
        tally = tally.plus(CallbackResponse(reason=Reason.OK, duration_ms=duration_ms, status=200))
    assert Circuit(slow=slow).after(tally, "me", NOW).slow is after


@pytest.mark.parametrize(
    ("reason", "status", "heard"),
    [
        (Reason.OK, 200, "good"),
        (Reason.HTTP_STATUS, 500, "good"),
        (Reason.HTTP_STATUS, 404, "good"),
        (Reason.REDIRECT, 302, "good"),
        (Reason.HTTP_STATUS, 429, "overloaded"),
        (Reason.HTTP_STATUS, 503, "overloaded"),
        (Reason.TIMEOUT, None, "overloaded"),
        (Reason.HTTP_STATUS, 502, "unreachable"),
        (Reason.HTTP_STATUS, 504, "unreachable"),
        (Reason.CONNECT_FAILED, None, "unreachable"),
        (Reason.DNS_FAILED, None, "unreachable"),
        (Reason.TLS_FAILED, None, "unreachable"),
        (Reason.PROTOCOL_ERROR, None, "unreachable"),
        (Reason.TARGET_FAILED, 500, "unreachable"),
        (Reason.TARGET_THROTTLED, 502, "overloaded"),
        (Reason.TARGET_ACCESS_DENIED, 502, "good"),
        (Reason.TARGET_NOT_FOUND, 503, "good"),
        (Reason.LEASE_TOO_SHORT, None, ""),
        (Reason.REQUEST_UNREADABLE, None, ""),
        (Reason.SIGNING_SECRET_GONE, None, ""),
        (Reason.ADDRESS_NOT_ALLOWED, None, ""),
        (Reason.STOPPED, None, ""),
    ],
)
def test_response_counts_as_good_overloaded_or_unreachable(
    reason: Reason, status: int | None, heard: str
) -> None:
    tally = Tally().plus(CallbackResponse(reason=reason, duration_ms=7, status=status))
    counted = {name for name in ("good", "overloaded", "unreachable") if getattr(tally, name)}
    assert counted == ({heard} if heard else set())
    assert tally.timed == (heard in ("good", "overloaded"))
