"""SWEEP: one bad row, one silent store or one dead sweeper never blocks the rest."""

import pytest

from shared.domain.bucket import bucket_of
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.errors import UnavailableError
from shared.domain.executions.states import State
from shared.names import Lane
from shared.ports.jobs import Payload
from tests.support.builders import BUCKET, DUE_AT, TENANT, in_state, one_off
from tests.support.fakes.table import Damage
from tests.support.usecases.steps import Crash
from tests.support.usecases.sweeps import FIRST_PASS, SCAN, SECOND_PASS, put, scanned, swept, unscanned
from tests.support.usecases.world import World

OLD_MS = 40 * 86_400_000
"""So late that the sweep extends a large request, and that regular passes are an hour apart."""


def swept_late(world: World) -> int:
    """Sweep the bucket when it is old; returns the instant."""
    at = FIRST_PASS + OLD_MS
    world.ledger.note_swept_through(bucket_of(at) - 1)
    world.ledger.list_shard(BUCKET, 0, FIRST_PASS)
    swept(world, at)
    return at


def test_an_unreadable_row_is_named_and_blocks_nobody() -> None:
    world = unscanned()
    bad, good = put(world, number=1), put(world, number=2)
    world.table.executions[bad.id].damage = Damage.NEWER
    report = swept(world, FIRST_PASS)
    assert world.sent() == [good.id]
    assert len(report.quarantined) == 1
    assert str(bad.id) in report.quarantined[0]


def test_an_unreadable_row_alone_keeps_its_shard_open() -> None:
    world = unscanned()
    bad = put(world)
    world.table.executions[bad.id].damage = Damage.NEWER
    assert swept(world, FIRST_PASS).closed == 0
    assert (BUCKET, 0) in world.ledger.rows


def test_a_refused_message_is_counted_and_its_row_is_sent_for_at_the_next_pass() -> None:
    world = unscanned()
    row = put(world)
    world.queue.fail_once(row.id)
    report = swept(world, FIRST_PASS)
    assert (report.resent, report.send_failed) == (0, 1)
    swept(world, SECOND_PASS)
    assert world.sent() == [row.id]


def test_row_of_an_old_bucket_is_sent_a_minute_after_sqs_refused_its_message() -> None:
    world = unscanned()
    row = put(world)
    world.queue.fail_once(row.id)
    at = swept_late(world)
    swept(world, at + 60_000)
    assert world.sent() == [row.id]


def test_reminder_of_an_old_bucket_wakes_its_target_a_minute_after_the_store_did_not_respond() -> None:
    world = unscanned()
    target = in_state(one_off(due_at=DUE_AT - 7_200_000), State.WAITING, attempt=2, next_attempt_at=DUE_AT)
    world.put(target)
    reminder = RetryReminder(
        dispatch_at=DUE_AT, target=target.id, claims=2, tenant_id=TENANT, lane=Lane.STANDARD, created_at=SCAN
    )
    world.store.put_reminder(reminder)
    world.steps.fail("store.get_many")
    world.steps.fail("store.get")
    at = swept_late(world)
    assert world.sent() == []
    swept(world, at + 60_000)
    assert world.sent() == [target.id]


@pytest.mark.parametrize("call", ["store.get", "jobs.keep_payload"])
def test_request_of_a_late_row_is_kept_a_minute_after_the_store_did_not_respond(call: str) -> None:
    world = unscanned()
    row = put(world, payload_id="job.1")
    world.jobs.put_payload(Payload(row.tenant_id, "job.1", b"sealed", stored_at=SCAN, expires_at_s=1))
    world.steps.fail(call)
    at = swept_late(world)
    assert world.sent() == [row.id], "the row does not wait for its request"
    assert world.table.payload_expires_at_s[row.tenant_id, "job.1"] == 1
    swept(world, at + 60_000)
    assert world.table.payload_expires_at_s[row.tenant_id, "job.1"] > at // 1000


def test_a_shard_that_does_not_answer_keeps_nobody_else_from_being_swept() -> None:
    world = unscanned(mark=BUCKET - 2)
    row = put(world)
    world.steps.fail("store.scan")
    report = swept(world, FIRST_PASS)
    assert (report.unavailable, world.sent()) == (1, [row.id])


def test_rejected_request_keeps_no_other_shard_from_being_swept() -> None:
    world = unscanned(mark=BUCKET - 2)
    row = put(world)
    world.steps.reject("store.scan")
    report = swept(world, FIRST_PASS)
    assert (report.unavailable, world.sent()) == (1, [row.id])


def test_an_unreadable_progress_report_slows_nothing() -> None:
    world = unscanned()
    row = put(world)
    world.steps.fail("progress.read", times=3)
    swept(world, FIRST_PASS)
    assert world.sent() == [row.id]


def test_an_unanswered_ledger_is_no_silent_success() -> None:
    world = unscanned()
    world.steps.fail("ledger.open_before", times=2)
    with pytest.raises(UnavailableError):
        swept(world, FIRST_PASS)


STEPS = [
    "ledger.open_before",
    "ledger.list_shard",
    "ledger.note_swept_through",
    "store.scan",
    "queue.send",
    "ledger.take_pass",
    "ledger.record_pass",
]


@pytest.mark.parametrize("step", STEPS)
def test_sweep_after_a_crashed_sweeper_misses_no_row(step: str) -> None:
    world = unscanned()
    row = put(world)
    world.steps.crash_after(step)
    with pytest.raises(Crash):
        swept(world, FIRST_PASS)
    swept(world, SECOND_PASS)
    assert set(world.sent()) == {row.id}
    assert (BUCKET, 0) in world.ledger.rows


@pytest.mark.parametrize("step", ["ledger.swept_through", "ledger.note_swept_through"])
@pytest.mark.parametrize("fault", ["fail", "reject"])
def test_a_list_that_cannot_be_made_complete_keeps_nothing_on_it_from_being_swept(
    step: str, fault: str
) -> None:
    world = scanned()
    row = put(world, created_at=SCAN + 1)
    getattr(world.steps, fault)(step)
    report = swept(world, FIRST_PASS)
    assert (report.unavailable, world.sent()) == (1, [row.id])


def test_a_list_that_was_broken_off_is_completed_by_the_next_sweep() -> None:
    world = unscanned()
    row = put(world)
    world.steps.fail("ledger.list_shard")
    assert swept(world, FIRST_PASS).shards_swept == 0
    swept(world, SECOND_PASS)
    assert world.sent() == [row.id]
