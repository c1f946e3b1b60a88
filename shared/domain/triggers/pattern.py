"""Event patterns in the language of Amazon EventBridge, compiled once and matched against JSON events.

A pattern is an object with the fields that an event must have. Each field has an array of values and tests, of which
one must accept the event's value. The members of an object must all match; of the objects in `$or`, one must.

An array in an event matches by any of its elements. The members of one object in the pattern match the same element
of an array of objects, as in Event Ruler. Only a `$or` differs there: its alternatives choose elements of arrays
further down for themselves. A test `exists: false` looks at all elements.

A match takes up to as many comparisons as the pattern has parts, times the parts of the event. So all patterns of an
event share a budget of comparisons.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any, Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.triggers.value_tests import Key, Leaf, Path, ValueTest, key_of, value_test

MAX_PATTERN_BYTES: Final = 4_096
"""Of a pattern as compact JSON in UTF-8."""
MAX_DEPTH: Final = 10
MAX_TESTS: Final = 200
"""Values and tests of one pattern, with those inside `anything-but`."""
MAX_WILDCARDS: Final = 20
MAX_COMPARISONS: Final = 1_000_000
"""Of one event with the patterns of all triggers: about a second."""
_TEXT_UNIT: Final = 8
"""Characters of a text that count as a comparison where a test reads all of it."""
OR: Final = "$or"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    path: Path
    """Of the field in an event."""
    values: frozenset[Key]
    """The exact values."""
    tests: tuple[ValueTest, ...]
    accepts_absence: bool
    comparisons: int
    """With one value of an event."""
    readings: int
    """How often the whole of a text is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Object:
    members: tuple[tuple[str, _Object | _Field], ...]
    alternatives: tuple[_Object, ...]
    """Of its `$or`; empty without one."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern."""

    root: _Object


def encode_pattern(document: Mapping[str, Any]) -> str:
    """The stored form of a pattern; InvalidValueError, with a path from `pattern`, for one that is none."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    size = len(text.encode())
    if size > MAX_PATTERN_BYTES:
        raise InvalidValueError(
            f"a pattern has at most {MAX_PATTERN_BYTES} bytes, not {size}", path=("pattern",)
        )
    compiled(text)
    return text


@lru_cache(maxsize=512)
def compiled(text: str) -> Pattern:
    """The pattern of a stored form; InvalidValueError."""
    return Pattern(_Compiler().compile_object(json.loads(text), ("pattern",), ()))


@dataclass(slots=True)
class _Compiler:
    tests: int = 0
    wildcards: int = 0

    def compile_object(self, raw: object, path: Path, fields: Path) -> _Object:
        if not isinstance(raw, Mapping):
            raise InvalidValueError("must be an object", path=path)
        if not raw:
            raise InvalidValueError("an empty object matches nothing in particular: name a field", path=path)
        if len(path) > 2 * MAX_DEPTH + 1 or len(fields) >= MAX_DEPTH:
            raise InvalidValueError(f"a pattern is at most {MAX_DEPTH} objects deep", path=path)
        members = [
            (name, self._member(each, (*path, name), (*fields, name)))
            for name, each in raw.items()
            if name != OR
        ]
        alternatives = self._alternatives(raw[OR], (*path, OR), fields) if OR in raw else ()
        return _Object(members=tuple(members), alternatives=alternatives)

    def _member(self, raw: object, path: Path, fields: Path) -> _Object | _Field:
        if isinstance(raw, Mapping):
            return self.compile_object(raw, path, fields)
        if not isinstance(raw, list):
            raise InvalidValueError("must be an object, or an array of values and tests", path=path)
        if not raw:
            raise InvalidValueError("an empty array matches no event: name a value or a test", path=path)
        entries = [(each, self._test(each, (*path, str(index)))) for index, each in enumerate(raw)]
        tests = tuple(test for each, test in entries if isinstance(each, Mapping))
        wildcards = sum(test.wildcards for test in tests)
        return _Field(
            path=fields,
            values=frozenset(key_of(each) for each, _ in entries if not isinstance(each, Mapping)),
            tests=tests,
            accepts_absence=any(test.accepts_absence for test in tests),
            comparisons=1 + sum(test.comparisons for test in tests),
            # A text is also read once for all tests that ignore case or take it for an address.
            readings=wildcards + bool(tests),
        )

    def _alternatives(self, raw: object, path: Path, fields: Path) -> tuple[_Object, ...]:
        if not isinstance(raw, list) or len(raw) < 2:
            raise InvalidValueError("$or is an array of at least two objects", path=path)
        return tuple(self.compile_object(each, (*path, str(index)), fields) for index, each in enumerate(raw))

    def _test(self, raw: object, path: Path) -> ValueTest:
        test = value_test(raw, path)
        self.tests += test.entries
        self.wildcards += test.wildcards
        if self.tests > MAX_TESTS:
            raise InvalidValueError(f"a pattern has at most {MAX_TESTS} values and tests", path=path)
        if self.wildcards > MAX_WILDCARDS:
            raise InvalidValueError(f"a pattern has at most {MAX_WILDCARDS} wildcards", path=path)
        return test


@dataclass(slots=True)
class Matching:
    """One event against the patterns of all triggers."""

    event: Mapping[str, Any]
    comparisons: int = 0
    """So far."""
    absent: dict[Path, bool] = field(default_factory=dict)
    leaves: dict[Key, Leaf] = field(default_factory=dict)

    def is_match(self, pattern: Pattern) -> bool:
        """InvalidValueError if the event has taken more than `MAX_COMPARISONS`."""
        return self._object(pattern.root, self.event)

    def _count(self, comparisons: int) -> None:
        self.comparisons += comparisons
        if self.comparisons > MAX_COMPARISONS:
            raise InvalidValueError(
                f"the event takes more than {MAX_COMPARISONS:,} comparisons with the patterns of all triggers: send "
                "fewer elements in arrays and shorter texts, or use fewer tests in patterns",
                path=("data",),
            )

    def _object(self, pattern: _Object, value: object) -> bool:
        """Whether one object of the value, or none at all, matches."""
        found = [each for each in self._elements(value) if isinstance(each, Mapping)]
        return any(self._members(pattern, each) for each in found or [{}])

    def _members(self, pattern: _Object, value: Mapping[str, Any]) -> bool:
        self._count(1)
        return all(
            self._field(each, value.get(name, ()))
            if isinstance(each, _Field)
            else self._object(each, value.get(name))
            for name, each in pattern.members
        ) and (not pattern.alternatives or any(self._members(each, value) for each in pattern.alternatives))

    def _field(self, pattern: _Field, value: object) -> bool:
        leaves = (each for each in self._elements(value) if not isinstance(each, Mapping))
        return any(self._accepts(pattern, leaf) for leaf in leaves) or (
            pattern.accepts_absence and self._is_absent(pattern.path)
        )

    def _accepts(self, pattern: _Field, value: object) -> bool:
        length = len(value) if isinstance(value, str) else 0
        self._count(pattern.comparisons + length * pattern.readings // _TEXT_UNIT)
        key = key_of(value)
        if key in pattern.values:
            return True
        if not pattern.tests:
            return False
        if (leaf := self.leaves.get(key)) is None:
            leaf = self.leaves[key] = Leaf(value)
        return any(test.accepts(leaf) for test in pattern.tests)

    def _is_absent(self, path: Path) -> bool:
        """Whether no element of the event has a value there. An object is none: only its own fields have values."""
        if path not in self.absent:
            level: list[object] = [self.event]
            for name in path:
                level = [
                    each
                    for one in level
                    if isinstance(one, Mapping) and name in one
                    for each in self._elements(one[name])
                ]
            self.absent[path] = all(isinstance(each, Mapping) for each in level)
        return self.absent[path]

    def _elements(self, value: object) -> Iterator[object]:
        """The value, or the elements of an array and of the arrays in it. Not recursive: an event may be deep."""
        self._count(1)
        stack = [value]
        while stack:
            top = stack.pop()
            if isinstance(top, list | tuple):
                self._count(len(top))
                stack.extend(top)
            else:
                yield top
