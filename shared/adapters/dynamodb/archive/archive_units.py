"""The units of the archive that are not sealed, in the leases table.

A unit has `vn` version, `np` next pass, `sf` sealable from, `ps` passes, `ct` counter of late puts, `cs` since when a
pass has seen it, `lu` end of its lease, and `sl` where it is sealed. A closed unit that had a counter leaves a row
with `ct` beside the counters of late puts. The item `looked-up` has the tenant `tn`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.archive_keys import (
    ARCHIVE_UNITS,
    archive_planned_key,
    archive_unit_key,
    looked_up_key,
    parse_archive_sk,
    sealed_counter_key,
)
from shared.adapters.dynamodb.codec.attributes import Plain, decode_all, encode, encode_all
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.recurrence_fields import encode_counts, read_counts
from shared.domain.archive.schedule import UnitState
from shared.domain.archive.unit import ArchiveUnit
from shared.names import ARCHIVER_TIMEOUT_SECONDS, Attr
from shared.ports.archive import PlanMark

LEASE_MS = (ARCHIVER_TIMEOUT_SECONDS + 30) * 1_000
"""Longer than an invocation: while one passes a unit, no other begins to."""
KEPT_SECONDS = 60 * 86_400
"""Of a counter with which a unit was sealed: longer than the counter itself is kept after its last change."""


class DynamoArchiveUnits:
    """A unit that is listed again begins with another version: versions begin with an instant."""

    def __init__(self, client: AwsClient, table: str, region: str) -> None:
        self._client = client
        self._table = table
        self._region = region

    def planned(self) -> PlanMark | None:
        row = self._row(archive_planned_key(self._region))
        return PlanMark(hour=row["th"], recorded=read_counts(row["sn"])) if row is not None else None

    def note_planned(self, mark: PlanMark) -> None:
        self._update(
            archive_planned_key(self._region),
            "SET th = :hour, sn = :counts",
            "attribute_not_exists(th) OR th <= :hour",
            {":hour": mark.hour, ":counts": encode_counts(mark.recorded)},
        )

    def open(
        self, unit: ArchiveUnit, *, next_pass_at: int, sealable_from: int, is_passed: bool = False
    ) -> None:
        self._update(
            archive_unit_key(self._region, unit),
            "SET vn = :version, np = :np, sf = :sf, ps = :ps",
            "attribute_not_exists(vn)",
            {":version": sealable_from, ":np": next_pass_at, ":sf": sealable_from, ":ps": int(is_passed)},
        )

    def listed(self) -> list[UnitState]:
        pk, _ = archive_planned_key(self._region)
        return [_state(row) for row in self._rows(pk)]

    def take(self, state: UnitState, now_ms: int) -> UnitState | None:
        row = self._update(
            archive_unit_key(self._region, state.unit),
            "SET vn = vn + :one, lu = :until",
            "vn = :before AND (attribute_not_exists(lu) OR lu <= :now)",
            {":one": 1, ":until": now_ms + LEASE_MS, ":now": now_ms, ":before": state.version},
        )
        return _state(row) if row is not None else None

    def record(
        self, lease: UnitState, *, next_pass_at: int, counter: int | None, counter_since: int | None
    ) -> bool:
        values: dict[str, Plain] = {":np": next_pass_at}
        sets, removed = "np = :np, ps = ps + :one", "lu"
        if counter is not None and counter_since is not None:
            sets += ", ct = :ct, cs = :cs"
            values |= {":ct": counter, ":cs": counter_since}
        else:
            removed += ", ct, cs"
        return self._change(lease, f"SET {sets}, vn = vn + :one REMOVE {removed}", values) is not None

    def seal(self, lease: UnitState, counter: int | None) -> bool:
        values: dict[str, Plain] = {":yes": True}
        sets = "sl = :yes, ps = ps + :one"
        if counter is not None:
            sets += ", ct = :ct"
            values[":ct"] = counter
        return self._change(lease, f"SET {sets}, vn = vn + :one REMOVE lu", values) is not None

    def reopen(self, sealed: UnitState, *, next_pass_at: int) -> None:
        self._change(sealed, "SET np = :np, vn = vn + :one REMOVE sl", {":np": next_pass_at})

    def close(self, sealed: UnitState, now_ms: int) -> None:
        """The counter is kept first: after a crash in between, the unit is closed once more."""
        if sealed.counter is not None:
            kept = encode_all({"ct": sealed.counter, Attr.TTL: now_ms // 1000 + KEPT_SECONDS})
            key = item_key(*sealed_counter_key(self._region, sealed.unit))
            with translated():
                self._client.put_item(TableName=self._table, Item={**key, **kept})
        try:
            with translated():
                self._client.delete_item(
                    TableName=self._table,
                    Key=item_key(*archive_unit_key(self._region, sealed.unit)),
                    ConditionExpression="vn = :before",
                    ExpressionAttributeValues={":before": encode(sealed.version)},
                )
        except ConditionRefused:
            return

    def sealed_counters(self) -> Mapping[ArchiveUnit, int]:
        pk, _ = sealed_counter_key(self._region, ArchiveUnit(hour=0, group=0))
        return {parse_archive_sk(row[Attr.SK]): row["ct"] for row in self._rows(pk)}

    def looked_up_to(self) -> str | None:
        row = self._row(looked_up_key(self._region))
        return str(row["tn"]) if row is not None else None

    def note_looked_up(self, last: str, *, after: str | None) -> None:
        values: dict[str, Plain] = {":last": last}
        condition = "attribute_not_exists(tn)"
        if after is not None:
            values[":after"], condition = after, "tn = :after"
        self._update(looked_up_key(self._region), "SET tn = :last", condition, values)

    def _row(self, key: tuple[str, str]) -> Any:
        with translated():
            answer = self._client.get_item(TableName=self._table, Key=item_key(*key), ConsistentRead=True)
        return decode_all(answer["Item"]) if "Item" in answer else None

    def _change(self, state: UnitState, expression: str, values: Mapping[str, Plain]) -> Any:
        """On condition that the unit has not changed since."""
        needed = {":one": 1, ":before": state.version, **values}
        return self._update(archive_unit_key(self._region, state.unit), expression, "vn = :before", needed)

    def _rows(self, pk: str) -> Iterator[dict[str, Any]]:
        """The rows of units in a partition, in order."""
        start: Any = {}
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self._table,
                    KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                    ExpressionAttributeValues={":pk": {"S": pk}, ":prefix": {"S": ARCHIVE_UNITS}},
                    ConsistentRead=True,
                    **start,
                )
            yield from (dict(decode_all(item)) for item in answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _update(
        self, key: tuple[str, str], expression: str, condition: str, values: Mapping[str, Plain]
    ) -> dict[str, Any] | None:
        """The row after the change; None where the condition was refused."""
        try:
            with translated():
                answer = self._client.update_item(
                    TableName=self._table,
                    Key=item_key(*key),
                    UpdateExpression=expression,
                    ConditionExpression=condition,
                    ExpressionAttributeValues={name: encode(value) for name, value in values.items()},
                    ReturnValues="ALL_NEW",
                )
        except ConditionRefused:
            return None
        return dict(decode_all(answer["Attributes"]))


def _state(row: Mapping[str, Any]) -> UnitState:
    return UnitState(
        unit=parse_archive_sk(row[Attr.SK]),
        version=row["vn"],
        next_pass_at=row["np"],
        sealable_from=row["sf"],
        passes=row["ps"],
        counter=row.get("ct"),
        counter_since=row.get("cs"),
        sealed=row.get("sl", False),
    )
