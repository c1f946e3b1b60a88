"""The tests of a single value in an event pattern: exact values, and EventBridge's comparison operators.

Each test is compiled once. It takes time that grows with the length of the value alone, also a wildcard: the text
between two asterisks is looked for from left to right, and nothing is tried twice.
"""

from __future__ import annotations

import ipaddress
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError

Accepts = Callable[[object], bool]
Path = tuple[str, ...]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueTest:
    """One entry of the array that a pattern has for a field."""

    accepts: Accepts
    """Of a value that is neither an object nor an array."""
    accepts_absence: bool = False
    is_wildcard: bool = False


def value_test(raw: object, path: Path) -> ValueTest:
    """Compile an entry; InvalidValueError with the path of the fault."""
    if isinstance(raw, Mapping):
        return _operator(raw, path)
    if isinstance(raw, list):
        raise InvalidValueError("an array in an array: name each value or test on its own", path=path)
    return ValueTest(accepts=_equals(raw))


def _operator(raw: Mapping[str, Any], path: Path) -> ValueTest:
    name, argument = _only_member(raw, OPERATORS, path)
    path = (*path, name)
    if name == "exists":
        if not isinstance(argument, bool):
            raise InvalidValueError("exists is true or false", path=path)
        return ValueTest(accepts=_anything if argument else _nothing, accepts_absence=not argument)
    return ValueTest(accepts=_COMPILERS[name](argument, path), is_wildcard=_has_wildcard(name, argument))


def _anything(_value: object) -> bool:
    return True


def _nothing(_value: object) -> bool:
    return False


def _has_wildcard(name: str, argument: object) -> bool:
    return name == "wildcard" or (isinstance(argument, Mapping) and "wildcard" in argument)


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


def _equals(expected: object) -> Accepts:
    """Numbers are equal by their value, so 300 is 3.0e2; everything else only to its own type."""
    if _is_number(expected):
        return lambda value: _is_number(value) and value == expected
    if isinstance(expected, str):
        return lambda value: isinstance(value, str) and value == expected
    return lambda value: value is expected


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(argument: object, path: Path) -> str:
    if not isinstance(argument, str):
        raise InvalidValueError("must be a string", path=path)
    return argument


def _of_text(test: Callable[[str], bool]) -> Accepts:
    return lambda value: isinstance(value, str) and test(value)


def _affix(argument: object, path: Path, has_affix: Callable[[str, str], bool]) -> Accepts:
    if isinstance(argument, Mapping):
        _, inner = _only_member(argument, ("equals-ignore-case",), path)
        folded = _text(inner, (*path, "equals-ignore-case")).casefold()
        return _of_text(lambda value: has_affix(value.casefold(), folded))
    affix = _text(argument, path)
    return _of_text(lambda value: has_affix(value, affix))


def _prefix(argument: object, path: Path) -> Accepts:
    return _affix(argument, path, str.startswith)


def _suffix(argument: object, path: Path) -> Accepts:
    return _affix(argument, path, str.endswith)


def _ignoring_case(argument: object, path: Path) -> Accepts:
    folded = _text(argument, path).casefold()
    return _of_text(lambda value: value.casefold() == folded)


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
    return lambda value: _is_number(value) and all(compare(value, number) for compare, number in bounds)


def _cidr(argument: object, path: Path) -> Accepts:
    text = _text(argument, path)
    try:
        network = ipaddress.ip_network(text, strict=False) if "/" in text else None
    except ValueError:
        network = None
    if network is None:
        raise InvalidValueError("not a block of addresses such as 10.0.0.0/24 or 2001:db8::/32", path=path)
    return _of_text(lambda value: _is_inside(value, network))


def _is_inside(value: str, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    try:
        return ipaddress.ip_address(value) in network
    except ValueError:
        return False


def _anything_but(argument: object, path: Path) -> Accepts:
    """Accepts each value that the inner tests refuse; an absent field is no value."""
    inner: list[Accepts]
    if isinstance(argument, Mapping):
        name, texts = _only_member(argument, _EXCLUDABLE, path)
        path = (*path, name)
        inner = [_COMPILERS[name](text, each) for text, each in _each(texts, path, str, "a string")]
        if name in ("prefix", "suffix") and "" in (texts, *(texts if isinstance(texts, list) else ())):
            raise InvalidValueError("an empty text would exclude each string", path=path)
    else:
        inner = [
            _equals(each) for each, _ in _each(argument, path, str | int | float, "a string or a number")
        ]
    return lambda value: not any(accepts(value) for accepts in inner)


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
    "anything-but": _anything_but,
    "numeric": _numeric,
    "cidr": _cidr,
}
OPERATORS: Final = (*_COMPILERS, "exists")
