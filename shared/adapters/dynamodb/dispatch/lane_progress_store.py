"""Lane progress in the leases table."""

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import encode_all
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.keys import item_key, progress_key
from shared.adapters.dynamodb.codec.lane_progress_items import read_progress
from shared.domain.dispatch.sweep import LaneProgress
from shared.names import Lane, QueueName


class DynamoLaneProgressStore:
    """One item a lane: the last report wins."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def report(self, lane: Lane | QueueName, progress: LaneProgress) -> None:
        item = {
            **item_key(*progress_key(self._region, lane)),
            **encode_all({"va": progress.visible_at, "ra": progress.reported_at}),
        }
        with translated():
            self._client.put_item(TableName=self._table, Item=item)

    def read(self, lane: Lane | QueueName) -> LaneProgress | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=item_key(*progress_key(self._region, lane)),
            )
        return read_progress(answer["Item"]) if "Item" in answer else None
