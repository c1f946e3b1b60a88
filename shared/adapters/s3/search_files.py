"""The files of searches, in the bucket of the archive. A rule of the bucket deletes them after eight days.

The bucket keeps versions, so a deletion for good names each version.
"""

from io import BytesIO
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.s3.object_store import copy_body, service_error
from shared.adapters.s3.signed_urls import SignedUrls
from shared.domain.errors import UnavailableError
from shared.names import SEARCHES_PREFIX

PAGE = 500
"""Versions that are listed and deleted together; S3 takes a thousand."""


class S3SearchFiles:
    def __init__(self, client: AwsClient, bucket: str, urls: SignedUrls) -> None:
        self._client = client
        self._bucket = bucket
        self._urls = urls

    def put(self, tenant_id: str, search_id: str, number: int, content: bytes) -> None:
        key = _key(tenant_id, search_id, number)
        self._ask("PutObject", key, Key=key, Body=content, ContentType="application/gzip")

    def get(self, tenant_id: str, search_id: str, number: int) -> bytes | None:
        key = _key(tenant_id, search_id, number)
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=key)
        except AwsError as error:
            if error.code == "NoSuchKey":
                return None
            raise service_error("GetObject", key, error.code) from error
        except NoAnswerError as error:
            raise UnavailableError(f"s3:GetObject of {key} had no answer") from error
        content = BytesIO()
        copy_body(key, answer["Body"], content)
        return content.getvalue()

    def url(self, tenant_id: str, search_id: str, number: int, *, seconds: int) -> str:
        key = _key(tenant_id, search_id, number)
        return self._urls.of(key, name=f"{search_id}-{number}.ndjson.gz", seconds=seconds)

    def delete_some(self, tenant_id: str) -> int:
        prefix = f"{SEARCHES_PREFIX}{tenant_id}/"
        page = self._ask("ListObjectVersions", prefix, Prefix=prefix, MaxKeys=PAGE)
        found = [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]
        if not found:
            return 0
        versions = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in found]
        answer = self._ask("DeleteObjects", prefix, Delete={"Objects": versions, "Quiet": True})
        if answer.get("Errors"):
            raise service_error("DeleteObjects", prefix, str(answer["Errors"][0].get("Code")))
        return len(versions)

    def _ask(self, operation: str, key: str, **params: Any) -> dict[str, Any]:
        try:
            return self._client.call(operation, {"Bucket": self._bucket, **params})
        except AwsError as error:
            raise service_error(operation, key, error.code) from error
        except NoAnswerError as error:
            raise UnavailableError(f"s3:{operation} of {key} had no answer") from error


def _key(tenant_id: str, search_id: str, number: int) -> str:
    return f"{SEARCHES_PREFIX}{tenant_id}/{search_id}/{number:08d}.ndjson.gz"
