"""JobStore: the jump over missed instants, one transaction that happens whole or not at all."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.skipped_range import SkippedRange
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, occurrence, with_changes
from tests.support.conformance.labs import Lab

JOB = job()
MISSED_AT = DUE_AT + 60_000
RESUMED_AT = DUE_AT + 300_000


def skip_record(of: Job = JOB) -> Execution:
    missed = SkippedRange(count=4, first_at=MISSED_AT, last_at=DUE_AT + 240_000, resumed_at=RESUMED_AT)
    return occurrence(of, MISSED_AT, state=State.SKIPPED, end_reason=EndReason.COALESCED, missed=missed)


def target(of: Job = JOB) -> Execution:
    return occurrence(of, RESUMED_AT, state=State.QUEUED)


def created(lab: Lab, **overrides: Any) -> Job:
    definition = with_changes(JOB, **overrides)
    lab.jobs.create(definition, occurrence(definition))
    return definition


def test_a_jump_files_the_record_and_the_target_and_moves_the_chain(lab: Lab) -> None:
    created(lab)
    assert lab.jobs.jump(skip_record(), target(), EXPIRES_AT_S)
    assert lab.executions.get(skip_record().id) == skip_record()
    assert lab.executions.get(target().id) == target()
    assert lab.jobs.get(TENANT, JOB.id) == replace(JOB, chain_from=RESUMED_AT)
    assert (lab.expiry(skip_record().id), lab.expiry(target().id)) == (EXPIRES_AT_S, None)


def refused_and_nothing_written(lab: Lab) -> bool:
    before = lab.contents()
    refused = not lab.jobs.jump(skip_record(), target(), EXPIRES_AT_S)
    return refused and lab.contents() == before


def test_no_jump_without_the_job(lab: Lab) -> None:
    assert refused_and_nothing_written(lab)
    assert lab.executions.get(target().id) is None


@pytest.mark.parametrize("state", sorted(set(JobState) - {JobState.ACTIVE}))
def test_no_jump_unless_the_job_is_active(lab: Lab, state: JobState) -> None:
    created(lab, state=state)
    assert refused_and_nothing_written(lab)


def test_no_jump_while_the_job_is_being_deleted(lab: Lab) -> None:
    created(lab)
    lab.jobs.replace(JOB, replace(JOB, state=JobState.DELETING, revision=2))
    assert refused_and_nothing_written(lab)


def test_no_jump_in_a_chain_that_was_replaced(lab: Lab) -> None:
    created(lab, revision=2, chain_revision=2)
    assert refused_and_nothing_written(lab)


def test_a_jump_takes_no_notice_of_a_revision_that_left_the_chain_alone(lab: Lab) -> None:
    renamed = created(lab, revision=2, name="another")
    assert lab.jobs.jump(skip_record(), target(), EXPIRES_AT_S)
    assert lab.jobs.get(TENANT, JOB.id) == replace(renamed, chain_from=RESUMED_AT)


def test_a_jump_between_the_look_and_a_change_refuses_the_change(lab: Lab) -> None:
    created(lab)
    lab.jobs.jump(skip_record(), target(), EXPIRES_AT_S)
    before = lab.contents()
    assert not lab.jobs.replace(JOB, replace(JOB, state=JobState.PAUSING, revision=2))
    assert lab.contents() == before


def test_no_jump_over_a_successor_that_was_filed_already(lab: Lab) -> None:
    created(lab)
    lab.executions.put_if_absent(occurrence(JOB, MISSED_AT))
    assert refused_and_nothing_written(lab)


def test_no_jump_over_a_tombstone(lab: Lab) -> None:
    created(lab)
    tombstone = occurrence(JOB, MISSED_AT, state=State.CANCELLED, ends_chain=True)
    lab.executions.put_if_absent(tombstone, expires_at_s=EXPIRES_AT_S)
    assert refused_and_nothing_written(lab)


def test_no_jump_onto_a_target_that_stands_already(lab: Lab) -> None:
    created(lab)
    lab.executions.put_if_absent(occurrence(JOB, RESUMED_AT))
    assert refused_and_nothing_written(lab)


def test_the_chain_never_moves_back(lab: Lab) -> None:
    created(lab, chain_from=RESUMED_AT)
    assert refused_and_nothing_written(lab)


def test_a_jump_happens_once(lab: Lab) -> None:
    created(lab)
    assert lab.jobs.jump(skip_record(), target(), EXPIRES_AT_S)
    assert refused_and_nothing_written(lab)


def test_the_successor_is_refused_after_a_jump(lab: Lab) -> None:
    created(lab)
    lab.jobs.jump(skip_record(), target(), EXPIRES_AT_S)
    assert lab.executions.put_if_absent(occurrence(JOB, MISSED_AT)) == skip_record()
