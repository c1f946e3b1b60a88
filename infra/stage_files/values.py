"""Kinds of values in a stage file. Each is read, or refused with one sentence that says what to write instead."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from ipaddress import ip_address, ip_network
from typing import Any

MOST_SHOWN = 60
"""Characters of a value that a message repeats."""
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_METADATA = (ip_address("169.254.169.254"), ip_address("169.254.170.2"), ip_address("fd00:ec2::254"))
"""Services that give the credentials of a function to anyone who can call them."""
_TAG_TEXT = re.compile(r"[\w .:/=+@-]*")
_RESERVED_TAG = re.compile(r"(aws|punctual):", re.IGNORECASE)
MOST_TAGS = 49
"""CloudFormation accepts 50 for a stack, and one names the stage."""


class StageFileError(Exception):
    """A stage that cannot be deployed. The message is one sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a file, such as `lanes.standard` of `stages/prod.toml`."""

    file: str
    path: str = ""
    is_secret: bool = False
    """Whether no message may repeat the value."""

    def below(self, name: str) -> "Key":
        shown = name if _BARE_KEY.fullmatch(name) else _shown(name)
        return replace(self, path=f"{self.path}.{shown}" if self.path else shown)

    def number(self, position: int) -> "Key":
        """An item of a list, counted from one as a reader does."""
        return replace(self, path=f"{self.path}[{position}]")

    def error(self, rule: str) -> StageFileError:
        return StageFileError(f"{self.file}: {self.path} {rule}")

    def wrong(self, expected: str, given: object) -> StageFileError:
        """Of a value: what it is to be, and what it is."""
        return self.error(f"is {expected}" + ("" if self.is_secret else f", not {_shown(given)}"))

    def unknown(self, name: str, known: Iterable[str]) -> StageFileError:
        """Of a key that this table does not have, with the key that was probably meant."""
        close = get_close_matches(name, known, n=1)
        if close:
            advice = f"write {self.below(close[0]).path}"
        elif self.path:
            advice = f"remove it, or write one of {', '.join(known)}"
        else:
            advice = "remove it, or write one of those in docs/operations/configure.md"
        return StageFileError(f"{self.file}: there is no key {self.below(name).path}: {advice}")


Kind = Callable[[Key, object], Any]
"""Reads a value; StageFileError for a wrong one."""


def flag(key: Key, value: object) -> bool:
    if not isinstance(value, bool):
        raise key.wrong("true or false", value)
    return value


def text(key: Key, value: object) -> str:
    """Any text. The value that takes the text knows which it accepts."""
    if not isinstance(value, str):
        raise key.wrong('a text in quotes, such as "..."', value)
    return value


def matching(pattern: str, expected: str) -> Kind:
    compiled = re.compile(pattern, re.ASCII)

    def read(key: Key, value: object) -> str:
        if not isinstance(value, str) or not compiled.fullmatch(value):
            raise key.wrong(expected, value)
        return value

    return read


def one_of(*choices: str) -> Kind:
    quoted = [json.dumps(choice) for choice in choices]
    expected = f"{', '.join(quoted[:-1])} or {quoted[-1]}"

    def read(key: Key, value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise key.wrong(expected, value)
        return value

    return read


def whole(least: int, most: int) -> Kind:
    def read(key: Key, value: object) -> int:
        if type(value) is not int or not least <= value <= most:
            raise key.wrong(f"a whole number from {least} to {most}", value)
        return value

    return read


def list_of(kind: Kind) -> Kind:
    def read(key: Key, value: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise key.wrong('a list, such as ["..."]', value)
        return tuple(kind(key.number(position), each) for position, each in enumerate(value, 1))

    return read


def secret(kind: Kind) -> Kind:
    """A value that no message repeats."""
    return lambda key, value: kind(replace(key, is_secret=True), value)


def network(key: Key, value: object) -> str:
    """A network that calls may reach."""
    given = text(key, value)
    try:
        found = ip_network(given)
    except ValueError:
        raise key.wrong(
            'a network, such as "10.20.0.0/16", with zeros after the network\'s part', value
        ) from None
    if any(each in found for each in _METADATA):
        raise key.wrong(
            "a network without the addresses of metadata services, which give credentials away", value
        )
    return given


def host(key: Key, value: object) -> str:
    """A host name, as the functions compare it with those of targets."""
    pattern = r"(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*"
    found: str = matching(pattern, 'a host name in lower case, such as "api.example.com"')(key, value)
    return found


def tags(key: Key, value: object) -> tuple[tuple[str, str], ...]:
    """Names and values as CloudFormation accepts them."""
    if not isinstance(value, Mapping):
        raise key.wrong("a table of names and texts", value)
    if len(value) > MOST_TAGS:
        raise key.error(f"has at most {MOST_TAGS} tags, not {len(value)}")
    found = {}
    for name, given in value.items():
        tag = key.below(name)
        if not 1 <= len(name) <= 128 or not _TAG_TEXT.fullmatch(name) or _RESERVED_TAG.match(name):
            raise tag.error(
                "is no name of a tag: write 1 to 128 letters, digits, spaces and _.:/=+-@, and begin it with neither "
                "aws: nor punctual:"
            )
        if not isinstance(given, str) or len(given) > 256 or not _TAG_TEXT.fullmatch(given):
            raise tag.wrong("a text of at most 256 letters, digits, spaces and _.:/=+-@", given)
        found[name] = given
    return tuple(sorted(found.items()))


def table(
    make: Callable[..., Any], needed: Mapping[str, Kind], more: Mapping[str, Kind] | None = None
) -> Kind:
    """A table that is read as one value; all keys of `needed` must be there, and those of `more` may be."""
    kinds = {**needed, **(more or {})}

    def read(key: Key, value: object) -> Any:
        if not isinstance(value, Mapping):
            raise key.wrong(f"a table with {', '.join(needed or kinds)}", value)
        for name in value:
            if name not in kinds:
                raise key.unknown(name, kinds)
        given = {name: kinds[name](key.below(name), each) for name, each in value.items()}
        for name in needed:
            if name not in given:
                raise key.below(name).error("is missing: add it")
        try:
            return make(**given)
        except ValueError as error:
            raise key.error(f"is refused: {error}") from None

    return read


def _shown(value: object) -> str:
    """A value as the file has it, on one line and not too long."""
    match value:
        case Mapping():
            return "a table"
        case list():
            return "a list"
        case bool() | str() | int() | float():
            # JSON writes these as TOML does, and escapes control characters.
            shown = json.dumps(value)
            return shown if len(shown) <= MOST_SHOWN else f"{shown[: MOST_SHOWN - 3]}..."
        case _:
            return str(value)
