"""Two implementations of claims: one UpdateItem each, or one BatchExecuteStatement for at most 25 claims.

Both write the same conditional change, and both return the claimed item, which contains the request. A refusal
should come with the existing item. A refusal without item is read strongly before it counts, because a claim
whose response was lost looks the same.
"""

from collections.abc import Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff, BatchReads
from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.adapters.dynamodb.codec.conditions import (
    ADMITTED,
    CLAIMABLE,
    RETRIES_GO_ON,
    RETRIES_GO_ON_PARTIQL,
)
from shared.adapters.dynamodb.codec.errors import ConditionRefused, is_permanent, is_throttled, translated
from shared.adapters.dynamodb.codec.items import STATE_CODES, read_execution
from shared.adapters.dynamodb.codec.keys import execution_key, item_key
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.errors import (
    ServiceError,
    ThrottledError,
    UnavailableError,
    UnknownVersionError,
    UnreadableItemError,
)
from shared.domain.executions.execution import GUARDED_FROM, LEASE_MARGIN_MS, Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.names import Attr
from shared.ports.executions import Claim, ClaimRejected, WriteUnknown

MAX_STATEMENTS = 25
REFUSED = {"ConditionalCheckFailed", "ConditionalCheckFailedException"}
ClaimResult = Execution | ClaimRejected | WriteUnknown


def result_of_claimed(item: Any) -> ClaimResult:
    """The claimed execution. An item that cannot be decoded stays claimed until its lease ends."""
    try:
        return read_execution(item)
    except UnreadableItemError as error:
        return WriteUnknown(str(error), is_permanent=True)


def result_of_refused(item: Any, owner: str) -> ClaimResult:
    """A refused claim whose item has the claim's own owner token succeeded earlier: its response was lost.

    No item means that none exists.
    """
    if not item:
        return ClaimRejected(None)
    try:
        existing = read_execution(item)
    except UnknownVersionError as error:
        return WriteUnknown(str(error), is_newer=True)
    except UnreadableItemError as error:
        return WriteUnknown(str(error), is_permanent=True)
    is_own = existing.state is State.RUNNING and existing.progress.owner == owner
    return existing if is_own else ClaimRejected(existing)


def unknown(error: ServiceError) -> WriteUnknown:
    """The result of a request that failed as a whole."""
    return WriteUnknown(
        str(error),
        is_permanent=not isinstance(error, UnavailableError),
        is_throttled=isinstance(error, ThrottledError),
    )


class _RefusedClaims:
    """Strong reads of items that refusals did not show."""

    def __init__(self, client: AwsClient, table: str, region: str, backoff: Backoff) -> None:
        self._batch_reads = BatchReads(client, table, backoff)
        self._region = region

    def read(self, claims: Sequence[Claim]) -> dict[ExecutionId, ClaimResult]:
        """The result of each refused claim by the stored item; at most 100 claims, in one request."""
        if not claims:
            return {}
        keys = {claim.execution_id: self._key(claim) for claim in claims}
        try:
            items, unprocessed = self._batch_reads.read(list(keys.values()))
        except ServiceError as error:
            return {claim.execution_id: unknown(error) for claim in claims}
        stored = {_place(item): item for item in items}
        unread = {_place(key) for key in unprocessed}
        return {
            claim.execution_id: WriteUnknown("BatchGetItem left the refused key unprocessed")
            if _place(keys[claim.execution_id]) in unread
            else result_of_refused(stored.get(_place(keys[claim.execution_id])), claim.owner)
            for claim in claims
        }

    def _key(self, claim: Claim) -> Item:
        return item_key(*execution_key(self._region, claim.execution_id))


def _place(item: Item) -> tuple[object, object]:
    return item[Attr.PK]["S"], item[Attr.SK]["S"]


class UpdateItemClaimer:
    """One request for each claim."""

    def __init__(self, client: AwsClient, table: str, region: str, backoff: Backoff) -> None:
        self._client = client
        self._table = table
        self._region = region
        self._refused_claims = _RefusedClaims(client, table, region, backoff)

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[ClaimResult]:
        return [self._claim(claim, now_ms) for claim in claims]

    def _claim(self, claim: Claim, now_ms: int) -> ClaimResult:
        try:
            with translated():
                answer = self._client.update_item(
                    TableName=self._table,
                    Key=item_key(*execution_key(self._region, claim.execution_id)),
                    UpdateExpression="SET s = :running, ca = tm + :lease, ow = :owner, a = a + :one",
                    ConditionExpression=_condition(claim).format(
                        version=":version", now=":now", retries_go_on=RETRIES_GO_ON
                    ),
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
            if refused.items[0]:
                return result_of_refused(refused.items[0], claim.owner)
            return self._refused_claims.read([claim])[claim.execution_id]
        except ServiceError as error:
            return unknown(error)
        return result_of_claimed(answer["Attributes"])


class BatchStatementClaimer:
    """At most 25 claims per request, each with its own condition, write and result.

    The keys of a call must be distinct: DynamoDB rejects a request with two statements of one key.
    """

    def __init__(self, client: AwsClient, table: str, region: str, backoff: Backoff) -> None:
        self._client = client
        self._table = table
        self._region = region
        self._refused_claims = _RefusedClaims(client, table, region, backoff)

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[ClaimResult]:
        answers: list[ClaimResult] = []
        for start in range(0, len(claims), MAX_STATEMENTS):
            answers += self._claim_batch(claims[start : start + MAX_STATEMENTS], now_ms)
        return answers

    def _claim_batch(self, claims: Sequence[Claim], now_ms: int) -> list[ClaimResult]:
        try:
            with translated():
                answer = self._client.batch_execute_statement(
                    Statements=[self._claim_statement(claim, now_ms) for claim in claims]
                )
        except ServiceError as error:
            return [unknown(error) for _ in claims]
        responses = answer["Responses"]
        pairs = list(zip(responses, claims, strict=True))
        read = self._refused_claims.read([claim for response, claim in pairs if _hides_item(response)])
        return [read.get(claim.execution_id) or _result(response, claim) for response, claim in pairs]

    def _claim_statement(self, claim: Claim, now_ms: int) -> dict[str, Any]:
        pk, sk = execution_key(self._region, claim.execution_id)
        running, lease = STATE_CODES[State.RUNNING], now_ms + LEASE_MARGIN_MS + 1
        condition = _condition(claim).format(version="?", now="?", retries_go_on=RETRIES_GO_ON_PARTIQL)
        return {
            "Statement": (
                f'UPDATE "{self._table}" SET s=? SET ca=tm+? SET ow=? SET a=a+1 '  # noqa: S608 - the table is ours
                f"WHERE pk=? AND sk=? AND {condition} RETURNING ALL NEW *"
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


def _hides_item(response: Any) -> bool:
    """Whether the condition of a statement was refused without the item that it asked for."""
    error = response.get("Error") or {}
    return error.get("Code") in REFUSED and not error.get("Item")


def _result(response: Any, claim: Claim) -> ClaimResult:
    """An error of the statement other than a refused condition leaves the result unknown."""
    error = response.get("Error")
    if error is None:
        return result_of_claimed(response.get("Item", {}))
    if error.get("Code") in REFUSED:
        return result_of_refused(error.get("Item"), claim.owner)
    code = error.get("Code")
    return WriteUnknown(
        f"{code}: {error.get('Message')}",
        is_permanent=is_permanent(code),
        is_throttled=is_throttled(code),
    )
