"""Two implementations of claims: one UpdateItem each, or one BatchExecuteStatement for at most 25 claims.

Both write the same conditional change, and both return the claimed item, which contains the request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.codec.attributes import encode
from shared.adapters.dynamodb.codec.conditions import ADMITTED, CLAIMABLE
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import STATE_CODES, read_execution
from shared.adapters.dynamodb.codec.keys import execution_key, item_key
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.executions.execution import GUARDED_FROM, LEASE_MARGIN_MS, Execution
from shared.domain.executions.states import State
from shared.ports.executions import Claim, ClaimRejected, WriteUnknown

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MAX_STATEMENTS = 25
_REFUSED = {"ConditionalCheckFailed", "ConditionalCheckFailedException"}
ClaimResult = Execution | ClaimRejected | WriteUnknown


def result_of_claimed(item: Any) -> ClaimResult:
    """The claimed execution. An item that cannot be decoded stays claimed until its lease ends."""
    try:
        return read_execution(item)
    except UnreadableItemError as error:
        return WriteUnknown(str(error))


def result_of_refused(item: Any, owner: str) -> ClaimResult:
    """A refused claim whose item has the claim's own owner token succeeded earlier: its response was lost."""
    if not item:
        return ClaimRejected(None)
    try:
        existing = read_execution(item)
    except UnreadableItemError as error:
        return WriteUnknown(str(error))
    is_own = existing.state is State.RUNNING and existing.progress.owner == owner
    return existing if is_own else ClaimRejected(existing)


class UpdateItemClaimer:
    """One request for each claim."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[ClaimResult]:
        return [self._claim(claim, now_ms) for claim in claims]

    def _claim(self, claim: Claim, now_ms: int) -> ClaimResult:
        try:
            with translated():
                answer = self._client.update_item(
                    TableName=self._table,
                    Key=item_key(*execution_key(self._region, claim.execution_id)),
                    UpdateExpression="SET s = :running, ca = tm + :lease, ow = :owner, a = a + :one",
                    ConditionExpression=_condition(claim).format(version=":version", now=":now"),
                    ExpressionAttributeValues={
                        ":running": encode(STATE_CODES[State.RUNNING]),
                        ":lease": encode(now_ms + LEASE_MARGIN_MS + 1),
                        ":owner": encode(claim.owner),
                        ":one": encode(1),
                        ":version": encode(VERSION),
                        ":now": encode(_claimable_by(claim, now_ms)),
                    },
                    ReturnValues="ALL_NEW",
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            return result_of_refused(refused.items[0], claim.owner)
        except UnavailableError as error:
            return WriteUnknown(str(error))
        return result_of_claimed(answer["Attributes"])


class BatchStatementClaimer:
    """At most 25 claims per request, each with its own condition, write and result."""

    def __init__(self, client: DynamoDBClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[ClaimResult]:
        answers: list[ClaimResult] = []
        for start in range(0, len(claims), MAX_STATEMENTS):
            answers += self._claim_batch(claims[start : start + MAX_STATEMENTS], now_ms)
        return answers

    def _claim_batch(self, claims: Sequence[Claim], now_ms: int) -> list[ClaimResult]:
        try:
            with translated():
                answer = self._client.batch_execute_statement(
                    Statements=[self._claim_statement(claim, now_ms) for claim in claims]  # type: ignore[misc]
                )
        except UnavailableError as error:
            return [WriteUnknown(str(error)) for _ in claims]
        return [_read(response, claim) for response, claim in zip(answer["Responses"], claims, strict=True)]

    def _claim_statement(self, claim: Claim, now_ms: int) -> dict[str, Any]:
        pk, sk = execution_key(self._region, claim.execution_id)
        running, lease = STATE_CODES[State.RUNNING], now_ms + LEASE_MARGIN_MS + 1
        return {
            "Statement": (
                f'UPDATE "{self._table}" SET s=? SET ca=tm+? SET ow=? SET a=a+1 '  # noqa: S608 - the table is ours
                f"WHERE pk=? AND sk=? AND {_condition(claim).format(version='?', now='?')} RETURNING ALL NEW *"
            ),
            "Parameters": [
                encode(value)
                for value in (running, lease, claim.owner, pk, sk, VERSION, _claimable_by(claim, now_ms))
            ],
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }


def _condition(claim: Claim) -> str:
    return ADMITTED if claim.admitted else CLAIMABLE


def _claimable_by(claim: Claim, now_ms: int) -> int:
    return GUARDED_FROM if claim.admitted else now_ms


def _read(response: Any, claim: Claim) -> ClaimResult:
    """An error of the statement other than a refused condition leaves the result unknown."""
    error = response.get("Error")
    if error is None:
        return result_of_claimed(response.get("Item", {}))
    if error.get("Code") in _REFUSED:
        return result_of_refused(error.get("Item"), claim.owner)
    return WriteUnknown(f"{error.get('Code')}: {error.get('Message')}")
