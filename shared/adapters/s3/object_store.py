"""Objects of one bucket in S3, through boto3: the own transport speaks JSON protocols alone.

Conditional writes: https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from io import BytesIO
from typing import Any, BinaryIO

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.late_sdk_call import LateSdkCall
from shared.domain.errors import RequestRejectedError, ServiceError, UnavailableError
from shared.ports.archive_reading import ObjectPart

ANSWER_SECONDS = 60
"""S3 answers an upload when it has stored all of it."""
CHUNK_BYTES = 1 << 20
_REFUSED = frozenset({"PreconditionFailed", "NoSuchKey"})
"""S3 answers 404 where `If-Match` names an object that does not exist."""
_REJECTED = frozenset({"AccessDenied", "NoSuchBucket", "InvalidRequest", "MethodNotAllowed"})


class LateS3Call(LateSdkCall):
    """The calls of S3 in a region."""

    def __init__(self, region: str) -> None:
        super().__init__("s3", region, answer_seconds=ANSWER_SECONDS)


class S3ObjectStore:
    """An ETag is used as S3 spells it, with its quotes."""

    def __init__(self, client: AwsClient, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def get(self, key: str, into: BinaryIO) -> str | None:
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=key)
        except AwsError as error:
            if error.code == "NoSuchKey":
                return None
            raise service_error("GetObject", key, error.code) from error
        except NoAnswerError as error:
            raise UnavailableError(f"s3:GetObject of {key} had no answer") from error
        copy_body(key, answer["Body"], into)
        return str(answer["ETag"])

    def tail(self, key: str, length: int) -> ObjectPart | None:
        return self._part(key, f"bytes=-{length}")

    def part(self, key: str, first: int, length: int, etag: str) -> ObjectPart | None:
        return self._part(key, f"bytes={first}-{first + length - 1}", IfMatch=etag)

    def _part(self, key: str, wanted: str, **condition: str) -> ObjectPart | None:
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=key, Range=wanted, **condition)
        except AwsError as error:
            if error.code in _REFUSED:
                return None
            raise service_error("GetObject", key, error.code) from error
        except NoAnswerError as error:
            raise UnavailableError(f"s3:GetObject of {key} had no answer") from error
        content = BytesIO()
        copy_body(key, answer["Body"], content)
        # Such as "bytes 0-127/5000".
        place, _, size = answer["ContentRange"].removeprefix("bytes ").partition("/")
        return ObjectPart(
            first=int(place.split("-")[0]),
            content=content.getvalue(),
            size=int(size),
            etag=str(answer["ETag"]),
        )

    def put(self, key: str, content: BinaryIO, *, replaces: str | None) -> str | None:
        condition: dict[str, Any] = {"IfNoneMatch": "*"} if replaces is None else {"IfMatch": replaces}
        try:
            answer = self._client.put_object(Bucket=self._bucket, Key=key, Body=content, **condition)
        except AwsError as error:
            if error.code in _REFUSED:
                return None
            raise service_error("PutObject", key, error.code) from error
        except NoAnswerError as error:
            raise UnavailableError(f"s3:PutObject of {key} had no answer") from error
        return str(answer["ETag"])


def copy_body(key: str, body: Any, into: BinaryIO) -> None:
    """Copy a response that boto3 reads from the network; UnavailableError if it breaks off."""
    from botocore.exceptions import BotoCoreError, HTTPClientError

    try:
        for chunk in body.iter_chunks(CHUNK_BYTES):
            into.write(chunk)
    except (BotoCoreError, HTTPClientError) as error:
        raise UnavailableError(f"s3:GetObject of {key} broke off") from error
    finally:
        body.close()
    into.flush()


def service_error(action: str, key: str, code: str) -> ServiceError:
    kind = RequestRejectedError if code in _REJECTED else UnavailableError
    return kind(f"s3:{action} of {key} failed: {code}")
