"""BACKFILL: a job of its own, with a run for each instant of a past range, that lives no longer than its job."""

from dataclasses import replace

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.request import Request
from shared.domain.errors import (
    IdempotencyKeyReusedError,
    InvalidStateError,
    NotFoundError,
    QuotaExceededError,
    ScheduleError,
    UnavailableError,
)
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import backfill_job_id, backfilled_job
from shared.domain.jobs.job import JobState
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import Backfill, Cron, Rate
from shared.domain.tenancy.quota import Quota
from shared.names import Lane
from shared.ports.jobs import Payload
from shared.usecases.ticks.collect_payloads import MIN_AGE_MS
from tests.support.builders import DUE_AT, TENANT, with_changes
from tests.support.usecases.backfills import HOUR, HOURLY, KEY, RANGE, WANTED, Case, hourly
from tests.support.usecases.reconciling import collected_in_a_day
from tests.support.usecases.world import REQUEST

LARGE = Request(method="PUT", url="https://receiver.example/large", body=b"x" * 50_000)


def test_backfill_runs_once_for_every_instant_of_its_range_and_ends() -> None:
    case = hourly()
    case.ask()
    case.until(10)
    case.assert_made_up_for()


def test_callback_of_a_backfill_names_the_job_and_the_backfill() -> None:
    case = hourly()
    backfill = case.ask().job
    case.until(10)
    headers = [dict(callback.headers) for callback in case.calls()]
    assert {each["X-Backfill-Of"] for each in headers} == {case.job.id}
    assert {each["X-Job-Id"] for each in headers} == {backfill.id}
    assert len({each["webhook-id"] for each in headers}) == len(WANTED)
    assert {callback.body for callback in case.calls()} == {REQUEST.body}
    case.world.clock.time_ms = DUE_AT + HOUR
    case.world.attempt(case.world.standing(case.job.id_at(DUE_AT + HOUR)))
    own = dict(case.world.sender.calls[-1].callback.headers)
    assert own["X-Job-Id"] == case.job.id
    assert "X-Backfill-Of" not in own


def test_the_runs_keep_the_pace_that_was_asked_for() -> None:
    case = hourly()
    begun = case.world.clock.time_ms
    case.ask(replace(RANGE, every_seconds=30))
    case.until(200)
    case.assert_made_up_for()
    assert [(call.at - begun) // 1000 for call in case.world.sender.calls] == [0, 30, 60, 90]


def test_backfill_copies_the_settings_of_its_job_at_its_creation() -> None:
    case = hourly(name="nightly", tags=("a",), timeout_ms=7_000, lane=Lane.CRITICAL)
    made = case.ask(replace(RANGE, lane=Lane.STANDARD, overlap_policy=OverlapPolicy.SKIP)).job
    assert (made.call.retry, made.call.timeout_ms, made.call.async_policy) == (
        case.job.call.retry,
        7_000,
        case.job.call.async_policy,
    )
    assert (made.name, made.tags, made.call.lane) == ("nightly", ("a",), Lane.STANDARD)
    assert made.definition.overlap_policy is OverlapPolicy.SKIP
    assert case.world.open_request.execute(case.world.tenant, made) == REQUEST
    assert hourly().ask().job.call.lane is Lane.BULK


def test_backfill_changes_neither_its_job_nor_the_chain() -> None:
    case = hourly()
    case.ask()
    case.until(10)
    assert case.parent == case.job
    assert len(case.world.occurrences(case.job)) == 1


@pytest.mark.parametrize("state", [JobState.PAUSED, JobState.COMPLETED])
def test_a_job_that_is_paused_or_has_completed_can_be_backfilled(state: JobState) -> None:
    case = hourly()
    if state is JobState.PAUSED:
        case.world.lifecycle.pause.execute(TENANT, case.job.id)
    else:
        case.world.table.jobs[TENANT, case.job.id] = replace(case.parent, state=state)
    case.ask()
    case.until(10)
    case.assert_made_up_for()
    assert case.parent.state is state


def test_a_deleted_job_cannot_be_backfilled() -> None:
    case = hourly()
    case.delete()
    with pytest.raises(InvalidStateError, match="deleted"):
        case.ask()
    assert case.backfills() == []


@pytest.mark.parametrize("verb", ["pause", "update"])
def test_a_change_that_was_left_unfinished_is_finished_first(verb: str) -> None:
    case = hourly()
    state = {"pause": JobState.PAUSING, "update": JobState.UPDATING}[verb]
    change = with_changes(case.job.definition, timeout_ms=9_000) if verb == "update" else None
    begun = replace(case.parent, state=state, revision=2, change=change, changed_at=DUE_AT)
    case.world.table.jobs[TENANT, case.job.id] = begun
    made = case.ask().job
    assert case.parent.state in (JobState.PAUSED, JobState.ACTIVE)
    assert made.call.timeout_ms == (9_000 if verb == "update" else case.job.call.timeout_ms)


def test_a_job_that_is_being_deleted_is_deleted_first_and_then_refused() -> None:
    case = hourly()
    begun = replace(case.parent, state=JobState.DELETING, revision=2, changed_at=DUE_AT)
    case.world.table.jobs[TENANT, case.job.id] = begun
    with pytest.raises(InvalidStateError):
        case.ask()
    assert case.parent.state is JobState.DELETED


def test_a_backfill_cannot_be_backfilled_or_triggered() -> None:
    case = hourly()
    backfill = case.ask().job
    with pytest.raises(InvalidStateError, match="backfill its job"):
        case.world.backfill_job.execute(case.world.tenant, backfill.id, RANGE)
    with pytest.raises(InvalidStateError, match="trigger its job"):
        case.world.trigger_job.execute(case.world.tenant, backfill.id)
    with pytest.raises(NotFoundError):
        case.world.trigger_job.execute(case.world.tenant, backfill_job_id(case.job.id, DUE_AT, 1))


def test_backfill_of_an_unknown_or_foreign_job_is_not_found() -> None:
    case = hourly()
    with pytest.raises(NotFoundError):
        case.world.backfill_job.execute(case.world.tenant, f"job_r{'0' * 27}", RANGE)
    stranger = replace(case.world.tenant, id="other")
    with pytest.raises(NotFoundError):
        case.world.backfill_job.execute(stranger, case.job.id, RANGE)


def test_a_range_that_cannot_be_backfilled_leaves_nothing_behind() -> None:
    case = hourly()
    for new in (replace(RANGE, to_at=DUE_AT + 1), replace(RANGE, from_at=RANGE.to_at)):
        with pytest.raises(ScheduleError):
            case.ask(new)
    assert case.backfills() == []
    assert case.world.steps.count("idempotency.claim") == 0


def test_a_backfill_counts_as_a_recurring_job_until_it_has_ended() -> None:
    case = hourly()
    owner = replace(case.world.tenant, quotas={Quota.RECURRING_JOBS: 2})
    case.world.backfill_job.execute(owner, case.job.id, RANGE)
    case.world.clock.time_ms += 1_000
    with pytest.raises(QuotaExceededError) as refused:
        case.world.backfill_job.execute(owner, case.job.id, RANGE)
    assert refused.value.quota is Quota.RECURRING_JOBS
    case.until(10)
    case.world.backfill_job.execute(owner, case.job.id, RANGE)
    assert len(case.backfills()) == 2


def test_the_same_key_makes_one_backfill_and_another_request_is_refused() -> None:
    case = hourly()
    first, again = case.ask(), case.ask()
    assert (first.replayed, again.replayed) == (False, True)
    assert first.job == again.job == case.child
    for other in (
        replace(RANGE, every_seconds=2),
        replace(RANGE, to_at=RANGE.to_at - 1),
        replace(RANGE, lane=Lane.STANDARD),
    ):
        with pytest.raises(IdempotencyKeyReusedError):
            case.ask(other)
    second = Case(case.world, case.world.recurring(2, schedule=HOURLY, chain_from=DUE_AT + HOUR))
    with pytest.raises(IdempotencyKeyReusedError):
        second.ask()
    with pytest.raises(IdempotencyKeyReusedError):
        case.world.trigger_job.execute(case.world.tenant, case.job.id, KEY)
    assert second.backfills() == []


def test_request_without_a_key_makes_a_new_backfill() -> None:
    case = hourly()
    assert case.ask(key=None).job.id != case.ask(key=None).job.id
    assert len(case.backfills()) == 2
    assert {backfilled_job(backfill.id) for backfill in case.backfills()} == {case.job.id}


def test_a_replay_shows_the_backfill_as_it_stands() -> None:
    case = hourly()
    case.ask()
    case.until(10)
    assert case.ask().job.state is JobState.COMPLETED
    case.delete()
    assert case.ask().job.state is JobState.DELETED
    assert len(case.calls()) == len(WANTED)


def test_a_job_that_is_changed_meanwhile_is_read_again() -> None:
    case = hourly()
    changed = with_changes(case.job.definition, timeout_ms=11_000)
    case.world.steps.before(
        "jobs.create_backfill",
        lambda: case.world.lifecycle.update.execute(TENANT, case.job.id, changed, revision=1),
    )
    assert case.ask().job.call.timeout_ms == 11_000
    assert case.world.steps.count("jobs.create_backfill") == 2


def test_a_job_that_is_changed_all_the_time_is_given_up() -> None:
    case = hourly()

    def rename() -> None:
        definition = replace(case.parent.definition, name=f"n{case.parent.revision}")
        case.world.lifecycle.update.execute(TENANT, case.job.id, definition, revision=case.parent.revision)

    case.world.steps.before("jobs.create_backfill", rename, times=5)
    with pytest.raises(UnavailableError):
        case.ask()
    assert case.backfills() == []


def test_a_large_request_has_an_item_of_its_own() -> None:
    case = hourly()
    world = case.world
    sealed = world.seal(case.job.id, LARGE)
    world.table.payloads[TENANT, case.job.id] = sealed
    large = with_changes(case.job, request=b"", payload_id=case.job.id)
    world.table.jobs[TENANT, case.job.id] = large
    made = case.ask().job
    assert made.call.payload_id not in (None, case.job.id)
    world.table.payloads.pop((TENANT, case.job.id))
    case.until(10)
    assert {callback.body for callback in case.calls()} == {LARGE.body}
    case.assert_made_up_for()


def test_slower_of_two_requests_with_the_same_key_leaves_no_stored_request() -> None:
    case = hourly()
    world = case.world
    world.jobs.put_payload(Payload(TENANT, case.job.id, world.seal(case.job.id, LARGE), stored_at=0))
    world.table.jobs[TENANT, case.job.id] = with_changes(case.job, request=b"", payload_id=case.job.id)
    world.steps.before("jobs.create_backfill", case.ask)
    slower = case.ask()
    assert slower.job == case.child
    world.clock.time_ms += MIN_AGE_MS + 1
    assert collected_in_a_day(world) == 1
    kept = {name for _, name in world.table.payloads} - {name for _, name in world.table.payload_expires_at_s}
    assert kept == {case.job.id, case.child.call.payload_id}


def test_paused_backfill_makes_no_calls_and_loses_no_instant() -> None:
    case = hourly()
    backfill = case.ask(replace(RANGE, every_seconds=5)).job
    case.until(6)
    paused = case.world.lifecycle.pause.execute(TENANT, backfill.id)
    case.until(3_600)
    assert len(case.calls()) == 2
    resumed = case.world.lifecycle.resume.execute(TENANT, backfill.id, revision=paused.revision)
    assert resumed.state is JobState.ACTIVE
    case.until(60)
    case.assert_made_up_for()
    assert len({callback.headers for callback in case.calls()}) == len(WANTED)


def test_backfill_may_be_paused_before_its_first_and_after_its_last_run() -> None:
    case = hourly()
    backfill = case.ask().job
    case.world.lifecycle.pause.execute(TENANT, backfill.id)
    case.world.lifecycle.resume.execute(TENANT, backfill.id)
    case.world.lifecycle.pause.execute(TENANT, backfill.id)
    case.until(30)
    assert case.calls() == []
    case.world.lifecycle.resume.execute(TENANT, backfill.id)
    case.until(10)
    case.assert_made_up_for()


def test_pause_of_the_job_does_not_pause_its_backfill() -> None:
    case = hourly()
    case.ask()
    case.world.lifecycle.pause.execute(TENANT, case.job.id)
    case.until(10)
    case.assert_made_up_for()


def test_a_receiver_that_is_gone_pauses_the_backfill_and_not_the_job() -> None:
    case = hourly()
    case.ask()
    gone = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
    case.world.sender.answer_to = lambda _: gone
    case.until(10)
    assert case.child.state is JobState.PAUSED
    assert case.parent.state is JobState.ACTIVE
    assert case.child.pause_reason == "gone"


def test_a_backfill_that_was_held_up_for_a_day_runs_for_every_instant() -> None:
    case = hourly()
    case.ask()
    case.world.clock.time_ms += 24 * HOUR
    case.until(10)
    case.assert_made_up_for()


def test_runs_that_must_not_overlap_are_skipped_and_told_with_their_instant() -> None:
    case = hourly()
    case.ask(replace(RANGE, overlap_policy=OverlapPolicy.SKIP))
    slow = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
    case.world.sender.answer_to = lambda _: slow
    case.until(8)
    skipped = [one for one in case.executions() if one.state is State.SKIPPED]
    assert {one.progress.end_reason for one in skipped} == {EndReason.OVERLAP}
    assert [one.scheduled_at for one in skipped] == WANTED[1:]


def test_a_new_name_touches_no_run() -> None:
    case = hourly()
    backfill = case.ask().job
    renamed = replace(backfill.definition, name="march", tags=("x",))
    after = case.world.lifecycle.update.execute(TENANT, backfill.id, renamed, revision=backfill.revision)
    assert (after.name, after.tags, after.chain_revision) == ("march", ("x",), 1)
    case.until(10)
    case.assert_made_up_for()


def test_backfill_runs_exactly_its_plan() -> None:
    case = hourly(schedule=Cron(line="30 2 * * *", timezone="America/New_York"))
    march = replace(RANGE, from_at=DUE_AT - 5 * 24 * HOUR, to_at=DUE_AT)
    plan = case.world.plan_backfill.execute(TENANT, case.job.id, march)
    before = set(case.world.steps.taken)
    made = case.ask(march).job
    assert isinstance(made.schedule, Backfill)
    assert replace(made.schedule, anchor=plan.anchor) == plan
    assert not {step for step in before if step.split(".")[1] in ("create_backfill", "claim", "replace")}


def test_a_plan_finishes_nothing_and_is_refused_where_a_backfill_is() -> None:
    case = hourly()
    begun = replace(case.parent, state=JobState.PAUSING, revision=2, changed_at=DUE_AT)
    case.world.table.jobs[TENANT, case.job.id] = begun
    assert case.world.plan_backfill.execute(TENANT, case.job.id, RANGE).count == len(WANTED)
    assert case.parent == begun
    for state in (JobState.DELETING, JobState.DELETED):
        case.world.table.jobs[TENANT, case.job.id] = replace(begun, state=state)
        with pytest.raises(InvalidStateError):
            case.world.plan_backfill.execute(TENANT, case.job.id, RANGE)
    with pytest.raises(InvalidStateError, match="runs once"):
        case.world.plan_backfill.execute(TENANT, case.world.accept_one_off().job_id, RANGE)


def test_a_rate_has_no_instants_before_its_anchor() -> None:
    case = hourly(schedule=Rate(interval_ms=HOUR, anchor=DUE_AT - HOUR))
    with pytest.raises(ScheduleError, match="no instant"):
        case.ask()
