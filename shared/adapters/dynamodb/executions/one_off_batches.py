"""Two implementations of batches of puts: one PutItem each, or one BatchExecuteStatement for at most 25.

A PartiQL INSERT refuses an existing key, so neither overwrites an item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.items import execution_item
from shared.adapters.dynamodb.executions.claimer import MAX_STATEMENTS
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import WriteUnknown

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TRIES = 3
"""The maximum tries of a statement that was throttled alone; the SDK does not retry such statements."""
_TAKEN = {"DuplicateItem", "DuplicateItemException"}
PutResult = Execution | WriteUnknown | None


class PutItemBatches:
    def __init__(self, store: DynamoExecutionStore) -> None:
        self._store = store

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[PutResult]:
        return [self._put(execution) for execution in executions]

    def _put(self, execution: Execution) -> PutResult:
        try:
            return self._store.put_if_absent(execution)
        except (UnavailableError, UnreadableItemError) as error:
            return WriteUnknown(str(error))


class BatchStatementBatches:
    """At most 25 puts per request. The response lacks existing items, so they are read afterwards."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region
        self._store = DynamoExecutionStore(client, table, region)

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[PutResult]:
        answers: list[PutResult] = []
        for start in range(0, len(executions), MAX_STATEMENTS):
            answers += self._put_batch(executions[start : start + MAX_STATEMENTS])
        return answers

    def _put_batch(self, executions: Sequence[Execution]) -> list[PutResult]:
        """Retries statements that failed alone. A retried statement that had succeeded finds its own item."""
        codes = self._insert(executions)
        for _ in range(TRIES - 1):
            waiting = [number for number, code in enumerate(codes) if code is not None and code not in _TAKEN]
            if not waiting:
                break
            again = self._insert([executions[number] for number in waiting])
            for number, code in zip(waiting, again, strict=True):
                codes[number] = code
        found = self._standing(
            [each.id for each, code in zip(executions, codes, strict=True) if code in _TAKEN]
        )
        return [
            None if code is None else found.get(each.id, WriteUnknown(code))
            for each, code in zip(executions, codes, strict=True)
        ]

    def _standing(self, ids: Sequence[ExecutionId]) -> Mapping[ExecutionId, Execution]:
        """The existing executions that can be decoded; splits the request if an item cannot be decoded."""
        if not ids:
            return {}
        try:
            return self._store.get_many(ids)
        except UnavailableError:
            return {}
        except UnreadableItemError:
            halves = (ids[: len(ids) // 2], ids[len(ids) // 2 :]) if len(ids) > 1 else ()
            return {key: value for half in halves for key, value in self._standing(half).items()}

    def _insert(self, executions: Sequence[Execution]) -> list[str | None]:
        """The error code of each statement, or None."""
        try:
            with translated():
                answer = self._client.batch_execute_statement(
                    Statements=[self._statement(execution) for execution in executions]  # type: ignore[misc]
                )
        except UnavailableError as error:
            return [str(error) for _ in executions]
        errors = [response.get("Error") for response in answer["Responses"]]
        return [None if error is None else str(error.get("Code")) for error in errors]

    def _statement(self, execution: Execution) -> dict[str, Any]:
        item = execution_item(execution, self._region)
        members = ", ".join(f"'{name}': ?" for name in item)
        return {
            "Statement": f'INSERT INTO "{self._table}" VALUE {{{members}}}',
            "Parameters": list(item.values()),
        }
