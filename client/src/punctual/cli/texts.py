"""Values as texts for people: control characters are visible, and instants are in the local zone with its offset."""

import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

_UNSAFE = re.compile(
    # Controls (C0, DEL, C1), the marks and orders of direction, other invisible characters that format text, line
    # and paragraph separators, and surrogates.
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escaped(text: str, *, keep: str = "") -> str:
    """The text with visible escapes in the place of characters that a terminal obeys or hides.

    `keep` has the characters that stay, such as a line end.
    """
    return _UNSAFE.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def escaped_json(text: str) -> str:
    """The same for a document in JSON: its value stays the same, since the characters are within its strings."""
    return _UNSAFE.sub(lambda found: found[0] if found[0] == "\n" else _json_escape(found[0]), text)


def is_unsafe(text: str) -> bool:
    """Whether the text has characters that `escaped` would replace."""
    return _UNSAFE.search(text) is not None


def _escape(character: str) -> str:
    code = ord(character)
    short = _SHORT.get(character)
    if short is not None:
        return short
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def local(instant: datetime, zone: tzinfo | None) -> str:
    """An instant such as `2025-02-21 02:30:00 +01:00`; `zone` None is the zone of this machine."""
    try:
        shown = instant.astimezone(zone)
    except OverflowError:  # The last hours of the year 9999.
        shown = instant
    offset = shown.strftime("%z")
    return f"{shown:%Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:5]}"


def text_of(value: Any, zone: tzinfo | None) -> str:
    """Any value of the API in one line."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case datetime():
            return local(value, zone)
        case str():
            return escaped(value)
        case Mapping():
            return ", ".join(f"{escaped(str(name))}: {text_of(each, zone)}" for name, each in value.items())
        case list() | tuple():
            return ", ".join(text_of(each, zone) for each in value)
    return escaped(str(value))
