"""Segments: what is encoded is read back, and nothing else is read."""

import gzip
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.audit_trail.segment import (
    MOST_BYTES,
    NO_SEGMENT,
    Period,
    Segment,
    encode_segment,
    hash_of,
    read_segment,
    record_line,
)
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.domain.tenancy.audit import Actor
from tests.support.usecases.audit_trail import START_MS, record

PERIOD = Period(from_at=START_MS, until_at=START_MS + 3_600_000)
SEGMENT = Segment(
    number=7,
    previous=NO_SEGMENT,
    period=PERIOD,
    closes=True,
    lock_days=400,
    records=(
        record(1),
        record(
            2, before=None, after=None, actor=Actor(tenant_id="operator", key_id=None), target="ü\n\u2028"
        ),
    ),
)


def test_segment_is_read_as_it_was_encoded() -> None:
    assert read_segment(encode_segment(SEGMENT)) == SEGMENT
    empty = replace(SEGMENT, records=(), closes=False)
    assert read_segment(encode_segment(empty)) == empty


def test_equal_segments_have_equal_bytes_and_others_have_not() -> None:
    assert encode_segment(SEGMENT) == encode_segment(replace(SEGMENT))
    other = replace(SEGMENT, records=(record(1), record(3)))
    assert hash_of(encode_segment(other)) != hash_of(encode_segment(SEGMENT))


def test_line_has_ids_digests_and_instants_and_nothing_else() -> None:
    assert json.loads(record_line(record(1))) == {
        "id": "aud_0000000000000001",
        "tenant": "acme",
        "at": START_MS,
        "actor": "acme",
        "key": "k" * 16,
        "operation": "revokeKey",
        "target": "key",
        "before": "b" * 64,
        "after": "a" * 64,
        "request": "request-1",
    }


@pytest.mark.parametrize(("from_at", "until_at"), [(1, 1), (2, 1), (-1, 1)])
def test_period_has_a_beginning_and_a_later_end(from_at: int, until_at: int) -> None:
    with pytest.raises(InvalidValueError):
        Period(from_at=from_at, until_at=until_at)


def with_header(**members: object) -> bytes:
    header, *lines = gzip.decompress(encode_segment(SEGMENT)).decode().split("\n")
    return gzip.compress("\n".join([json.dumps(json.loads(header) | members), *lines]).encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no gzip",
        gzip.compress(b""),
        gzip.compress(b"[]"),
        gzip.compress(b"{}"),
        gzip.compress(b"\xff"),
        gzip.compress(b"[" * 100_000),
        encode_segment(SEGMENT)[:-9],
        encode_segment(SEGMENT) * 2,
        with_header(format=2),
        with_header(records=1),
        with_header(number=-1),
        with_header(number=True),
        with_header(number="7"),
        with_header(previous=None),
        with_header(from_at=10**15),
        with_header(lock_days=None),
    ],
)
def test_content_of_any_other_form_is_unreadable(content: bytes) -> None:
    with pytest.raises(UnreadableItemError):
        read_segment(content)


def test_file_that_unpacks_to_more_than_memory_has_is_unreadable() -> None:
    with pytest.raises(UnreadableItemError):
        read_segment(gzip.compress(bytes(MOST_BYTES + 1)))


@given(st.binary(max_size=200))
def test_bytes_of_anybody_never_crash(content: bytes) -> None:
    with pytest.raises(UnreadableItemError):
        read_segment(gzip.compress(content))
