"""Durations, bars, lines of runs and timelines, as texts."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.api.resources.executions.sentences import duration_text
from punctual.cli.durations import duration
from punctual.cli.run_texts import line_of, outcome, timeline
from punctual.cli.sparklines import BARS, UNKNOWN, joined, sparkline
from punctual.models import Attempt, AttemptStages, ExecutionDetail, Explanation, Span

DUE = datetime(2030, 3, 1, 1, 30, tzinfo=timezone.utc)
ZONE = timezone(timedelta(hours=1))


def after(ms: int) -> datetime:
    return DUE + timedelta(milliseconds=ms)


FIRST = Attempt(number=1, started_at=after(41_900), duration_ms=310, status=503, reason="http_status")
SECOND = Attempt(number=2, started_at=after(60_000), duration_ms=12, status=200, reason="ok")


def run(**members: object) -> ExecutionDetail:
    given = {
        "id": "exe_1",
        "job_id": "job_1",
        "name": "nightly",
        "state": "succeeded",
        "archived": False,
        "attempts": (FIRST, SECOND),
        "attempts_begun": 2,
        "due_at": DUE,
        "scheduled_at": DUE,
        "lag_ms": 41_900,
    } | members
    return ExecutionDetail(**given)  # type: ignore[arg-type]


@given(st.integers(0, 10**9))
def test_durations_are_written_as_in_the_sentences_of_the_api(ms: int) -> None:
    assert duration(ms) == duration_text(ms)


def test_a_missing_duration_is_empty_and_a_negative_one_has_a_sign() -> None:
    assert (duration(None), duration(-60_000)) == ("", "-60 s")


@given(st.lists(st.none() | st.integers(0, 10**6), max_size=80))
def test_bars_grow_with_their_numbers(values: list[int | None]) -> None:
    line = sparkline(values)
    assert len(line) == len(values)
    assert all((bar == UNKNOWN) == (value is None) for bar, value in zip(line, values, strict=True))
    known = sorted(
        (value, BARS.index(bar)) for bar, value in zip(line, values, strict=True) if value is not None
    )
    assert [bar for _, bar in known] == sorted(bar for _, bar in known)
    assert all((value == 0) == (bar == 0) for value, bar in known)
    assert not known or known[-1][0] == 0 or known[-1][1] == len(BARS) - 1


@given(st.lists(st.none() | st.integers(0, 100), max_size=200), st.integers(1, 60))
def test_joined_numbers_fit_and_keep_their_sum(values: list[int | None], width: int) -> None:
    found = joined(values, width)
    assert len(found) <= width
    assert sum(value or 0 for value in found) == sum(value or 0 for value in values)


def test_an_outcome_names_the_end_and_the_last_attempt() -> None:
    assert outcome(run()) == "200"
    assert (
        outcome(run(end_reason="attempts_used_up", attempts=(FIRST,))) == "attempts_used_up: http_status 503"
    )
    assert outcome(run(end_reason="overlap", attempts=())) == "overlap"
    assert outcome(run(attempts=())) == ""


def test_a_line_has_the_end_the_state_the_job_and_the_run() -> None:
    assert line_of(run(), ZONE) == "2030-03-01 02:31:00 +01:00  succeeded  nightly  exe_1  lag 42 s  200"
    skipped = run(name=None, state="skipped", lag_ms=None, attempts=(), end_reason="overlap")
    assert line_of(skipped, ZONE) == "2030-03-01 02:30:00 +01:00  skipped    job_1  exe_1  overlap"


def explanation(*attempts: AttemptStages) -> Explanation:
    return Explanation(
        id="exe_1",
        job_id="job_1",
        state="succeeded",
        due_at=DUE,
        summary="Its receiver accepted the call.",
        attempts=attempts,
    )


def stages(number: int, *spans: Span) -> AttemptStages:
    return AttemptStages(number=number, due_at=DUE, stages=spans)


def test_a_timeline_has_the_stages_of_each_attempt_counted_from_its_due_time() -> None:
    sent = Span(text="", stage="sent", began_at=after(-60_000), duration_ms=0, precision="exact")
    wait = Span(
        text="",
        stage="wait",
        began_at=after(12),
        duration_ms=40_000,
        precision="about",
        cause="destination_rate",
    )
    claim = Span(text="", stage="claim", began_at=after(40_012), duration_ms=1_000, precision="exact")
    lost = Span(text="", stage="ready", precision="unknown")
    lines = list(timeline(run(redrive_of="exe_0"), explanation(stages(1, sent, wait, claim, lost)), ZONE))
    assert lines == [
        "run           exe_1",
        "job           job_1  nightly",
        "state         succeeded",
        "scheduled     2030-03-01 02:30:00 +01:00",
        "due           2030-03-01 02:30:00 +01:00",
        "lag           42 s",
        "redrive of    exe_0",
        "",
        "Its receiver accepted the call.",
        "",
        "attempt 1  2030-03-01 02:30:41 +01:00  310 ms  http_status 503",
        "  sent          -60 s       0 ms",
        f"  wait         +12 ms      ~40 s  {'█' * 20}  destination_rate",
        "  claim         +40 s      1.0 s  █",
        "  ready                  unknown",
        "",
        "attempt 2  2030-03-01 02:31:00 +01:00  12 ms  200",
    ]


def test_stages_of_an_attempt_without_a_record_are_shown() -> None:
    queue = Span(text="", stage="queue", began_at=after(0), duration_ms=5, precision="exact")
    lines = list(timeline(run(attempts=()), explanation(stages(1, queue)), ZONE))
    assert lines[-2:] == ["attempt 1", f"  queue         +0 ms       5 ms  {'█' * 20}"]


@pytest.mark.parametrize("body", ["gone\nfor good", "\x1b[2J"])
def test_the_last_response_is_a_line_of_its_own(body: str) -> None:
    assert list(timeline(run(last_response_body=body), explanation(), ZONE))[-1] == f"last response: {body}"
