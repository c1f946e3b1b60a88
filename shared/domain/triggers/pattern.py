"""Event patterns in the language of Amazon EventBridge, compiled once and matched against JSON events.

A pattern is an object with the fields that an event must have. Each field has an array of values and tests, of which
one must accept the event's value. The members of an object must all match; of the objects in `$or`, one must.

An array in an event matches by any of its elements. The members of one object in the pattern match the same element
of an array of objects, as in Event Ruler. Only a `$or` differs there: its alternatives choose elements of arrays
further down for themselves. A test `exists: false` looks at all elements.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any, Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.triggers.value_tests import Path, ValueTest, value_test

MAX_PATTERN_BYTES: Final = 4_096
"""Of a pattern as compact JSON in UTF-8."""
MAX_DEPTH: Final = 10
MAX_TESTS: Final = 200
"""Values and tests of one pattern."""
MAX_WILDCARDS: Final = 20
OR: Final = "$or"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    path: Path
    """Of the field in an event."""
    tests: tuple[ValueTest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Object:
    members: tuple[tuple[str, _Object | _Field], ...]
    alternatives: tuple[_Object, ...]
    """Of its `$or`; empty without one."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern. A match visits each part of the event once for each part of the pattern at most."""

    _root: _Object

    def matches(self, event: Mapping[str, Any]) -> bool:
        return _Match(event).is_match(self._root, event)


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
        return _Field(
            path=fields, tests=tuple(self._test(each, (*path, str(index))) for index, each in enumerate(raw))
        )

    def _alternatives(self, raw: object, path: Path, fields: Path) -> tuple[_Object, ...]:
        if not isinstance(raw, list) or len(raw) < 2:
            raise InvalidValueError("$or is an array of at least two objects", path=path)
        return tuple(self.compile_object(each, (*path, str(index)), fields) for index, each in enumerate(raw))

    def _test(self, raw: object, path: Path) -> ValueTest:
        test = value_test(raw, path)
        self.tests += 1
        self.wildcards += test.is_wildcard
        if self.tests > MAX_TESTS:
            raise InvalidValueError(f"a pattern has at most {MAX_TESTS} values and tests", path=path)
        if self.wildcards > MAX_WILDCARDS:
            raise InvalidValueError(f"a pattern has at most {MAX_WILDCARDS} wildcards", path=path)
        return test


@dataclass(slots=True)
class _Match:
    """One event against one pattern."""

    event: Mapping[str, Any]
    absent: dict[Path, bool] = field(default_factory=dict)

    def is_match(self, pattern: _Object, value: object) -> bool:
        """Whether one object of the value, or none at all, matches."""
        found = [each for each in _elements(value) if isinstance(each, Mapping)]
        return any(self._members(pattern, each) for each in found or [{}])

    def _members(self, pattern: _Object, value: Mapping[str, Any]) -> bool:
        return all(
            self._field(each, value.get(name, ()))
            if isinstance(each, _Field)
            else self.is_match(each, value.get(name))
            for name, each in pattern.members
        ) and (not pattern.alternatives or any(self._members(each, value) for each in pattern.alternatives))

    def _field(self, pattern: _Field, value: object) -> bool:
        leaves = [each for each in _elements(value) if not isinstance(each, Mapping)]
        return any(test.accepts(leaf) for leaf in leaves for test in pattern.tests) or (
            any(test.accepts_absence for test in pattern.tests) and self._is_absent(pattern.path)
        )

    def _is_absent(self, path: Path) -> bool:
        """Whether no element of the event has a value there. An object is none: only its own fields have values."""
        if path not in self.absent:
            level: list[object] = [self.event]
            for name in path:
                level = [
                    each
                    for one in level
                    if isinstance(one, Mapping) and name in one
                    for each in _elements(one[name])
                ]
            self.absent[path] = all(isinstance(each, Mapping) for each in level)
        return self.absent[path]


def _elements(value: object) -> Iterator[object]:
    """The value itself, or the elements of an array and of the arrays in it. Not recursive: an event may be deep."""
    stack = [value]
    while stack:
        top = stack.pop()
        if isinstance(top, list | tuple):
            stack.extend(top)
        else:
            yield top
