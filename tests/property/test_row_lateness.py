"""The row of an execution explains its first attempt as its record does."""

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.archive.row import row_of
from shared.domain.archive.row_lateness import row_lateness
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.lateness import lateness
from shared.domain.executions.stages import STORED, AttemptStages, WaitCause, code_of, duration_of, following
from shared.domain.executions.states import State
from tests.support.builders import DUE_AT, in_state, one_off

CODES = st.lists(st.integers(0, 255), min_size=len(STORED), max_size=len(STORED)).map(bytes)
MILLISECONDS = st.integers(0, 20_000_000)


def test_duration_of_each_code_is_kept_by_its_milliseconds() -> None:
    for code in range(256):
        kept = duration_of(code)
        assert duration_of(code_of(kept)) == kept


@given(
    codes=CODES,
    cause=st.none() | st.sampled_from(WaitCause),
    late_ms=MILLISECONDS,
    duration_ms=MILLISECONDS,
    refunded_ms=st.none() | MILLISECONDS,
)
def test_first_attempt_of_a_row_is_that_of_its_record(
    codes: bytes, cause: WaitCause | None, late_ms: int, duration_ms: int, refunded_ms: int | None
) -> None:
    outcome = AttemptOutcome(
        attempt=1, started_at=DUE_AT + late_ms, duration_ms=duration_ms, status=200, reason=Reason.OK
    )
    refund = {} if refunded_ms is None else {"refunded": 1, "refunded_since": DUE_AT + refunded_ms}
    execution = in_state(
        one_off(),
        State.SUCCEEDED,
        claims=2 if refund else 1,
        outcomes=(outcome,),
        stages=following(None, 1, AttemptStages(codes, cause)),
        **refund,
    )
    assert row_lateness(row_of(execution)) == lateness(execution)
