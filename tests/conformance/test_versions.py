"""Versions of items: a value that is newer than version 1 raises the version, so that older code lets it be."""

from dataclasses import replace
from typing import get_args

import pytest

from shared.adapters.dynamodb.codec import versions
from shared.adapters.dynamodb.codec.items import execution_item
from shared.adapters.dynamodb.codec.job_items import job_item
from shared.adapters.dynamodb.codec.job_task_items import job_task_item
from shared.adapters.dynamodb.codec.map_items import map_item
from shared.adapters.dynamodb.codec.run_items import BULK_REDRIVE, read_run, run_item
from shared.adapters.dynamodb.codec.workflow_items import revision_item
from shared.adapters.dynamodb.executions import execution_updates
from shared.domain.archive.search_task import SearchState
from shared.domain.bulk.actions import BulkAction, Refusal
from shared.domain.bulk.job_task import JobTaskState
from shared.domain.bulk.pages import Result
from shared.domain.dead_letters.redrive_task import TaskState
from shared.domain.delivery.alerts import Alert, AlertEvent
from shared.domain.delivery.call_kind import AuthKind
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import EndedRun
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.jobs.job import JobState
from shared.domain.listings.filters import Kind
from shared.domain.schedules.blackouts import Blackouts
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUp
from shared.domain.schedules.cron import Gap, Overlap
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule_kinds import Cron, Series
from shared.domain.tenancy.tenant import Scope, TenantState
from shared.domain.workflows import run as runs
from shared.domain.workflows.map_items import chosen_items
from shared.domain.workflows.workflow import task_execution
from shared.names import Lane
from shared.ports.executions import Claim, Finish, WriteUnknown
from tests.support.builders import DUE_AT, OWNER, in_state, job, job_task, occurrence, one_off
from tests.support.conformance.dynamo_lab import REGION, DynamoLab
from tests.support.workflows import NOW, WORKFLOW_ID, graph, node, run_of, workflow_of

STORED = (
    *(State, EndReason, Reason, Lane, OverlapPolicy, CatchUp, Gap, Overlap, AuthKind),
    *(JobState, TaskState, TenantState, Scope),
    *(BulkAction, JobTaskState, Refusal, Result, Kind, SearchState, AlertEvent, WhenExcluded),
)
"""Every enumeration whose members are stored; version 1 has those that are listed below."""
VERSION_1 = {
    "State": "PENDING QUEUED RUNNING WAITING SUCCEEDED FAILED CANCELLED SKIPPED MOVED",
    "EndReason": "ATTEMPTS_USED_UP NOT_RETRYABLE STOPPED TOO_OLD WORKER_LOST UNREADABLE CANCELLED JOB_DELETED"
    " JOB_PAUSED JOB_UPDATED OVERLAP LATE COALESCED CATCH_UP_SKIP CATCH_UP_WINDOW CATCH_UP_LIMIT DST_GAP"
    " ZONE_RULES_CHANGED",
    "Reason": "OK HTTP_STATUS REDIRECT TIMEOUT CONNECT_FAILED DNS_FAILED TLS_FAILED ADDRESS_NOT_ALLOWED"
    " PROTOCOL_ERROR LEASE_TOO_SHORT WORKER_LOST REQUEST_UNREADABLE STOPPED RECEIVER_FAILED RECEIVER_GAVE_UP"
    " TOO_OLD UNAVAILABLE SIGNING_SECRET_GONE",
    "Lane": "CRITICAL STANDARD BULK",
    "OverlapPolicy": "ALLOW SKIP QUEUE_ONE",
    "CatchUp": "COALESCE SKIP ALL",
    "Gap": "SHIFT SKIP",
    "Overlap": "FIRST SECOND BOTH",
    "JobState": "ACTIVE PAUSING PAUSED UPDATING DELETING DELETED COMPLETED",
    "TaskState": "RUNNING FINISHED UNDOING UNDONE",
    "TenantState": "ACTIVE SUSPENDED",
    "Scope": "READ WRITE ADMIN",
    "BulkAction": "PAUSE RESUME TRIGGER DELETE PATCH",
    "JobTaskState": "RUNNING WAITING DELETING FINISHED CANCELLED UNDOING UNDONE",
    "Refusal": "DELETED COMPLETED ENDED RUNNING BACKFILL INVALID QUOTA CHANGED UNREADABLE",
    "Result": "DONE UNCHANGED REFUSED",
    "Kind": "ONCE CRON RATE BACKFILL",
    "SearchState": "RUNNING FINISHED CANCELLED",
    "AlertEvent": "FAILED RECOVERED LATE SKIPPED GONE",
    "Series": "Rate Cron Backfill",
    "WhenExcluded": "",
    "AuthKind": "",
}
NEXT = versions.VERSION + 1
NEWER = AttemptOutcome(attempt=1, started_at=DUE_AT, duration_ms=1, status=None, reason=Reason.TOO_OLD)
RETRY = Finish(transition=Transition.RETRY, outcomes=(NEWER,), next_attempt_at=DUE_AT)


@pytest.mark.parametrize("kind", sorted(VERSION_1))
def test_every_value_of_a_later_version_is_listed_with_that_version(kind: str) -> None:
    members = {each.__name__: {member.name for member in each} for each in STORED}
    members["Series"] = {each.__name__ for each in (*_kinds(Series), Blackouts)}
    later = versions.SINCE.get(kind, {})
    assert members[kind] == set(VERSION_1[kind].split()) | later.keys()
    assert all(1 < version <= versions.VERSION for version in later.values())


def _kinds(union: object) -> set[type]:
    parts = get_args(union)
    return {kind for part in parts for kind in _kinds(part)} if parts else {union}  # type: ignore[arg-type]


def test_list_of_versions_names_no_other_kind() -> None:
    assert {each.__name__ for each in STORED} | {"Series"} == VERSION_1.keys()
    assert versions.SINCE.keys() <= VERSION_1.keys()


@pytest.fixture
def newer_release(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A release for which a reason, a state, a policy and a kind of schedule came with the next version."""
    since = {
        "Reason": {"TOO_OLD": NEXT},
        "EndReason": {"LATE": NEXT},
        "JobState": {"PAUSED": NEXT},
        "OverlapPolicy": {"SKIP": NEXT},
        "CatchUp": {"ALL": NEXT},
        "Series": {"Cron": NEXT},
    }
    monkeypatch.setattr(versions, "SINCE", since)
    monkeypatch.setattr(versions, "VERSION", NEXT)
    monkeypatch.setattr(execution_updates, "VERSION", NEXT)
    return monkeypatch


def test_execution_and_job_that_start_a_workflow_have_the_first_version_with_workflows() -> None:
    """An older release would make no call, and end the execution."""
    assert execution_item(one_off(workflow_id=WORKFLOW_ID), REGION)["v"] == {"N": str(versions.WORKFLOWS)}
    assert execution_item(occurrence(job(workflow_id=WORKFLOW_ID)), REGION)["v"] == {
        "N": str(versions.WORKFLOWS)
    }
    assert job_item(job(workflow_id=WORKFLOW_ID))["v"] == {"N": str(versions.WORKFLOWS)}
    begun_by_event = one_off(workflow_id=WORKFLOW_ID, has_input=True)
    assert execution_item(begun_by_event, REGION)["v"] == {"N": str(versions.RUN_INPUTS)}
    changing = replace(job(), state=JobState.UPDATING, change=job(workflow_id=WORKFLOW_ID).definition)
    assert job_item(changing)["v"] == {"N": str(versions.WORKFLOWS)}


@pytest.mark.usefixtures("newer_release")
def test_item_is_stamped_with_the_version_of_its_newest_value() -> None:
    plain = job()
    skipping = replace(plain, definition=replace(plain.definition, overlap_policy=OverlapPolicy.SKIP))
    eager = replace(
        plain,
        definition=replace(plain.definition, catch_up=replace(DEFAULT_POLICY, mode=CatchUp.ALL)),
    )
    assert _version(execution_item(one_off(), REGION)) == 1
    assert _version(execution_item(in_state(one_off(), State.RUNNING, outcomes=(NEWER,)), REGION)) == NEXT
    assert (
        _version(execution_item(in_state(one_off(), State.SKIPPED, end_reason=EndReason.LATE), REGION))
        == NEXT
    )
    assert [_version(execution_item(occurrence(each), REGION)) for each in (plain, skipping, eager)] == [
        1,
        NEXT,
        NEXT,
    ]
    assert [_version(job_item(each)) for each in (plain, skipping, eager)] == [1, NEXT, NEXT]
    assert _version(job_item(replace(plain, change=skipping.definition))) == NEXT
    assert _version(job_item(replace(plain, state=JobState.PAUSED))) == NEXT


def test_execution_that_a_suspension_ended_is_left_alone_by_the_first_release() -> None:
    skipped = in_state(one_off(), State.SKIPPED, end_reason=EndReason.SUSPENDED)
    assert (_version(execution_item(skipped, REGION)), _version(execution_item(one_off(), REGION))) == (2, 1)


def test_alert_about_a_limit_is_left_alone_by_the_first_release() -> None:
    """It would send the outcome of an execution that does not exist."""
    alerts = [
        one_off(notification_of=one_off().id, alert=Alert(events=(event,)))
        for event in (AlertEvent.LIMIT_REACHED, AlertEvent.FAILED)
    ]
    assert [_version(execution_item(alert, REGION)) for alert in alerts] == [2, 1]


def test_notification_of_a_run_is_left_alone_by_a_release_without_workflows() -> None:
    """It would look for an execution that the notification tells of, and find the notification itself."""
    run = run_of(workflow_of(graph(node("a"))))
    told = one_off(notification_of=one_off().id, ended_run=EndedRun(id=run.id, record=b""))
    assert _version(execution_item(told, REGION)) == versions.WORKFLOWS


def test_task_of_a_workflow_is_left_alone_by_a_release_without_workflows() -> None:
    """It would end the task, and no run would learn of it."""
    workflow = workflow_of(graph(node("a")))
    task = task_execution(workflow, run_of(workflow), 0, created_at=DUE_AT)
    assert _version(execution_item(task, REGION)) == versions.WORKFLOWS
    taking = workflow_of(graph(node("a", takes_input=True)))
    task = task_execution(taking, run_of(taking), 0, created_at=DUE_AT)
    assert _version(execution_item(task, REGION)) == versions.RUN_INPUTS
    assert revision_item(taking)["v"] == {"N": str(versions.RUN_INPUTS)}


def test_workflow_with_a_map_and_its_items_are_left_alone_by_a_release_without_maps() -> None:
    """It would call the task once, without an element, and end the map."""
    with_map = workflow_of(graph(node("a"), node("b", "a", over="a")))
    plain = workflow_of(graph(node("a")))
    assert [_version(revision_item(each)) for each in (plain, with_map)] == [
        versions.WORKFLOWS,
        versions.MAPS,
    ]
    run = replace(
        run_of(with_map), tasks=(None, runs.TaskProgress(state=runs.TaskState.CHOSEN, epoch=1, at=NOW))
    )
    item = task_execution(with_map, run, 1, created_at=NOW, item=0, items=1)
    assert _version(execution_item(item, REGION)) == versions.MAPS
    assert _version(map_item(chosen_items(run, 1, "b", 1, None), REGION)) == versions.MAPS


def test_request_with_a_token_is_left_alone_by_a_release_that_would_call_without_it() -> None:
    with_token = job(auth=AuthKind.OIDC)
    changing = replace(job(), state=JobState.UPDATING, change=with_token.definition)
    workflow = workflow_of(graph(node("a"), node("b")))
    protected = replace(workflow, calls=(workflow.calls[0], replace(workflow.calls[1], auth=AuthKind.OIDC)))
    tasks = [task_execution(protected, run_of(protected), index, created_at=DUE_AT) for index in range(2)]
    assert [_version(execution_item(each, REGION)) for each in tasks] == [
        versions.WORKFLOWS,
        versions.TARGETS,
    ]
    items = [
        execution_item(one_off(auth=AuthKind.OIDC), REGION),
        execution_item(in_state(occurrence(with_token), State.WAITING), REGION),
        job_item(with_token),
        job_item(changing),
        revision_item(protected),
    ]
    assert [_version(each) for each in items] == [versions.TARGETS] * 5
    assert _version(revision_item(workflow)) == versions.WORKFLOWS


def test_execution_with_a_token_is_not_claimed_by_a_release_without_tokens(
    engine_lab: DynamoLab, newer_release: pytest.MonkeyPatch
) -> None:
    newer_release.setattr(versions, "SINCE", {"AuthKind": {"OIDC": NEXT}})
    waiting = one_off(auth=AuthKind.OIDC)
    engine_lab.executions.put_if_absent(waiting)
    assert engine_lab.executions.get(waiting.id) == waiting
    newer_release.undo()
    before = engine_lab.contents()
    (answer,) = engine_lab.claimer.claim([Claim(execution_id=waiting.id, owner="mine")], DUE_AT)
    assert isinstance(answer, WriteUnknown)
    assert engine_lab.contents() == before, "the attempt is not counted"


def test_bulk_operation_on_a_set_is_left_alone_by_a_release_without_that_filter() -> None:
    """It would change the jobs of all sets."""
    task = job_task()
    of_set = replace(task, criteria=replace(task.criteria, set_name="nightly"))
    assert [_version(job_task_item(each)) for each in (task, of_set)] == [1, versions.BULK_SETS]


def _version(item: object) -> int:
    return int(item["v"]["N"])  # type: ignore[index]


def test_outcome_of_a_newer_release_is_not_claimed_after_a_rollback(
    engine_lab: DynamoLab, newer_release: pytest.MonkeyPatch
) -> None:
    running = in_state(one_off(), State.RUNNING, owner=OWNER)
    engine_lab.executions.put_if_absent(running)
    assert engine_lab.executions.finish(running, RETRY) is None
    newer_release.undo()
    before = engine_lab.contents()
    (answer,) = engine_lab.claimer.claim([Claim(execution_id=running.id, owner="mine")], DUE_AT + 60_000)
    assert isinstance(answer, WriteUnknown)
    assert engine_lab.contents() == before, "the attempt is not counted"


def test_outcome_without_a_newer_value_is_claimed_after_a_rollback(
    engine_lab: DynamoLab, newer_release: pytest.MonkeyPatch
) -> None:
    running = in_state(one_off(), State.RUNNING, owner=OWNER)
    engine_lab.executions.put_if_absent(running)
    known = replace(RETRY, outcomes=(replace(NEWER, reason=Reason.TIMEOUT),))
    assert engine_lab.executions.finish(running, known) is None
    newer_release.undo()
    (answer,) = engine_lab.claimer.claim([Claim(execution_id=running.id, owner="mine")], DUE_AT + 60_000)
    assert not isinstance(answer, WriteUnknown)


def test_request_that_a_role_signs_is_left_alone_by_a_release_that_would_call_without_the_signature() -> None:
    workflow = workflow_of(graph(node("a"), node("b")))
    signed = replace(workflow, calls=tuple(replace(each, auth=AuthKind.SIGV4) for each in workflow.calls))
    task = task_execution(signed, run_of(signed), 0, created_at=DUE_AT)
    assert task.task is not None
    tasks = [
        task,
        replace(task, task=replace(task.task, takes_input=True)),
        replace(task, task=replace(task.task, item=0)),
    ]
    items = [
        *(execution_item(each, REGION) for each in (*tasks, one_off(auth=AuthKind.SIGV4))),
        job_item(job(auth=AuthKind.SIGV4)),
        revision_item(signed),
    ]
    assert [_version(each) for each in items] == [versions.SIGNED_CALLS] * 6


def test_bulk_redrive_of_a_run_does_not_count_in_the_next_epoch_that_an_older_release_begins() -> None:
    """An older release changes the epoch alone, and leaves the attribute of the bulk redrive as it is."""
    of = graph(node("a"))
    run = run_of(workflow_of(of))
    own = runs.BulkRedrive(task="rdr_01jmg4bfzkg2c8k9w3qdm7vtqn6y", dead_letter=run.id)
    item = run_item(replace(run, epoch=2, bulk_redrive=own), REGION)
    assert read_run(item).bulk_redrive == own
    later = run_item(replace(run, epoch=3), REGION) | {BULK_REDRIVE: item[BULK_REDRIVE]}
    assert read_run(later).bulk_redrive is None


def test_chain_with_blackout_windows_is_left_alone_by_a_release_without_them() -> None:
    """It would run through the windows, also where the job has a target in AWS."""
    rule = CalendarRule(name="plant", days="v3 56 20787.")
    schedule = Cron(line="0 9 * * *", timezone="UTC", calendar=rule)
    excluded = replace(schedule, calendar=replace(rule, days="v3 56 20787. 1pLKk.A"))
    for target in (None, "arn:aws:sqs:eu-central-1:123456789012:jobs"):
        plain, dark = (job(schedule=each, target=target) for each in (schedule, excluded))
        assert _version(job_item(dark)) == _version(execution_item(occurrence(dark), REGION))
        assert _version(job_item(dark)) == versions.BLACKOUTS
        assert _version(job_item(plain)) < versions.BLACKOUTS
        assert _version(job_item(replace(plain, change=dark.definition))) == versions.BLACKOUTS
