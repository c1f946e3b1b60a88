"""Records of the pages of bulk operations, in the jobs table."""

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.bulk_keys import bulk_page_key
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.job_task_items import bulk_page_item, read_bulk_page
from shared.adapters.dynamodb.codec.keys import item_key
from shared.domain.bulk.pages import BulkPage
from shared.domain.errors import UnavailableError


class DynamoBulkPages:
    """The first writer of a record chooses its jobs, and the first to finish it their results."""

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def get(self, tenant_id: str, task_id: str, number: int) -> BulkPage | None:
        key = item_key(*bulk_page_key(tenant_id, task_id, number))
        with translated():
            answer = self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True)
        return read_bulk_page(answer["Item"]) if "Item" in answer else None

    def begin(self, page: BulkPage, expires_at_s: int) -> BulkPage:
        return self._put(page, expires_at_s, ABSENT)

    def finish(self, page: BulkPage, expires_at_s: int) -> BulkPage:
        return self._put(page, expires_at_s, "attribute_exists(pk) AND attribute_not_exists(d)")

    def _put(self, page: BulkPage, expires_at_s: int, condition: str) -> BulkPage:
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=bulk_page_item(page, expires_at_s),
                    ConditionExpression=condition,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            if not refused.items[0]:
                raise UnavailableError("the record of a page is missing") from refused
            return read_bulk_page(refused.items[0])
        return page
