"""The changes of a job follow one another: the state before each is a state that an earlier one made."""

from dataclasses import replace
from itertools import permutations

import pytest

from shared.domain.audit_trail.continuity import OVERLAP_MS, gaps
from shared.domain.audit_trail.progress import HOUR_MS
from shared.domain.ids import backfill_job_id, recurring_job_id
from shared.domain.tenancy.audit import AuditRecord
from tests.support.usecases.audit_trail import START_MS, record

JOB = recurring_job_id(START_MS, 1, cell="0")


def change(
    number: int, operation: str, before: str | None, after: str | None, target: str = JOB
) -> AuditRecord:
    return record(
        number, START_MS + number * HOUR_MS, operation=operation, target=target, before=before, after=after
    )


CREATED = change(1, "createJob", None, "a")
PAUSED = change(2, "pauseJob", "a", "b")
RESUMED = change(3, "resumeJob", "b", "a")
CHANGED = change(4, "updateJob", "a", "c")
DELETED = change(5, "cancelJob", "c", "d")
ALL = (CREATED, PAUSED, RESUMED, CHANGED, DELETED)


def found(*records: AuditRecord) -> list[str]:
    return [gap.record.id for gap in gaps(records)]


def test_whole_life_of_a_job_has_no_gap() -> None:
    assert found(*ALL) == []
    assert found(*ALL, change(6, "cancelJob", "d", "d")) == [], "a repetition changes nothing"
    assert found(CREATED, change(2, "createJob", "a", "a"), PAUSED) == [], "so does a replay"


@pytest.mark.parametrize("missing", [PAUSED, RESUMED, CHANGED])
def test_missing_record_is_a_gap_before_the_next_one(missing: AuditRecord) -> None:
    later = next(each for each in ALL if each.at > missing.at)
    assert found(*(each for each in ALL if each is not missing)) == [later.id]


def test_missing_first_records_are_those_of_before_the_interval() -> None:
    assert found(CHANGED, DELETED) == []
    assert found(DELETED) == []


def test_gap_after_the_first_record_is_found_without_the_creation() -> None:
    assert found(PAUSED, DELETED) == [DELETED.id]


@pytest.mark.parametrize("order", list(permutations((PAUSED, RESUMED, CHANGED))))
def test_records_of_one_second_have_no_order(order: tuple[AuditRecord, ...]) -> None:
    same = [replace(each, id=f"aud_{n}", at=START_MS + 2 * HOUR_MS + n) for n, each in enumerate(order)]
    assert found(CREATED, *same, DELETED) == []


def test_requests_that_overlap_begin_with_the_same_state() -> None:
    again = replace(PAUSED, id="aud_again", at=PAUSED.at + OVERLAP_MS)
    assert found(CREATED, PAUSED, again, RESUMED) == []
    late = replace(again, at=again.at + 1)
    assert found(CREATED, PAUSED, late) == [late.id]


def test_records_of_other_things_and_one_off_jobs_and_backfills_are_not_judged() -> None:
    assert found(CREATED, change(2, "revokeKey", "x", "y")) == []
    one_off = [change(1, "updateJob", "a", "b", "job_1"), change(2, "cancelJob", "x", "y", "job_1")]
    assert found(*one_off) == []
    backfill = backfill_job_id(JOB, START_MS, 1)
    assert found(change(1, "pauseJob", "a", "b", backfill), change(2, "cancelJob", "x", "y", backfill)) == []


@pytest.mark.parametrize("operation", ["changeJobs", "undoBulkTask"])
def test_after_a_bulk_operation_no_gap_is_claimed(operation: str) -> None:
    bulk = record(2, START_MS + 2 * HOUR_MS, operation=operation, target="bulk")
    assert found(CREATED, bulk, CHANGED, DELETED) == []
    assert found(CREATED, bulk, change(4, "updateJob", "x", "y")) == []
    early = change(1, "updateJob", "x", "y")
    assert found(change(0, "createJob", None, "a"), early, bulk) == [early.id]


def test_jobs_are_judged_each_by_itself() -> None:
    other = recurring_job_id(START_MS, 2, cell="0")
    assert found(*ALL, change(6, "pauseJob", "b", "e", other)) == []
