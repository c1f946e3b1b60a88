"""Queries over jobs and executions in DynamoDB: one page each, all shards of a query in parallel."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, TypeVar

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import encode
from shared.adapters.dynamodb.codec.due_rows import DUE_ROW_ATTRIBUTES, read_due_row
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.job_items import read_job
from shared.adapters.dynamodb.codec.keys import (
    backfill_prefix,
    failed_index_pk,
    item_key,
    job_key,
    job_prefix,
    one_off_index_pk,
    parse_position,
    retry_index_pk,
    run_index_pk,
    shard_pk,
    span_keys,
)
from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import UnreadableItemError
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.position import IndexPage, PositionRange
from shared.names import Attr, Index
from shared.ports.listings import DefinitionPage, EntryFilter, IndexInstants, ShardRows, TenantIndex

MAX_PARALLEL = 16
"""The maximum of parallel requests, well below the SDK's connection pool."""
A = TypeVar("A")
B = TypeVar("B")


class DynamoQueries:
    """Reads of definitions and buckets are strongly consistent; DynamoDB offers no such reads of indexes."""

    def __init__(self, client: AwsClient, jobs_table: str, executions_table: str, region: str) -> None:
        self._client = client
        self._jobs = jobs_table
        self._executions = executions_table
        self._region = region

    def definitions(
        self,
        tenant_id: str,
        *,
        after: str | None,
        limit: int,
        backfill_of: str | None = None,
        state: JobState | None = None,
    ) -> DefinitionPage:
        pk, named = job_prefix(tenant_id)
        prefix = named if backfill_of is None else backfill_prefix(tenant_id, backfill_of)[1]
        start: Any = {"ExclusiveStartKey": item_key(*job_key(tenant_id, after))} if after is not None else {}
        only = _state_filter(state)
        with translated():
            answer = self._client.query(
                TableName=self._jobs,
                KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                ExpressionAttributeValues={":pk": {"S": pk}, ":prefix": {"S": prefix}, **only.values},
                ConsistentRead=True,
                Limit=limit,
                **only.expression,
                **start,
            )
        last = answer.get("LastEvaluatedKey")
        return DefinitionPage(
            jobs=tuple(_readable(answer["Items"])),
            next_after=last[Attr.SK]["S"].removeprefix(named) if last else None,
        )

    def index_pages(
        self,
        index: TenantIndex,
        tenant_id: str,
        shards: int,
        span: PositionRange,
        *,
        newest_first: bool,
        limit: int,
        only: EntryFilter | None = None,
    ) -> Sequence[IndexPage]:
        keys = span_keys(span)
        if keys is None:
            return [IndexPage(positions=(), edge=None)]
        ask = partial(
            self._index_page, index, keys=keys, newest_first=newest_first, limit=limit, entries=_filter(only)
        )
        return self._side_by_side(ask, _partitions(index, tenant_id, shards))

    def _index_page(
        self,
        index: TenantIndex,
        pk: str,
        *,
        keys: tuple[str, str],
        newest_first: bool,
        limit: int,
        entries: "_Filter",
    ) -> IndexPage:
        options = {"ScanIndexForward": not newest_first, "Limit": limit, **entries.expression}
        answer, sk_name = self._entries(index, pk, keys, options, entries.values)
        last = answer.get("LastEvaluatedKey")
        return IndexPage(
            positions=tuple(parse_position(item[sk_name]["S"]) for item in answer["Items"]),
            edge=parse_position(last[sk_name]["S"]) if last else None,
        )

    def instants(
        self, index: TenantIndex, tenant_id: str, shards: int, span: PositionRange, *, at_most: int
    ) -> Sequence[IndexInstants]:
        keys = span_keys(span)
        if keys is None:
            return [IndexInstants(instants=(), id_texts=(), is_whole=True)]
        ask = partial(self._shard_instants, index, keys=keys, at_most=at_most)
        return self._side_by_side(ask, _partitions(index, tenant_id, shards))

    def _shard_instants(
        self, index: TenantIndex, pk: str, *, keys: tuple[str, str], at_most: int
    ) -> IndexInstants:
        found: list[str] = []
        start: Any = {}
        while True:
            answer, sk_name = self._entries(index, pk, keys, {"Limit": at_most - len(found), **start})
            found += [item[sk_name]["S"] for item in answer["Items"]]
            last = answer.get("LastEvaluatedKey")
            if last is None or len(found) >= at_most:
                # A sort key is the instant of its position, and the id.
                parts = [each.partition("#") for each in found]
                return IndexInstants(
                    instants=tuple(int(at) for at, _, _ in parts),
                    id_texts=tuple(id_text for _, _, id_text in parts),
                    is_whole=last is None,
                )
            start = {"ExclusiveStartKey": last}

    def _entries(
        self,
        index: TenantIndex,
        pk: str,
        keys: tuple[str, str],
        options: Mapping[str, Any],
        values: Mapping[str, Any] = MappingProxyType({}),
    ) -> tuple[Any, str]:
        """The answer to one query of an index, of sort keys alone, and the name of the sort key."""
        name, pk_name, sk_name = _INDEXES[index]
        with translated():
            answer = self._client.query(
                TableName=self._executions,
                IndexName=name,
                KeyConditionExpression="#pk = :pk AND #sk BETWEEN :low AND :high",
                ProjectionExpression="#sk",
                ExpressionAttributeNames={"#pk": pk_name, "#sk": sk_name},
                ExpressionAttributeValues={
                    ":pk": {"S": pk},
                    ":low": {"S": keys[0]},
                    ":high": {"S": keys[1]},
                    **values,
                },
                **options,
            )
        return answer, sk_name

    def rows(self, bucket: int, shards: int, *, after: str | None, limit: int) -> Sequence[ShardRows]:
        return self._side_by_side(partial(self._shard_rows, bucket, after=after, limit=limit), range(shards))

    def _shard_rows(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ShardRows:
        values = {":pk": {"S": shard_pk(self._region, bucket, shard)}}
        start: Any = {"ExclusiveStartKey": item_key(values[":pk"]["S"], after)} if after is not None else {}
        with translated():
            answer = self._client.query(
                TableName=self._executions,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeNames={f"#{name}": name for name in DUE_ROW_ATTRIBUTES},
                ExpressionAttributeValues=values,
                ProjectionExpression=", ".join(f"#{name}" for name in DUE_ROW_ATTRIBUTES),
                ConsistentRead=True,
                Limit=limit,
                **start,
            )
        rows: list[DueRow] = []
        for item in answer["Items"]:
            with suppress(UnreadableItemError):
                rows.append(read_due_row(item, bucket, shard))
        last = answer.get("LastEvaluatedKey")
        return ShardRows(rows=tuple(rows), last=last[Attr.SK]["S"] if last else None)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(MAX_PARALLEL, thread_name_prefix="query")

    def _side_by_side(self, ask: Callable[[A], B], about: Iterable[A]) -> list[B]:
        """All results in order; raises the first error, if any."""
        arguments = list(about)
        if len(arguments) == 1:
            return [ask(arguments[0])]
        return list(self._pool.map(ask, arguments))


_INDEXES = {
    TenantIndex.DUE: (Index.BY_TENANT, Attr.TENANT_PK, Attr.TENANT_SK),
    TenantIndex.ONE_OFF_JOBS: (Index.BY_TENANT, Attr.TENANT_PK, Attr.TENANT_SK),
    TenantIndex.RETRY: (Index.FAILED, Attr.FAILED_PK, Attr.FAILED_SK),
    TenantIndex.FAILED: (Index.FAILED, Attr.FAILED_PK, Attr.FAILED_SK),
}


@dataclass(frozen=True, slots=True)
class _Filter:
    """The parts of a Query that filter its entries; DynamoDB counts and bills the entries that it leaves out."""

    expression: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)


def _filter(only: EntryFilter | None) -> _Filter:
    conditions: list[str] = []
    values: dict[str, Any] = {}
    if only is not None and only.tag is not None:
        conditions.append(f"contains({Attr.TAGS}, :tag)")
        values[":tag"] = encode(only.tag)
    if only is not None and only.name_prefix is not None:
        conditions.append(f"begins_with({Attr.NAME}, :prefix)")
        values[":prefix"] = encode(only.name_prefix)
    return _Filter({"FilterExpression": " AND ".join(conditions)} if conditions else {}, values)


def _state_filter(state: JobState | None) -> _Filter:
    if state is None:
        return _Filter()
    return _Filter({"FilterExpression": "s = :state"}, {":state": encode(state.value)})


def _partitions(index: TenantIndex, tenant_id: str, shards: int) -> list[str]:
    match index:
        case TenantIndex.DUE:
            both = one_off_index_pk, run_index_pk
            return [pk_of(tenant_id, shard) for pk_of in both for shard in range(shards)]
        case TenantIndex.ONE_OFF_JOBS:
            return [one_off_index_pk(tenant_id, shard) for shard in range(shards)]
        case TenantIndex.RETRY:
            return [retry_index_pk(tenant_id, shard) for shard in range(shards)]
        case TenantIndex.FAILED:
            return [failed_index_pk(tenant_id, shard) for shard in range(shards)]


def _readable(items: Iterable[Any]) -> Iterable[Job]:
    for item in items:
        with suppress(UnreadableItemError):
            yield read_job(item)
