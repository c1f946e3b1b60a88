"""Segments of the audit trail: one for each number, locked, and readable whatever is written over them."""

from uuid import uuid4

import pytest

from shared.adapters.aws.errors import AwsError
from shared.adapters.s3.trail_segments import S3TrailSegments
from shared.domain.audit_trail.progress import DAY_MS
from shared.domain.errors import RequestRejectedError, UnavailableError
from shared.ports.audit_trail import TrailSegments
from tests.support.conformance.interference import answering, failure
from tests.support.fakes.audit_trail import LOCK_DAYS


def test_segment_that_was_never_put_is_none(trail: TrailSegments) -> None:
    assert trail.get(0) is None
    assert list(trail.stored()) == []


def test_number_is_taken_once(trail: TrailSegments) -> None:
    assert trail.put(0, b"first")
    assert not trail.put(0, b"second")
    assert (trail.get(0), trail.get(1)) == (b"first", None)


def test_versions_are_listed_by_number_and_read_with_their_locks(trail: TrailSegments) -> None:
    for number in (1, 0, 11):
        assert trail.put(number, b"%d" % number)
    found = list(trail.stored())
    assert [(each.number, each.is_deletion) for each in found] == [(0, False), (1, False), (11, False)]
    for each in found:
        stored = trail.read(each)
        assert stored is not None
        assert (stored.content, stored.mode) == (b"%d" % (each.number or 0), "GOVERNANCE")
        assert stored.locked_until is not None
        assert abs(stored.locked_until - each.written_at - LOCK_DAYS * DAY_MS) < 60_000


def test_first_version_stays_readable_and_comes_first(s3_trail: S3TrailSegments) -> None:
    assert s3_trail.put(0, b"first")
    name, client = s3_trail.name_of(0), s3_trail._client
    client.put_object(Bucket=s3_trail._bucket, Key=name, Body=b"forged", ChecksumAlgorithm="SHA256")
    client.delete_object(Bucket=s3_trail._bucket, Key=name)
    first, second, mark = s3_trail.stored()
    assert [each.is_deletion for each in (first, second, mark)] == [False, False, True]
    contents = [s3_trail.read(each) for each in (first, second, mark)]
    assert [each and each.content for each in contents] == [b"first", b"forged", None]
    assert s3_trail.get(0) is None, "the mark hides the segment"


def test_locked_version_is_not_deleted(s3_trail: S3TrailSegments) -> None:
    assert s3_trail.put(0, b"first")
    (version,) = s3_trail.stored()
    with pytest.raises(AwsError):
        s3_trail._client.delete_object(
            Bucket=s3_trail._bucket, Key=version.name, VersionId=version.version_id
        )
    assert s3_trail.get(0) == b"first"


def test_pages_of_versions_are_followed(s3_trail: S3TrailSegments) -> None:
    for number in range(5):
        assert s3_trail.put(number, b"x")
    call = s3_trail._client.call

    def in_pages(operation: str, params: dict[str, object]) -> dict[str, object]:
        limit = {"MaxKeys": 2} if operation == "ListObjectVersions" else {}
        return call(operation, {**params, **limit})

    paged = S3TrailSegments(type(s3_trail._client)(in_pages), s3_trail._bucket, "eu-west-1")  # type: ignore[arg-type]
    assert [each.number for each in paged.stored()] == [0, 1, 2, 3, 4]


def test_object_that_is_no_segment_has_no_number(s3_trail: S3TrailSegments) -> None:
    name = f"v1/eu-west-1/{uuid4().hex}"
    s3_trail._client.put_object(Bucket=s3_trail._bucket, Key=name, Body=b"x", ChecksumAlgorithm="SHA256")
    (found,) = s3_trail.stored()
    assert (found.name, found.number) == (name, None)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("SlowDown", UnavailableError),
        ("ConditionalRequestConflict", UnavailableError),
        ("AccessDenied", RequestRejectedError),
    ],
)
def test_refusal_names_the_action(s3_trail: S3TrailSegments, code: str, error: type[Exception]) -> None:
    client = s3_trail._client
    with answering(client, "PutObject", failure(code)), pytest.raises(error, match=r"^s3:PutObject of"):
        s3_trail.put(0, b"x")
    with answering(client, "GetObject", failure(code)), pytest.raises(error, match=r"^s3:GetObject of"):
        s3_trail.get(0)
    with (
        answering(client, "ListObjectVersions", failure(code)),
        pytest.raises(error, match=r"^s3:ListObject"),
    ):
        list(s3_trail.stored())
