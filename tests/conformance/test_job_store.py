"""JobStore: definitions, their deletion, and requests that stand apart."""

from dataclasses import replace

import pytest

from shared.domain.delivery.outcome_callbacks import NO_TARGET, CallbackTarget, OutcomeCallbacks
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import Cron
from shared.names import Lane
from shared.ports.jobs import Payload
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, occurrence, with_changes
from tests.support.conformance.labs import Lab

JOB = job()


def test_a_definition_is_written_with_its_first_execution(lab: Lab) -> None:
    first = with_changes(occurrence(JOB), state=State.QUEUED)
    assert lab.jobs.create(JOB, first) is None
    assert lab.jobs.get(TENANT, JOB.id) == JOB
    assert lab.executions.get(first.id) == first
    assert lab.expiry(first.id) is None


def test_a_definition_is_read_back_whole(lab: Lab) -> None:
    definition = job(
        schedule=Cron(line="0 9 * * 1-5", timezone="America/New_York", rules="2020a 5,,M4.1.0,M10.5.0"),
        lane=Lane.CRITICAL,
        retry=RetryPolicy(max_attempts=3, delays_seconds=(5, 86_400), give_up_after_seconds=604_800),
        callbacks=OutcomeCallbacks(
            on_success=NO_TARGET, on_failure=CallbackTarget(sealed_url=b"u", destination="0" * 10)
        ),
        revision=7,
        index_shard=5,
        name="morning report",
        payload_id="elsewhere",
        signing_secret="billing",
        request=b"",
    )
    lab.jobs.create(definition, occurrence(definition))
    assert lab.jobs.get(TENANT, definition.id) == definition


def test_a_definition_that_exists_is_returned_and_nothing_is_written(lab: Lab) -> None:
    lab.jobs.create(JOB, occurrence(JOB))
    before = lab.contents()
    other = replace(JOB, fingerprint=b"another request!", chain_from=DUE_AT + 60_000)
    assert lab.jobs.create(other, occurrence(other, DUE_AT + 60_000)) == JOB
    assert lab.contents() == before


def test_a_creation_whose_answer_was_lost_finds_its_own_definition(lab: Lab) -> None:
    lab.jobs.create(JOB, occurrence(JOB))
    before = lab.contents()
    assert lab.jobs.create(JOB, occurrence(JOB)) == JOB
    assert lab.contents() == before


def test_no_definition_is_written_where_its_first_execution_cannot_be(lab: Lab) -> None:
    lab.executions.put_if_absent(occurrence(JOB))
    with pytest.raises(UnreadableItemError):
        lab.jobs.create(JOB, occurrence(JOB))
    assert lab.jobs.get(TENANT, JOB.id) is None


def test_a_definition_is_found_by_its_own_tenant_alone(lab: Lab) -> None:
    lab.jobs.create(JOB, occurrence(JOB))
    assert lab.jobs.get("acme-2", JOB.id) is None
    assert lab.jobs.get(TENANT, job(2).id) is None


def deleting(of: Job) -> Job:
    return replace(of, state=JobState.DELETING, revision=of.revision + 1)


def begin_delete(lab: Lab, of: Job) -> Job:
    """The definition in state DELETING."""
    assert lab.jobs.replace(of, deleting(of))
    return deleting(of)


def end_delete(lab: Lab, of: Job) -> Job:
    """The definition in state DELETED, which had to be DELETING."""
    deleted = replace(of, state=JobState.DELETED)
    assert lab.jobs.replace(of, deleted, expires_at_s=EXPIRES_AT_S)
    return deleted


def test_a_deletion_begins_once_and_a_second_one_meets_it(lab: Lab) -> None:
    lab.jobs.create(JOB, occurrence(JOB))
    begun = begin_delete(lab, JOB)
    before = lab.contents()
    assert not lab.jobs.replace(JOB, replace(deleting(JOB), changed_at=DUE_AT))
    assert lab.contents() == before
    assert lab.jobs.get(TENANT, JOB.id) == begun
    assert lab.job_expiry(TENANT, JOB.id) is None


def test_a_deleted_definition_expires_and_stays_deleted(lab: Lab) -> None:
    lab.jobs.create(JOB, occurrence(JOB))
    begun = begin_delete(lab, JOB)
    deleted = end_delete(lab, begun)
    assert lab.jobs.get(TENANT, JOB.id) == deleted
    for before in (JOB, begun):
        assert not lab.jobs.replace(before, with_changes(JOB, state=JobState.DELETING, name="another"))
    assert lab.jobs.get(TENANT, JOB.id) == deleted
    assert lab.job_expiry(TENANT, JOB.id) == EXPIRES_AT_S


def test_a_deletion_ends_only_after_it_began(lab: Lab) -> None:
    lab.jobs.create(JOB, occurrence(JOB))
    before = lab.contents()
    begun = deleting(JOB)
    assert not lab.jobs.replace(begun, replace(begun, state=JobState.DELETED), expires_at_s=EXPIRES_AT_S)
    assert lab.contents() == before


def test_deletion_of_an_unknown_job_changes_nothing(lab: Lab) -> None:
    assert not lab.jobs.replace(JOB, deleting(JOB))
    begun = deleting(JOB)
    assert not lab.jobs.replace(begun, replace(begun, state=JobState.DELETED), expires_at_s=EXPIRES_AT_S)
    assert lab.jobs.get(TENANT, JOB.id) is None


def test_an_execution_is_filed_while_its_job_is_active(lab: Lab) -> None:
    lab.jobs.create(JOB, occurrence(JOB))
    later = occurrence(JOB, DUE_AT + 60_000, state=State.QUEUED)
    assert lab.jobs.file_if_active(later)
    assert lab.executions.get(later.id) == later
    assert lab.expiry(later.id) is None
    before = lab.contents()
    assert not lab.jobs.file_if_active(replace(later, fingerprint=b"another request!"))
    assert lab.contents() == before


def test_occurrence_is_filed_only_for_an_active_job_at_the_same_revision(lab: Lab) -> None:
    later = occurrence(JOB, DUE_AT + 60_000)
    assert not lab.jobs.file_if_active(later)
    lab.jobs.create(JOB, occurrence(JOB))
    for revision in (0, 2):
        assert not lab.jobs.file_if_active(replace(later, revision=revision))
    begun = begin_delete(lab, JOB)
    assert not lab.jobs.file_if_active(later)
    end_delete(lab, begun)
    assert not lab.jobs.file_if_active(later)
    assert lab.executions.get(later.id) is None


@pytest.mark.parametrize("state", sorted(set(JobState) - {JobState.ACTIVE}))
def test_occurrence_is_not_filed_for_a_job_in_another_state_than_active(lab: Lab, state: JobState) -> None:
    lab.jobs.create(JOB, occurrence(JOB))
    assert lab.jobs.replace(JOB, replace(JOB, state=state), expires_at_s=EXPIRES_AT_S)
    later = occurrence(JOB, DUE_AT + 60_000)
    assert not lab.jobs.file_if_active(later)
    assert lab.executions.get(later.id) is None


def test_successor_is_filed_by_the_revision_of_the_chain_not_of_the_job(lab: Lab) -> None:
    """A new name makes a new revision of the job, and the chain goes on."""
    renamed = with_changes(JOB, revision=5, chain_revision=3, name="another")
    lab.jobs.create(renamed, occurrence(renamed))
    later = occurrence(renamed, DUE_AT + 60_000)
    for revision in (1, 5):
        assert not lab.jobs.file_if_active(replace(later, revision=revision))
    assert lab.jobs.file_if_active(later)


def test_a_payload_that_is_no_longer_used_stays_until_it_expires(lab: Lab) -> None:
    large = job(payload_id=JOB.id, request=b"")
    lab.jobs.put_payload(Payload(TENANT, large.id, b"sealed", stored_at=0))
    lab.jobs.create(large, occurrence(large))
    lab.jobs.expire_payload(TENANT, large.id, EXPIRES_AT_S)
    assert lab.payload_expiry(TENANT, large.id) == EXPIRES_AT_S
    assert lab.jobs.get_payload(TENANT, large.id) == b"sealed"


def test_a_payload_of_two_hundred_kilobytes_is_kept(lab: Lab) -> None:
    sealed = bytes(range(256)) * 1_100
    lab.jobs.put_payload(Payload(TENANT, JOB.id, sealed, stored_at=0))
    assert lab.jobs.get_payload(TENANT, JOB.id) == sealed
    assert lab.payload_expiry(TENANT, JOB.id) is None


def test_payload_is_stored_with_its_expiry_and_stored_again_it_stays_as_it_is(lab: Lab) -> None:
    lab.jobs.put_payload(Payload(TENANT, JOB.id, b"sealed", stored_at=1, expires_at_s=EXPIRES_AT_S))
    assert lab.jobs.keep_payload(TENANT, JOB.id, EXPIRES_AT_S + 100)
    lab.jobs.put_payload(Payload(TENANT, JOB.id, b"again", stored_at=2, expires_at_s=EXPIRES_AT_S))
    assert lab.jobs.get_payload(TENANT, JOB.id) == b"sealed"
    assert lab.payload_expiry(TENANT, JOB.id) == EXPIRES_AT_S + 100


def test_a_payload_is_no_definition(lab: Lab) -> None:
    lab.jobs.put_payload(Payload(TENANT, JOB.id, b"sealed", stored_at=0))
    assert lab.jobs.get(TENANT, JOB.id) is None


def test_a_payload_expires_with_its_record(lab: Lab) -> None:
    lab.jobs.put_payload(Payload(TENANT, JOB.id, b"sealed", stored_at=0))
    lab.jobs.expire_payload(TENANT, JOB.id, EXPIRES_AT_S)
    assert lab.payload_expiry(TENANT, JOB.id) == EXPIRES_AT_S


def test_a_missing_payload_is_unreadable_and_nothing_expires(lab: Lab) -> None:
    lab.jobs.expire_payload(TENANT, JOB.id, EXPIRES_AT_S)
    for tenant_id, job_id in ((TENANT, JOB.id), ("acme-2", JOB.id)):
        with pytest.raises(UnreadableItemError):
            lab.jobs.get_payload(tenant_id, job_id)


def test_a_payload_belongs_to_one_tenant(lab: Lab) -> None:
    lab.jobs.put_payload(Payload(TENANT, JOB.id, b"sealed", stored_at=0))
    with pytest.raises(UnreadableItemError):
        lab.jobs.get_payload("acme-2", JOB.id)
