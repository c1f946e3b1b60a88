"""Two implementations of batches of puts: one PutItem each, or one BatchExecuteStatement for at most 25.

A PartiQL INSERT refuses an existing key, so neither overwrites an item.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.codec.items import execution_item
from shared.adapters.dynamodb.codec.job_items import payload_item
from shared.adapters.dynamodb.executions.batch_inserts import BatchInserts, is_taken
from shared.adapters.dynamodb.executions.claimer import MAX_STATEMENTS, unknown
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.domain.errors import ServiceError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import WriteUnknown
from shared.ports.jobs import JobStore, Payload
from shared.ports.runtime import Spread

A = TypeVar("A")
R = TypeVar("R")
PutResult = Execution | WriteUnknown | None


class PutItemBatches:
    def __init__(self, store: DynamoExecutionStore, jobs: JobStore) -> None:
        self._store = store
        self._jobs = jobs

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[PutResult]:
        return [self._put(execution) for execution in executions]

    def put_payloads(self, payloads: Sequence[Payload]) -> list[WriteUnknown | None]:
        return [self._put_payload(payload) for payload in payloads]

    def _put_payload(self, payload: Payload) -> WriteUnknown | None:
        try:
            self._jobs.put_payload(payload)
        except ServiceError as error:
            return unknown(error)
        return None

    def _put(self, execution: Execution) -> PutResult:
        try:
            return self._store.put_if_absent(execution)
        except ServiceError as error:
            return unknown(error)
        except UnreadableItemError as error:
            return WriteUnknown(str(error), is_permanent=True)


class BatchStatementBatches:
    """At most 25 puts per request, and the requests of a call side by side.

    The response lacks existing items, so they are read afterwards.
    """

    def __init__(
        self,
        client: AwsClient,
        executions_table: str,
        jobs_table: str,
        region: str,
        backoff: Backoff,
        spread: Spread,
    ) -> None:
        self._spread = spread
        self._region = region
        self._executions = BatchInserts(client, executions_table, backoff)
        self._payloads = BatchInserts(client, jobs_table, backoff)
        self._store = DynamoExecutionStore(client, executions_table, region, backoff)

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[PutResult]:
        return self._in_requests(self._put_batch, executions)

    def put_payloads(self, payloads: Sequence[Payload]) -> list[WriteUnknown | None]:
        return self._in_requests(self._put_payloads, payloads)

    def _in_requests(self, put: Callable[[Sequence[A]], list[R]], items: Sequence[A]) -> list[R]:
        starts = range(0, len(items), MAX_STATEMENTS)
        batches = [items[start : start + MAX_STATEMENTS] for start in starts]
        return [answer for answers in self._spread(put, batches) for answer in answers]

    def _put_batch(self, executions: Sequence[Execution]) -> list[PutResult]:
        failures = self._executions.insert([execution_item(each, self._region) for each in executions])
        results = list(zip(executions, failures, strict=True))
        found = self._standing([each.id for each, failure in results if failure and is_taken(failure)])
        return [None if failure is None else found.get(each.id, failure) for each, failure in results]

    def _put_payloads(self, payloads: Sequence[Payload]) -> list[WriteUnknown | None]:
        failures = self._payloads.insert([payload_item(each) for each in payloads])
        return [None if failure is None or is_taken(failure) else failure for failure in failures]

    def _standing(self, ids: Sequence[ExecutionId]) -> Mapping[ExecutionId, Execution]:
        """The existing executions that can be decoded; splits the request if an item cannot be decoded."""
        if not ids:
            return {}
        try:
            return self._store.get_many(ids)
        except ServiceError:
            return {}
        except UnreadableItemError:
            halves = (ids[: len(ids) // 2], ids[len(ids) // 2 :]) if len(ids) > 1 else ()
            return {key: value for half in halves for key, value in self._standing(half).items()}
