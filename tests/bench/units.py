"""DynamoDB's write units by AWS's rules, for what no engine counts: statements of PartiQL and refused conditions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Item = Mapping[str, Mapping[str, Any]]
UNIT_BYTES = 1_024
_NESTED_BYTES = 3
"""The overhead of a list or map; each of its members has one byte more."""
_KEY_OF_UPDATE = " WHERE pk=? AND sk=?"
_INSERTED = re.compile(r"'(\w+)': \?")
_TABLE = re.compile(r'(?:UPDATE|INTO) "([^"]+)"')


@dataclass(frozen=True, slots=True)
class IndexShape:
    """The key of an index, and the attributes that its entries have beside the keys."""

    key: tuple[str, ...]
    projected: tuple[str, ...]

    def entry_of(self, item: Item | None) -> Item | None:
        """The entry of an item; None for an item without a part of the key."""
        if item is None or any(name not in item for name in self.key):
            return None
        names = {"pk", "sk", *self.key, *self.projected}
        return {name: value for name, value in item.items() if name in names}

    def units(self, before: Item | None, after: Item | None) -> int:
        """What a write costs here: nothing where the entry stays, and two writes where its key changes."""
        old, new = self.entry_of(before), self.entry_of(after)
        if old == new:
            return 0
        if old is not None and new is not None and any(old[name] != new[name] for name in self.key):
            return units_of(old) + units_of(new)
        return max(units_of(entry) for entry in (old, new) if entry is not None)


def write_units(before: Item | None, after: Item | None, indexes: Sequence[IndexShape]) -> int:
    """The units of one write that was made: the larger of both items, and each index."""
    own = max(units_of(item) for item in (before or {}, after or {}))
    return own + sum(index.units(before, after) for index in indexes)


def units_of(item: Item) -> int:
    """The write units of an item of this size; a refused condition costs those of the existing item."""
    return max(1, -(-item_bytes(item) // UNIT_BYTES))


def item_bytes(item: Item) -> int:
    """The size of an item, names included."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, raw),) = value.items()
    match kind:
        case "S":
            return len(raw.encode())
        case "B":
            return len(raw)
        case "N":
            return -(-len(raw.strip("-").rstrip("0").replace(".", "")) // 2) + 1
        case "L":
            return _NESTED_BYTES + sum(1 + _value_bytes(member) for member in raw)
        case "M":
            return _NESTED_BYTES + sum(
                1 + len(name.encode()) + _value_bytes(each) for name, each in raw.items()
            )
        case _:
            return 1


def inserted_by(statement: Mapping[str, Any]) -> Item:
    """The item of an INSERT; an empty one for an UPDATE, which changes the stored item by little."""
    if not statement["Statement"].startswith("INSERT"):
        return {}
    return dict(zip(_INSERTED.findall(statement["Statement"]), statement["Parameters"], strict=True))


def place_of(statement: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The table and the key that a statement of the product writes."""
    text, parameters = statement["Statement"], statement["Parameters"]
    match = _TABLE.search(text)
    assert match is not None, text
    inserted = inserted_by(statement)
    first = text.partition(_KEY_OF_UPDATE)[0].count("?")
    pk, sk = (inserted["pk"], inserted["sk"]) if inserted else parameters[first : first + 2]
    return match[1], {"pk": pk, "sk": sk}
