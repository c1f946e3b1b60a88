"""Names of recurring jobs, read from their definitions."""

from collections.abc import Collection, Mapping
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff, BatchReads
from shared.adapters.dynamodb.codec.attributes import decode_all
from shared.adapters.dynamodb.codec.job_items import NAME
from shared.adapters.dynamodb.codec.keys import item_key, job_key, parse_job_sk
from shared.names import Attr


class DynamoJobNames:
    """A read costs half a unit for each 4 KB of a definition."""

    def __init__(self, client: AwsClient, table: str, backoff: Backoff) -> None:
        self._reads = BatchReads(client, table, backoff, is_strong=False, attributes=(Attr.SK, NAME))

    def of(self, tenant_id: str, job_ids: Collection[str]) -> Mapping[str, str]:
        keys = [item_key(*job_key(tenant_id, job_id)) for job_id in job_ids]
        found: list[Any] = [decode_all(item) for item in self._reads.read_all(keys)]
        return {parse_job_sk(row[Attr.SK]): row[NAME] for row in found if row.get(NAME)}
