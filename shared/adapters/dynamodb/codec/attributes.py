"""DynamoDB attribute values, for the few types that the items use."""

from base64 import b64decode
from collections.abc import Mapping

Plain = str | int | bool | bytes | dict[str, "Plain"] | list["Plain"]
Value = Mapping[str, object]
Item = dict[str, Value]


def encode(value: Plain) -> Value:
    """Encode a value for the low-level API."""
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, int):
        return {"N": str(value)}
    if isinstance(value, bytes):
        return {"B": value}
    if isinstance(value, list):
        return {"L": [encode(member) for member in value]}
    return {"M": encode_all(value)}


def encode_all(values: Mapping[str, Plain | None]) -> Item:
    """Encode an item; attributes with the value None are left out."""
    return {name: encode(value) for name, value in values.items() if value is not None}


def decode(value: Value) -> Plain:
    """ValueError for types that no item of the project has.

    Every attribute of every row passes here: chains of `if` are faster than a `match`.
    """
    ((kind, raw),) = value.items()
    if isinstance(raw, str):
        if kind == "S":
            return raw
        if kind == "N":
            return int(raw)
        if kind == "B":
            # JSON spells bytes in base64; boto3 decodes them.
            return b64decode(raw, validate=True)
    elif (isinstance(raw, bool) and kind == "BOOL") or (isinstance(raw, bytes) and kind == "B"):
        return raw
    elif isinstance(raw, list) and kind == "L":
        return [decode(member) for member in raw]
    elif isinstance(raw, dict) and kind == "M":
        return decode_all(raw)
    raise ValueError(f"unexpected attribute type {kind}")


def decode_all(item: Mapping[str, Value]) -> dict[str, Plain]:
    plain: dict[str, Plain] = {}
    for name, value in item.items():
        ((kind, raw),) = value.items()
        # Most attributes of a row are texts, which need no call.
        plain[name] = raw if kind == "S" and isinstance(raw, str) else decode(value)
    return plain


def is_same(stored: Mapping[str, Value] | None, written: Mapping[str, Value]) -> bool:
    """Whether an item that a refused condition shows is the one that the refused request wrote.

    The transport repeats a write whose answer was lost, and the repetition is refused.
    """
    return stored is not None and decode_all(stored) == decode_all(written)
