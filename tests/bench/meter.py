"""Counts what AWS would bill for the calls of a process."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.adapters.aws.errors import AwsError
from shared.names import PROJECTED
from tests.bench.units import IndexShape, inserted_by, place_of, units_of, write_units
from tests.support.aws_steps import Call, Parsed
from tests.support.conformance.tables import INDEXES

_READS = ("GetItem", "BatchGetItem", "Query", "Scan")
_STATEMENTS = ("BatchExecuteStatement", "ExecuteStatement")
_LEASE = "budget#"
_REFUSALS = ("ConditionalCheckFailed", "DuplicateItem")
_SHAPES = {
    table: [IndexShape(key, PROJECTED[name]) for name, key in indexes.items()]
    for table, indexes in INDEXES.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What was counted. Units are those of DynamoDB."""

    write_units: float = 0.0
    """Without `lease_units`."""
    lease_units: float = 0.0
    """Write units of the leases of quotas. They follow the time that passes, and not the jobs alone."""
    refused_units: float = 0.0
    """Write units of conditions that were refused, which AWS bills as well."""
    read_units: float = 0.0
    dynamodb: float = 0.0
    """Requests."""
    sqs: float = 0.0
    """Requests, those of the event sources included."""
    log_bytes: float = 0.0

    def less(self, other: "Bill", count: int) -> "Bill":
        """What came since, for each of so many."""
        return Bill(**{name: (getattr(self, name) - getattr(other, name)) / count for name in FIELDS})


FIELDS = tuple(Bill.__dataclass_fields__)


@dataclass(slots=True)
class Meter:
    """Stands between the clients of the product and their transport. `raw` is a client that it does not count."""

    raw: Any
    counted: Counter[str] = field(default_factory=Counter)
    sent: list[dict[str, Any]] = field(default_factory=list)
    """The messages that were sent since they were last taken."""

    def bill(self) -> Bill:
        """Everything so far."""
        return Bill(**{name: self.counted[name] for name in FIELDS})

    def step(self, service: str, operation: str, params: Parsed, call: Call) -> Parsed:
        """Make a call, and count it."""
        if service in ("dynamodb", "sqs"):
            self.counted[service] += 1
        if operation == "SendMessageBatch":
            self.sent += params["Entries"]
        if service != "dynamodb":
            return call(params)
        if operation in _STATEMENTS:
            return self._statements(params, call)
        try:
            answer = call(params | {"ReturnConsumedCapacity": "TOTAL"})
        except AwsError as error:
            self.counted["refused_units"] += _refused_units(error.response)
            raise
        consumed = answer.get("ConsumedCapacity") or []
        kind = "read_units" if operation in _READS else "write_units"
        if operation == "UpdateItem" and params["Key"]["pk"]["S"].startswith(_LEASE):
            kind = "lease_units"
        for part in consumed if isinstance(consumed, list) else [consumed]:
            self.counted[kind] += part["CapacityUnits"]
        return answer

    def note(self, service: str, operation: str, params: Parsed, call: Call) -> Parsed:
        """Make a call, and keep the messages that it sends; nothing is counted."""
        if operation == "SendMessageBatch":
            self.sent += params["Entries"]
        return call(params)

    def _statements(self, params: Parsed, call: Call) -> Parsed:
        """No engine counts statements: their units follow from the items before and after."""
        statements = params.get("Statements") or [params]
        places = [place_of(statement) for statement in statements]
        before = [self._stored(*place) for place in places]
        answer = call(params)
        responses: Sequence[Mapping[str, Any]] = answer.get("Responses") or [{}]
        answered = zip(statements, places, before, responses, strict=True)
        for statement, (table, key), old, response in answered:
            code = str(response.get("Error", {}).get("Code", ""))
            if code.removesuffix("Exception") in _REFUSALS:
                # The larger of the stored and the sent item is billed.
                self.counted["refused_units"] += max(units_of(old or {}), units_of(inserted_by(statement)))
            elif not code:
                shapes = _SHAPES.get(table.split("-")[0], [])
                self.counted["write_units"] += write_units(old, self._stored(table, key), shapes)
        return answer

    def _stored(self, table: str, key: dict[str, Any]) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self.raw.get_item(TableName=table, Key=key, ConsistentRead=True).get(
            "Item"
        )
        return found


def _refused_units(response: Mapping[str, Any]) -> int:
    """Of a single write, or of all members of a transaction that one refused, which cost double."""
    code = str(response["Error"]["Code"])
    if code == "TransactionCanceledException":
        reasons = response.get("CancellationReasons") or []
        return 2 * sum(units_of(reason.get("Item") or {}) for reason in reasons)
    if code.removesuffix("Exception") in _REFUSALS:
        return units_of(response.get("Item") or {})
    return 0
