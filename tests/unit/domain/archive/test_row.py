"""Rows: the columns of an execution that has ended."""

from dataclasses import fields, replace

import pytest

from shared.domain.archive.row import ArchivedOutcome, ArchivedRange, ArchiveRow, row_of
from shared.domain.archive.statistics import sample_of
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import EndedRun, EventRef, TaskRef
from shared.domain.executions.redrive import RedriveOf
from shared.domain.executions.stages import AttemptStages, Stages, WaitCause, code_of
from shared.domain.executions.states import EndReason, State
from shared.domain.schedules.skipped_range import SkippedRange
from shared.domain.workflows.identities import run_id_text
from tests.support.builders import DUE_AT, TENANT, execution_id, in_state, one_off

OUTCOMES = (
    AttemptOutcome(attempt=1, started_at=DUE_AT + 5, duration_ms=10, status=500, reason=Reason.HTTP_STATUS),
    AttemptOutcome(attempt=2, started_at=DUE_AT + 9_000, duration_ms=30, status=None, reason=Reason.TIMEOUT),
)


def test_failed_execution_tells_its_attempts_and_its_end() -> None:
    execution = in_state(
        one_off(name="bill", tags=("a", "b"), destination="0123456789"),
        State.FAILED,
        attempt=2,
        outcomes=OUTCOMES,
        end_reason=EndReason.ATTEMPTS_USED_UP,
    )
    row = row_of(execution, b"sealed")
    assert (row.tenant, row.id, row.job_id) == (TENANT, str(execution.id), execution.job_id)
    assert (row.due_at, row.scheduled_at, row.created_at) == (DUE_AT, DUE_AT, DUE_AT - 600_000)
    assert (row.started_at, row.ended_at) == (DUE_AT + 5, DUE_AT + 9_030)
    assert (row.state, row.end_reason, row.lane) == ("failed", "attempts_used_up", "standard")
    assert (row.revision, row.run, row.attempts) == (1, 1, 2)
    assert (row.status, row.reason) == (None, "timeout")
    assert (row.destination, row.name, row.tags, row.body) == ("0123456789", "bill", ("a", "b"), b"sealed")
    assert row.outcomes[0] == ArchivedOutcome(
        attempt=1, started_at=DUE_AT + 5, duration_ms=10, status=500, reason="http_status"
    )


@pytest.mark.parametrize(
    ("state", "reason"),
    [(State.CANCELLED, EndReason.CANCELLED), (State.FAILED, EndReason.WORKER_LOST)],
)
def test_end_without_a_recorded_attempt_has_no_instant(state: State, reason: EndReason) -> None:
    execution = in_state(one_off(), state, attempt=2, outcomes=OUTCOMES, end_reason=reason)
    assert row_of(execution).ended_at is None


def test_links_to_other_executions_are_ids() -> None:
    target = execution_id(9, dispatch_at=DUE_AT + 60_000)
    redrive = in_state(one_off(redrive_of=RedriveOf(original=target, number=1)), State.MOVED, moved_to=target)
    told = in_state(one_off(notification_of=target), State.SUCCEEDED)
    assert (row_of(redrive).redrive_of, row_of(redrive).moved_to) == (str(target), str(target))
    assert row_of(told).notification_of == str(target)
    assert row_of(told).redrive_of is None


def test_stages_of_the_first_attempt_are_durations() -> None:
    first, latest = (
        AttemptStages(bytes(code_of(number * ms) for number in (1, 7, 2, 4, 5, 9)), WaitCause.TENANT_RATE)
        for ms in (3, 500)
    )
    stages = Stages(number=2, first=first, latest=latest)
    row = row_of(in_state(one_off(), State.SUCCEEDED, attempt=2, outcomes=OUTCOMES, stages=stages))
    assert (row.queue_ms, row.wait_ms, row.wait_cause) == (3, 21, "tenant_rate")
    assert (row.claim_ms, row.ready_ms, row.connect_ms, row.head_ms) == (6, 12, 15, 27)
    unknown = row_of(in_state(one_off(), State.CANCELLED, end_reason=EndReason.CANCELLED))
    assert (unknown.queue_ms, unknown.wait_ms, unknown.wait_cause, unknown.head_ms) == (None,) * 4


def test_skipped_record_tells_its_range() -> None:
    missed = SkippedRange(count=3, first_at=DUE_AT, last_at=DUE_AT + 2, resumed_at=DUE_AT + 3)
    row = row_of(in_state(one_off(), State.SKIPPED, end_reason=EndReason.COALESCED, missed=missed))
    assert row.missed == ArchivedRange(count=3, first_at=DUE_AT, last_at=DUE_AT + 2)


def test_row_of_a_task_names_its_run() -> None:
    run = execution_id(5)
    task = replace(one_off(), task=TaskRef(run=run, key="charge", epoch=2))
    row = row_of(in_state(task, State.SUCCEEDED))
    assert (row.run_id, row.task, row.epoch, row.item) == (run_id_text(run), "charge", 2, None)


def test_row_of_an_item_of_a_map_has_its_position() -> None:
    task = TaskRef(run=execution_id(5), key="charge", epoch=2, item=0, items=3)
    row = row_of(in_state(replace(one_off(), task=task), State.SUCCEEDED))
    assert (row.task, row.item) == ("charge", 0)


def test_row_of_a_notification_names_the_run_whose_end_it_tells() -> None:
    run = execution_id(5)
    told = replace(one_off(), notification_of=one_off().id, ended_run=EndedRun(id=run, record=b"packed"))
    row = row_of(in_state(told, State.SUCCEEDED))
    assert (row.run_id, row.task, row.epoch) == (run_id_text(run), None, None)


def test_row_of_a_plain_execution_names_no_run() -> None:
    row = row_of(in_state(one_off(), State.SUCCEEDED))
    assert (row.run_id, row.task, row.epoch, row.item) == (None, None, None, None)


def test_row_of_a_run_that_events_have_postponed_names_the_last_one_and_is_not_late() -> None:
    event = EventRef(trigger="orders", source="shop", id="o-1", recorded_at=DUE_AT, due_at=DUE_AT + 9_000)
    outcomes = (
        AttemptOutcome(attempt=1, started_at=DUE_AT + 9_500, duration_ms=1, status=200, reason=Reason.OK),
    )
    ended = in_state(replace(one_off(), event=event), State.SUCCEEDED, outcomes=outcomes, attempt=1)
    row = row_of(ended)
    assert (row.trigger_name, row.event_source, row.event_id) == ("orders", "shop", "o-1")
    assert (row.due_at, row.postponed_to, sample_of(row).lag_ms) == (DUE_AT, DUE_AT + 9_000, 500)
    assert row_of(in_state(one_off(), State.SUCCEEDED)).first_due_at == DUE_AT


def test_columns_are_those_of_version_one() -> None:
    """Columns are only added at the end."""
    assert [field.name for field in fields(ArchiveRow)] == [
        "tenant",
        "id",
        "job_id",
        "due_at",
        "scheduled_at",
        "created_at",
        "started_at",
        "ended_at",
        "state",
        "end_reason",
        "lane",
        "revision",
        "run",
        "attempts",
        "status",
        "reason",
        "destination",
        "name",
        "tags",
        "redrive_of",
        "notification_of",
        "moved_to",
        "missed",
        "outcomes",
        "body",
        "queue_ms",
        "wait_ms",
        "wait_cause",
        "claim_ms",
        "ready_ms",
        "connect_ms",
        "head_ms",
        "refunded_since",
        "run_id",
        "task",
        "epoch",
        "trigger_name",
        "event_source",
        "event_id",
        "postponed_to",
        "item",
    ]
