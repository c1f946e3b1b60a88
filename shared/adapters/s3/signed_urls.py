"""URLs that read an object without credentials of their own, for some minutes.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-presigned-url.html
"""

from functools import cached_property
from typing import Any


class SignedUrls:
    """The URLs of one bucket. No request is made: S3 checks what the signer may read when a URL is used."""

    def __init__(self, region: str, bucket: str) -> None:
        self._region = region
        self._bucket = bucket

    def of(self, key: str, *, name: str, seconds: int) -> str:
        """The URL of an object, which is downloaded under a name."""
        params = {
            "Bucket": self._bucket,
            "Key": key,
            "ResponseContentDisposition": f'attachment; filename="{name}"',
        }
        url: str = self._client.generate_presigned_url("get_object", Params=params, ExpiresIn=seconds)
        return url

    @cached_property
    def _client(self) -> Any:
        import boto3
        from botocore.config import Config

        return boto3.client("s3", region_name=self._region, config=Config(signature_version="s3v4"))
