"""Objects of one bucket in S3, through boto3: the own transport speaks JSON protocols alone.

Conditional writes: https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, BinaryIO

from shared.adapters.aws.client import AwsCall, AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.domain.errors import RequestRejectedError, ServiceError, UnavailableError

CONNECT_SECONDS = 5
TRIES = 3

ANSWER_SECONDS = 60
"""S3 answers an upload when it has stored all of it."""
CHUNK_BYTES = 1 << 20
_REFUSED = frozenset({"PreconditionFailed", "NoSuchKey"})
"""S3 answers 404 where `If-Match` names an object that does not exist."""
_REJECTED = frozenset({"AccessDenied", "NoSuchBucket", "InvalidRequest", "MethodNotAllowed"})


class LateS3Call:
    """The calls of S3 in a region. The SDK is imported, and its client made, with the first call."""

    def __init__(self, region: str) -> None:
        self._region = region

    def __call__(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        return self._call(operation, params)

    @cached_property
    def _call(self) -> AwsCall:
        import boto3
        from botocore.config import Config

        from shared.adapters.aws.boto_call import BotoCall

        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=ANSWER_SECONDS,
            retries={"mode": "standard", "total_max_attempts": TRIES},
        )
        return BotoCall(boto3.client("s3", region_name=self._region, config=config))


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
