"""The writes of many redrives: marks by BatchExecuteStatement, records of the history by BatchWriteItem.

Each request holds at most 25 writes, and the requests of a call are sent side by side.
"""

from collections.abc import Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import TRIES, Backoff
from shared.adapters.dynamodb.codec.attributes import encode
from shared.adapters.dynamodb.codec.conditions import redrivable_in_partiql
from shared.adapters.dynamodb.codec.errors import is_permanent, translated
from shared.adapters.dynamodb.codec.execution_fields import encode_redriven_by
from shared.adapters.dynamodb.codec.items import read_execution
from shared.adapters.dynamodb.codec.job_items import extra_item
from shared.adapters.dynamodb.codec.keys import execution_key
from shared.adapters.dynamodb.executions.batch_inserts import TRIES as STATEMENT_TRIES
from shared.adapters.dynamodb.executions.claimer import MAX_STATEMENTS, REFUSED, unknown
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.domain.errors import (
    NotFoundError,
    ServiceError,
    UnavailableError,
    UnknownVersionError,
    UnreadableItemError,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.ids import ExecutionId
from shared.ports.executions import WriteUnknown
from shared.ports.runtime import Spread

MAX_WRITES = 25
"""The maximum of BatchWriteItem."""
Mark = tuple[ExecutionId, RedrivenBy]
MarkResult = Execution | WriteUnknown | None


class DynamoRedriveBatches:
    """A mark has the condition of a single mark. A record of the history is put whole, as a single one is."""

    def __init__(
        self,
        client: AwsClient,
        executions_table: str,
        jobs_table: str,
        region: str,
        backoff: Backoff,
        spread: Spread,
    ) -> None:
        self._client = client
        self._executions = executions_table
        self._jobs = jobs_table
        self._region = region
        self._backoff = backoff
        self._spread = spread
        self._store = DynamoExecutionStore(client, executions_table, region, backoff)

    def mark_all(self, marks: Sequence[Mark]) -> list[MarkResult]:
        starts = range(0, len(marks), MAX_STATEMENTS)
        batches = [marks[start : start + MAX_STATEMENTS] for start in starts]
        return [result for results in self._spread(self._mark_batch, batches) for result in results]

    def note_all_beside(self, notes: Sequence[tuple[Execution, int]]) -> None:
        requests = [{"PutRequest": {"Item": extra_item(*note)}} for note in notes]
        starts = range(0, len(requests), MAX_WRITES)
        self._spread(self._put_batch, [requests[start : start + MAX_WRITES] for start in starts])

    def _mark_batch(self, marks: Sequence[Mark]) -> list[MarkResult]:
        """Retries statements that failed alone. A retried mark that had been written finds itself."""
        results = self._mark(marks)
        for _ in range(STATEMENT_TRIES - 1):
            left = [number for number, result in enumerate(results) if _may_be_retried(result)]
            if not left:
                break
            self._backoff.wait()
            again = self._mark([marks[number] for number in left])
            for number, result in zip(left, again, strict=True):
                results[number] = result
        return results

    def _mark(self, marks: Sequence[Mark]) -> list[MarkResult]:
        try:
            with translated():
                answer = self._client.batch_execute_statement(
                    Statements=[self._statement(*mark) for mark in marks]
                )
        except ServiceError as error:
            return [unknown(error) for _ in marks]
        pairs = zip(answer["Responses"], marks, strict=True)
        return [self._result(response, execution_id) for response, (execution_id, _) in pairs]

    def _statement(self, execution_id: ExecutionId, redriven_by: RedrivenBy) -> dict[str, Any]:
        condition = redrivable_in_partiql()
        key = execution_key(self._region, execution_id)
        head = (encode(each) for each in (encode_redriven_by(redriven_by) or "", *key))
        return {
            "Statement": (
                f'UPDATE "{self._executions}" SET rd=? '  # noqa: S608 - the table is ours
                f"WHERE pk=? AND sk=? AND {condition.expression}"
            ),
            "Parameters": [*head, *condition.values],
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }

    def _result(self, response: Any, execution_id: ExecutionId) -> MarkResult:
        """A refusal without item is read strongly before it counts."""
        error = response.get("Error")
        if error is None:
            return None
        if error.get("Code") not in REFUSED:
            reason = f"{error.get('Code')}: {error.get('Message')}"
            return WriteUnknown(reason, is_permanent=is_permanent(error.get("Code")))
        try:
            return read_execution(error["Item"]) if error.get("Item") else self._existing(execution_id)
        except ServiceError as unread:
            return unknown(unread)
        except UnknownVersionError as newer:
            return WriteUnknown(str(newer), is_newer=True)
        except (UnreadableItemError, NotFoundError) as missing:
            return WriteUnknown(str(missing), is_permanent=True)

    def _existing(self, execution_id: ExecutionId) -> Execution:
        existing = self._store.get(execution_id)
        if existing is None:
            raise NotFoundError("no such execution")
        return existing

    def _put_batch(self, requests: Sequence[dict[str, Any]]) -> None:
        """Sends unprocessed puts again."""
        left: Any = list(requests)
        for number in range(TRIES):
            if not left:
                return
            if number:
                self._backoff.wait()
            with translated():
                answer = self._client.batch_write_item(RequestItems={self._jobs: left})
            left = answer.get("UnprocessedItems", {}).get(self._jobs, [])
        if left:
            raise UnavailableError("BatchWriteItem left items unprocessed")


def _may_be_retried(result: MarkResult) -> bool:
    return isinstance(result, WriteUnknown) and not (result.is_permanent or result.is_newer)
