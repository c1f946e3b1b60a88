"""A store in a table of DynamoDB, for any number of machines."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoSeen:
    """Entries are items of a table whose partition key is `call_id`, a string, and that has no sort key.

    Switch on the table's time to live for the attribute `forget_at`. A call costs two writes and no read, or one
    write more and a strong read for a duplicate. The client retries lost answers, which the rules allow.
    """

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def get(self, call_id: str) -> str | None:
        item = self._client.get_item(
            TableName=self._table, Key={"call_id": {"S": call_id}}, ConsistentRead=True
        ).get("Item")
        return None if item is None else str(item["entry"]["S"])

    def replace(self, call_id: str, before: str | None, after: str, forget_at: int) -> bool:
        condition: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(call_id)"}
        if before is not None:
            condition = {
                "ConditionExpression": "entry = :before",
                "ExpressionAttributeValues": {":before": {"S": before}},
            }
        item = {"call_id": {"S": call_id}, "entry": {"S": after}, "forget_at": {"N": str(forget_at)}}
        try:
            self._client.put_item(TableName=self._table, Item=item, **condition)
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True
