"""Identifiers: one canonical spelling, the location inside, and the same id for every writer of an occurrence."""

from typing import Any

import pytest

from shared.domain.bucket import ShardCounts
from shared.domain.errors import InvalidValueError
from shared.domain.executions.notification import NotificationKind, notification_id
from shared.domain.executions.redrive import RedriveOf, redrive_id
from shared.domain.ids import (
    DEFAULT_CELL,
    ExecutionId,
    backfill_job_id,
    backfilled_job,
    cell_of,
    encode_base32,
    is_recurring_job_id,
    new_one_off_id,
    occurrence_id,
    one_off_execution,
    one_off_job_id,
    parse_execution_id,
    recurring_job_id,
)
from tests.support.builders import DUE_AT

COUNTS = ShardCounts(normal=4, quarter=8, midnight=16)
ID = ExecutionId(cell=DEFAULT_CELL, dispatch_at=DUE_AT, shard=3, entropy=(1 << 80) - 5)
LARGEST = ExecutionId(cell=DEFAULT_CELL, dispatch_at=(1 << 50) - 1, shard=32_767, entropy=(1 << 80) - 1)


@pytest.mark.parametrize(
    "identity", [ID, LARGEST, ExecutionId(cell=DEFAULT_CELL, dispatch_at=0, shard=0, entropy=0)]
)
def test_an_id_survives_its_text_form(identity: ExecutionId) -> None:
    text = str(identity)
    assert (len(text), text[:5]) == (35, "exe_1")
    assert parse_execution_id(text) == identity


def test_ids_compare_as_their_texts_do() -> None:
    ids = [
        ExecutionId(cell=cell, dispatch_at=at, shard=shard, entropy=entropy)
        for cell in ("0", "9", "a", "z")
        for at in (0, 9, 31, 32, DUE_AT, (1 << 50) - 1)
        for shard in (0, 31, 32_767)
        for entropy in (0, 10, 1_023, (1 << 80) - 1)
    ]
    assert sorted(ids, reverse=True) == sorted(ids, key=str, reverse=True) == ids[::-1]


def test_an_id_says_in_which_bucket_its_item_stands() -> None:
    assert ID.bucket == DUE_AT // 60_000


@pytest.mark.parametrize(
    "fields",
    [
        {"cell": ""},
        {"cell": "00"},
        {"cell": "l"},
        {"cell": "A"},
        {"dispatch_at": -1},
        {"dispatch_at": 1 << 50},
        {"shard": -1},
        {"shard": 32_768},
        {"entropy": -1},
        {"entropy": 1 << 80},
    ],
)
def test_execution_id_beyond_its_text_form_is_refused(fields: dict[str, Any]) -> None:
    valid: dict[str, Any] = {"cell": "0", "dispatch_at": 1, "shard": 1, "entropy": 1}
    with pytest.raises(InvalidValueError):
        ExecutionId(**(valid | fields))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "exe_",
        str(ID)[:-1],
        str(ID) + "0",
        str(ID).upper(),
        str(ID).replace("exe_1", "exe_2"),
        str(ID).replace("exe_", "job_"),
        str(ID)[:-1] + "l",
        str(ID)[:-1] + "٣",
        str(ID) + "\n",
        " " + str(ID),
    ],
)
def test_every_other_spelling_is_refused(text: str) -> None:
    with pytest.raises(InvalidValueError):
        parse_execution_id(text)


def test_a_one_off_job_has_the_id_of_its_execution_under_another_prefix() -> None:
    assert one_off_job_id(ID) == str(ID).replace("exe_", "job_")
    assert one_off_execution(one_off_job_id(ID)) == ID


@pytest.mark.parametrize(
    "text",
    [
        "",
        "job_",
        "job_" + "0" * 31,
        str(ID),
        recurring_job_id(DUE_AT, 1, cell=DEFAULT_CELL),
        one_off_job_id(ID) + "0",
    ],
)
def test_malformed_or_recurring_job_id_names_no_one_off_job(text: str) -> None:
    assert one_off_execution(text) is None


def test_ids_of_recurring_jobs_are_told_apart_and_sort_by_creation() -> None:
    earlier = recurring_job_id(DUE_AT, (1 << 80) - 1, cell=DEFAULT_CELL)
    later = recurring_job_id(DUE_AT + 1, 0, cell=DEFAULT_CELL)
    assert is_recurring_job_id(earlier)
    assert not is_recurring_job_id(one_off_job_id(ID))
    assert earlier < later


def test_a_new_one_off_lies_in_a_shard_that_its_bucket_has() -> None:
    midnight = DUE_AT // 86_400_000 * 86_400_000
    shards = {new_one_off_id(midnight, COUNTS, entropy, cell=DEFAULT_CELL).shard for entropy in range(100)}
    assert shards == set(range(16))
    assert {
        new_one_off_id(midnight + 60_000, COUNTS, entropy, cell=DEFAULT_CELL).shard for entropy in range(100)
    } == set(range(4))


def test_every_writer_of_an_occurrence_names_the_same_key() -> None:
    assert occurrence_id("job_r1", 1, DUE_AT, COUNTS) == occurrence_id("job_r1", 1, DUE_AT, COUNTS)


def test_occurrences_differ_by_job_revision_and_instant() -> None:
    ids = {
        occurrence_id(job_id, revision, at, COUNTS)
        for job_id in ("job_r1", "job_r2")
        for revision in (1, 2)
        for at in (DUE_AT, DUE_AT + 1_000)
    }
    assert len({identity.entropy for identity in ids}) == 8


def test_an_occurrence_keeps_to_the_frozen_counts_of_its_revision() -> None:
    few = ShardCounts(normal=1, quarter=1, midnight=1)
    assert occurrence_id("job_r1", 1, DUE_AT, few).shard == 0
    assert {occurrence_id(f"job_r{n}", 1, DUE_AT, COUNTS).shard for n in range(64)} == set(range(4))


def test_base32_is_crockfords_and_padded() -> None:
    assert encode_base32(0, 3) == "000"
    assert encode_base32(31 * 32 + 18, 3) == "0zj"


@pytest.mark.parametrize("cell", ["0", "7", "z"])
def test_every_id_of_a_job_has_the_cell_of_the_job(cell: str) -> None:
    one_off = new_one_off_id(DUE_AT, COUNTS, 1, cell=cell)
    recurring = recurring_job_id(DUE_AT, 1, cell=cell)
    backfill = backfill_job_id(recurring, DUE_AT, 2)
    derived = [
        one_off,
        occurrence_id(recurring, 1, DUE_AT, COUNTS),
        occurrence_id(backfill, 1, DUE_AT, COUNTS),
        notification_id(one_off, NotificationKind.ALERT, DUE_AT + 1, COUNTS),
        redrive_id(RedriveOf(original=one_off, number=1), DUE_AT + 1, COUNTS),
    ]
    assert {each.cell for each in derived} == {cell}
    assert {str(each)[:6] for each in derived} == {f"exe_1{cell}"}
    assert [cell_of(each) for each in (one_off_job_id(one_off), recurring, backfill)] == [cell] * 3
    assert [backfilled_job(backfill), is_recurring_job_id(recurring)] == [recurring, True]


def test_ids_of_two_cells_differ_and_share_nothing_but_their_location() -> None:
    here, there = (new_one_off_id(DUE_AT, COUNTS, 1, cell=cell) for cell in "07")
    assert here != there
    assert str(here).replace("exe_10", "exe_17") == str(there)
