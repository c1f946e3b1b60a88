"""BatchExecuteStatement of PartiQL INSERTs, which never overwrite an item, with another try of those that failed."""

from collections.abc import Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.codec.attributes import Item
from shared.adapters.dynamodb.codec.errors import is_permanent, translated
from shared.adapters.dynamodb.codec.statements import ITEM_EXISTS, insert_statement
from shared.adapters.dynamodb.executions.claimer import unknown
from shared.dataclass import dataclass
from shared.domain.errors import ServiceError
from shared.ports.executions import WriteUnknown

TRIES = 3
"""The maximum tries of a statement that was throttled alone; the SDK does not retry such statements."""


@dataclass(frozen=True, slots=True)
class BatchInserts:
    """Inserts at most `MAX_STATEMENTS` items with distinct keys into one table, in one request."""

    client: AwsClient
    table: str
    backoff: Backoff

    def insert(self, items: Sequence[Item]) -> list[WriteUnknown | None]:
        """The failure of each insert, or None. An insert that is repeated may find its own item: `is_taken`."""
        failures = self._insert(items)
        for _ in range(TRIES - 1):
            left = [number for number, failure in enumerate(failures) if _may_be_retried(failure)]
            if not left:
                break
            self.backoff.wait()
            again = self._insert([items[number] for number in left])
            for number, failure in zip(left, again, strict=True):
                failures[number] = failure
        return failures

    def _insert(self, items: Sequence[Item]) -> list[WriteUnknown | None]:
        try:
            with translated():
                answer = self.client.batch_execute_statement(
                    Statements=[insert_statement(self.table, item) for item in items]
                )
        except ServiceError as error:
            return [unknown(error) for _ in items]
        return [_failure(response) for response in answer["Responses"]]


def is_taken(failure: WriteUnknown) -> bool:
    """Whether the key has an item, which the insert left as it was."""
    return failure.reason in ITEM_EXISTS


def _failure(response: Any) -> WriteUnknown | None:
    error = response.get("Error")
    if error is None:
        return None
    return WriteUnknown(str(error.get("Code")), is_permanent=is_permanent(error.get("Code")))


def _may_be_retried(failure: WriteUnknown | None) -> bool:
    return failure is not None and not failure.is_permanent and not is_taken(failure)
