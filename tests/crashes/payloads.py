"""Large requests, which the jobs table holds: none expires before its work ends, and none stays for ever."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from infra.local.clients import REGION
from shared.adapters.dynamodb.codec.keys import PAYLOAD_PREFIX, execution_key, item_key
from shared.domain.ids import is_recurring_job_id, parse_execution_id
from tests.crashes.deployment import TENANT, Deployment

DAY_SECONDS = 86_400
OPEN_DAYS = 22
"""An open execution is tried for up to a week after its time; its record is kept for two weeks and a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadUse:
    """An execution that sends a separately stored request, which must last at least until then."""

    execution_id: str
    payload_id: str
    until_s: int


class Payloads:
    """The requests that were stored since the run began."""

    def __init__(self, deployment: Deployment) -> None:
        self._clock = deployment.engines.clock
        self._client = deployment.engines.store.client("dynamodb")
        self._tables = deployment.tables
        self.forget()

    def forget(self) -> None:
        """A new run."""
        self._begun_at = self._clock.now_ms()

    def faults(self, records: list[dict[str, Any]]) -> list[str]:
        """What is wrong with the requests of these executions, and with those that no execution names."""
        uses = [use for record in records if (use := self._use(record["id"])) is not None]
        return [*payload_faults(self._stored(), uses)]

    def _use(self, execution_id: str) -> PayloadUse | None:
        location = parse_execution_id(execution_id)
        key = item_key(*execution_key(REGION, location))
        row = self._client.get_item(TableName=self._tables.executions, Key=key, ConsistentRead=True).get(
            "Item"
        )
        if row is None or "pa" not in row:
            return None
        open_until_s = location.dispatch_at // 1000 + OPEN_DAYS * DAY_SECONDS
        until_s = int(row["ttl"]["N"]) if "ttl" in row else open_until_s
        return PayloadUse(execution_id=execution_id, payload_id=row["pa"]["S"], until_s=until_s)

    def _stored(self) -> dict[str, int | None]:
        """By id, when each expires."""
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._tables.jobs,
            FilterExpression="begins_with(pk, :tenant) AND begins_with(sk, :payload) AND st >= :begun",
            ExpressionAttributeValues={
                ":tenant": {"S": f"{TENANT}#{PAYLOAD_PREFIX}"},
                ":payload": {"S": PAYLOAD_PREFIX},
                ":begun": {"N": str(self._begun_at)},
            },
            ConsistentRead=True,
        )
        return {
            item["sk"]["S"].removeprefix(PAYLOAD_PREFIX): int(item["ttl"]["N"]) if "ttl" in item else None
            for page in pages
            for item in page["Items"]
        }


def payload_faults(stored: Mapping[str, int | None], uses: list[PayloadUse]) -> Iterator[str]:
    """`stored` is by id, when each expires; None: not at all."""
    for use in uses:
        if use.payload_id not in stored:
            yield f"payload: {use.execution_id} sends {use.payload_id}, which is gone"
        elif (expires_at_s := stored[use.payload_id]) is not None and expires_at_s < use.until_s:
            yield f"payload: {use.payload_id} expires before {use.execution_id} does"
    for payload_id, expires_at_s in stored.items():
        # The reconciler collects the request of a recurring job a week after no definition names it any more.
        if expires_at_s is None and not is_recurring_job_id(payload_id.partition(".")[0]):
            yield f"payload: {payload_id} stays for ever"
