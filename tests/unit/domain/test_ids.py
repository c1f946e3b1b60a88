"""Identifiers: one canonical spelling, the location inside, and the same id for every writer of an occurrence."""

import pytest

from shared.domain.bucket import ShardCounts
from shared.domain.errors import InvalidValueError
from shared.domain.ids import (
    ExecutionId,
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
ID = ExecutionId(dispatch_at=DUE_AT, shard=3, entropy=(1 << 80) - 5)
LARGEST = ExecutionId(dispatch_at=(1 << 50) - 1, shard=32_767, entropy=(1 << 80) - 1)


@pytest.mark.parametrize("identity", [ID, LARGEST, ExecutionId(dispatch_at=0, shard=0, entropy=0)])
def test_an_id_survives_its_text_form(identity: ExecutionId) -> None:
    text = str(identity)
    assert (len(text), text[:5]) == (34, "exe_1")
    assert parse_execution_id(text) == identity


def test_ids_compare_as_their_texts_do() -> None:
    ids = [
        ExecutionId(dispatch_at=at, shard=shard, entropy=entropy)
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
        {"dispatch_at": -1},
        {"dispatch_at": 1 << 50},
        {"shard": -1},
        {"shard": 32_768},
        {"entropy": -1},
        {"entropy": 1 << 80},
    ],
)
def test_what_the_text_form_cannot_carry_is_refused(fields: dict[str, int]) -> None:
    with pytest.raises(InvalidValueError):
        ExecutionId(**({"dispatch_at": 1, "shard": 1, "entropy": 1} | fields))


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
    ["", "job_", "job_" + "0" * 30, str(ID), recurring_job_id(DUE_AT, 1), one_off_job_id(ID) + "0"],
)
def test_other_ids_name_no_one_off_job(text: str) -> None:
    assert one_off_execution(text) is None


def test_ids_of_recurring_jobs_are_told_apart_and_sort_by_creation() -> None:
    earlier, later = recurring_job_id(DUE_AT, (1 << 80) - 1), recurring_job_id(DUE_AT + 1, 0)
    assert is_recurring_job_id(earlier)
    assert not is_recurring_job_id(one_off_job_id(ID))
    assert earlier < later


def test_a_new_one_off_lies_in_a_shard_that_its_bucket_has() -> None:
    midnight = DUE_AT // 86_400_000 * 86_400_000
    shards = {new_one_off_id(midnight, COUNTS, entropy).shard for entropy in range(100)}
    assert shards == set(range(16))
    assert {new_one_off_id(midnight + 60_000, COUNTS, entropy).shard for entropy in range(100)} == set(
        range(4)
    )


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
