"""Versions of items: a value that is newer than version 1 raises the version, so that older code lets it be."""

from dataclasses import replace
from typing import get_args

import pytest

from shared.adapters.dynamodb.codec import versions
from shared.adapters.dynamodb.codec.items import execution_item
from shared.adapters.dynamodb.codec.job_items import job_item
from shared.adapters.dynamodb.executions import claimer, execution_updates
from shared.domain.bucket import LEAST_COUNTS
from shared.domain.dead_letters.redrive_task import TaskState
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.jobs.job import JobState
from shared.domain.limits.scopes import ScopeState, tenant_scope
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUp
from shared.domain.schedules.cron import Gap, Overlap
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule_kinds import Series
from shared.domain.tenancy.tenant import Scope, TenantState
from shared.names import Lane
from shared.ports.dispatch import ShardRecord
from shared.ports.executions import Claim, Finish, WriteUnknown
from shared.ports.jobs import IdempotencyRecord, RunLock
from tests.support.builders import (
    DUE_AT,
    OWNER,
    TENANT,
    api_key,
    in_state,
    job,
    occurrence,
    one_off,
    signing_secret,
    tenant,
    with_changes,
)
from tests.support.conformance.dynamo_lab import REGION, DynamoLab
from tests.support.conformance.limits import FULL

STORED = (
    *(State, EndReason, Reason, Lane, OverlapPolicy, CatchUp, Gap, Overlap),
    *(JobState, TaskState, TenantState, Scope),
)
"""Every enumeration whose members are stored; version 1 has those that are listed below."""
VERSION_1 = {
    "State": "PENDING QUEUED RUNNING WAITING SUCCEEDED FAILED CANCELLED SKIPPED MOVED",
    "EndReason": "ATTEMPTS_USED_UP NOT_RETRYABLE STOPPED TOO_OLD WORKER_LOST UNREADABLE CANCELLED JOB_DELETED"
    " JOB_PAUSED JOB_UPDATED OVERLAP LATE COALESCED CATCH_UP_SKIP CATCH_UP_WINDOW CATCH_UP_LIMIT DST_GAP"
    " ZONE_RULES_CHANGED",
    "Reason": "OK HTTP_STATUS REDIRECT TIMEOUT CONNECT_FAILED DNS_FAILED TLS_FAILED ADDRESS_NOT_ALLOWED"
    " PROTOCOL_ERROR LEASE_TOO_SHORT WORKER_LOST REQUEST_UNREADABLE STOPPED RECEIVER_FAILED RECEIVER_GAVE_UP"
    " TOO_OLD UNAVAILABLE",
    "Lane": "CRITICAL STANDARD BULK",
    "OverlapPolicy": "ALLOW SKIP QUEUE_ONE",
    "CatchUp": "COALESCE SKIP ALL",
    "Gap": "SHIFT SKIP",
    "Overlap": "FIRST SECOND BOTH",
    "JobState": "ACTIVE PAUSING PAUSED UPDATING DELETING DELETED COMPLETED",
    "TaskState": "RUNNING FINISHED UNDOING UNDONE",
    "TenantState": "ACTIVE SUSPENDED",
    "Scope": "READ WRITE ADMIN",
    "Series": "Rate Cron Backfill",
}
NEXT = versions.VERSION + 1
RECORD: IdempotencyRecord[None] = IdempotencyRecord(
    fingerprint=bytes(16), id=None, created_at=DUE_AT, due_at=DUE_AT, expires_at=DUE_AT + 1
)
NAMED = (signing_secret(1), signing_secret(2, name="billing"))
NEWER = AttemptOutcome(attempt=1, started_at=DUE_AT, duration_ms=1, status=None, reason=Reason.TOO_OLD)
RETRY = Finish(transition=Transition.RETRY, outcomes=(NEWER,), next_attempt_at=DUE_AT)


@pytest.mark.parametrize("kind", sorted(VERSION_1))
def test_every_value_of_a_later_version_is_listed_with_that_version(kind: str) -> None:
    members = {each.__name__: {member.name for member in each} for each in STORED}
    members["Series"] = {each.__name__ for each in _kinds(Series)}
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
    """A release for which a reason, a state, a policy and a kind of schedule came with a version of their own."""
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
    late = in_state(one_off(), State.SKIPPED, end_reason=EndReason.LATE)
    assert _version(execution_item(late, REGION)) == NEXT
    assert [_version(execution_item(occurrence(each), REGION)) for each in (plain, skipping, eager)] == [
        1,
        NEXT,
        NEXT,
    ]
    assert [_version(job_item(each)) for each in (plain, skipping, eager)] == [1, NEXT, NEXT]
    assert _version(job_item(replace(plain, change=skipping.definition))) == NEXT
    assert _version(job_item(replace(plain, state=JobState.PAUSED))) == NEXT


def test_item_that_names_a_signing_secret_is_left_to_releases_that_know_names() -> None:
    """An older release would sign the calls with the secrets without a name, or lose the name with an edit."""
    plain = job()
    named = with_changes(plain, signing_secret="billing")
    assert [_version(execution_item(each, REGION)) for each in (one_off(), occurrence(plain))] == [1, 1]
    assert [
        _version(execution_item(each, REGION))
        for each in (one_off(signing_secret="billing"), occurrence(named))
    ] == [2, 2]
    assert [_version(job_item(each)) for each in (plain, named)] == [1, 2]
    assert _version(job_item(replace(plain, change=named.definition))) == 2
    assert _version(job_item(replace(named, change=plain.definition))) == 2


def test_release_without_names_claims_no_execution_that_names_a_signing_secret(
    engine_lab: DynamoLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, plain = one_off(1, signing_secret="billing"), one_off(2)
    for each in (named, plain):
        engine_lab.executions.put_if_absent(each)
    monkeypatch.setattr(versions, "VERSION", 1)
    monkeypatch.setattr(claimer, "VERSION", 1)
    claims = [Claim(execution_id=each.id, owner="mine") for each in (named, plain)]
    refused, granted = engine_lab.claimer.claim(claims, DUE_AT)
    assert isinstance(refused, WriteUnknown)
    assert refused.is_newer
    assert isinstance(granted, Execution)


def test_items_without_a_newer_value_are_of_version_1(engine_lab: DynamoLab) -> None:
    """Whatever the release: so an older release reads and changes them after a rollback."""
    lab = engine_lab
    lab.jobs.put_payload(TENANT, "payload", b"sealed", stored_at=0)
    lab.run_locks.swap(TENANT, job().id, RunLock(), RunLock(holder=one_off().id))
    lab.idempotency.claim(TENANT, "key", RECORD, DUE_AT)
    lab.shard_counts.begin(ShardRecord(counts=LEAST_COUNTS, open_from=0))
    lab.limits.swap(tenant_scope(TENANT), ScopeState(), FULL, DUE_AT)
    lab.tenants.create(tenant(signing_secrets=NAMED), api_key())
    items = [item for table in lab.contents().values() for item in table]
    assert len(items) == 9
    assert {item["v"]["N"] for item in items} == {"1"}


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
