"""Reads YAML text into plain values, with the line of each, without the traps of YAML 1.1.

Only `true` and `false` are booleans, and dates, times of day, octal and hexadecimal numbers stay text. Duplicate
keys, tags, merge keys and keys that are no text are refused. The reader works on events and keeps its own stack,
because the parsers of PyYAML that build values overflow the stack of the process on deeply nested input.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

MAX_BYTES: Final = 8 * 1024 * 1024
MAX_DEPTH: Final = 64
MAX_VALUES: Final = 1_000_000
"""Values of all documents together; an alias counts as often as it is used."""

Path = tuple[str | int, ...]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,299})", re.ASCII)
_FLOAT = re.compile(r"[-+]?[0-9]{1,40}\.[0-9]{0,40}(?:[eE][-+][0-9]{1,3})?", re.ASCII)


class YamlError(ValueError):
    """The text is not YAML, or uses a part of YAML that is not read. `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its value, and the lines of its values by path, such as `("jobs", "nightly", "cron")`.

    The line of a member of a mapping is the line of its key. Values inside of an alias have no line of their own.
    """

    value: Any
    line: int
    lines: dict[Path, int]

    def line_at(self, path: Path) -> int:
        """Return the line of the value at the path, or of the nearest value around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, self.line)


@dataclass(slots=True)
class _Open:
    """A sequence or mapping whose end has not been read."""

    container: list[Any] | dict[str, Any]
    path: Path
    line: int
    anchor: str | None
    size: int = 1
    key: str | None = None


@dataclass(slots=True)
class _Builder:
    lines: dict[Path, int] = field(default_factory=dict)
    anchors: dict[str, tuple[Any, int]] = field(default_factory=dict)
    stack: list[_Open] = field(default_factory=list)
    values: int = 0
    root: Any = None

    def path_of_next(self, line: int) -> Path:
        """Return the path of the value that begins here, and count it."""
        self.values += 1
        if self.values > MAX_VALUES:
            raise YamlError(f"more than {MAX_VALUES:,} values", line)
        if not self.stack:
            return ()
        top = self.stack[-1]
        return (*top.path, len(top.container) if isinstance(top.container, list) else top.key or "")

    def add(self, value: Any, line: int, size: int = 1) -> None:
        """Put a complete value into the innermost open container."""
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        top.size += size
        if isinstance(top.container, list):
            top.container.append(value)
        elif top.key is None:
            self._open_member(top, value, line)
        else:
            top.container[top.key] = value
            top.key = None

    def _open_member(self, top: _Open, key: Any, line: int) -> None:
        assert isinstance(top.container, dict)
        if not isinstance(key, str):
            raise YamlError("a key must be text: put it into quotes", line)
        if key in top.container:
            raise YamlError(f"the key {key[:60]!r} occurs twice", line)
        top.key = key
        place = (*top.path, key)
        self.lines[place] = line


def read_documents(data: bytes) -> Iterator[Document]:
    """Yield the documents of a stream in UTF-8; empty documents are left out. Raises YamlError."""
    if len(data) > MAX_BYTES:
        raise YamlError(f"more than {MAX_BYTES // 1024 // 1024} MiB", 1)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise YamlError("not UTF-8", data[: error.start].count(b"\n") + 1) from None
    used = 0
    try:
        builder, start = _Builder(), 1
        for event in yaml.parse(text, Loader=_LOADER):
            line = event.start_mark.line + 1
            if isinstance(event, yaml.DocumentStartEvent):
                builder, start = _Builder(values=used), line
            elif isinstance(event, yaml.DocumentEndEvent):
                used = builder.values
                if builder.root is not None:
                    yield Document(builder.root, builder.lines.get((), start), builder.lines)
            else:
                _take(builder, event, line)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it holds a character that YAML does not allow"
        raise YamlError(f"not YAML: {problem}", 1 if mark is None else mark.line + 1) from None


def _take(builder: _Builder, event: Any, line: int) -> None:
    match event:
        case yaml.AliasEvent():
            if event.anchor not in builder.anchors:
                raise YamlError("an alias stands for a value that has ended before it", line)
            value, size = builder.anchors[event.anchor]
            builder.values += size
            builder.path_of_next(line)
            builder.add(value, line, size)
        case yaml.ScalarEvent():
            _take_scalar(builder, event, line)
        case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
            _open(builder, event, line)
        case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
            closed = builder.stack.pop()
            if closed.anchor is not None:
                builder.anchors[closed.anchor] = (closed.container, closed.size)
            builder.add(closed.container, closed.line, closed.size)
        case _:
            pass


def _open(builder: _Builder, event: Any, line: int) -> None:
    if event.tag is not None:
        raise YamlError("tags (!) are not read", line)
    if len(builder.stack) >= MAX_DEPTH:
        raise YamlError(f"nested deeper than {MAX_DEPTH} levels", line)
    path = builder.path_of_next(line)
    builder.lines.setdefault(path, line)
    container: list[Any] | dict[str, Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
    builder.stack.append(_Open(container, path, line, event.anchor))


def _take_scalar(builder: _Builder, event: Any, line: int) -> None:
    if event.tag is not None:
        raise YamlError("tags (!) are not read", line)
    path = builder.path_of_next(line)
    builder.lines.setdefault(path, line)
    top = builder.stack[-1] if builder.stack else None
    is_key = top is not None and isinstance(top.container, dict) and top.key is None
    plain = event.style is None or event.style == ""
    value = _resolved(event.value) if plain and not (is_key and event.value) else event.value
    if is_key and plain and event.value == "<<":
        raise YamlError("merge keys (<<) are not read: write the members out", line)
    if is_key and plain and not isinstance(_resolved(event.value), str):
        raise YamlError("a key must be text: put it into quotes", line)
    if event.anchor is not None:
        builder.anchors[event.anchor] = (value, 1)
    builder.add(value, line)


def _resolved(text: str) -> Any:
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
