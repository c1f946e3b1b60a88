"""The tests of a single value in an event pattern: exact values, and EventBridge's comparison operators.

Each test is compiled once, and says how many comparisons it takes with one value. Exact values are looked up in a set,
however many they are. What several tests need of a value is computed once: its address, and its text in lower case. A
wildcard reads a text once: what stands between two asterisks is looked for from left to right, and nothing is tried
twice.
"""

from __future__ import annotations

import ipaddress
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError

Path = tuple[str, ...]
Key = tuple[bool, object]
"""Equal for values that are equal in JSON: numbers by their value, and everything else only to its own type."""
MAX_NUMBER: Final = 10**15
"""Of a numeric test: beyond it, a double has no exact whole numbers with a fraction."""
_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LOWER, _UPPER = (">", ">="), ("<", "<=")
_MAX_ADDRESS = 100
"""Characters. An address of IPv6 has 45 at most, and a zone may follow."""


class Leaf:
    """A value of an event that is neither an object nor an array."""

    def __init__(self, value: object) -> None:
        self.value = value
        self.key = key_of(value)
        self.text = value if isinstance(value, str) else None

    @cached_property
    def folded(self) -> str | None:
        """The text for tests that ignore case; None for another value."""
        return None if self.text is None else self.text.casefold()

    @cached_property
    def address(self) -> tuple[int, int] | None:
        """The version of IP and the number of the address; None for another value."""
        if self.text is None or len(self.text) > _MAX_ADDRESS:
            return None
        try:
            address = ipaddress.ip_address(self.text)
        except ValueError:
            return None
        return address.version, int(address)


Accepts = Callable[[Leaf], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueTest:
    """One entry of the array that a pattern has for a field."""

    accepts: Accepts
    accepts_absence: bool = False
    entries: int = 1
    """Values and tests in it, or 1 if it has none."""
    wildcards: int = 0
    comparisons: int = 1
    """With one value of an event."""


def value_test(raw: object, path: Path) -> ValueTest:
    """Compile an entry; InvalidValueError with the path of the fault."""
    if isinstance(raw, Mapping):
        return _operator(raw, path)
    if isinstance(raw, list):
        raise InvalidValueError("an array in an array: name each value or test on its own", path=path)
    key = key_of(raw)
    return ValueTest(accepts=lambda leaf: leaf.key == key)


def key_of(value: object) -> Key:
    return _is_number(value), value


def _operator(raw: Mapping[str, Any], path: Path) -> ValueTest:
    name, argument = _only_member(raw, OPERATORS, path)
    path = (*path, name)
    if name == "exists":
        if not isinstance(argument, bool):
            raise InvalidValueError("exists is true or false", path=path)
        return ValueTest(accepts=_anything if argument else _nothing, accepts_absence=not argument)
    if name == "anything-but":
        return _anything_but(argument, path)
    return ValueTest(accepts=_COMPILERS[name](argument, path), wildcards=int(name == "wildcard"))


def _anything(_leaf: Leaf) -> bool:
    return True


def _nothing(_leaf: Leaf) -> bool:
    return False


def _only_member(raw: Mapping[str, Any], allowed: Iterable[str], path: Path) -> tuple[str, Any]:
    if len(raw) != 1:
        raise InvalidValueError(
            f"a test has exactly one operator, and this one has {len(raw)}: give each an object of its own",
            path=path,
        )
    ((name, argument),) = raw.items()
    if name not in allowed:
        raise InvalidValueError(f"no such operator here: use {', '.join(allowed)}", path=(*path, name))
    return name, argument


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(argument: object, path: Path) -> str:
    if not isinstance(argument, str):
        raise InvalidValueError("must be a string", path=path)
    return argument


def _of_text(test: Callable[[str], bool]) -> Accepts:
    return lambda leaf: leaf.text is not None and test(leaf.text)


def _of_folded(test: Callable[[str], bool]) -> Accepts:
    return lambda leaf: leaf.folded is not None and test(leaf.folded)


def _affix(argument: object, path: Path, has_affix: Callable[[str, str], bool]) -> Accepts:
    if isinstance(argument, Mapping):
        _, inner = _only_member(argument, ("equals-ignore-case",), path)
        folded = _text(inner, (*path, "equals-ignore-case")).casefold()
        return _of_folded(lambda value: has_affix(value, folded))
    affix = _text(argument, path)
    return _of_text(lambda value: has_affix(value, affix))


def _prefix(argument: object, path: Path) -> Accepts:
    return _affix(argument, path, str.startswith)


def _suffix(argument: object, path: Path) -> Accepts:
    return _affix(argument, path, str.endswith)


def _ignoring_case(argument: object, path: Path) -> Accepts:
    folded = _text(argument, path).casefold()
    return lambda leaf: leaf.folded == folded


def _wildcard(argument: object, path: Path) -> Accepts:
    pieces = wildcard_pieces(_text(argument, path), path)
    return _of_text(lambda value: matches_pieces(value, pieces))


def wildcard_pieces(text: str, path: Path = ()) -> tuple[str, ...]:
    """The literal texts around each asterisk; InvalidValueError for `**` and for an unknown escape."""
    pieces, characters = [""], iter(text)
    before = ""
    for character in characters:
        if character == "*" == before:
            raise InvalidValueError("two asterisks in a row: one of them is enough", path=path)
        before = character
        if character == "*":
            pieces.append("")
            continue
        if character == "\\":
            before = ""
            character = next(characters, "")
            if character not in ("*", "\\"):
                raise InvalidValueError(r"a backslash stands before * or \ only", path=path)
        pieces[-1] += character
    return tuple(pieces)


def matches_pieces(value: str, pieces: Sequence[str]) -> bool:
    """Whether the value has all pieces in order, the first at its start and the last at its end."""
    if len(pieces) == 1:
        return value == pieces[0]
    first, *middle, last = pieces
    if len(value) < len(first) + len(last) or not (value.startswith(first) and value.endswith(last)):
        return False
    at, end = len(first), len(value) - len(last)
    for piece in middle:
        # The leftmost place leaves the most room for what follows: no other place has to be tried.
        at = value.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def _numeric(argument: object, path: Path) -> Accepts:
    if not isinstance(argument, list) or len(argument) not in (2, 4):
        raise InvalidValueError('numeric is one or two comparisons, such as [">", 0, "<=", 5]', path=path)
    pairs = [(argument[0], argument[1], 0), *([(argument[2], argument[3], 2)] if len(argument) == 4 else [])]
    for sign, number, index in pairs:
        if not isinstance(sign, str) or sign not in _COMPARISONS:
            raise InvalidValueError(f"must be one of {' '.join(_COMPARISONS)}", path=(*path, str(index)))
        if not _is_number(number) or not -MAX_NUMBER <= number <= MAX_NUMBER:
            raise InvalidValueError("must be a number of at most 15 digits", path=(*path, str(index + 1)))
    if len(pairs) == 2:
        (low_sign, low, _), (high_sign, high, _) = pairs
        if low_sign not in _LOWER or high_sign not in _UPPER or low >= high:
            raise InvalidValueError(
                "a range has its lower bound first, with > or >=, and then a greater bound with < or <=",
                path=path,
            )
    bounds = tuple((_COMPARISONS[sign], number) for sign, number, _ in pairs)
    return lambda leaf: (
        _is_number(leaf.value) and all(compare(leaf.value, number) for compare, number in bounds)
    )


def _cidr(argument: object, path: Path) -> Accepts:
    text = _text(argument, path)
    try:
        network = ipaddress.ip_network(text, strict=False) if "/" in text else None
    except ValueError:
        network = None
    if network is None:
        raise InvalidValueError("not a block of addresses such as 10.0.0.0/24 or 2001:db8::/32", path=path)
    version, mask, block = network.version, int(network.netmask), int(network.network_address)

    def is_inside(leaf: Leaf) -> bool:
        address = leaf.address
        return address is not None and address[0] == version and address[1] & mask == block

    return is_inside


def _anything_but(argument: object, path: Path) -> ValueTest:
    """Accepts each value that the inner tests refuse; an absent field is no value."""
    if not isinstance(argument, Mapping):
        values = _each(argument, path, str | int | float, "a string or a number")
        keys = frozenset(key_of(value) for value, _ in values)
        return ValueTest(accepts=lambda leaf: leaf.key not in keys, entries=len(values))
    name, texts = _only_member(argument, _EXCLUDABLE, path)
    path = (*path, name)
    inner = [_COMPILERS[name](text, each) for text, each in _each(texts, path, str, "a string")]
    if name in ("prefix", "suffix") and "" in (texts, *(texts if isinstance(texts, list) else ())):
        raise InvalidValueError("an empty text would exclude each string", path=path)
    return ValueTest(
        accepts=lambda leaf: not any(accepts(leaf) for accepts in inner),
        entries=len(inner),
        wildcards=len(inner) if name == "wildcard" else 0,
        comparisons=len(inner),
    )


def _each(argument: object, path: Path, kinds: Any, named: str) -> list[tuple[Any, Path]]:
    """The values of an argument that is one value or an array of them, each with its path."""
    several = isinstance(argument, list)
    values = (
        [(each, (*path, str(index))) for index, each in enumerate(argument)]
        if isinstance(argument, list)
        else []
    )
    values = values if several else [(argument, path)]
    if not values:
        raise InvalidValueError("an empty array excludes nothing", path=path)
    for value, where in values:
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise InvalidValueError(f"must be {named}, or an array of them", path=where)
    return values


_EXCLUDABLE = ("prefix", "suffix", "equals-ignore-case", "wildcard")
_COMPILERS: Final[Mapping[str, Callable[[object, Path], Accepts]]] = {
    "prefix": _prefix,
    "suffix": _suffix,
    "equals-ignore-case": _ignoring_case,
    "wildcard": _wildcard,
    "numeric": _numeric,
    "cidr": _cidr,
}
OPERATORS: Final = (*_COMPILERS, "anything-but", "exists")
