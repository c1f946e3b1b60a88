"""Limits in the leases table: a small item for each scope with a state, and the items of the hot scopes.

Attributes of a scope's item: `vn` version, `f` failures, `tp` trips, `ou` open until, `po` and `pu` the
probe, `li` and `la` the limit, `sl` slow, `ls` the leases as text. Default values are left out. An item of
hot scopes has one attribute for each scope, with a prefix.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff, BatchReads
from shared.adapters.dynamodb.codec.attributes import decode, encode_all
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import plain_item
from shared.adapters.dynamodb.codec.keys import hot_scopes_key, item_key, limit_key, parse_limit_pk
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.errors import UnreadableItemError
from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.scopes import ScopeState
from shared.domain.limits.slots import Leases, SlotLease
from shared.names import Attr

READ_TRIES = 2
KEPT_SECONDS = 3_600
_PREFIX = "s:"


class DynamoLimitStore:
    """Reads are eventually consistent (half a unit a scope): the condition of a swap catches stale states."""

    def __init__(self, client: AwsClient, table: str, region: str, backoff: Backoff) -> None:
        self._client = client
        self._table = table
        self._region = region
        self._batch_reads = BatchReads(client, table, backoff, is_strong=False)

    def read(self, scopes: Sequence[str]) -> Mapping[str, ScopeState]:
        """One hot or unreadable item must not hide the other states."""
        states = dict.fromkeys(scopes, ScopeState())
        items, unprocessed = self._batch_reads.read([self._key(scope) for scope in states], READ_TRIES)
        for item in items:
            scope = parse_limit_pk(key_of(item)[0])
            try:
                states[scope] = read_state(item)
            except UnreadableItemError:
                del states[scope]
        for key in unprocessed:
            del states[parse_limit_pk(key_of(key)[0])]
        return states

    def swap(self, scope: str, before: ScopeState, after: ScopeState, now_ms: int) -> ScopeState | None:
        """Versions follow the clock, so an item that expired and came back never repeats one (ABA)."""
        condition: Any = {"ConditionExpression": "attribute_not_exists(pk)"}
        if before.version:
            values = encode_all({":vn": before.version})
            condition = {"ConditionExpression": "vn = :vn", "ExpressionAttributeValues": values}
        version = max(before.version + 1, now_ms)
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item={**self._key(scope), **_item(after, version, now_ms // 1000 + KEPT_SECONDS)},
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                    **condition,
                )
        except ConditionRefused as refused:
            return read_state(refused.items[0]) if refused.items[0] else ScopeState()
        return None

    def hot_scopes(self, parts: Collection[int]) -> Mapping[int, Mapping[str, int]]:
        keys = {hot_scopes_key(self._region, part): part for part in parts}
        items, unprocessed = self._batch_reads.read([item_key(*key) for key in keys], READ_TRIES)
        found: dict[int, Mapping[str, int]] = {part: {} for part in keys.values()}
        for item in items:
            found[keys[key_of(item)]] = read_hot_scopes(item)
        for key in unprocessed:
            del found[keys[key_of(key)]]
        return found

    def note_hot_scopes(self, part: int, until: Mapping[str, int], gone: Sequence[str] = ()) -> None:
        removals = [scope for scope in dict.fromkeys(gone) if scope not in until]
        names = {f"#s{number}": _PREFIX + scope for number, scope in enumerate((*until, *removals))}
        instants = {f":s{number}": instant for number, instant in enumerate(until.values())}
        clauses = []
        if until:
            clauses.append("SET " + ", ".join(f"#s{number} = :s{number}" for number in range(len(until))))
        if removals:
            clauses.append("REMOVE " + ", ".join(list(names)[len(until) :]))
        values: Any = {"ExpressionAttributeValues": encode_all(instants)} if until else {}
        with translated():
            self._client.update_item(
                TableName=self._table,
                Key=item_key(*hot_scopes_key(self._region, part)),
                UpdateExpression=" ".join(clauses),
                ExpressionAttributeNames=names,
                **values,
            )

    def _key(self, scope: str) -> dict[str, Any]:
        return item_key(*limit_key(scope))


def _item(state: ScopeState, version: int, expires_at_s: int) -> dict[str, Any]:
    circuit = state.circuit
    return encode_all(
        {
            Attr.TTL: expires_at_s,
            "v": VERSION,
            "vn": version,
            "f": circuit.failures or None,
            "tp": circuit.trips or None,
            "ou": circuit.open_until or None,
            "po": circuit.prober or None,
            "pu": circuit.probe_until or None,
            "li": circuit.limit,
            "la": circuit.limited_at or None,
            "sl": circuit.slow or None,
            "ls": ";".join(f"{lease.owner}:{lease.slots}:{lease.until}" for lease in state.leases) or None,
        }
    )


def key_of(item: Mapping[str, Any]) -> tuple[str, str]:
    """The partition key and the sort key of an item."""
    return str(decode(item[Attr.PK])), str(decode(item[Attr.SK]))


def read_hot_scopes(item: Mapping[str, Any]) -> dict[str, int]:
    """The instants by scope, from an item of hot scopes."""
    return {
        name.removeprefix(_PREFIX): int(str(decode(value)))
        for name, value in item.items()
        if name.startswith(_PREFIX)
    }


def read_state(item: Any) -> ScopeState:
    plain = plain_item(item)
    circuit = Circuit(
        failures=plain.get("f", 0),
        trips=plain.get("tp", 0),
        open_until=plain.get("ou", 0),
        prober=plain.get("po", ""),
        probe_until=plain.get("pu", 0),
        limit=plain.get("li"),
        limited_at=plain.get("la", 0),
        slow=plain.get("sl", False),
    )
    return ScopeState(version=plain["vn"], circuit=circuit, leases=_read_leases(plain.get("ls", "")))


def _read_leases(text: str) -> Leases:
    fields = (lease.split(":") for lease in text.split(";") if lease)
    return tuple(SlotLease(owner=owner, slots=int(slots), until=int(until)) for owner, slots, until in fields)
