"""The segments of the audit trail in a bucket with Object Lock.

The bucket locks each version as it is written, by its default retention: no request here names a lock. A put with
`If-None-Match: *` is refused while an object of that name is there.
Object Lock: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html
"""

import re
from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.s3.object_store import copy_body, service_error
from shared.domain.errors import UnavailableError
from shared.ports.audit_trail import LockedContent, StoredVersion

_NAME = re.compile(r"v1/[^/]+/(\d{10})\.jsonl\.gz")
_GONE = frozenset({"NoSuchKey", "NoSuchVersion", "MethodNotAllowed"})
"""S3 answers 405 for the version of a deletion."""


class S3TrailSegments:
    def __init__(self, client: AwsClient, bucket: str, region: str) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = f"v1/{region}/"

    def name_of(self, number: int) -> str:
        return f"{self._prefix}{number:010d}.jsonl.gz"

    def put(self, number: int, content: bytes) -> bool:
        name = self.name_of(number)
        try:
            # S3 demands a checksum of an object that it locks.
            self._client.put_object(
                Bucket=self._bucket, Key=name, Body=content, IfNoneMatch="*", ChecksumAlgorithm="SHA256"
            )
        except AwsError as error:
            if error.code == "PreconditionFailed":
                return False
            raise service_error("PutObject", name, error.code) from error
        except NoAnswerError as error:
            raise UnavailableError(f"s3:PutObject of {name} had no answer") from error
        return True

    def get(self, number: int) -> bytes | None:
        found = self._get(self.name_of(number))
        return None if found is None else found.content

    def read(self, version: StoredVersion) -> LockedContent | None:
        return self._get(version.name, VersionId=version.version_id)

    def stored(self) -> Iterator[StoredVersion]:
        start: dict[str, Any] = {}
        name, versions = "", list[StoredVersion]()
        while True:
            page = self._page(start)
            for found in sorted(_versions(page), key=lambda each: each.name):
                if found.name != name:
                    yield from _in_order(versions)
                    name, versions = found.name, []
                versions.append(found)
            if not page.get("IsTruncated"):
                yield from _in_order(versions)
                return
            start = {"KeyMarker": page["NextKeyMarker"], "VersionIdMarker": page["NextVersionIdMarker"]}

    def _page(self, start: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._client.list_object_versions(Bucket=self._bucket, Prefix=self._prefix, **start)
        except AwsError as error:
            raise service_error("ListObjectVersions", self._prefix, error.code) from error
        except NoAnswerError as error:
            raise UnavailableError(f"s3:ListObjectVersions of {self._prefix} had no answer") from error

    def _get(self, name: str, **version: str) -> LockedContent | None:
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=name, **version)
        except AwsError as error:
            if error.code in _GONE:
                return None
            raise service_error("GetObject", name, error.code) from error
        except NoAnswerError as error:
            raise UnavailableError(f"s3:GetObject of {name} had no answer") from error
        content = BytesIO()
        copy_body(name, answer["Body"], content)
        until = answer.get("ObjectLockRetainUntilDate")
        return LockedContent(
            content=content.getvalue(),
            mode=answer.get("ObjectLockMode"),
            locked_until=_milliseconds(until) if until is not None else None,
        )


def _versions(page: dict[str, Any]) -> Iterator[StoredVersion]:
    for members, is_deletion in ((page.get("Versions", ()), False), (page.get("DeleteMarkers", ()), True)):
        for each in members:
            match = _NAME.fullmatch(each["Key"])
            yield StoredVersion(
                name=each["Key"],
                number=int(match[1]) if match is not None else None,
                version_id=each["VersionId"],
                written_at=_milliseconds(each["LastModified"]),
                is_deletion=is_deletion,
            )


def _in_order(versions: list[StoredVersion]) -> list[StoredVersion]:
    """S3 lists the latest version first, and tells the second of each. Of one second, a deletion comes last."""
    ordered = versions[::-1]
    ordered.sort(key=lambda each: (each.written_at, each.is_deletion))
    return ordered


def _milliseconds(instant: datetime) -> int:
    return int(instant.timestamp() * 1000)
