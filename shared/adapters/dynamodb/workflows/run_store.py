"""Runs of workflows in DynamoDB, in the table of executions."""

from collections.abc import Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff, BatchReads
from shared.adapters.dynamodb.codec.attributes import Item, encode, encode_all
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import parse_position
from shared.adapters.dynamodb.codec.run_items import (
    PHASE,
    pack_task,
    phase_of,
    read_run,
    run_item,
    state_attributes,
    task_attribute,
)
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.adapters.dynamodb.codec.workflow_keys import (
    run_index_key,
    run_item_key,
    workflow_runs_pk,
    workflow_runs_prefix,
)
from shared.domain.errors import NotFoundError, UnavailableError
from shared.domain.ids import ExecutionId
from shared.domain.workflows.run import Run
from shared.domain.workflows.run_rules import changed_tasks, is_stored, only_records_ends
from shared.names import Attr, Index
from shared.ports.workflows import RunUpdate


class DynamoRunStore:
    """One conditional write for each step of a run."""

    def __init__(self, client: AwsClient, table: str, region: str, backoff: Backoff) -> None:
        self._client = client
        self._table = table
        self._region = region
        self._reads = BatchReads(client, table, backoff)

    def put_if_absent(self, run: Run, *, expires_at_s: int | None = None) -> Run | None:
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=run_item(run, self._region, expires_at_s),
                    ConditionExpression=ABSENT,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            if not refused.items[0]:
                raise UnavailableError("PutItem was refused without the existing item") from refused
            return read_run(refused.items[0])
        return None

    def get(self, run_id: ExecutionId) -> Run | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table, Key=run_item_key(self._region, run_id), ConsistentRead=True
            )
        item = answer.get("Item")
        return read_run(item) if item else None

    def get_many(self, run_ids: Sequence[ExecutionId]) -> dict[ExecutionId, Run]:
        keys = [run_item_key(self._region, run_id) for run_id in dict.fromkeys(run_ids)]
        return {run.id: run for run in map(read_run, self._reads.read_all(keys))}

    def update(self, before: Run, after: Run, *, expires_at_s: int | None = None) -> RunUpdate:
        sets, removes = _changes(before, after, expires_at_s)
        conditions, values = _condition(before, after)
        updated = encode_all({f":n_{name}": value for name, value in sets.items()})
        set_clause = f"SET {', '.join(f'#{name} = :n_{name}' for name in sets)}" if sets else ""
        remove_clause = f" REMOVE {', '.join(f'#{name}' for name in removes)}" if removes else ""
        named = {name: name for name in (*sets, *removes, *_compared(conditions), "v")}
        try:
            with translated():
                answer = self._client.update_item(
                    TableName=self._table,
                    Key=run_item_key(self._region, before.id),
                    UpdateExpression=f"{set_clause}{remove_clause}",
                    ConditionExpression=" AND ".join(conditions),
                    ExpressionAttributeNames={f"#{name}": name for name in named},
                    ExpressionAttributeValues={**values, **updated},
                    ReturnValues="ALL_NEW",
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            if not refused.items[0]:
                raise NotFoundError("no such run") from refused
            existing = read_run(refused.items[0])
            return RunUpdate(run=existing, is_written=is_stored(before, after, existing))
        return RunUpdate(run=read_run(answer["Attributes"]), is_written=True)

    def page(
        self, tenant_id: str, workflow_id: str, *, before: ExecutionId | None, limit: int
    ) -> Sequence[ExecutionId]:
        prefix = workflow_runs_prefix(workflow_id)
        # "~" sorts behind every position.
        high = f"{prefix}~" if before is None else run_index_key(tenant_id, workflow_id, before)[1]
        with translated():
            answer = self._client.query(
                TableName=self._table,
                IndexName=Index.BY_TENANT,
                KeyConditionExpression="#pk = :pk AND #sk BETWEEN :low AND :high",
                ExpressionAttributeNames={"#pk": Attr.TENANT_PK, "#sk": Attr.TENANT_SK},
                ExpressionAttributeValues={
                    ":pk": encode(workflow_runs_pk(tenant_id, workflow_id)),
                    ":low": encode(prefix),
                    ":high": encode(high),
                },
                ScanIndexForward=False,
                Limit=limit + 1,
            )
        keys = [str(item[Attr.TENANT_SK]["S"]).removeprefix(prefix) for item in answer["Items"]]
        found = [parse_position(key).id for key in keys]
        return [run_id for run_id in found if run_id != before][:limit]


def _changes(before: Run, after: Run, expires_at_s: int | None) -> tuple[dict[str, Any], list[str]]:
    """What to set, and what to remove."""
    changes: dict[str, Any] = {}
    for index in changed_tasks(before, after):
        task = after.tasks[index]
        changes[task_attribute(index)] = None if task is None else pack_task(task)
    if phase_of(before) != phase_of(after):
        changes |= state_attributes(after, expires_at_s)
    sets = {name: value for name, value in changes.items() if value is not None}
    return sets, [name for name, value in changes.items() if value is None]


def _condition(before: Run, after: Run) -> tuple[list[str], Item]:
    """Each changed task as before; a decision also requires the state and the epoch that it was made in."""
    conditions, values = ["#v <= :v"], {":v": encode(VERSION)}
    for index in changed_tasks(before, after):
        name, task = task_attribute(index), before.tasks[index]
        if task is None:
            conditions.append(f"attribute_not_exists(#{name})")
        else:
            conditions.append(f"#{name} = :o_{name}")
            values[f":o_{name}"] = encode(pack_task(task))
    if not only_records_ends(before, after):
        conditions.append(f"#{PHASE} = :o_{PHASE}")
        values[f":o_{PHASE}"] = encode(phase_of(before))
    return conditions, values


def _compared(conditions: Sequence[str]) -> list[str]:
    return [PHASE] if any(PHASE in condition for condition in conditions) else []
