"""Codes of stages: a duration survives its code within 3.2 %, and stages add up to the time between two instants."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.dynamodb.codec.stages import pack_stages, unpack_stages
from shared.domain.errors import InvalidValueError
from shared.domain.executions.stages import (
    LONGEST_CODE,
    STORED,
    UNKNOWN_CODE,
    UNKNOWN_STAGES,
    AttemptStages,
    Stage,
    Stages,
    WaitCause,
    cause_of,
    code_of,
    codes_between,
    duration_of,
    following,
)
from shared.domain.limits.scopes import WaitReason

LONGEST_MS = 8_600_000
"""2.4 hours, nearly."""
DURATIONS = st.integers(0, LONGEST_MS)
INSTANTS = st.integers(1_700_000_000_000, 1_700_000_000_000 + LONGEST_MS)
CODES = st.binary(min_size=len(STORED), max_size=len(STORED))
ATTEMPTS = st.builds(AttemptStages, CODES, st.none() | st.sampled_from(WaitCause))


@st.composite
def stages(draw: st.DrawFn) -> Stages:
    """The stages of any number of attempts."""
    number, first, latest = draw(st.integers(1, 20)), draw(ATTEMPTS), draw(ATTEMPTS)
    return Stages(number=number, first=first, latest=first if number == 1 else latest)


@given(duration=DURATIONS)
def test_duration_survives_its_code_within_the_promised_error(duration: int) -> None:
    code = code_of(duration)
    decoded = duration_of(code)
    assert 0 <= code < LONGEST_CODE
    assert decoded is not None
    assert abs(decoded - duration) <= 0.032 * (1 + duration) + 0.5


@given(duration=DURATIONS, other=DURATIONS)
def test_codes_keep_the_order_of_durations(duration: int, other: int) -> None:
    low, high = sorted((duration, other))
    assert code_of(low) <= code_of(high)


def test_short_durations_are_exact() -> None:
    assert [duration_of(code_of(duration)) for duration in range(8)] == list(range(8))


def test_codes_have_an_end_on_both_sides() -> None:
    assert (code_of(None), duration_of(UNKNOWN_CODE)) == (UNKNOWN_CODE, None)
    assert (code_of(-5), code_of(0)) == (0, 0)
    assert code_of(10**12) == LONGEST_CODE
    assert (duration_of(LONGEST_CODE) or 0) / 3_600_000 > 2.4


@given(due_at=INSTANTS, instants=st.lists(INSTANTS, min_size=2, max_size=6))
def test_stages_add_up_to_the_time_from_due_and_visible_to_the_last_instant(
    due_at: int, instants: list[int]
) -> None:
    """Even if the clocks of the instants disagree."""
    whole_ms = max(0, instants[-1] - max(due_at, instants[0]))
    durations = [duration_of(code) or 0 for code in codes_between(due_at, instants)]
    allowed = sum(0.033 * (1 + duration) + 1 for duration in durations)
    assert len(durations) == len(instants) - 1
    assert abs(sum(durations) - whole_ms) <= allowed


@given(instants=st.lists(INSTANTS, min_size=2, max_size=6).map(sorted))
def test_stages_are_the_distances_of_instants_in_order(instants: list[int]) -> None:
    expected = [code_of(later - earlier) for earlier, later in pairwise(instants)]
    assert codes_between(0, instants) == expected


@given(given_stages=st.none() | stages())
def test_stages_survive_their_attribute(given_stages: Stages | None) -> None:
    packed = pack_stages(given_stages)
    assert unpack_stages(packed) == given_stages
    if given_stages is not None:
        assert packed is not None
        assert len(packed) == (8 if given_stages.number == 1 else 14)


@given(packed=st.binary(max_size=20) | st.text(max_size=3) | st.none() | st.integers())
def test_attribute_of_any_form_is_read_or_unknown(packed: object) -> None:
    read = unpack_stages(packed)
    assert read is None or pack_stages(read) is not None


def test_cause_of_a_newer_release_is_unknown_and_spoils_no_duration() -> None:
    packed = bytes([1, 0xFF, *range(6)])
    read = unpack_stages(packed)
    assert read is not None
    assert (read.first.cause, read.first.duration_ms(Stage.QUEUE)) == (None, 0)
    assert cause_of(0) is None


def test_every_reason_of_a_deferral_is_a_cause() -> None:
    assert {reason.name for reason in WaitReason} <= {cause.name for cause in WaitCause}
    assert {reason.value for reason in WaitReason} <= {cause.word for cause in WaitCause}
    assert max(WaitCause) < 16, "a cause has four bits"


def test_attempt_has_one_code_for_each_stage() -> None:
    with pytest.raises(InvalidValueError, match="6 codes"):
        AttemptStages(b"12345")


FIRST, SECOND, THIRD = (AttemptStages(bytes([number] * 6)) for number in (1, 2, 3))


def test_first_stages_stay_while_the_latest_follow_the_attempts() -> None:
    one = following(None, 1, FIRST)
    two = following(one, 2, SECOND)
    three = following(two, 3, THIRD)
    assert [three.of(number) for number in (1, 2, 3)] == [FIRST, UNKNOWN_STAGES, THIRD]
    assert following(one, 1, SECOND) == following(None, 1, SECOND), "the claim before was refunded"


def test_first_attempt_that_left_no_stages_stays_unknown() -> None:
    assert following(None, 2, SECOND).of(1) == UNKNOWN_STAGES
    assert UNKNOWN_STAGES.duration_ms(Stage.QUEUE) is None
