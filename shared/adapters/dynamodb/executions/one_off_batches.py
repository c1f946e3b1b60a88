"""Two implementations of batches of puts: one PutItem each, or one BatchExecuteStatement for at most 25.

A PartiQL INSERT refuses an existing key, so neither overwrites an item.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.codec.errors import is_permanent, translated
from shared.adapters.dynamodb.codec.items import execution_item
from shared.adapters.dynamodb.codec.statements import ITEM_EXISTS, insert_statement
from shared.adapters.dynamodb.executions.claimer import MAX_STATEMENTS, unknown
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.domain.errors import ServiceError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import WriteUnknown
from shared.ports.runtime import Spread

TRIES = 3
"""The maximum tries of a statement that was throttled alone; the SDK does not retry such statements."""
PutResult = Execution | WriteUnknown | None


class PutItemBatches:
    def __init__(self, store: DynamoExecutionStore) -> None:
        self._store = store

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[PutResult]:
        return [self._put(execution) for execution in executions]

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

    def __init__(self, client: AwsClient, table: str, region: str, backoff: Backoff, spread: Spread) -> None:
        self._client = client
        self._spread = spread
        self._table = table
        self._region = region
        self._backoff = backoff
        self._store = DynamoExecutionStore(client, table, region, backoff)

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[PutResult]:
        starts = range(0, len(executions), MAX_STATEMENTS)
        batches = [executions[start : start + MAX_STATEMENTS] for start in starts]
        return [answer for answers in self._spread(self._put_batch, batches) for answer in answers]

    def _put_batch(self, executions: Sequence[Execution]) -> list[PutResult]:
        """Retries statements that failed alone. A retried statement that had succeeded finds its own item."""
        failures = self._insert(executions)
        for _ in range(TRIES - 1):
            waiting = [number for number, failure in enumerate(failures) if _may_be_retried(failure)]
            if not waiting:
                break
            self._backoff.wait()
            again = self._insert([executions[number] for number in waiting])
            for number, failure in zip(waiting, again, strict=True):
                failures[number] = failure
        results = list(zip(executions, failures, strict=True))
        found = self._standing([each.id for each, failure in results if failure and _is_taken(failure)])
        return [None if failure is None else found.get(each.id, failure) for each, failure in results]

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

    def _insert(self, executions: Sequence[Execution]) -> list[WriteUnknown | None]:
        """The failure of each statement, or None."""
        try:
            with translated():
                answer = self._client.batch_execute_statement(
                    Statements=[
                        insert_statement(self._table, execution_item(execution, self._region))
                        for execution in executions
                    ]
                )
        except ServiceError as error:
            return [unknown(error) for _ in executions]
        return [_failure(response) for response in answer["Responses"]]


def _failure(response: Any) -> WriteUnknown | None:
    error = response.get("Error")
    if error is None:
        return None
    return WriteUnknown(str(error.get("Code")), is_permanent=is_permanent(error.get("Code")))


def _is_taken(failure: WriteUnknown) -> bool:
    return failure.reason in ITEM_EXISTS


def _may_be_retried(failure: WriteUnknown | None) -> bool:
    return failure is not None and not failure.is_permanent and not _is_taken(failure)
