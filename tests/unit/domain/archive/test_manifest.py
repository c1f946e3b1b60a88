"""Summaries and manifests: what a file has is computed from its rows, and a manifest is read as it was written."""

import json
from dataclasses import replace
from typing import Any

import pytest

from shared.domain.archive.manifest import Manifest, encode_manifest, read_manifest
from shared.domain.archive.summary import ROW_GROUP, FileSummary, RowGroup, id_hash, summarise
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.errors import InvalidValueError, UnreadableItemError
from tests.support.builders import BUCKET, DUE_AT, execution_id

UNIT = ArchiveUnit(hour=BUCKET // 60, group=0)


def summary(*ids: tuple[str, str]) -> FileSummary:
    return summarise(UNIT, ids, file_hash="ab" * 32, size=7)


def ids(count: int, tenant: str = "acme", first: int = 1) -> list[tuple[str, str]]:
    return [(tenant, str(execution_id(number))) for number in range(first, first + count)]


def test_summary_counts_rows_by_shard_and_by_tenant() -> None:
    other = str(execution_id(3, shard=2, dispatch_at=DUE_AT + 60_000))
    found = summary(*ids(2), ("globex", other))
    assert {key: each.rows for key, each in found.shards.items()} == {f"{BUCKET}#0": 2, f"{BUCKET + 1}#2": 1}
    assert found.tenants == {"acme": 2, "globex": 1}
    assert found.rows == 3
    assert found.shards[f"{BUCKET}#0"].hashes == sum(id_hash(text) for _, text in ids(2)) % 2**64


def test_exchanged_row_changes_the_summary_although_the_counts_are_equal() -> None:
    assert summary(*ids(2)) != summary(*ids(1), *ids(1, first=3))


def test_row_groups_follow_the_order_of_the_file() -> None:
    rows = [*ids(ROW_GROUP - 1), *ids(2, "globex", ROW_GROUP)]
    assert summary(*rows).row_groups == (
        RowGroup(ROW_GROUP, "acme", "globex"),
        RowGroup(1, "globex", "globex"),
    )


@pytest.mark.parametrize(
    "rows",
    [
        [*ids(1), *ids(1)],
        [("acme", str(execution_id(1, shard=4)))],
        [("acme", str(execution_id(1, dispatch_at=DUE_AT + 3_600_000)))],
        [("acme", "exe_")],
    ],
)
def test_doubled_and_foreign_rows_are_refused(rows: list[tuple[str, str]]) -> None:
    with pytest.raises(InvalidValueError):
        summary(*rows)


MANIFEST = Manifest(
    sealed=True,
    passed_at=DUE_AT,
    etag='"1"',
    file=summary(*ids(2), *ids(1, "globex", 3)),
    lasting={"acme": 1},
)


FORGETFUL = replace(MANIFEST, file=replace(MANIFEST.file, forgotten={f"{BUCKET}#0": 2, f"{BUCKET + 1}#3": 1}))


def test_removed_rows_count_as_archived_ones() -> None:
    assert FORGETFUL.file.ever_archived == {f"{BUCKET}#0": 5, f"{BUCKET + 1}#3": 1}
    assert FORGETFUL.file != MANIFEST.file


def test_manifest_is_read_as_it_was_written() -> None:
    for manifest in (MANIFEST, replace(MANIFEST, sealed=False, etag=None, file=summary()), FORGETFUL):
        assert read_manifest(encode_manifest(manifest)) == manifest


def test_sums_are_texts_that_keep_64_bits_in_every_reader() -> None:
    document = json.loads(encode_manifest(MANIFEST))
    ((rows, hashes),) = document["shards"].values()
    assert rows == 3
    assert len(hashes) == 16


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"v": None},
        {"shards": []},
        {"shards": {"1#0": [1, "xyz"]}},
        {"row_groups": [[1]]},
        {"tenants": 3},
        {"forgotten": 0},
    ],
)
def test_manifest_of_another_form_is_unreadable(change: dict[str, Any]) -> None:
    document = json.loads(encode_manifest(MANIFEST)) | change
    with pytest.raises(UnreadableItemError):
        read_manifest(json.dumps(document).encode())


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b"null"])
def test_manifest_of_other_content_is_unreadable(content: bytes) -> None:
    with pytest.raises(UnreadableItemError):
        read_manifest(content)
