"""What a sweep does with each row, as one table of rows and passes."""

from dataclasses import replace

import pytest

from shared.domain.dispatch.sweep import (
    AGED_MS,
    OVERTAKEN_MS,
    DueRow,
    LaneProgress,
    LaneView,
    SweepAction,
    SweepContext,
    actionable_at,
    has_aged,
    is_held_back,
    reminder_is_settled,
    sweep_action,
)
from shared.domain.executions.states import State
from shared.names import Lane
from tests.support.builders import DUE_AT, execution_id, in_state, one_off

NOW = DUE_AT + 120_000
SCAN = DUE_AT - 132_345
ROW = DueRow(
    id=execution_id(),
    sort_key="12345#exe",
    tenant_id="acme",
    lane=Lane.STANDARD,
    state=State.PENDING,
    created_at=SCAN - 600_000,
    claims=0,
    max_claims=5,
    stop_retries=False,
    claimable_from=0,
    next_attempt_at=None,
)
FIRST = SweepContext(now_ms=NOW, is_first_pass=True, scan_began_at=SCAN, last_resend_at=None)
LATER = replace(FIRST, is_first_pass=False)
UNSCANNED = replace(FIRST, scan_began_at=None)

QUEUED = replace(ROW, state=State.QUEUED)
UNSEEN = replace(ROW, created_at=SCAN - 5_000)
SEEN = replace(ROW, created_at=SCAN - 5_001)
DUE_RETRY = replace(ROW, state=State.WAITING, claims=1, next_attempt_at=NOW - 5_000)
FRESH_RETRY = replace(DUE_RETRY, next_attempt_at=NOW - 4_999)
LATER_RETRY = replace(DUE_RETRY, next_attempt_at=NOW + 60_000)
DEAD = replace(ROW, state=State.RUNNING, claims=1, claimable_from=NOW)
LIVE = replace(DEAD, claimable_from=NOW + 1)
USED_UP = replace(DEAD, claims=5)
STOPPED = replace(DEAD, stop_retries=True)
POINTER = replace(ROW, reminder_target=execution_id(9), claims=1, claimable_from=None)


@pytest.mark.parametrize(
    ("row", "context", "action"),
    [
        (QUEUED, FIRST, SweepAction.RESEND),
        (SEEN, FIRST, SweepAction.LEAVE),
        (UNSEEN, FIRST, SweepAction.RESEND),
        (SEEN, UNSCANNED, SweepAction.RESEND),
        (SEEN, LATER, SweepAction.RESEND),
        (QUEUED, LATER, SweepAction.RESEND),
        (DUE_RETRY, FIRST, SweepAction.RESEND),
        (DUE_RETRY, LATER, SweepAction.RESEND),
        (FRESH_RETRY, LATER, SweepAction.LEAVE),
        (LATER_RETRY, LATER, SweepAction.LEAVE),
        (DEAD, FIRST, SweepAction.RESEND),
        (DEAD, LATER, SweepAction.RESEND),
        (LIVE, LATER, SweepAction.LEAVE),
        (USED_UP, FIRST, SweepAction.GIVE_UP),
        (STOPPED, LATER, SweepAction.GIVE_UP),
        (replace(USED_UP, claimable_from=NOW + 1), LATER, SweepAction.LEAVE),
        (POINTER, FIRST, SweepAction.CHECK_REMINDER),
        (replace(POINTER, state=State.QUEUED), LATER, SweepAction.CHECK_REMINDER),
    ],
)
def test_sweep_action_follows_from_the_row_and_the_pass(
    row: DueRow, context: SweepContext, action: SweepAction
) -> None:
    assert sweep_action(row, context) is action


def progress(visible_at: int, reported_at: int = NOW) -> LaneProgress:
    return LaneProgress(visible_at=visible_at, reported_at=reported_at)


def view(report: LaneProgress | None = None, backlog: int = 0, reached: int | None = None) -> LaneView:
    return LaneView(progress=report, backlog=backlog, reached=reached)


@pytest.mark.parametrize(
    ("row", "report", "context", "held"),
    [
        (QUEUED, None, LATER, False),
        (QUEUED, progress(DUE_AT - 1), LATER, True),
        (QUEUED, progress(DUE_AT), LATER, False),
        (QUEUED, progress(DUE_AT - 1, NOW - 120_000), LATER, True),
        (QUEUED, progress(DUE_AT - 1, NOW - 120_001), LATER, False),
        (replace(QUEUED, created_at=NOW - 60_000), progress(NOW - 60_001), LATER, True),
        (replace(QUEUED, created_at=NOW - 60_000), progress(NOW - 60_000), LATER, False),
        (DUE_RETRY, progress(NOW - 5_001), LATER, True),
        (DUE_RETRY, progress(NOW - 5_000), LATER, False),
        (QUEUED, progress(NOW - 50_000), replace(LATER, last_resend_at=NOW - 49_999), True),
        (QUEUED, progress(NOW - 49_999), replace(LATER, last_resend_at=NOW - 49_999), False),
    ],
)
def test_a_row_is_held_back_only_while_a_fresh_report_says_that_its_lane_is_not_there_yet(
    row: DueRow, report: LaneProgress | None, context: SweepContext, held: bool
) -> None:
    assert is_held_back(row, view(report), {}, context) is held


@pytest.mark.parametrize(("overdue_ms", "held"), [(899_999, True), (900_000, False), (10**9, False)])
def test_however_far_behind_a_lane_is_a_row_waits_15_minutes_at_most(overdue_ms: int, held: bool) -> None:
    context = replace(LATER, now_ms=DUE_AT + overdue_ms)
    stuck = progress(DUE_AT - 3_600_000, DUE_AT + overdue_ms)
    assert is_held_back(QUEUED, view(stuck), {}, context) is held


@pytest.mark.parametrize(
    ("last_resend_at", "held"), [(None, False), (NOW - 1, False), (NOW, True), (NOW + 1, True)]
)
def test_an_attempt_that_went_on_has_no_message_in_its_lane_before_it_was_sent_again(
    last_resend_at: int | None, held: bool
) -> None:
    """A worker that died leaves a message that comes back; this one was done when the call had ended."""
    context = replace(LATER, last_resend_at=last_resend_at)
    stuck = progress(DUE_AT - 60_000, NOW)
    assert is_held_back(replace(DEAD, async_accepted=True), view(stuck), {}, context) is held
    assert is_held_back(DEAD, view(stuck), {}, context)


@pytest.mark.parametrize(
    ("row", "at"),
    [
        (ROW, None),
        (POINTER, None),
        (LATER_RETRY, NOW + 65_000),
        (LIVE, NOW + 1),
    ],
)
def test_a_row_says_when_it_can_next_be_helped(row: DueRow, at: int | None) -> None:
    assert actionable_at(row, DUE_AT) == at


WAITING = in_state(one_off(), State.WAITING, attempt=2)


@pytest.mark.parametrize(
    ("target", "attempt", "settled"),
    [
        (WAITING, 2, False),
        (WAITING, 1, True),
        (in_state(one_off(), State.RUNNING, attempt=2), 2, True),
        (in_state(one_off(), State.SUCCEEDED, attempt=2), 2, True),
        (None, 2, True),
    ],
)
def test_a_pointer_ends_when_its_target_has_moved_on(target: object, attempt: int, settled: bool) -> None:
    assert reminder_is_settled(target, attempt) is settled  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "lane", "held"),
    [
        (QUEUED, view(backlog=0), False),
        (QUEUED, view(backlog=1), True),
        (QUEUED, view(backlog=1, reached=DUE_AT - 60_000), True),
        (QUEUED, view(backlog=1, reached=DUE_AT + OVERTAKEN_MS - 1), True),
        (QUEUED, view(backlog=1, reached=DUE_AT + OVERTAKEN_MS), False),
        (DUE_RETRY, view(backlog=1), True),
        (DEAD, view(backlog=1), False),
    ],
)
def test_row_is_held_back_while_its_lane_has_messages_and_no_later_row_has_begun(
    row: DueRow, lane: LaneView, held: bool
) -> None:
    """The workers of a lane that is down report nothing: that they do not work is seen from its rows."""
    assert is_held_back(row, lane, {}, LATER) is held


HERE = replace(QUEUED, destination="0123456789")


@pytest.mark.parametrize(
    ("row", "hot_scopes", "held"),
    [
        (HERE, {"d#0123456789": NOW + 1}, True),
        (HERE, {"d#0123456789": NOW}, False),
        (HERE, {"d#9876543210": NOW + 1}, False),
        (HERE, {"t#acme": NOW + 1}, True),
        (HERE, {"t#other": NOW + 1}, False),
        (QUEUED, {"d#": NOW - 1}, False),
        (replace(DUE_RETRY, destination="0123456789"), {"d#0123456789": NOW + 1}, True),
        (replace(DEAD, destination="0123456789"), {"d#0123456789": NOW + 1}, False),
    ],
)
def test_row_is_held_back_while_a_scope_of_its_own_is_hot(
    row: DueRow, hot_scopes: dict[str, int], held: bool
) -> None:
    assert is_held_back(row, view(), hot_scopes, LATER) is held


def test_row_in_a_hot_scope_is_sent_again_after_15_minutes() -> None:
    context = replace(LATER, now_ms=DUE_AT + 900_000)
    assert not is_held_back(HERE, view(backlog=9), {"d#0123456789": context.now_ms + 1}, context)


@pytest.mark.parametrize(
    ("row", "overdue_ms", "aged"),
    [
        (replace(QUEUED, lane=Lane.BULK), AGED_MS, True),
        (replace(QUEUED, lane=Lane.BULK), AGED_MS - 1, False),
        (QUEUED, 10**9, False),
        (replace(QUEUED, lane=Lane.CRITICAL), 10**9, False),
        (replace(DEAD, lane=Lane.BULK), 10**9, False),
    ],
)
def test_only_long_overdue_bulk_rows_go_through_another_lane(
    row: DueRow, overdue_ms: int, aged: bool
) -> None:
    assert has_aged(row, DUE_AT + overdue_ms) is aged
