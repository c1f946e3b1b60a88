"""Objects: every put replaces exactly the object that the writer has read, and a refused put changes nothing."""

from io import BytesIO
from typing import Any, cast
from uuid import uuid4

import pytest

from shared.adapters.s3.object_store import S3ObjectStore
from shared.domain.errors import RequestRejectedError, UnavailableError
from shared.ports.archive import ObjectStore
from shared.ports.archive_reading import ObjectPart, ObjectParts
from tests.support.conformance.interference import answering, failure


def _key() -> str:
    return f"v1/executions/cell=x/{uuid4().hex}.parquet"


def content(store: ObjectStore, key: str) -> tuple[str | None, bytes]:
    into = BytesIO()
    return store.get(key, into), into.getvalue()


def test_object_that_was_never_put_is_none_and_nothing_is_written(objects: ObjectStore) -> None:
    assert content(objects, _key()) == (None, b"")


def test_object_is_read_as_it_was_last_put_with_the_tag_of_that_put(objects: ObjectStore) -> None:
    key, other = _key(), _key()
    first = objects.put(key, BytesIO(b"first"), replaces=None)
    assert content(objects, key) == (first, b"first")
    second = objects.put(key, BytesIO(b"second"), replaces=first)
    assert second not in (None, first)
    assert content(objects, key) == (second, b"second")
    assert content(objects, other) == (None, b"")


def test_second_creation_is_refused(objects: ObjectStore) -> None:
    key = _key()
    first = objects.put(key, BytesIO(b"first"), replaces=None)
    assert first is not None
    assert objects.put(key, BytesIO(b"second"), replaces=None) is None
    assert content(objects, key) == (first, b"first")


def test_put_that_replaces_an_earlier_object_is_refused(objects: ObjectStore) -> None:
    key = _key()
    first = objects.put(key, BytesIO(b"first"), replaces=None)
    second = objects.put(key, BytesIO(b"second"), replaces=first)
    assert objects.put(key, BytesIO(b"third"), replaces=first) is None
    assert content(objects, key) == (second, b"second")


def test_put_that_replaces_an_object_that_is_gone_is_refused(objects: ObjectStore) -> None:
    key = _key()
    assert objects.put(key, BytesIO(b"first"), replaces='"0123456789abcdef0123456789abcdef"') is None
    assert content(objects, key) == (None, b"")


def test_large_object_is_whole(objects: ObjectStore) -> None:
    key, large = _key(), bytes(range(256)) * 20_000
    assert objects.put(key, BytesIO(large), replaces=None) is not None
    assert content(objects, key)[1] == large


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("SlowDown", UnavailableError),
        ("InternalError", UnavailableError),
        ("AccessDenied", RequestRejectedError),
    ],
)
def test_refusal_names_action_and_key(s3_objects: S3ObjectStore, code: str, error: type[Exception]) -> None:
    key, client = _key(), s3_objects._client
    with (
        answering(client, "GetObject", failure(code)),
        pytest.raises(error, match=f"^s3:GetObject of {key} failed: {code}$"),
    ):
        s3_objects.get(key, BytesIO())
    with (
        answering(client, "PutObject", failure(code)),
        pytest.raises(error, match=f"^s3:PutObject of {key} failed: {code}$"),
    ):
        s3_objects.put(key, BytesIO(), replaces=None)


def test_tail_has_the_last_bytes_and_tells_size_and_tag(objects: ObjectStore) -> None:
    key = _key()
    etag = objects.put(key, BytesIO(b"0123456789"), replaces=None)
    assert etag is not None
    parts = parts_of(objects)
    assert parts.tail(key, 3) == ObjectPart(first=7, content=b"789", size=10, etag=etag)
    assert (
        parts.tail(key, 10)
        == parts.tail(key, 1_000)
        == ObjectPart(first=0, content=b"0123456789", size=10, etag=etag)
    )
    assert parts.tail(_key(), 3) is None


def test_part_is_of_the_object_with_the_tag_or_of_none(objects: ObjectStore) -> None:
    key = _key()
    first = objects.put(key, BytesIO(b"0123456789"), replaces=None)
    assert first is not None
    parts = parts_of(objects)
    assert parts.part(key, 2, 4, first) == ObjectPart(first=2, content=b"2345", size=10, etag=first)
    second = objects.put(key, BytesIO(b"abcdefghij"), replaces=first)
    assert second is not None
    assert parts.part(key, 2, 4, first) is None
    assert parts.part(key, 2, 4, second) == ObjectPart(first=2, content=b"cdef", size=10, etag=second)
    assert parts.part(_key(), 2, 4, second) is None


def parts_of(objects: ObjectStore) -> ObjectParts:
    """Each object store of these tests also reads parts."""
    parts: Any = objects
    return cast(ObjectParts, parts)
