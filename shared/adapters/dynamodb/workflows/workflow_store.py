"""Definitions of workflows in DynamoDB, in the jobs table."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.adapters.dynamodb.codec.workflow_items import (
    head_item,
    key_item,
    read_head,
    read_key,
    read_workflow,
    revision_item,
)
from shared.adapters.dynamodb.codec.workflow_keys import HEAD_PREFIX, head_key, key_key, revision_key
from shared.adapters.dynamodb.live_index import count_live
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.workflows.workflow import Workflow, WorkflowHead
from shared.names import Attr
from shared.ports.workflows import MAX_EXAMINED, HeadPage

_AT_REVISION = "#v <= :v AND rv = :revision AND attribute_not_exists(dd)"


class DynamoWorkflowStore:
    """A transaction for each new revision; a deletion is one too."""

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def create(self, workflow: Workflow) -> WorkflowHead | None:
        puts = [self._new(head_item(workflow.head)), self._new(revision_item(workflow))]
        if workflow.key is not None:
            puts.append(self._new(key_item(workflow, workflow.key)))
        try:
            with translated():
                self._client.transact_write_items(TransactItems=puts)
        except ConditionRefused as refused:
            existing = self.head(workflow.tenant_id, workflow.id) or self._keyed_head(workflow)
            if existing is None:
                raise UnavailableError("another workflow is being created or deleted") from refused
            return existing
        return None

    def keyed(self, tenant_id: str, key: str) -> str | None:
        item = self._get(key_key(tenant_id, key))
        return read_key(item) if item else None

    def head(self, tenant_id: str, workflow_id: str) -> WorkflowHead | None:
        item = self._get(head_key(tenant_id, workflow_id))
        return read_head(item) if item else None

    def revision(self, tenant_id: str, workflow_id: str, revision: int) -> Workflow | None:
        item = self._get(revision_key(tenant_id, workflow_id, revision))
        return read_workflow(item) if item else None

    def replace(self, before: WorkflowHead, after: Workflow, expires_at_s: int) -> bool:
        head: Any = {
            "Put": {
                "TableName": self._table,
                "Item": head_item(after.head),
                "ConditionExpression": _AT_REVISION,
                "ExpressionAttributeNames": {"#v": "v"},
                "ExpressionAttributeValues": _at_revision(before),
            }
        }
        return self._write([head, self._new(revision_item(after)), self._expiring(before, expires_at_s)])

    def delete(self, before: WorkflowHead, expires_at_s: int) -> bool:
        head: Any = {
            "Update": {
                "TableName": self._table,
                "Key": item_key(*head_key(before.tenant_id, before.id)),
                "UpdateExpression": f"SET dd = :yes, #ttl = :ttl REMOVE {Attr.LIVE_PK}",
                "ConditionExpression": _AT_REVISION,
                "ExpressionAttributeNames": {"#v": "v", "#ttl": Attr.TTL},
                "ExpressionAttributeValues": {
                    **_at_revision(before),
                    ":yes": encode(True),
                    ":ttl": encode(expires_at_s),
                },
            }
        }
        writes = [head, self._expiring(before, expires_at_s)]
        if before.key is not None:
            writes.append(self._freeing(before, before.key))
        return self._write(writes)

    def keep_revision(self, tenant_id: str, workflow_id: str, revision: int, expires_at_s: int) -> None:
        with suppress(ConditionRefused), translated():
            self._client.update_item(
                TableName=self._table,
                Key=item_key(*revision_key(tenant_id, workflow_id, revision)),
                UpdateExpression="SET #ttl = :ttl",
                ConditionExpression="attribute_exists(pk) AND #ttl < :ttl",
                ExpressionAttributeNames={"#ttl": Attr.TTL},
                ExpressionAttributeValues={":ttl": encode(expires_at_s)},
            )

    def page(self, tenant_id: str, *, after: str | None, limit: int) -> HeadPage:
        """One query, or two if deleted heads fill the first."""
        found: list[WorkflowHead] = []
        for examined in (limit, MAX_EXAMINED):
            items, after = self._heads(tenant_id, after, examined)
            found += _readable(items)
            if len(found) >= limit:
                return HeadPage(
                    heads=found[:limit], next_after=after if len(found) == limit else found[limit - 1].id
                )
            if after is None:
                break
        return HeadPage(heads=found, next_after=after)

    def count(self, tenant_id: str, at_most: int) -> int:
        return count_live(self._client, self._table, tenant_id, HEAD_PREFIX, at_most)

    def _heads(self, tenant_id: str, after: str | None, examined: int) -> tuple[list[Item], str | None]:
        """Heads that are not deleted, and the last ID that was examined; None at the end."""
        start: Any = {"ExclusiveStartKey": item_key(*head_key(tenant_id, after))} if after is not None else {}
        with translated():
            answer = self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                FilterExpression="attribute_not_exists(dd)",
                ExpressionAttributeValues={":pk": encode(tenant_id), ":prefix": encode(HEAD_PREFIX)},
                ConsistentRead=True,
                Limit=examined,
                **start,
            )
        last = answer.get("LastEvaluatedKey")
        return answer["Items"], last[Attr.SK]["S"].removeprefix(HEAD_PREFIX) if last else None

    def _get(self, key: tuple[str, str]) -> Item | None:
        with translated():
            answer = self._client.get_item(TableName=self._table, Key=item_key(*key), ConsistentRead=True)
        item: Item | None = answer.get("Item")
        return item

    def _keyed_head(self, workflow: Workflow) -> WorkflowHead | None:
        """The head of the workflow that has the key of this one."""
        if workflow.key is None:
            return None
        workflow_id = self.keyed(workflow.tenant_id, workflow.key)
        return self.head(workflow.tenant_id, workflow_id) if workflow_id is not None else None

    def _freeing(self, head: WorkflowHead, key: str) -> dict[str, Any]:
        """Without the condition, the deletion of a former workflow would free the key of the present one."""
        return {
            "Delete": {
                "TableName": self._table,
                "Key": item_key(*key_key(head.tenant_id, key)),
                "ConditionExpression": "id = :id",
                "ExpressionAttributeValues": {":id": encode(head.id)},
            }
        }

    def _new(self, item: Item) -> dict[str, Any]:
        return {"Put": {"TableName": self._table, "Item": item, "ConditionExpression": ABSENT}}

    def _expiring(self, head: WorkflowHead, expires_at_s: int) -> dict[str, Any]:
        return {
            "Update": {
                "TableName": self._table,
                "Key": item_key(*revision_key(head.tenant_id, head.id, head.revision)),
                "UpdateExpression": "SET #ttl = :ttl",
                "ConditionExpression": "attribute_exists(pk)",
                "ExpressionAttributeNames": {"#ttl": Attr.TTL},
                "ExpressionAttributeValues": {":ttl": encode(expires_at_s)},
            }
        }

    def _write(self, items: list[dict[str, Any]]) -> bool:
        try:
            with translated():
                self._client.transact_write_items(TransactItems=items)
        except ConditionRefused:
            return False
        return True


def _at_revision(head: WorkflowHead) -> Item:
    return {":v": encode(VERSION), ":revision": encode(head.revision)}


def _readable(items: Sequence[Item]) -> list[WorkflowHead]:
    heads: list[WorkflowHead] = []
    for item in items:
        with suppress(UnreadableItemError):
            heads.append(read_head(item))
    return heads
